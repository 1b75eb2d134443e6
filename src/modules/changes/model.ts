import * as T from 'typebox'
import { envelope, nullable, oneOf } from '../../api/schema.ts'
import { FileView } from '../../views/files.ts'

const Ids = T.Array(T.String())

/** Schema of the name of a list other than files and folders. `account` and `fetches` are the caller's own. */
const AreaSchema = oneOf(['account', 'fetches', 'settings', 'shares', 'trash', 'users', 'webhooks'])
export type Area = T.Static<typeof AreaSchema>

/** Schema of a folder whose list has changed, with the ids of new and changed files and folders directly in it. */
const ChangedFolder = T.Object({
  id: T.String(),
  /** Path from the root. */
  key: T.String(),
  /** Null when they are too many: the client reads the list instead. */
  files: nullable(Ids),
  folders: Ids,
})
export type ChangedFolder = T.Static<typeof ChangedFolder>

/** Schema of the changes of one event. */
const ChangesSchema = T.Object({
  folders: T.Array(ChangedFolder),
  /** Ids of files and folders that left the tree. */
  gone: T.Object({ files: Ids, folders: Ids }),
  /** Keys of folders below which anything may have changed; the empty key is the root. */
  below: T.Array(T.String()),
  areas: T.Array(AreaSchema),
})
export type Changes = T.Static<typeof ChangesSchema>

/** Id of an event in examples. */
export const EVENT_ID = '7f3c1c1e-7d3a-4a53-9a7e-2f4f6f0a8f11.41'
export const LatestAnswer = envelope(T.Object({ id: T.String({ examples: [EVENT_ID] }) }))

export const FilesAnswer = envelope(T.Object({ files: T.Array(FileView) }))
