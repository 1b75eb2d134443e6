import * as T from 'typebox'
import { envelope, IsoTime, named, nullable } from '../../api/schema.ts'
import { FileView } from '../../views/files.ts'

const total = { count: T.Integer(), size: T.Integer() }
const traffic = { requests: T.Integer(), bytes: T.Integer() }
const spaceLeft = { available: T.Integer(), capacity: T.Integer() }

const FileStats = named(
  'FileStats',
  T.Object({
    total: T.Integer(),
    folders: T.Integer(),
    storage: T.Object({ used: T.Integer(), ...spaceLeft }),
    versions: T.Object(total),
    types: T.Array(T.Object({ mimeType: T.String(), ...total })),
    largest: T.Array(FileView),
    recent: T.Array(FileView),
    visibility: T.Object({ public: T.Object(total), private: T.Object(total) }),
    added: T.Array(T.Object({ date: T.String(), ...total })),
    trash: T.Object(total, { description: 'Files in the trash; not part of the other figures.' }),
  }),
)

const KeyStats = named(
  'KeyStats',
  T.Object({
    total: T.Integer(),
    requests: T.Array(T.Object({ date: T.String(), count: T.Integer() })),
    keys: T.Array(
      T.Object({
        id: T.String(),
        name: T.String({ examples: ['backup script'] }),
        requests: T.Integer(),
        lastUsed: nullable(IsoTime),
        expiresAt: nullable(IsoTime),
      }),
    ),
  }),
)

const HostingStats = named(
  'HostingStats',
  T.Object({
    days: T.Array(T.Object({ date: T.String(), ...traffic, notFound: T.Integer() })),
    top: T.Array(T.Object({ file: FileView, ...traffic })),
  }),
)

const UserStats = named(
  'UserStats',
  T.Object({ total: T.Integer(), disabled: T.Integer(), sessions: T.Integer() }),
)

const StorageLow = T.Object({ type: T.Literal('storage-low'), ...spaceLeft })
const DatabaseLog = T.Object({
  type: T.Literal('database-log'),
  size: T.Integer({ description: 'Bytes of the write-ahead log of the database.' }),
  limit: T.Integer({ description: 'Maximum of those bytes.' }),
})
const Failures = T.Object({
  type: T.Union([T.Literal('unfinished'), T.Literal('uploads-failed'), T.Literal('deletes-failed')]),
  count: T.Integer(),
  latest: T.String(),
})
const Integrity = T.Object({
  type: T.Literal('integrity'),
  count: T.Integer({ description: 'Damaged files, wherever they are.' }),
  latest: T.String(),
  trash: T.Optional(T.Integer({ description: 'Those of them in the trash, if there are any.' })),
  versions: T.Optional(T.Integer({ description: 'Those of them that are replaced versions.' })),
})
const KeysToMind = T.Object({
  type: T.Union([T.Literal('keys-expired'), T.Literal('keys-expiring'), T.Literal('keys-unused')]),
  count: T.Integer(),
})
const SecurityRelease = T.Object({
  type: T.Literal('security-release'),
  version: T.String({
    description: 'Release to update to; only for accounts with users:manage.',
    examples: ['1.2.3'],
  }),
})
const CertificateUnusable = T.Object({
  type: T.Literal('certificate-unusable', {
    description: 'The files of the certificate for HTTPS changed to something that cannot be used.',
  }),
})
const CertificateExpiring = T.Object({
  type: T.Literal('certificate-expiring'),
  expiresAt: T.String({ description: 'When the certificate for HTTPS expires, or expired.' }),
})
const CacheOwed = T.Object({
  type: T.Literal('cache-owed'),
  count: T.Integer({ description: 'Files and folders that the cache in front has not purged.' }),
  since: T.String({ description: 'Time of the first attempt that failed.' }),
})
const CertificateRefused = T.Object({
  type: T.Literal('certificate-refused'),
  names: T.Array(T.Object({ name: T.String(), reason: T.String() }), {
    description: 'Names that have no certificate for HTTPS, each with the reason that the authority gave.',
  }),
})
const Alert = T.Union([
  StorageLow,
  DatabaseLog,
  CacheOwed,
  Integrity,
  Failures,
  KeysToMind,
  SecurityRelease,
  CertificateUnusable,
  CertificateExpiring,
  CertificateRefused,
])

/** Schema of the statistics. A section is null when its caller lacks the scope. */
export const Stats = named(
  'Stats',
  T.Object({
    files: nullable(FileStats),
    apiKeys: nullable(KeyStats),
    hosting: nullable(HostingStats),
    users: nullable(UserStats),
    alerts: T.Array(Alert),
  }),
)

export type FileStats = T.Static<typeof FileStats>
export type KeyStats = T.Static<typeof KeyStats>
export type HostingStats = T.Static<typeof HostingStats>
export type UserStats = T.Static<typeof UserStats>
export type Alert = T.Static<typeof Alert>
export type Stats = T.Static<typeof Stats>

export const StatsAnswer = envelope(Stats)
