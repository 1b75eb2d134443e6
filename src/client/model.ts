import type { Static, TSchema } from 'typebox'
import type {
  AccountAnswer,
  ChangeAccount,
  ChangePassword,
  SessionsAnswer,
  StorageAnswer,
} from '../modules/account.ts'
import type { ActivitiesAnswer } from '../modules/activity.ts'
import type { ImportAnswer } from '../modules/archives/model.ts'
import type { SessionAnswer, SignIn, SignInAnswer, SignUp } from '../modules/auth.ts'
import type { Changes as ChangesNow } from '../modules/changes/model.ts'
import type { FavoritesAnswer } from '../modules/favorites.ts'
import type { FetchAnswer, FetchBody } from '../modules/fetches/module.ts'
import type {
  ChangeFile,
  CopiedAnswer,
  DetailsAnswer,
  LifetimesAnswer,
  LinkAnswer,
} from '../modules/files/model.ts'
import type { ChecksumsAnswer, SizesAnswer, TotalsAnswer } from '../modules/folders/model.ts'
import type {
  Accept,
  CreateInvitation,
  InvitationsAnswer,
  NewInvitationAnswer,
  OpenAnswer,
} from '../modules/invitations/model.ts'
import type { CreateKey, KeysAnswer, NewKeyAnswer } from '../modules/keys.ts'
import type { PeopleAnswer, SetRights } from '../modules/people.ts'
import type { SearchAnswer, SearchParameters } from '../modules/search.ts'
import type { ChangeRequest, FileSettingsAnswer, SettingsAnswer } from '../modules/settings.ts'
import type { SetupAnswer } from '../modules/setup.ts'
import type { ShareRules, SharesAnswer, VisitsAnswer } from '../modules/shares/model.ts'
import type { VisitAnswer } from '../modules/shares/visitors/model.ts'
import type { EnableAnswer, EnteredAnswer, CodeFields as SentCode } from '../modules/sign-in/codes/routes.ts'
import type { AskAnswer, AskForKey, AskingAnswer, TokenAnswer } from '../modules/sign-in/devices/model.ts'
import type { Begin, ProviderSettingsAnswer } from '../modules/sign-in/oidc/model.ts'
import type {
  Assertion,
  Attestation,
  CreationOptions,
  Proof as PasskeyAnswer,
  SignedInAnswer as PasskeySignedIn,
  PasskeyView,
  Purpose,
  RequestOptions,
} from '../modules/sign-in/passkeys/model.ts'
import type { MethodsAnswer } from '../modules/sign-in/routes.ts'
import type { WaysInAnswer } from '../modules/sign-in/ways-in/routes.ts'
import type {
  ChangeSite,
  CreateSite,
  MissesAnswer,
  SignedAnswer,
  SiteAnswer,
  SitesAnswer,
} from '../modules/sites/model.ts'
import type { Stats } from '../modules/stats/model.ts'
import type { RestoredAnswer, TrashAnswer, TrashRequest } from '../modules/trash/model.ts'
import type { UploadAnswer } from '../modules/uploads/model.ts'
import type { SignUploadBody, UploadLinkAnswer } from '../modules/uploads/signed/sign.ts'
import type { ChangeUser, CreateUser, UsageAnswer, UserAnswer } from '../modules/users/model.ts'
import type { VersionView } from '../modules/versions.ts'
import type {
  ChangeWebhook,
  CreateWebhook,
  DeliveriesAnswer,
  NewWebhookAnswer,
  WebhooksAnswer,
} from '../modules/webhooks/model.ts'
import type { ErrorCode as Code } from '../platform/error-codes.ts'
import type { FileView, VisibilitySchema } from '../views/files.ts'
import type { FolderView } from '../views/folders.ts'
import type { SecurityAnswer } from '../views/history.ts'
import type { ListRequest } from '../views/lists.ts'

/** Types of the API, taken from the server's schemas. The package has them written out. */

/** Content of a response's envelope. */
type DataOf<A extends { readonly schema: TSchema }> =
  Static<A['schema']> extends { data: infer Data } ? Data : never

