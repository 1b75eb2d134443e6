import type { Static, TSchema } from 'typebox'
import type {
  AccountAnswer,
  ChangeAccount,
  ChangePassword,
  SessionsAnswer,
} from '../modules/account/model.ts'
import type { ActivitiesAnswer, SecurityAnswer } from '../modules/activity/model.ts'
import type { ImportAnswer } from '../modules/archives/model.ts'
import type { SessionAnswer, SignIn, SignInAnswer, SignUp } from '../modules/auth/model.ts'
import type {
  DetailsAnswer,
  FileView,
  LifetimesAnswer,
  LinkAnswer,
  ListRequest,
  VisibilitySchema,
} from '../modules/files/model.ts'
import type { ChecksumsAnswer, FolderView, TotalsAnswer } from '../modules/folders/model.ts'
import type { CreateKey, KeysAnswer, NewKeyAnswer } from '../modules/keys/model.ts'
import type { ChangeRequest, SettingsAnswer } from '../modules/settings/model.ts'
import type { SetupAnswer } from '../modules/setup/model.ts'
import type { Stats } from '../modules/stats/model.ts'
import type { UploadAnswer } from '../modules/uploads/model.ts'
import type { ChangeUser, CreateUser, UserAnswer } from '../modules/users/model.ts'

/** What the client speaks of. Every type is that of the server's schema, so that the two cannot differ. */

/** What is in the envelope of an answer. */
type DataOf<A extends { readonly schema: TSchema }> =
  Static<A['schema']> extends { data: infer Data } ? Data : never

export type Visibility = Static<typeof VisibilitySchema>
export type HoldfastFile = FileView
export type Folder = FolderView
export type ListOptions = ListRequest
/** A folder's content: one page of its files, and all its folders. */
export interface FolderPage {
  files: HoldfastFile[]
  folders: Folder[]
}
/** A file with what lists leave out of it. */
export type FileDetails = DataOf<typeof DetailsAnswer>
export type SignedLink = DataOf<typeof LinkAnswer>
export type LinkLifetimes = DataOf<typeof LifetimesAnswer>
export type FolderTotals = DataOf<typeof TotalsAnswer>
export type Imported = DataOf<typeof ImportAnswer>
/** A file's place and content: enough to know whether a copy of it is the same. */
export type FileChecksum = DataOf<typeof ChecksumsAnswer>['files'][number]

export type SignUpFields = SignUp
export type SignInFields = SignIn
export type SignedIn = DataOf<typeof SignInAnswer>
export type CurrentSession = NonNullable<Static<(typeof SessionAnswer)['schema']>>['data']
export type Account = DataOf<typeof AccountAnswer>
export type AccountChanges = ChangeAccount
export type PasswordChange = ChangePassword
export type Device = DataOf<typeof SessionsAnswer>['sessions'][number]

export type ApiKey = DataOf<typeof KeysAnswer>['keys'][number]
/** With the secret, which can be read only this once. */
export type NewApiKey = DataOf<typeof NewKeyAnswer>['key']
export type ApiKeyFields = CreateKey
export type User = DataOf<typeof UserAnswer>['user']
export type UserFields = CreateUser
export type UserChanges = ChangeUser
export type Scope = NonNullable<CreateUser['scopes']>[number]
/** Scopes that an API key can have. */
export type KeyScope = CreateKey['scopes'][number]
export type Activity = DataOf<typeof ActivitiesAnswer>['activities'][number]
/** An entry of the security log. */
export type SecurityEntry = DataOf<typeof SecurityAnswer>['activities'][number]
export type Settings = DataOf<typeof SettingsAnswer>
export type SettingsChanges = ChangeRequest
export type InstanceStats = Stats
export type SetupState = DataOf<typeof SetupAnswer>
/** An upload that may be continued: how far it is, or the file that it became. */
export type UnfinishedUpload = DataOf<typeof UploadAnswer>['upload']

/** Which file or folder: by its id, or by its key. */
export type Which = { id: string } | { key: string }
/** Where something goes: into a folder that exists, by id, or at a key, whose folders are made. */
export type Destination = { folderId: string } | { folder: string }
/** What became of each of several files. */
export interface Failure {
  id: string
  message: string
}

/** How far a transfer has come, in bytes. */
export interface Progress {
  loaded: number
  /** Undefined when a stream of unknown length is sent. */
  total: number | undefined
}

export interface SignalOption {
  signal?: AbortSignal | undefined
}

export interface TransferOptions extends SignalOption {
  onProgress?: ((progress: Progress) => void) | undefined
}

/** Bytes that can be read more than once: a `Blob`, or anything else that makes a stream of them. */
export interface Source {
  readonly size?: number
  stream: () => ReadableStream<Uint8Array>
}

/** Bytes to send. Files from a disk (`Bun.file`, `fs.openAsBlob`, a file input's `File`) are never held whole. */
export type Content = Source | string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>

export interface NamedContent {
  name: string
  content: Content
}
