import * as T from 'typebox'
import { EXAMPLE_ID } from '../../api/openapi/samples.ts'
import { envelope, nullable, oneOf, queryParameters } from '../../api/schema.ts'
import { FileView } from '../files/model.ts'

const Ids = T.Array(T.String())

/** Schema of lists beside files and folders. `account` is the caller's own. */
const AreaSchema = oneOf(['account', 'settings', 'shares', 'trash', 'users', 'webhooks'])
export type Area = T.Static<typeof AreaSchema>

/** Schema of a folder of which the list has changed: ids of files and folders directly in it that are new or changed. */
const ChangedFolder = T.Object({
  id: T.String(),
  /** Path from the root. */
  key: T.String(),
  /** Null for too many. */
  files: nullable(Ids),
  folders: Ids,
})
export type ChangedFolder = T.Static<typeof ChangedFolder>

/** Schema of the changes of about a second. */
const ChangesSchema = T.Object({
  folders: T.Array(ChangedFolder),
  /** Ids of files and folders that left the tree. */
  gone: T.Object({ files: Ids, folders: Ids }),
  /** Keys of folders below which anything may have changed; the empty key is the root. */
  below: T.Array(T.String()),
  areas: T.Array(AreaSchema),
})
export type Changes = T.Static<typeof ChangesSchema>

/** Maximum files of one request: their ids fit into a URL. */
export const MAX_FILES = 100

export const FilesQuery = queryParameters(
  T.Object({
    ids: T.String({
      pattern: `^[\\w-]{1,64}(,[\\w-]{1,64}){0,${MAX_FILES - 1}}$`,
      description: `up to ${MAX_FILES} ids of files, separated by commas`,
      examples: [EXAMPLE_ID],
    }),
  }),
)
export const FilesAnswer = envelope(T.Object({ files: T.Array(FileView) }))
