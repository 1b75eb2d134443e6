import { sql } from 'drizzle-orm'
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { createdAt, id, updatedAt } from './columns.ts'

export const users = sqliteTable('users', {
  id: id(),
  name: text('name').notNull(),
  email: text('email').notNull().unique(),
  /** Empty for an account without a password. */
  passwordHash: text('password_hash').notNull(),
  image: text('image'),
  role: text('role', { enum: ['admin', 'editor', 'viewer', 'custom'] }).notNull(),
  /** Scopes picked individually for the custom role. */
  customScopes: text('custom_scopes', { mode: 'json' }).$type<string[]>().notNull(),
  disabled: integer('disabled', { mode: 'boolean' }).notNull(),
  /** True for an account that reaches only the folders of its grants. A list that is empty does not say that. */
  limited: integer('limited', { mode: 'boolean' }).notNull().default(false),
  /** True for an account whose password alone does not sign in. */
  secondFactor: integer('second_factor', { mode: 'boolean' }).notNull().default(false),
  /** Tag of the language that the account has chosen for the dashboard; null for that of each browser. */
  language: text('language'),
  /** True when only the removal of the account's history is left to do. */
  deleted: integer('deleted', { mode: 'boolean' }).notNull().default(false),
  /** Last use of deleted sessions and API keys. Triggers maintain it. */
  lastSeenAt: integer('last_seen_at'),
  createdAt: createdAt(),
  updatedAt: updatedAt(),
})

export const ofUser = () =>
  text('user_id')
    .notNull()
    .references(() => users.id, { onDelete: 'cascade' })

export const sessions = sqliteTable(
  'sessions',
  {
    id: id(),
    userId: ofUser(),
    /** SHA-256 of the token in hex. The token itself is never stored. */
    tokenHash: text('token_hash').notNull().unique(),
    ipAddress: text('ip_address').notNull(),
    userAgent: text('user_agent').notNull(),
    createdAt: createdAt(),
    usedAt: integer('used_at').notNull(),
    expiresAt: integer('expires_at').notNull(),
    /** True when its cookie outlives the browser, and is renewed with the session. */
    remembered: integer('remembered', { mode: 'boolean' }).notNull().default(true),
    /** Way in which its owner signed in, such as `password+totp`. */
    way: text('way').notNull().default('password'),
    /** Time of the last proof of identity; null when that was the sign-in. */
    confirmedAt: integer('confirmed_at'),
    /** Value of the proxy's header that each of its requests must carry; null for none. */
    voucher: text('voucher'),
    /** Id of the session at the provider that it came from (`sid` of the id token); null for none. */
    providerSid: text('provider_sid'),
  },
  (table) => [
    index('sessions_user').on(table.userId),
    index('sessions_provider').on(table.providerSid).where(sql`${table.providerSid} IS NOT NULL`),
  ],
)

export const apiKeys = sqliteTable(
  'api_keys',
  {
    id: id(),
    userId: ofUser(),
    name: text('name').notNull(),
    /** SHA-256 of the secret in hex. */
    keyHash: text('key_hash').notNull().unique(),
    scopes: text('scopes', { mode: 'json' }).$type<string[]>().notNull(),
    createdAt: createdAt(),
    usedAt: integer('used_at'),
    expiresAt: integer('expires_at'),
    /** Folder that it is bound to. Not a reference, because the folder may go to the trash and return. */
    folderId: text('folder_id'),
  },
  (table) => [uniqueIndex('api_keys_user_name').on(table.userId, table.name)],
)

/** Links with which people create accounts. */
export const invitations = sqliteTable(
  'invitations',
  {
    id: id(),
    /** Admin that created it. */
    userId: ofUser(),
    /** SHA-256 of the token in hex. The token itself is never stored. */
    tokenHash: text('token_hash').notNull().unique(),
    /** E-mail of the account; null when its owner chooses it. */
    email: text('email'),
    role: text('role', { enum: ['admin', 'editor', 'viewer', 'custom'] }).notNull(),
    customScopes: text('custom_scopes', { mode: 'json' }).$type<string[]>().notNull(),
    /** Folders that the account will reach; null for everything. */
    grants: text('grants', { mode: 'json' }).$type<{ folderId: string; rights: number }[]>(),
    /** Reminder for admins of the invited person. */
    note: text('note'),
    createdAt: createdAt(),
    expiresAt: integer('expires_at').notNull(),
    usedAt: integer('used_at'),
    /** Account that it became. Not a reference, because the invitation stays used when the account is deleted. */
    usedBy: text('used_by'),
  },
  (table) => [index('invitations_user').on(table.userId), index('invitations_expires').on(table.expiresAt)],
)

