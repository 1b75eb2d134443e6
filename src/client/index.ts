import {
  accountCalls,
  activityCalls,
  authCalls,
  favoriteCalls,
  invitationCalls,
  itemCalls,
  keyCalls,
  peopleCalls,
  plainCalls,
  settingsCalls,
  shareCalls,
  siteCalls,
  trashCalls,
  userCalls,
  webhookCalls,
} from './calls.ts'
import { changeCalls } from './changes.ts'
import { type ClientOptions, Connection } from './connection.ts'
import { fileCalls } from './files.ts'
import { folderCalls } from './folders.ts'
import { uploadCalls } from './resumable.ts'

export { splitTypes } from './calls.ts'
export type { ChangeEvent } from './changes.ts'
export type { ClientOptions } from './connection.ts'
export { HoldfastError } from './error.ts'
export type { DownloadOptions, UploadOptions } from './files.ts'
export type { ImportOptions } from './folders.ts'
export { type BrowserMemory, createBrowserMemory, type UploadMemory } from './memory.ts'
export { createPasskeyClient } from './passkeys.ts'
export {
  describeUpload,
  PIECE_BYTES,
  RESUMABLE_BYTES,
  type ResumableFile,
  type ResumableOptions,
  replacedBy,
} from './resumable.ts'
export type * from './types.ts'
export { uploadTo } from './upload-to.ts'

type PlainCalls = ReturnType<typeof plainCalls>

/** Calls of one instance. Each throws a `HoldfastError` when the server refuses it or does not respond. */
export interface HoldfastClient extends PlainCalls {
  /** Address of the instance, with a slash at its end. */
  url: string
  /** Returns the whole address of a file, a signed link or a share, whose `url` is relative to the instance's. */
  urlOf: (linked: { url: string }) => string
  files: ReturnType<typeof fileCalls>
  folders: ReturnType<typeof folderCalls>
  people: ReturnType<typeof peopleCalls>
  items: ReturnType<typeof itemCalls>
  favorites: ReturnType<typeof favoriteCalls>
  uploads: ReturnType<typeof uploadCalls>
  trash: ReturnType<typeof trashCalls>
  shares: ReturnType<typeof shareCalls>
  sites: ReturnType<typeof siteCalls>
  webhooks: ReturnType<typeof webhookCalls>
  changes: ReturnType<typeof changeCalls>
  auth: ReturnType<typeof authCalls>
  account: ReturnType<typeof accountCalls>
  keys: ReturnType<typeof keyCalls>
  users: ReturnType<typeof userCalls>
  invitations: ReturnType<typeof invitationCalls>
  activity: ReturnType<typeof activityCalls>
  settings: ReturnType<typeof settingsCalls>
}

/** Returns a client of one instance, for browsers, Node and Bun. It needs nothing but `fetch`. */
export function createClient(options: ClientOptions): HoldfastClient {
  const connection = new Connection(options)
  return {
    url: connection.url,
    urlOf: ({ url }) => connection.url + url,
    files: fileCalls(connection),
    folders: folderCalls(connection),
    people: peopleCalls(connection),
    items: itemCalls(connection),
    favorites: favoriteCalls(connection),
    uploads: uploadCalls(connection),
    trash: trashCalls(connection),
    shares: shareCalls(connection),
    sites: siteCalls(connection),
    webhooks: webhookCalls(connection),
    changes: changeCalls(connection),
    auth: authCalls(connection),
    account: accountCalls(connection),
    keys: keyCalls(connection),
    users: userCalls(connection),
    invitations: invitationCalls(connection),
    activity: activityCalls(connection),
    settings: settingsCalls(connection),
    ...plainCalls(connection),
  }
}