/** Code of a failure, which stays the same when its message changes. */
export type ErrorCode = Code
export type Visibility = Static<typeof VisibilitySchema>
export type HoldfastFile = FileView
export type Folder = FolderView
export type ListOptions = ListRequest
/** Changes of about a second, of a stream of changes. */
export type Changes = ChangesNow
/** Filters and page of a search. */
export type SearchOptions = Omit<SearchParameters, 'q'>
/** Files and folders that a search found, the best first, and the cursor of the next page. */
export type SearchPage = DataOf<typeof SearchAnswer>
/** File or folder that the account has marked. */
export type Favorite = DataOf<typeof FavoritesAnswer>['items'][number]
/** A file with its checksum and traffic, which lists leave out. */
export type FileDetails = DataOf<typeof DetailsAnswer>
/** Bytes that a file had before they were replaced. */
export type Version = Static<typeof VersionView>
export type SignedLink = DataOf<typeof LinkAnswer>
/** File that the server fetches by URL. */
export type FileFetch = DataOf<typeof FetchAnswer>['fetch']
export type FetchRequest = Static<typeof FetchBody.schema>
/** Link by which anyone can upload one file. Its `url` is a secret. */
export type UploadLink = DataOf<typeof UploadLinkAnswer>
/** Folder of a signed upload, and what the link accepts. */
export type UploadRules = Static<typeof SignUploadBody.schema>
export type LinkLifetimes = DataOf<typeof LifetimesAnswer>
export type FolderTotals = DataOf<typeof TotalsAnswer>
/** A folder with the totals of what is in it and below it. */
export type FolderSize = DataOf<typeof SizesAnswer>['folders'][number]
/** A deleted file or folder that can be restored. */
export type TrashItem = DataOf<typeof TrashAnswer>['items'][number]
/** Search, order and page of a list of the trash. */
export type TrashOptions = TrashRequest
/** A file or folder that returned from the trash, at its key. */
export type RestoredItem = DataOf<typeof RestoredAnswer>['restored'][number]
/** A copy of a file or folder, with the id of its original. */
export type CopiedItem = DataOf<typeof CopiedAnswer>['copied'][number]
export type Imported = DataOf<typeof ImportAnswer>
/** Object key and checksum of a file: enough to compare it with a copy. */
export type FileChecksum = DataOf<typeof ChecksumsAnswer>['files'][number]

export type SignUpFields = SignUp
export type SignInFields = SignIn
/** Account that signed in, or what its second step may be. */
export type SignedIn = DataOf<typeof SignInAnswer>
/** Fields of a program that asks for an API key. */
export type KeyRequestFields = AskForKey
/** Codes of a program that asks for an API key. */
export type KeyRequest = DataOf<typeof AskAnswer>
export type ApprovedKey = DataOf<typeof TokenAnswer>
/** A program that asks for an API key. */
export type AskingProgram = DataOf<typeof AskingAnswer>
/** Code of an authenticator app, or a recovery code. */
export type CodeFields = SentCode
/** Account that signed in with its second step. */
export type Entered = DataOf<typeof EnteredAnswer>
/** Authenticator app to add, and recovery codes, which can be read only once. */
export type NewCodes = DataOf<typeof EnableAnswer>
/** Proof of identity for a session. */
export type Proof = { password: string } | { code: string } | { response: PasskeyAssertion }
/** Ways in which an account signs in. */
export type WaysIn = DataOf<typeof WaysInAnswer>
/** Ways to sign in on this instance. */
export type SignInMethods = DataOf<typeof MethodsAnswer>
/** Provider to sign in with, and paths of this instance to lead to. */
export type ProviderFields = Begin
/** Providers as admins see them. */
export type ProviderSettings = DataOf<typeof ProviderSettingsAnswer>
export type Passkey = Static<typeof PasskeyView>
/** Options and answers of `navigator.credentials` in JSON. */
export type PasskeyCreationOptions = CreationOptions
export type PasskeyRequestOptions = RequestOptions
export type PasskeyAttestation = Attestation
export type PasskeyAssertion = Assertion
export type PasskeyPurpose = Purpose
export type PasskeyProof = PasskeyAnswer
export type PasskeySession = DataOf<typeof PasskeySignedIn>
export type CurrentSession = NonNullable<Static<(typeof SessionAnswer)['schema']>>['data']
export type Account = DataOf<typeof AccountAnswer>
/** A folder that an account or an invitation is limited to, with the rights in it. */
export type FolderRights = NonNullable<Account['folders']>[number]
/** A right in a folder and everything below it. */
export type Right = FolderRights['rights'][number]
/** Accounts with rights in a folder or above it, and those that reach everything. */
export type People = DataOf<typeof PeopleAnswer>
/** Rights of an account, or of every limited account, in a folder. */
export type PeopleChange = SetRights
export type FileChanges = Omit<ChangeFile, 'id'>
export type AccountChanges = ChangeAccount
export type PasswordChange = ChangePassword
export type Device = DataOf<typeof SessionsAnswer>['sessions'][number]

