import * as T from 'typebox'
import { FOLDER } from '../../api/openapi/samples.ts'
import { envelope, jsonBody, queryParameters } from '../../api/schema.ts'
import { DestinationFields, FileView, VisibilitySchema } from '../../views/files.ts'
import { FolderView, OneFolder } from '../../views/folders.ts'
import { ListParameters } from '../../views/lists.ts'

const Id = T.String({ examples: [FOLDER.id] })

/** Schema of a folder's contents. */
export const BrowseAnswer = envelope(T.Object({ files: T.Array(FileView), folders: T.Array(FolderView) }))

const FileChecksum = T.Object({
  id: T.String(),
  key: T.String(),
  size: T.Integer(),
  sha256: T.String({ description: 'Hexadecimal.' }),
  visibility: VisibilitySchema,
})
export type FileChecksum = T.Static<typeof FileChecksum>

export const ChecksumsAnswer = envelope(T.Object({ files: T.Array(FileChecksum) }))
const FolderTotals = T.Object({
  files: T.Integer(),
  folders: T.Integer(),
  size: T.Integer({ description: 'Size of the files together, in bytes.' }),
})
export type FolderTotals = T.Static<typeof FolderTotals>

const FolderSize = T.Object({
  id: Id,
  name: T.String({ examples: [FOLDER.name] }),
  ...FolderTotals.properties,
})
export type FolderSize = T.Static<typeof FolderSize>

export const TotalsAnswer = envelope(FolderTotals)
export const SizesAnswer = envelope(T.Object({ folders: T.Array(FolderSize) }))
export const TotalsQuery = queryParameters(T.Object(OneFolder))
export const ChecksumsQuery = queryParameters(T.Object(OneFolder))

export const FolderAnswer = envelope(T.Object({ folder: FolderView }))

export const BrowseQuery = queryParameters(T.Object({ ...OneFolder, ...ListParameters }))
export const CreateBody = jsonBody(T.Object({ folder: T.String({ description: 'Its key.' }) }))
export const ChangeBody = jsonBody(
  T.Object({ id: T.String(), name: T.Optional(T.String()), visibility: T.Optional(VisibilitySchema) }),
)
export const MoveBody = jsonBody(T.Object({ id: T.String(), ...DestinationFields }))
export const ReplaceBody = jsonBody(
  T.Object({
    id: T.String({
      description: 'Folder that takes the place, in the tree or in the trash.',
      examples: [FOLDER.id],
    }),
    replaces: T.String({ description: 'Folder that goes to the trash.' }),
  }),
)
export const DeleteBody = jsonBody(T.Object({ id: Id }))
