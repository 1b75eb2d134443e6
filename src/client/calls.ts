import { type Connection, callsAt } from './connection.ts'
import { dataIn } from './error.ts'
import type * as Api from './types.ts'

/** Returns the header without which routes of sign-ins refuse a cookie. Browsers set it themselves. */
const originOf = (connection: Connection) => ({ Origin: new URL(connection.url).origin })

/** Returns the calls of `/api/auth`. Outside browsers the client stores the session's cookie for its other calls. */
export function authCalls(connection: Connection) {
  const { get, post } = callsAt(connection, 'api/auth', originOf(connection))
  return {
    signUp: (fields: Api.SignUpFields) => post<Api.SignedIn>(fields, '/sign-up/email'),
    /** Signs in. An account with a second factor gets no session yet: send a code by `verifyCode`. */
    signIn: (fields: Api.SignInFields) => post<Api.SignedIn>(fields, '/sign-in/email'),
    /** Finishes signing in by a code of an app; with a session, enables the app that was added. */
    verifyCode: (fields: Api.CodeFields) => post<Api.Entered>(fields, '/two-factor/verify-totp'),
    verifyRecoveryCode: (fields: Api.CodeFields) =>
      post<Api.Entered>(fields, '/two-factor/verify-backup-code'),
    enableCodes: (options: { replace?: boolean } = {}) => post<Api.NewCodes>(options, '/two-factor/enable'),
    disableCodes: () => post<unknown>({}, '/two-factor/disable'),
    renewRecoveryCodes: () => post<{ backupCodes: string[] }>({}, '/two-factor/generate-backup-codes'),
    /** Gives the account a password when it has none, as one that a provider made. */
    setPassword: (newPassword: string) => post<unknown>({ newPassword }, '/set-password'),
    /** Confirms the session: changes of the ways in ask for it ten minutes after signing in. */
    confirm: (proof: Api.Proof) => post<unknown>(proof, '/confirm'),
    signOut: () => post<{ logoutUrl: string } | null>({}, '/sign-out'),
    methods: () => get<Api.SignInMethods>({}, '/methods'),
    /** Returns the address at which a browser goes on. So does `link`, which needs a session, like `unlink`. */
    signInWith: (fields: Api.ProviderFields) => post<{ url: string }>(fields, '/sign-in/social'),
    link: (fields: Api.ProviderFields) => post<{ url: string }>(fields, '/link-social'),
    unlink: (fields: { providerId: string }) => post<unknown>(fields, '/unlink-account'),
    /** Signs in as the person that a trusted proxy names in the header of this request. */
    signInForwarded: () => post<Api.Entered>({}, '/sign-in/forwarded'),
    signInWithLink: (token: string) => post<unknown>({ token }, '/sign-in/link'),
    /** Asks for an API key that a person approves in a browser (RFC 8628). */
    askForKey: (fields: Api.KeyRequestFields) => post<Api.KeyRequest>(fields, '/device/code'),
    /** Returns the API key once it is approved; fails with the code `authorization-pending` until then. */
    pollForKey: ({ device_code, client_id }: { device_code: string; client_id: string }) =>
      post<Api.ApprovedKey>(
        { grant_type: 'urn:ietf:params:oauth:grant-type:device_code', device_code, client_id },
        '/device/token',
      ),
    /** Returns the program that asks with a code. Needs a session, like the two below. */
    askingProgram: (userCode: string) => get<Api.AskingProgram>({ user_code: userCode }, '/device'),
    approveProgram: (userCode: string) => post<unknown>({ userCode }, '/device/approve'),
    denyProgram: (userCode: string) => post<unknown>({ userCode }, '/device/deny'),
    /** Returns the current session; null when signed out. */
    session: async (): Promise<Api.CurrentSession | null> => {
      const text = await connection.textOf(await connection.send('api/auth/get-session'))
      return text === 'null' ? null : dataIn<Api.CurrentSession>(text, connection.url)
    },
  }
}

/** Filter of a log: entries older than one, of some types. */
export interface LogPart {
  before?: string
  types?: readonly string[]
}

const logQuery = ({ before, types }: LogPart) => ({ before, types: types?.join(',') })

/** Returns the calls of `/api/me`, the caller's own account. Changes need a session. */
export function accountCalls(connection: Connection) {
  const { get, put, remove } = callsAt(connection, 'api/me')
  return {
    get: () => get<Api.Account>(),
    usage: () => get<Api.AccountStorage>({}, '/usage'),
    change: (changes: Api.AccountChanges) => put<Api.Account>(changes),
    changePassword: (change: Api.PasswordChange) => put<null>(change, '/password'),
    devices: async () => (await get<{ sessions: Api.Device[] }>({}, '/sessions')).sessions,
    signOutDevice: (id: string) => remove<null>({ id }, '/sessions'),
    signOutOthers: () => remove<null>({ others: true }, '/sessions'),
    /** Returns the ways in which this account signs in. */
    waysIn: () => get<Api.WaysIn>({}, '/ways-in'),
    forgetTrustedDevices: () => remove<null>({}, '/trusted-devices'),
    /** Lists the security log of this account, newest first. */
    security: async (part: LogPart = {}) =>
      (await get<{ activities: Api.SecurityEntry[] }>(logQuery(part), '/security')).activities,
  }
}

