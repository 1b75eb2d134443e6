import { type ClientOptions, Connection } from './connection.ts'
import { fileCalls } from './files.ts'
import { folderCalls } from './folders.ts'
import {
  accountCalls,
  activityCalls,
  authCalls,
  keyCalls,
  plainCalls,
  settingsCalls,
  userCalls,
} from './instance.ts'
import { uploadCalls } from './resumable.ts'

export type { ClientOptions } from './connection.ts'
export { HoldfastError } from './error.ts'
export type { DownloadOptions, UploadOptions } from './files.ts'
export type { ImportOptions } from './folders.ts'
export { type BrowserMemory, createBrowserMemory, type UploadMemory } from './memory.ts'
export { describeUpload, RESUMABLE_BYTES, type ResumableFile, type ResumableOptions } from './resumable.ts'
export type * from './types.ts'

export type HoldfastClient = ReturnType<typeof createClient>

/**
 * A client of one instance, for browsers, Node and Bun. It needs nothing but `fetch`.
 *
 * Every call throws a `HoldfastError` when the server refuses it or gives no answer.
 */
export function createClient(options: ClientOptions) {
  const connection = new Connection(options)
  return {
    /** The instance's address; the `url` of a file or link, put behind it, is where it is found. */
    url: connection.url,
    files: fileCalls(connection),
    folders: folderCalls(connection),
    uploads: uploadCalls(connection),
    auth: authCalls(connection),
    account: accountCalls(connection),
    keys: keyCalls(connection),
    users: userCalls(connection),
    activity: activityCalls(connection),
    settings: settingsCalls(connection),
    ...plainCalls(connection),
  }
}
