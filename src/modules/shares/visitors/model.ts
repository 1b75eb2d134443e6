import * as T from 'typebox'
import { EXAMPLE_ID } from '../../../api/openapi/samples.ts'
import { envelope, IsoTime, jsonBody, named, nullable, queryParameters } from '../../../api/schema.ts'
import { iso } from '../../../platform/time.ts'
import type { FileRow, FolderRow, ResumableRow, ShareRow, ShareVisitRow } from '../../../store/rows.ts'
import { RecordTime, recordTime } from '../../../views/times.ts'
import type { Content } from '../content.ts'

const SharedFile = named(
  'SharedFile',
  T.Object({
    id: T.String(),
    name: T.String(),
    mimeType: T.String(),
    size: T.Integer({ description: 'In bytes.' }),
    createdAt: RecordTime,
    updatedAt: RecordTime,
  }),
)
const SharedUpload = named(
  'SharedUpload',
  T.Object({ name: T.String(), size: T.Integer({ description: 'In bytes.' }), at: IsoTime }),
)
const SharedFolder = named('SharedFolder', T.Object({ id: T.String(), name: T.String() }))

export const VisitAnswer = envelope(
  T.Object({
    title: nullable(T.String()),
    note: nullable(T.String()),
    canRead: T.Boolean(),
    canWrite: T.Boolean(),
    needsPassword: T.Boolean({
      description: 'True until the password opens the share: nothing else is shown.',
    }),
    files: T.Array(SharedFile),
    folders: T.Array(SharedFolder),
    uploads: T.Array(SharedUpload, { description: 'Files that this visitor has sent, newest first.' }),
    next: nullable(T.String({ description: 'Value of `after` for the next page; null for the last one.' })),
  }),
)
type VisitView = T.Static<typeof VisitAnswer.schema>['data']

export const VisitQuery = queryParameters(
  T.Object({
    folder: T.Optional(T.String({ description: 'Id of a folder in the share.', examples: [EXAMPLE_ID] })),
    after: T.Optional(
      T.String({ description: 'With `folder`: only names after this one.', examples: ['harbour.jpg'] }),
    ),
  }),
)
export const FileQuery = queryParameters(
  T.Object({
    download: T.Optional(
      T.String({ description: '`1` to save the file instead of showing it.', examples: ['1'] }),
    ),
  }),
)
export const ArchiveQuery = queryParameters(
  T.Object({
    ids: T.Optional(
      T.String({
        description: 'Ids of files and folders in the share, comma-separated; all of it if omitted.',
        examples: [EXAMPLE_ID],
      }),
    ),
  }),
)
export const ReceivedAnswer = envelope(
  T.Object({ files: T.Array(T.Object({ name: T.String(), size: T.Integer({ description: 'In bytes.' }) })) }),
)
export const SharedUploadAnswer = envelope(
  T.Object({
    upload: named(
      'SharedResumable',
      T.Object({
        id: T.String(),
        name: T.String(),
        length: T.Integer({ description: 'In bytes.' }),
        offset: T.Integer({ description: 'Number of bytes received.' }),
        expiresAt: IsoTime,
      }),
    ),
  }),
)
export const OpenBody = jsonBody(T.Object({ password: T.String() }))

/** Returns an upload as its visitor sees it, without its place. */
export const sharedUploadView = ({ id, name, length, received, expiresAt }: ResumableRow) => ({
  id,
  name,
  length,
  offset: received,
  expiresAt: iso(expiresAt),
})

const fileView = ({ id, name, mimeType, size, createdAt, updatedAt }: FileRow) => ({
  id,
  name,
  mimeType,
  size,
  createdAt: recordTime(createdAt),
  updatedAt: recordTime(updatedAt),
})
const folderView = ({ id, name }: FolderRow) => ({ id, name })

const uploadView = ({ name, sentName, bytes, createdAt }: ShareVisitRow) => ({
  name: sentName ?? name ?? '',
  size: bytes,
  at: iso(createdAt),
})

/** Returns a share as its visitors see it; without `content`, only that it has a password. */
export const visitView = (
  { title, note, canRead, canWrite }: ShareRow,
  content: Content | undefined,
  uploads: readonly ShareVisitRow[] = [],
): VisitView => ({
  title,
  canRead,
  canWrite,
  note: content ? note : null,
  needsPassword: content === undefined,
  files: content?.files.map(fileView) ?? [],
  folders: content?.folders.map(folderView) ?? [],
  uploads: uploads.map(uploadView),
  next: content?.next ?? null,
})
