import type { Connection } from './connection.ts'
import { dataIn } from './error.ts'
import type {
  AcceptFields,
  Account,
  AccountChanges,
  AccountStorage,
  AccountUsage,
  Activity,
  ApiKey,
  ApiKeyFields,
  CurrentSession,
  Device,
  InstanceStats,
  Invitation,
  InvitationFields,
  NewApiKey,
  NewInvitation,
  OpenInvitation,
  PasswordChange,
  SearchOptions,
  SearchPage,
  SecurityEntry,
  Settings,
  SettingsChanges,
  SetupState,
  SignalOption,
  SignedIn,
  SignInFields,
  SignUpFields,
  User,
  UserChanges,
  UserFields,
  Visibility,
} from './types.ts'

/** Returns a function that calls a route of sign-ins. They accept a cookie only with a trusted origin, which browsers set. */
const signInPost =
  (connection: Connection, prefix: string) =>
  <Data>(path: string, json: unknown) =>
    connection.data<Data>(`${prefix}/${path}`, {
      method: 'POST',
      json,
      headers: { Origin: new URL(connection.url).origin },
    })

/** Returns the calls of `/api/auth`. Outside browsers the client stores the session's cookie for its other calls. */
export function authCalls(connection: Connection) {
  const post = signInPost(connection, 'api/auth')
  return {
    signUp: (fields: SignUpFields) => post<SignedIn>('sign-up/email', fields),
    signIn: (fields: SignInFields) => post<SignedIn>('sign-in/email', fields),
    signOut: () => post<null>('sign-out', {}),
    /** Returns the current session; null when signed out. */
    session: async (): Promise<CurrentSession | null> => {
      const text = await connection.textOf(await connection.send('api/auth/get-session'))
      return text === 'null' ? null : dataIn<CurrentSession>(text, connection.url)
    },
  }
}

/** Filter of a log: entries older than one, of some types. */
export interface LogPart {
  before?: string
  types?: readonly string[]
}

/** Returns the calls of `/api/me`, the caller's own account. Changes need a session. */
export function accountCalls(connection: Connection) {
  const path = 'api/me'
  const endSessions = (json: object) => connection.data<null>(`${path}/sessions`, { method: 'DELETE', json })
  return {
    get: () => connection.data<Account>(path),
    usage: () => connection.data<AccountStorage>(`${path}/usage`),
    change: (changes: AccountChanges) => connection.data<Account>(path, { method: 'PUT', json: changes }),
    changePassword: (change: PasswordChange) =>
      connection.data<null>(`${path}/password`, { method: 'PUT', json: change }),
    devices: async () => (await connection.data<{ sessions: Device[] }>(`${path}/sessions`)).sessions,
    signOutDevice: (id: string) => endSessions({ id }),
    signOutOthers: () => endSessions({ others: true }),
    /** Lists the security log of this account, newest first. */
    security: async ({ before, types }: LogPart = {}) => {
      const query = { before, types: types?.join(',') }
      return (await connection.data<{ activities: SecurityEntry[] }>(`${path}/security`, { query }))
        .activities
    },
  }
}

/** Returns the calls of `/api/keys`, the caller's own API keys. They need a session. */
export function keyCalls(connection: Connection) {
  const path = 'api/keys'
  return {
    list: async () => (await connection.data<{ keys: ApiKey[] }>(path)).keys,
    create: async (fields: ApiKeyFields) =>
      (await connection.data<{ key: NewApiKey }>(path, { method: 'POST', json: fields })).key,
    rename: (id: string, name: string) =>
      connection.data<unknown>(path, { method: 'PUT', json: { id, name } }),
    delete: (id: string) => connection.data<unknown>(path, { method: 'DELETE', json: { id } }),
  }
}

/** Returns the calls of `/api/users`, for admins. They need a session. */
export function userCalls(connection: Connection) {
  const path = 'api/users'
  const send = async (method: 'POST' | 'PUT', json: UserFields | UserChanges) =>
    (await connection.data<{ user: User }>(path, { method, json })).user
  return {
    list: async () => (await connection.data<{ users: User[] }>(path)).users,
    usage: async () => (await connection.data<{ accounts: AccountUsage[] }>(`${path}/usage`)).accounts,
    /** Limits the storage of an account, in bytes; null for no limit. */
    setQuota: (id: string, quota: number | null) =>
      connection.data<AccountStorage>(`${path}/quota`, { method: 'PUT', json: { id, quota } }),
    create: (fields: UserFields) => send('POST', fields),
    change: (changes: UserChanges) => send('PUT', changes),
    delete: (id: string) => connection.data<unknown>(path, { method: 'DELETE', json: { id } }),
  }
}

