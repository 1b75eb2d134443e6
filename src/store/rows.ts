/** Rows of the catalog, and lists of them, for the modules. */

export { ChangeNotes, type Noted } from '../catalog/engine/notes.ts'
export { done, type Query, type Steps, UnknownOutcome, type Work } from '../catalog/engine/query.ts'
export { type DayTraffic, FILE_TRAFFIC_DAYS, type FileTraffic } from '../catalog/instance/traffic.ts'
export type { ActivityRow } from '../catalog/people/activities.ts'
export type { KeyRequests } from '../catalog/people/api-requests.ts'
export type { AttemptRow } from '../catalog/people/attempts.ts'
export type { AuthenticatorRow } from '../catalog/people/authenticators.ts'
export type { DeviceCodeRow } from '../catalog/people/device-codes.ts'
export { type FetchRow, fetchesOf } from '../catalog/people/fetches.ts'
export { EVERYONE, type GrantRow, numberOf, rightsOf } from '../catalog/people/grants.ts'
export type { IdentityRow } from '../catalog/people/identities.ts'
export type { InvitationRow } from '../catalog/people/invitations.ts'
export type { KeyRow } from '../catalog/people/keys.ts'
export type { PasskeyRow } from '../catalog/people/passkeys.ts'
export type { Storage } from '../catalog/people/quotas.ts'
export type { LogPart, SecurityEventRow } from '../catalog/people/security-events.ts'
export type { SessionRow } from '../catalog/people/sessions.ts'
export type { AccountUse, Role, UserRow } from '../catalog/people/users.ts'
export type { Throttles } from '../catalog/postgres/throttles.ts'
export {
  type Copied,
  copiedOf,
  type NewFile,
  refuseFull,
  refuseOverQuota,
  type Terms,
} from '../catalog/publication.ts'
export {
  type ArrivedPart,
  type Finished,
  type Reserved,
  type ResumableRow,
  refuseTakenOver,
} from '../catalog/shares/resumables.ts'
export type { NamedShareItem, ShareColumns, ShareRow } from '../catalog/shares/shares.ts'
export type { SiteColumns, SiteMiss, SiteRow } from '../catalog/shares/sites.ts'
export type { UploadLinkRow } from '../catalog/shares/upload-links.ts'
export type { ShareDownloadRow, ShareVisitRow } from '../catalog/shares/visits.ts'
export type { DeliveryRow, DueDelivery, WebhookEvent, WebhookRow } from '../catalog/shares/webhooks.ts'
export { MAX_LOG_BYTES } from '../catalog/sqlite/write-ahead-log.ts'
export type { DavItemRow } from '../catalog/tree/dav-items.ts'
export type { DavLockRow } from '../catalog/tree/dav-locks.ts'
export type { FavoriteRow } from '../catalog/tree/favorites.ts'
export type { FileAccess, FileRow } from '../catalog/tree/files.ts'
export type { FolderRow } from '../catalog/tree/folders.ts'
export type { FileList } from '../catalog/tree/lists.ts'
export type { PurgeRow } from '../catalog/tree/purges.ts'
export type { Found, NameSearch, Position } from '../catalog/tree/search.ts'
export type { RowSlices, Snapshot } from '../catalog/tree/snapshot.ts'
export type { TotalQueries } from '../catalog/tree/totals.ts'
export type { TrashRow } from '../catalog/tree/trash.ts'
export type { VersionRow } from '../catalog/tree/versions.ts'
export type { Entry } from '../catalog/tree/within.ts'