export type ApiKey = DataOf<typeof KeysAnswer>['keys'][number]
/** An API key with its secret, which can be read only once. */
export type NewApiKey = MadeKey['key'] & Pick<MadeKey, 's3'>
export type MadeKey = DataOf<typeof NewKeyAnswer>
export type ApiKeyFields = CreateKey
export type User = DataOf<typeof UserAnswer>['user']
/** Storage that an account uses, and its limit, in bytes. */
export type AccountStorage = DataOf<typeof StorageAnswer>
/** Use of an account: its storage, and the time at which it was last seen. */
export type AccountUsage = DataOf<typeof UsageAnswer>['accounts'][number]
export type UserFields = CreateUser
export type UserChanges = ChangeUser
export type Invitation = DataOf<typeof InvitationsAnswer>['invitations'][number]
/** An invitation with its token and its link, which can be read only once. */
export type NewInvitation = DataOf<typeof NewInvitationAnswer>['invitation']
export type InvitationFields = CreateInvitation
/** An invitation as the invited person sees it. */
export type OpenInvitation = DataOf<typeof OpenAnswer>['invitation']
export type AcceptFields = Accept
export type Scope = NonNullable<CreateUser['scopes']>[number]
/** Scopes that an API key can have. */
export type KeyScope = CreateKey['scopes'][number]
export type Activity = DataOf<typeof ActivitiesAnswer>['activities'][number]
/** An entry of the security log. */
export type SecurityEntry = DataOf<typeof SecurityAnswer>['activities'][number]
export type Settings = DataOf<typeof SettingsAnswer>
export type FileSettings = DataOf<typeof FileSettingsAnswer>
export type SettingsChanges = ChangeRequest
export type InstanceStats = Stats
export type SetupState = DataOf<typeof SetupAnswer>
/** An upload that can be resumed, or the file that it became. */
export type UnfinishedUpload = DataOf<typeof UploadAnswer>['upload']

export type Share = DataOf<typeof SharesAnswer>['shares'][number]
export type ShareVisit = DataOf<typeof VisitsAnswer>['visits'][number]
/** A share as its visitors see it. */
export type Visit = DataOf<typeof VisitAnswer>
/** Items and rules of a new share. */
export type ShareFields = ShareRules
/** Rules of a share to change; those that are missing stay. */
export type ShareChanges = ShareRules

/** A folder that is a website. */
export type Site = DataOf<typeof SiteAnswer>['site']
/** Sites, and the domain below which their hosts are. */
export type Sites = DataOf<typeof SitesAnswer>
/** Path that visitors of a site missed. */
export type SiteMiss = DataOf<typeof MissesAnswer>['misses'][number]
/** Address that opens a site with a password, and its expiry. */
export type SignedSite = DataOf<typeof SignedAnswer>
export type SiteFields = CreateSite
export type SiteChanges = Omit<ChangeSite, 'id'>

export type Webhook = DataOf<typeof WebhooksAnswer>['webhooks'][number]
/** A webhook with its signing secret, which can be read only once. */
export type NewWebhook = DataOf<typeof NewWebhookAnswer>['webhook']
export type WebhookFields = CreateWebhook
export type WebhookChanges = Omit<ChangeWebhook, 'id'>
export type WebhookDelivery = DataOf<typeof DeliveriesAnswer>['deliveries'][number]
