import * as T from 'typebox'
import type { FolderRow } from '../catalog/folders.ts'
import { envelope } from '../envelope.ts'
import { DestinationFields, ListParameters, recordTime, VisibilitySchema } from '../files/model.ts'
import { jsonBody, nullable, queryParameters } from '../schema.ts'

/** Spec: Folder object. The root's `parentId` is null. */
export const FolderView = T.Object({
  id: T.String(),
  name: T.String(),
  key: T.String(),
  parentId: nullable(T.String()),
  createdAt: T.String(),
  updatedAt: T.String(),
})
export type FolderView = T.Static<typeof FolderView>

const FileChecksum = T.Object({
  id: T.String(),
  key: T.String(),
  size: T.Integer(),
  sha256: T.String(),
  visibility: VisibilitySchema,
})
export type FileChecksum = T.Static<typeof FileChecksum>

export const ChecksumsAnswer = envelope(T.Object({ files: T.Array(FileChecksum) }))
export const ChecksumsQuery = queryParameters(
  T.Object({ id: T.Optional(T.String()), key: T.Optional(T.String()) }),
)

export const FolderAnswer = envelope(T.Object({ folder: FolderView }))

/** `path` is another word for `key`. */
export const BrowseQuery = queryParameters(
  T.Object({
    id: T.Optional(T.String()),
    key: T.Optional(T.String()),
    path: T.Optional(T.String()),
    ...ListParameters,
  }),
)
export const CreateBody = jsonBody(T.Object({ folder: T.String() }))
export const ChangeBody = jsonBody(
  T.Object({ id: T.String(), name: T.Optional(T.String()), visibility: T.Optional(VisibilitySchema) }),
)
export const MoveBody = jsonBody(T.Object({ id: T.String(), ...DestinationFields }))
export const DeleteBody = jsonBody(T.Object({ id: T.String() }))

export const folderView = (folder: FolderRow, key: string): FolderView => ({
  id: folder.id,
  name: folder.name,
  key,
  parentId: folder.parentId,
  createdAt: recordTime(folder.createdAt),
  updatedAt: recordTime(folder.updatedAt),
})
