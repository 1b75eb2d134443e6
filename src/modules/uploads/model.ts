import * as T from 'typebox'
import type { TreeContext } from '../../access/context.ts'
import { FILE, FOLDER, OTHER_ID } from '../../api/openapi/samples.ts'
import { envelope, IsoTime, named } from '../../api/schema.ts'
import { formatHttpDate } from '../../http/wire.ts'
import type { ResumableRow } from '../../store/rows.ts'
import { FileView, VisibilitySchema, viewRows } from '../../views/files.ts'

/** Schema of a resumable upload. `visibility` is null for the default; `file` is the resulting file. */
export const UploadView = named(
  'Upload',
  T.Object({
    id: T.String(),
    name: T.String(),
    folder: T.String(),
    visibility: T.Union([VisibilitySchema, T.Null()]),
    length: T.Integer({ description: 'In bytes.' }),
    offset: T.Integer({ description: 'Number of bytes received.' }),
    expiresAt: IsoTime,
    file: T.Union([FileView, T.Null()]),
  }),
  {
    id: OTHER_ID,
    name: FILE.name,
    folder: FOLDER.key,
    visibility: null,
    length: FILE.size,
    offset: 0,
    expiresAt: '2026-11-03T09:30:00.000Z',
    file: null,
  },
)
export type UploadView = T.Static<typeof UploadView>

export const UploadAnswer = envelope(T.Object({ upload: UploadView }))

export async function viewUpload(
  { store }: Pick<TreeContext, 'store'>,
  row: ResumableRow,
): Promise<UploadView> {
  const { id, name, folder, visibility, length, received, expiresAt } = row
  const found = row.fileId === null ? undefined : await store.files.byId(row.fileId)
  const [file = null] = found ? await store.read(() => viewRows(store, [found])) : []
  const expires = new Date(expiresAt).toISOString()
  return { id, name, folder, visibility, length, offset: received, expiresAt: expires, file }
}

/** Returns the headers with an upload's progress, and with the id of the resulting file. */
export function uploadHeaders({ received, fileId, expiresAt }: ResumableRow): Record<string, string> {
  return {
    'Upload-Offset': String(received),
    ...(fileId === null ? { 'Upload-Expires': formatHttpDate(expiresAt) } : { 'Holdfast-File-Id': fileId }),
  }
}