/** Returns the calls of `/api/keys`, the caller's own API keys. They need a session. */
export function keyCalls(connection: Connection) {
  const { get, post, put, remove } = callsAt(connection, 'api/keys')
  return {
    list: async () => (await get<{ keys: Api.ApiKey[] }>()).keys,
    /** Creates an API key. Its secret, and that of its credentials for the S3 API, are shown only once. */
    create: async (fields: Api.ApiKeyFields): Promise<Api.NewApiKey> => {
      const { key, s3 } = await post<Api.MadeKey>(fields)
      return { ...key, s3 }
    },
    /** Returns the credentials of an API key for the S3 API. The session must be confirmed, or the password sent. */
    showS3: async (id: string, password?: string) =>
      (await post<Pick<Api.NewApiKey, 's3'>>({ id, ...(password !== undefined && { password }) }, '/s3')).s3,
    rename: (id: string, name: string) => put<unknown>({ id, name }),
    delete: (id: string) => remove<unknown>({ id }),
  }
}

/** Returns the calls of `/api/users`, for admins. They need a session. */
export function userCalls(connection: Connection) {
  const { get, post, put, remove } = callsAt(connection, 'api/users')
  return {
    list: async () => (await get<{ users: Api.User[] }>()).users,
    usage: async () => (await get<{ accounts: Api.AccountUsage[] }>({}, '/usage')).accounts,
    /** Removes the second factor of an account, and signs it out everywhere. */
    resetSecondFactor: (id: string) => remove<null>({ id }, '/second-factor'),
    /** Limits the storage of an account, in bytes; null for no limit. */
    setQuota: (id: string, quota: number | null) => put<Api.AccountStorage>({ id, quota }, '/quota'),
    create: async (fields: Api.UserFields) => (await post<{ user: Api.User }>(fields)).user,
    change: async (changes: Api.UserChanges) => (await put<{ user: Api.User }>(changes)).user,
    delete: (id: string) => remove<unknown>({ id }),
  }
}

/** Returns the calls of `/api/folders/people`, for admins. They need a session. */
export function peopleCalls(connection: Connection) {
  const { get, put } = callsAt(connection, 'api/folders/people')
  return {
    /** Lists the accounts with rights in a folder or above it, and those that reach everything. */
    list: (folderId: string) => get<Api.People>({ id: folderId }),
    /** Sets the rights of an account that is limited to folders, or of every such account. None let it out. */
    set: (change: Api.PeopleChange) => put<Api.People>(change),
  }
}

/** Returns the calls of `/api/invitations`: for admins with a session, and for the invited person with the token. */
export function invitationCalls(connection: Connection) {
  const { get, post, remove } = callsAt(connection, 'api/invitations', originOf(connection))
  return {
    list: async () => (await get<{ invitations: Api.Invitation[] }>()).invitations,
    /** Creates an invitation. The `url` of its link is relative to that of the client. */
    create: async (fields: Api.InvitationFields) =>
      (await post<{ invitation: Api.NewInvitation }>(fields)).invitation,
    revoke: (id: string) => remove<null>({ id }),
    open: async (token: string) =>
      (await post<{ invitation: Api.OpenInvitation }>({ token }, '/open')).invitation,
    /** Creates the account, and signs it in. */
    accept: (fields: Api.AcceptFields) => post<Api.SignedIn>(fields, '/accept'),
  }
}

/** Filter of the instance's security log. */
export interface SecurityFilter {
  types?: readonly string[]
  /** Id of the account concerned. */
  user?: string
  /** IP address. */
  address?: string
  /** Bounds of the time, dates or times with a zone: the first is inclusive, the second is not. */
  after?: string
  until?: string
}

/** Page of the security log. */
interface SecurityPage {
  /** Id of the entry before the page. */
  before?: string
  limit?: number
}

