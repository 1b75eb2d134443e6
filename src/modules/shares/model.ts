import * as T from 'typebox'
import { PasswordField } from '../../access/profile.ts'
import { ACCOUNT, EXAMPLE_ID, FILE, SHARE } from '../../api/openapi/samples.ts'
import { envelope, IsoTime, jsonBody, named, nullable, oneOf, queryParameters } from '../../api/schema.ts'
import { iso, isoOrNull } from '../../platform/time.ts'
import type { NamedShareItem, Reserved, ShareRow, ShareVisitRow } from '../../store/rows.ts'

/** Maximum files and folders of one share. */
export const MAX_ITEMS = 200

/** Schema of a shared file or folder. */
const ShareItem = T.Object({
  fileId: T.Optional(T.String()),
  folderId: T.Optional(T.String()),
  name: nullable(T.String({ description: 'Null while it is in the trash, or deleted.' })),
  mimeType: T.Optional(T.String({ description: 'Of a file.' })),
  size: T.Optional(T.Integer({ description: 'Of a file, in bytes.' })),
})

const ShareView = named(
  'Share',
  T.Object({
    id: T.String(),
    slug: T.String({ description: 'Name of the share in its URL.' }),
    userId: T.String({ description: 'Account that it belongs to.' }),
    title: nullable(T.String()),
    note: nullable(T.String()),
    canRead: T.Boolean(),
    canWrite: T.Boolean(),
    hasPassword: T.Boolean(),
    expiresAt: nullable(IsoTime),
    maxDownloads: nullable(T.Integer()),
    downloads: T.Integer({ description: 'Completed downloads.' }),
    folderId: nullable(T.String({ description: 'Folder that received files go to.' })),
    folderName: nullable(T.String({ description: 'Null while it is in the trash, or deleted.' })),
    maxFiles: nullable(T.Integer()),
    maxBytes: nullable(T.Integer()),
    types: nullable(T.Array(T.String())),
    receivedFiles: T.Integer({ description: 'Files that have arrived whole.' }),
    receivedBytes: T.Integer(),
    reservedFiles: T.Integer({ description: 'Uploads under way. They count under the limits, too.' }),
    reservedBytes: T.Integer({ description: 'Bytes that they announced.' }),
    unfinishedBytes: T.Integer({ description: 'Bytes of them that have arrived.' }),
    notify: nullable(T.String({ description: 'Webhook that gets the events of the share.' })),
    items: T.Array(ShareItem),
    url: T.String({ description: 'Address of the share, relative to the base URL.' }),
    createdAt: IsoTime,
    updatedAt: IsoTime,
  }),
  {
    id: '019a2f70-1c2d-7e3f-8a4b-5c6d7e8f9a0b',
    slug: SHARE.slug,
    userId: ACCOUNT.user.id,
    title: SHARE.title,
    note: null,
    canRead: true,
    canWrite: false,
    hasPassword: true,
    expiresAt: '2026-12-01T00:00:00.000Z',
    maxDownloads: 3,
    downloads: 1,
    folderId: null,
    folderName: null,
    maxFiles: null,
    maxBytes: null,
    types: null,
    receivedFiles: 0,
    receivedBytes: 0,
    reservedFiles: 0,
    reservedBytes: 0,
    unfinishedBytes: 0,
    notify: null,
    items: [{ fileId: FILE.id, name: FILE.name, mimeType: FILE.mimeType, size: FILE.size }],
    url: `s/${SHARE.slug}`,
    createdAt: '2026-11-03T10:00:00.000Z',
    updatedAt: '2026-11-03T10:00:00.000Z',
  },
)

const OneItem = T.Union([T.Object({ fileId: T.String() }), T.Object({ folderId: T.String() })])
export type ItemRequest = T.Static<typeof OneItem>

const Limit = T.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })

const rules = {
  items: T.Optional(T.Array(OneItem)),
  title: T.Optional(nullable(T.String({ maxLength: 255 }))),
  note: T.Optional(nullable(T.String({ maxLength: 2000 }))),
  slug: T.Optional(
    T.String({
      pattern: '^[A-Za-z0-9-]{3,64}$',
      description: '3 to 64 letters, digits and hyphens',
    }),
  ),
  canRead: T.Optional(T.Boolean({ description: 'True unless the share only takes files.' })),
  canWrite: T.Optional(T.Boolean({ description: 'True for a share that takes files into `folderId`.' })),
  password: T.Optional(nullable(PasswordField)),
  expiresAt: T.Optional(nullable(T.String())),
  maxDownloads: T.Optional(nullable(Limit)),
  folderId: T.Optional(nullable(T.String({ description: 'Id of the folder that received files go to.' }))),
  maxFiles: T.Optional(nullable(Limit)),
  maxBytes: T.Optional(nullable(Limit)),
  types: T.Optional(
    nullable(
      T.Array(T.String(), {
        minItems: 1,
        description: 'Media types such as image/*, or extensions such as .pdf.',
      }),
    ),
  ),
  notify: T.Optional(nullable(T.String({ description: 'Id of a webhook with `forShares`.' }))),
}

export const CreateBody = jsonBody(T.Object(rules))
export type ShareRules = T.Static<typeof CreateBody.schema>
export const ChangeBody = jsonBody(T.Object({ id: T.String(), ...rules }))
export type ChangeShare = T.Static<typeof ChangeBody.schema>
export const EndBody = jsonBody(T.Object({ id: T.String() }))

export const SharesQuery = queryParameters(
  T.Object({
    all: T.Optional(
      T.String({
        description: '`1` for the shares of all accounts; requires `users:manage`.',
        examples: ['1'],
      }),
    ),
  }),
)
export const VisitsQuery = queryParameters(
  T.Object({
    id: T.String({ description: 'The share with this id.', examples: [EXAMPLE_ID] }),
    before: T.Optional(
      T.String({ description: 'Id of a visit; returns older ones.', examples: [EXAMPLE_ID] }),
    ),
  }),
)

const Visit = named(
  'ShareVisit',
  T.Object({
    id: T.String(),
    at: IsoTime,
    what: oneOf(['opened', 'started', 'downloaded', 'uploaded', 'refused'] as const),
    fileId: nullable(T.String({ description: 'Null for an archive.' })),
    name: nullable(T.String({ description: 'Name of the file at that time.' })),
    bytes: T.Integer(),
    address: T.String(),
    userAgent: T.String(),
  }),
  {
    id: EXAMPLE_ID,
    at: '2026-11-03T11:00:00.000Z',
    what: 'downloaded',
    fileId: FILE.id,
    name: FILE.name,
    bytes: FILE.size,
    address: '203.0.113.7',
    userAgent: 'Mozilla/5.0',
  },
)

export const ShareAnswer = envelope(T.Object({ share: ShareView }))
export const SharesAnswer = envelope(T.Object({ shares: T.Array(ShareView) }))
export const VisitsAnswer = envelope(T.Object({ visits: T.Array(Visit) }))

/** Parts of a share beside its row. */
interface Shown {
  items: readonly NamedShareItem[]
  folderName: string | null
  reserved: Reserved | undefined
}

/** Returns a share as its owner sees it, without the password. */
export const shareView = (
  { userId, passwordHash, ...share }: ShareRow,
  { items, folderName, reserved }: Shown,
): T.Static<typeof ShareView> => ({
  ...share,
  receivedFiles: share.receivedFiles - (reserved?.files ?? 0),
  receivedBytes: share.receivedBytes - (reserved?.bytes ?? 0),
  reservedFiles: reserved?.files ?? 0,
  reservedBytes: reserved?.bytes ?? 0,
  unfinishedBytes: reserved?.arrived ?? 0,
  userId,
  hasPassword: passwordHash !== null,
  folderName,
  expiresAt: isoOrNull(share.expiresAt),
  items: items.map(({ kind, itemId, name, mimeType, size }) =>
    kind === 'file'
      ? { fileId: itemId, name, ...(mimeType !== null && size !== null && { mimeType, size }) }
      : { folderId: itemId, name },
  ),
  url: `s/${share.slug}`,
  createdAt: iso(share.createdAt),
  updatedAt: iso(share.updatedAt),
})

export const visitView = (visit: ShareVisitRow): T.Static<typeof Visit> => ({
  id: visit.id,
  at: iso(visit.createdAt),
  what: visit.what,
  fileId: visit.fileId,
  name: visit.name,
  bytes: visit.bytes,
  address: visit.ipAddress,
  userAgent: visit.userAgent,
})