/** Rights of an account in a folder and everything below it. */
export const folderGrants = sqliteTable(
  'folder_grants',
  {
    /** Not a reference: the row of a folder in the trash leaves `folders` and may return. Its id is never used again. */
    folderId: text('folder_id').notNull(),
    /** Account; empty for every account. `groups:` before an account is for the rights that groups at a provider give it. */
    userId: text('user_id').notNull(),
    /** Sum of the numbers of its rights. */
    rights: integer('rights').notNull(),
    createdAt: createdAt(),
    /** Account that made it. Not a reference, because the grant outlives it. */
    createdBy: text('created_by'),
  },
  (table) => [
    primaryKey({ columns: [table.folderId, table.userId] }),
    index('folder_grants_user').on(table.userId),
  ],
)

/**
 * Files and folders that accounts have marked. Not references, because what leaves for the trash and returns keeps its id: a
 * row whose item is gone for good means nothing, and is removed within a day.
 */
export const favorites = sqliteTable(
  'favorites',
  {
    itemId: text('item_id').notNull(),
    userId: ofUser(),
    kind: text('kind', { enum: ['file', 'folder'] }).notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.itemId, table.userId] }),
    index('favorites_user').on(table.userId, table.createdAt),
  ],
)

/** Maximum bytes of accounts. One without a row has no limit. */
export const quotas = sqliteTable('quotas', {
  userId: ofUser().primaryKey(),
  bytes: integer('bytes').notNull(),
})

export const activities = sqliteTable(
  'activities',
  {
    id: id(),
    userId: ofUser(),
    type: text('type').notNull(),
    target: text('target'),
    detail: text('detail'),
    createdAt: createdAt(),
  },
  (table) => [
    index('activities_user_created').on(table.userId, table.createdAt),
    // Serves the alerts, which look for a few failures among very many entries.
    index('activities_user_type_created').on(table.userId, table.type, table.createdAt),
    index('activities_created').on(table.createdAt),
  ],
)

/**
 * Security log: sign-ins, successful and failed, and changes of credentials and rights. It belongs to the
 * instance: the account's owner cannot delete it, and it outlives the account.
 */
export const securityEvents = sqliteTable(
  'security_events',
  {
    id: id(),
    type: text('type').notNull(),
    /** Account concerned; null when the e-mail belongs to none. */
    userId: text('user_id'),
    /**
     * E-mail of the account at that time. Input for an unknown account is not stored, because it may be a
     * password.
     */
    email: text('email'),
    /** Account that made the change, if it is another one. */
    actorId: text('actor_id'),
    ipAddress: text('ip_address').notNull(),
    userAgent: text('user_agent').notNull(),
    detail: text('detail'),
    createdAt: createdAt(),
  },
  (table) => [
    index('security_events_created').on(table.createdAt),
    index('security_events_type_created').on(table.type, table.createdAt),
    index('security_events_user_created').on(table.userId, table.createdAt),
    index('security_events_user_type_created').on(table.userId, table.type, table.createdAt),
    index('security_events_address_created').on(table.ipAddress, table.createdAt),
  ],
)

/** Requests made with API keys on one UTC day. Not a reference to the API key, because counts outlive it. */
export const apiRequests = sqliteTable(
  'api_requests',
  {
    userId: ofUser(),
    day: text('day').notNull(),
    keyId: text('key_id').notNull(),
    count: integer('count').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.day, table.keyId] }),
    index('api_requests_day').on(table.day),
  ],
)

/** Files that the server fetches by URL for accounts. Ended ones stay for a day. */
export const fetches = sqliteTable(
  'fetches',
  {
    id: id(),
    userId: ofUser(),
    /** API key that asked for it, and ends it; null for a session. */
    keyId: text('key_id'),
    url: text('url').notNull(),
    /** Name that was asked for, then that of the file. */
    name: text('name'),
    /** Key of the folder, which is created with the file; null where its id was sent. */
    folder: text('folder'),
    folderId: text('folder_id'),
    maxBytes: integer('max_bytes'),
    visibility: text('visibility', { enum: ['public', 'private'] }),
    onConflict: text('on_conflict', { enum: ['fail', 'replace', 'rename', 'skip'] }).notNull(),
    state: text('state', { enum: ['waiting', 'running', 'done', 'failed', 'canceled'] }).notNull(),
    receivedBytes: integer('received_bytes').notNull(),
    size: integer('size'),
    fileId: text('file_id'),
    error: text('error'),
    code: text('code'),
    /** Run that fetches it, and the time until which that has it: another server takes over after that. */
    run: text('run'),
    leaseUntil: integer('lease_until').notNull(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    index('fetches_user').on(table.userId, table.createdAt),
    index('fetches_state').on(table.state, table.createdAt),
  ],
)