/** Returns the calls of `/api/activity`, the caller's own history. They need a session. */
export function activityCalls(connection: Connection) {
  const path = 'api/activity'
  const { get, remove } = callsAt(connection, path)
  const queryOf = ({ types, ...filter }: SecurityFilter) => ({ ...filter, types: types?.join(',') })
  const deleted = async (which: object) => (await remove<{ deleted: number }>(which)).deleted
  return {
    /** Lists the newest entries, or those before an entry. */
    list: async (part: LogPart = {}) =>
      (await get<{ activities: Api.Activity[] }>(logQuery(part))).activities,
    /** Lists a part of the security log of the instance, newest first, for admins. */
    security: async (part: SecurityFilter & SecurityPage = {}) =>
      (await get<{ activities: Api.SecurityEntry[] }>({ security: '1', ...queryOf(part) })).activities,
    /** Exports a part of the security log as CSV, for admins. */
    securityCsv: async (filter: SecurityFilter = {}): Promise<ReadableStream<Uint8Array>> =>
      (await connection.send(`${path}/security.csv`, { query: queryOf(filter) })).body ??
      new ReadableStream(),
    /** Returns the address of the export, for a browser that is signed in. */
    securityAddress: (filter: SecurityFilter = {}): string =>
      connection.address(`${path}/security.csv`, queryOf(filter)),
    delete: (ids: readonly string[]) => deleted({ ids }),
    clear: () => deleted({ all: true }),
  }
}

/** Returns the calls of `/api/settings`. They need a session. */
export function settingsCalls(connection: Connection) {
  const { get, post, put } = callsAt(connection, 'api/settings')
  return {
    get: () => get<Api.Settings>(),
    /** Gets the settings that apply to the caller's files, with files:read. */
    ofFiles: () => get<Api.FileSettings>({}, '/files'),
    change: (changes: Api.SettingsChanges) => put<Api.Settings>(changes),
    signIn: () => get<Api.ProviderSettings>({}, '/sign-in'),
    /** Asks the provider now. Returns what is wrong with it; null for nothing. */
    trySignIn: () => post<{ problem: string | null }>({}, '/sign-in/try'),
    /** Sets the visibility of every file. @returns The number of changed files. */
    applyVisibility: async (visibility: Api.Visibility) =>
      (await post<{ updated: number }>({ visibility }, '/apply-visibility')).updated,
  }
}

/** Splits accepted types as people enter them, with commas or spaces between. */
export const splitTypes = (text: string): string[] => text.split(/[\s,]+/).filter((type) => type !== '')

/** Returns the calls of `/api/shares`. Each throws a `HoldfastError` when the server refuses it. */
export function shareCalls(connection: Connection) {
  const { get, post, put, remove } = callsAt(connection, 'api/shares')
  return {
    /** Lists the caller's shares, newest first; with `all` those of every account, which needs `users:manage`. */
    list: async ({ all = false }: { all?: boolean } = {}) =>
      (await get<{ shares: Api.Share[] }>({ all: all ? '1' : undefined })).shares,
    /** Shares files and folders. The `url` of the share is relative to that of the client. */
    create: async (fields: Api.ShareFields) => (await post<{ share: Api.Share }>(fields)).share,
    /** Changes rules of a share; null removes one. */
    change: async (id: string, changes: Api.ShareChanges) =>
      (await put<{ share: Api.Share }>({ id, ...changes })).share,
    /** Lists the latest visits of a share, newest first, or those before one. */
    visits: async (id: string, { before }: { before?: string } = {}) =>
      (await get<{ visits: Api.ShareVisit[] }>({ id, before }, '/visits')).visits,
    /** Ends a share at once. */
    end: (id: string) => remove<null>({ id }),
  }
}

/** Returns the calls of `/api/items`: files and folders of a selection, each on its own, at most 5000 in a request. */
export function itemCalls(connection: Connection) {
  const { post, put, remove } = callsAt(connection, 'api/items')
  return {
    /** Deletes files and folders permanently. Returns the deleted ids and the failures. */
    delete: (items: Api.Items) => remove<{ deleted: string[]; failed: Api.Failure[] }>({ ...items }),
    /** Moves files and folders. Returns the moved ids and the failures. */
    move: (items: Api.Items, destination: Api.Destination) =>
      post<{ moved: string[]; failed: Api.Failure[] }>({ ...items, ...destination }, '/move'),
    /** Copies files and folders. A name that is taken gets a number. Returns the copies and the failures. */
    copy: (items: Api.Items, destination: Api.Destination) =>
      post<{ copied: Api.CopiedItem[]; failed: Api.Failure[] }>({ ...items, ...destination }, '/copy'),
    /** Sets the visibility of files, and of every file in folders. Returns the files of `fileIds`, and the failures. */
    setVisibility: (items: Api.Items, visibility: Api.Visibility) =>
      put<{ files: Api.HoldfastFile[]; failed: Api.Failure[] }>({ ...items, visibility }, '/visibility'),
  }
}

/** Returns the calls of `/api/favorites`: files and folders that the caller's account has marked. */
export function favoriteCalls(connection: Connection) {
  const { get, put, remove } = callsAt(connection, 'api/favorites')
  return {
    /** Lists the favorites, the latest first. */
    list: async () => (await get<{ items: Api.Favorite[] }>()).items,
    /** Marks files and folders. Returns their ids and the failures. */
    add: (items: Api.Items) => put<{ added: string[]; failed: Api.Failure[] }>({ ...items }),
    remove: (items: Api.Items) => remove<{ removed: string[]; failed: Api.Failure[] }>({ ...items }),
  }
}