/** Returns the calls of `/api/invitations`: for admins with a session, and for the invited person with the token. */
export function invitationCalls(connection: Connection) {
  const path = 'api/invitations'
  const post = signInPost(connection, path)
  return {
    list: async () => (await connection.data<{ invitations: Invitation[] }>(path)).invitations,
    /** Creates an invitation. The `url` of its link is relative to that of the client. */
    create: async (fields: InvitationFields) =>
      (await connection.data<{ invitation: NewInvitation }>(path, { method: 'POST', json: fields }))
        .invitation,
    revoke: (id: string) => connection.data<null>(path, { method: 'DELETE', json: { id } }),
    open: async (token: string) => (await post<{ invitation: OpenInvitation }>('open', { token })).invitation,
    /** Creates the account, and signs it in. */
    accept: (fields: AcceptFields) => post<SignedIn>('accept', fields),
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

const queryOf = ({ types, user, address, after, until }: SecurityFilter) => ({
  types: types?.join(','),
  ...{ user, address, after, until },
})

/** Returns the calls of `/api/activity`, the caller's own history. They need a session. */
export function activityCalls(connection: Connection) {
  const path = 'api/activity'
  const remove = async (json: object) =>
    (await connection.data<{ deleted: number }>(path, { method: 'DELETE', json })).deleted
  return {
    /** Lists the newest entries, or those before an entry. */
    list: async ({ before, types }: LogPart = {}) => {
      const query = { before, types: types?.join(',') }
      return (await connection.data<{ activities: Activity[] }>(path, { query })).activities
    },
    /** Lists a part of the security log of the instance, newest first, for admins. */
    security: async ({ before, limit, ...filter }: SecurityFilter & SecurityPage = {}) => {
      const query = { security: '1', before, limit: limit?.toString(), ...queryOf(filter) }
      return (await connection.data<{ activities: SecurityEntry[] }>(path, { query })).activities
    },
    /** Exports a part of the security log as CSV, for admins. */
    securityCsv: async (filter: SecurityFilter = {}): Promise<ReadableStream<Uint8Array>> =>
      (await connection.send(`${path}/security.csv`, { query: queryOf(filter) })).body ??
      new ReadableStream(),
    /** Returns the address of the export, for a browser that is signed in. */
    securityAddress: (filter: SecurityFilter = {}): string =>
      connection.address(`${path}/security.csv`, queryOf(filter)),
    delete: (ids: readonly string[]) => remove({ ids }),
    clear: () => remove({ all: true }),
  }
}

/** Returns the calls of `/api/settings`. They need a session. */
export function settingsCalls(connection: Connection) {
  const path = 'api/settings'
  return {
    get: () => connection.data<Settings>(path),
    change: (changes: SettingsChanges) => connection.data<Settings>(path, { method: 'PUT', json: changes }),
    /** Sets the visibility of every file. @returns The number of changed files. */
    applyVisibility: async (visibility: Visibility) =>
      (
        await connection.data<{ updated: number }>(`${path}/apply-visibility`, {
          method: 'POST',
          json: { visibility },
        })
      ).updated,
  }
}

/** Returns the calls without a group. */
export const plainCalls = (connection: Connection) => ({
  /** Returns one page of the files and folders with `text` in their names, the best first. */
  search: (text: string, { signal, ...options }: SearchOptions & SignalOption = {}): Promise<SearchPage> =>
    connection.data('api/search', { query: { ...options, q: text }, signal }),
  stats: () => connection.data<InstanceStats>('api/stats'),
  /** Returns a message if the instance is healthy. */
  health: async () => (await connection.data<{ message: string }>('api/health')).message,
  /** Returns what a page needs before sign-in. */
  setup: () => connection.data<SetupState>('api/setup'),
})
