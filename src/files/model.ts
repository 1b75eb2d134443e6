import * as T from 'typebox'
import type { FileRow } from '../catalog/files.ts'
import { envelope } from '../envelope.ts'
import { jsonBody, queryParameters } from '../schema.ts'
import { joinKey } from '../volume/names.ts'

export const VisibilitySchema = T.Union([T.Literal('public'), T.Literal('private')])

/** Spec: File object. */
export const FileView = T.Object({
  id: T.String(),
  name: T.String(),
  key: T.String(),
  mimeType: T.String(),
  size: T.Integer(),
  folderId: T.String(),
  visibility: VisibilitySchema,
  url: T.String(),
  createdAt: T.String(),
  updatedAt: T.String(),
})
export type FileView = T.Static<typeof FileView>

export const FileAnswer = envelope(T.Object({ file: FileView }))
export const FilesAnswer = envelope(T.Object({ files: T.Array(FileView) }))
export const LinkAnswer = envelope(T.Object({ url: T.String(), expiresAt: T.String() }))

export const FileQuery = queryParameters(
  T.Object({ id: T.Optional(T.String()), key: T.Optional(T.String()) }),
)
export const DeleteBody = jsonBody(T.Object({ id: T.String() }))
export const SignBody = jsonBody(
  T.Object({
    id: T.Optional(T.String()),
    key: T.Optional(T.String()),
    expiresIn: T.Optional(T.Number()),
  }),
)
export type SignRequest = T.Static<typeof SignBody.schema>

/** A file as clients see it. `folderKey` is the key of the folder it is in. */
export function fileView(file: FileRow, folderKey: string): FileView {
  const key = joinKey(folderKey, file.name)
  return {
    id: file.id,
    name: file.name,
    key,
    mimeType: file.mimeType,
    size: file.size,
    folderId: file.folderId,
    visibility: file.visibility,
    url: hostingUrl(key),
    createdAt: recordTime(file.createdAt),
    updatedAt: recordTime(file.updatedAt),
  }
}

/** Where a key is served, relative to the base URL: each segment percent-encoded, slashes kept. */
export const hostingUrl = (key: string) => `api/hosting/${key.split('/').map(encodeURIComponent).join('/')}`

/** `YYYY-MM-DD HH:MM:SS` in UTC, the form of file, folder and activity records. */
export const recordTime = (epochMs: number) => new Date(epochMs).toISOString().slice(0, 19).replace('T', ' ')