/** Returns the calls of `/api/trash`. Each throws a `HoldfastError` when the server refuses it. */
export function trashCalls(connection: Connection) {
  const { get, post, remove } = callsAt(connection, 'api/trash')
  const removed = (which: object) => remove<{ deleted: number; failed: Api.Failure[] }>(which)
  return {
    /** Moves files and folders to the trash, each on its own. Returns the moved ids and the failures. */
    put: (items: Api.Items) => post<{ trashed: string[]; failed: Api.Failure[] }>({ ...items }),
    /**
     * Returns a page of the items in the trash, the latest first unless `part` says otherwise, the number of all, and
     * the days that items stay.
     */
    list: (part: Api.TrashOptions = {}) =>
      get<{ items: Api.TrashItem[]; total: number; trashDays: number }>({ ...part }),
    /** Restores files and folders, each on its own. A name that is taken since gets a number. */
    restore: (ids: readonly string[]) =>
      post<{ restored: Api.RestoredItem[]; failed: Api.Failure[] }>({ ids }, '/restore'),
    /** Removes items of the trash for good. Returns how many, and the failures. */
    delete: (ids: readonly string[]) => removed({ ids }),
    /** Removes everything in the trash for good. */
    empty: () => removed({ all: true }),
  }
}

/** Returns the calls of `/api/webhooks`. Each throws a `HoldfastError` when the server refuses it. */
export function webhookCalls(connection: Connection) {
  const { get, post, put, remove } = callsAt(connection, 'api/webhooks')
  const deliver = async (which: object, path: string) =>
    (await post<{ delivery: Api.WebhookDelivery }>(which, path)).delivery
  return {
    list: async () => (await get<{ webhooks: Api.Webhook[] }>()).webhooks,
    /** Lists the webhooks that `notify` of a share may name. */
    forShares: async () =>
      (await get<{ webhooks: Pick<Api.Webhook, 'id' | 'name'>[] }>({}, '/for-shares')).webhooks,
    /** Creates a webhook. Its secret can be read this once. */
    create: async (fields: Api.WebhookFields) => (await post<{ webhook: Api.NewWebhook }>(fields)).webhook,
    change: async (id: string, changes: Api.WebhookChanges) =>
      (await put<{ webhook: Api.Webhook }>({ id, ...changes })).webhook,
    delete: (id: string) => remove<null>({ id }),
    /** Sends a test to a webhook, and returns its outcome. */
    test: (id: string) => deliver({ id }, '/test'),
    /** Queues a delivery again. */
    retry: (id: string, delivery: string) => deliver({ id, delivery }, '/retry'),
    /** Lists the latest deliveries of a webhook, newest first, or those before one. */
    deliveries: async (id: string, { before }: { before?: string } = {}) =>
      (await get<{ deliveries: Api.WebhookDelivery[] }>({ id, before }, '/deliveries')).deliveries,
  }
}

/** Returns the calls of `/api/sites`: folders that are websites. */
export function siteCalls(connection: Connection) {
  const { get, post, put, remove } = callsAt(connection, 'api/sites')
  return {
    list: () => get<Api.Sites>(),
    create: async (fields: Api.SiteFields) => (await post<{ site: Api.Site }>(fields)).site,
    change: async (id: string, changes: Api.SiteChanges) =>
      (await put<{ site: Api.Site }>({ id, ...changes })).site,
    /** Lists the paths that visitors of a site missed in the last days, the latest first. */
    misses: async (id: string) => (await get<{ misses: Api.SiteMiss[] }>({ id }, '/misses')).misses,
    /** Returns an address that opens a site with a password until it expires. */
    sign: (id: string, { expiresIn }: { expiresIn?: number } = {}) =>
      post<Api.SignedSite>({ id, expiresIn }, '/sign'),
    /** Deletes a site; its files stay. */
    delete: (id: string) => remove<null>({ id }),
  }
}

/** Returns the calls without a group. */
export function plainCalls(connection: Connection) {
  const { get } = callsAt(connection, 'api')
  return {
    /** Returns one page of the files and folders with `text` in their names, the best first. */
    search: (text: string, { signal, ...options }: Api.SearchOptions & Api.SignalOption = {}) =>
      get<Api.SearchPage>({ ...options, q: text }, '/search', signal),
    stats: () => get<Api.InstanceStats>({}, '/stats'),
    /** Returns a message if the instance is healthy. */
    health: async () => (await get<{ message: string }>({}, '/health')).message,
    /** Returns what a page needs before sign-in. */
    setup: () => get<Api.SetupState>({}, '/setup'),
  }
}
