import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { createdAt, id } from './columns.ts'
import { ofUser, users } from './people.ts'

/** Accounts elsewhere that vouch for accounts here. */
export const identities = sqliteTable(
  'identities',
  {
    id: id(),
    userId: ofUser(),
    /** Name of the provider in the configuration. */
    provider: text('provider').notNull(),
    /** Issuer and subject identify a person (OpenID Connect Core, section 2); nothing else does. */
    issuer: text('issuer').notNull(),
    subject: text('subject').notNull(),
    createdAt: createdAt(),
    usedAt: integer('used_at').notNull(),
  },
  (table) => [
    uniqueIndex('identities_subject').on(table.issuer, table.subject),
    index('identities_user').on(table.userId),
  ],
)

/** Secrets of authenticator apps, at most one for each account. */
export const authenticators = sqliteTable('authenticators', {
  userId: text('user_id')
    .primaryKey()
    .references(() => users.id, { onDelete: 'cascade' }),
  /** Secret of the codes, encrypted. */
  secret: text('secret').notNull(),
  /** Step of the last code that was used: none works twice. */
  lastStep: integer('last_step').notNull(),
  /** Time of the first right code; null until then. */
  enabledAt: integer('enabled_at'),
  /** Wrong codes since the last right one. */
  wrong: integer('wrong').notNull(),
  /** Time until which codes are refused. */
  lockedUntil: integer('locked_until').notNull(),
})

/** Recovery codes that have not been used. */
export const recoveryCodes = sqliteTable(
  'recovery_codes',
  {
    userId: ofUser(),
    /** SHA-256 of the account's id and the code in hex. */
    codeHash: text('code_hash').notNull(),
  },
  (table) => [primaryKey({ columns: [table.userId, table.codeHash] })],
)

/** Public keys of authenticators (WebAuthn). */
export const passkeys = sqliteTable(
  'passkeys',
  {
    id: id(),
    userId: ofUser(),
    name: text('name').notNull(),
    /** Id and COSE public key of the credential, in base64url. */
    credentialId: text('credential_id').notNull().unique(),
    publicKey: text('public_key').notNull(),
    /** Signatures so far; 0 for an authenticator that does not count. */
    counter: integer('counter').notNull(),
    transports: text('transports', { mode: 'json' }).$type<string[]>().notNull(),
    createdAt: createdAt(),
    usedAt: integer('used_at'),
  },
  (table) => [index('passkeys_user').on(table.userId)],
)

/** Browsers that skip the second step. */
export const trustedDevices = sqliteTable(
  'trusted_devices',
  {
    id: id(),
    userId: ofUser(),
    /** SHA-256 of the cookie's token in hex. */
    tokenHash: text('token_hash').notNull().unique(),
    userAgent: text('user_agent').notNull(),
    createdAt: createdAt(),
    expiresAt: integer('expires_at').notNull(),
  },
  (table) => [
    index('trusted_devices_user').on(table.userId),
    index('trusted_devices_expires').on(table.expiresAt),
  ],
)

/** Sign-ins that have begun and need another step, challenges of passkeys, and logout tokens that were used. */
export const attempts = sqliteTable(
  'sign_in_attempts',
  {
    /** SHA-256 in hex of the token, which a cookie or a link carries. */
    tokenHash: text('token_hash').primaryKey(),
    kind: text('kind', { enum: ['second-step', 'oidc', 'passkey', 'link', 'logout'] }).notNull(),
    /** Account that it is for; null while that is unknown. */
    userId: text('user_id').references(() => users.id, { onDelete: 'cascade' }),
    /** Facts of the kind. */
    data: text('data', { mode: 'json' }).$type<unknown>().notNull(),
    /** Wrong tries so far. */
    wrong: integer('wrong').notNull(),
    expiresAt: integer('expires_at').notNull(),
  },
  (table) => [
    index('sign_in_attempts_user').on(table.userId),
    index('sign_in_attempts_expires').on(table.expiresAt),
  ],
)

/** Programs that wait for a person's approval (RFC 8628). */
export const deviceCodes = sqliteTable(
  'device_codes',
  {
    /** SHA-256 of the device code in hex. */
    deviceHash: text('device_hash').primaryKey(),
    /** SHA-256 of the code that the person types in hex. */
    userHash: text('user_hash').notNull().unique(),
    /** Name of the machine that asks. */
    clientName: text('client_name').notNull(),
    scopes: text('scopes', { mode: 'json' }).$type<string[]>().notNull(),
    ipAddress: text('ip_address').notNull(),
    state: text('state', { enum: ['pending', 'approved', 'denied'] }).notNull(),
    /** Account that approved it. */
    userId: text('user_id').references(() => users.id, { onDelete: 'cascade' }),
    polledAt: integer('polled_at').notNull(),
    createdAt: createdAt(),
    expiresAt: integer('expires_at').notNull(),
  },
  (table) => [index('device_codes_user').on(table.userId), index('device_codes_expires').on(table.expiresAt)],
)
