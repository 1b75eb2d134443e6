import { desc, sql } from 'drizzle-orm'
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { createdAt, facts, id, updatedAt } from './columns.ts'
import { apiKeys, ofUser } from './people.ts'

/** Resumable uploads. Finished ones stay until their clients must have noticed. */
export const resumables = sqliteTable(
  'resumables',
  {
    id: id(),
    /** Account that began it. Not a reference, because the upload's bytes must be removed with its row. */
    userId: text('user_id').notNull(),
    /** API key that began it and alone may continue it; null for sessions of the account. */
    keyId: text('key_id'),
    /** Share that a visitor sends it to; its files and bytes are reserved until the upload is removed. */
    shareId: text('share_id'),
    /** Hash of that visitor's cookie. */
    visitor: text('visitor'),
    /** Bucket of that visitor's address: a visitor may drop its cookie. */
    address: text('address'),
    name: text('name').notNull(),
    /** Key of the target folder. */
    folder: text('folder').notNull(),
    /** Visibility of the file; null for the instance's default at the time it is finished. */
    visibility: text('visibility', { enum: ['public', 'private'] }),
    /** Client's metadata, as it was sent. */
    metadata: text('metadata').notNull(),
    length: integer('length').notNull(),
    /** Contiguous bytes that would survive a power cut. All have arrived only once the file exists. */
    received: integer('received').notNull(),
    /** File that the upload became. */
    fileId: text('file_id'),
    /**
     * Upload of the S3 API in parts, which this is a part of. The upload itself names itself here, and `received` is what
     * it has assembled; that of a part is 0 once its bytes are among them.
     */
    partOf: text('part_of'),
    /** Number of the part; for the upload itself, that of the last part which it has assembled. */
    part: integer('part'),
    /** Sums and headers that the client sent. */
    facts: facts(),
    createdAt: createdAt(),
    expiresAt: integer('expires_at').notNull(),
  },
  (table) => [
    index('resumables_user').on(table.userId).where(sql`${table.fileId} IS NULL`),
    index('resumables_share').on(table.shareId).where(sql`${table.fileId} IS NULL`),
    index('resumables_expires').on(table.expiresAt),
    index('resumables_part').on(table.partOf, table.part, table.id).where(sql`${table.partOf} IS NOT NULL`),
  ],
)

/** Signed uploads that became a file: none becomes two. A row stays until no body that used its link can be published. */
export const uploadLinks = sqliteTable(
  'upload_links',
  {
    nonce: text('nonce').primaryKey(),
    fileId: text('file_id').notNull(),
    expiresAt: integer('expires_at').notNull(),
  },
  (table) => [index('upload_links_expires').on(table.expiresAt)],
)

/** Link by which visitors read shared files and folders, or send files to a folder. */
export const shares = sqliteTable(
  'shares',
  {
    id: id(),
    /** Name of the share in its URL. */
    slug: text('slug').notNull().unique(),
    userId: ofUser(),
    /** API key that made the share, which ends with it; null for a session. */
    keyId: text('key_id').references(() => apiKeys.id, { onDelete: 'cascade' }),
    title: text('title'),
    note: text('note'),
    canRead: integer('can_read', { mode: 'boolean' }).notNull(),
    canWrite: integer('can_write', { mode: 'boolean' }).notNull(),
    passwordHash: text('password_hash'),
    expiresAt: integer('expires_at'),
    /** Completed downloads after which the share is closed. */
    maxDownloads: integer('max_downloads'),
    downloads: integer('downloads').notNull(),
    /** Folder that received files go to. Not a reference, because the folder may be in the trash for a while. */
    folderId: text('folder_id'),
    maxFiles: integer('max_files'),
    maxBytes: integer('max_bytes'),
    /** Accepted media types and extensions of received files; null accepts all. */
    types: text('types', { mode: 'json' }).$type<string[]>(),
    /** Received files and bytes, with those that unfinished uploads reserve. */
    receivedFiles: integer('received_files').notNull(),
    receivedBytes: integer('received_bytes').notNull(),
    /** Webhook that gets the events of the share. Not a reference: a webhook that is gone gets none. */
    notify: text('notify'),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    index('shares_user').on(table.userId, desc(table.createdAt), table.id),
    index('shares_expires').on(table.expiresAt),
    index('shares_key').on(table.keyId).where(sql`${table.keyId} IS NOT NULL`),
  ],
)

/** Websites: folders that are shown at hosts of their own. */
export const sites = sqliteTable('sites', {
  id: id(),
  /** Label below the domain of sites. */
  name: text('name').notNull().unique(),
  /** Not a reference: a site outlives its folder, which may come back from the trash. */
  folderId: text('folder_id').notNull(),
  /** Further hosts, in ASCII and lower case. No other site has one of them. */
  domains: text('domains', { mode: 'json' }).$type<string[]>().notNull(),
  /** True when paths without a file show the start page, whose script has the routes. */
  spa: integer('spa', { mode: 'boolean' }).notNull(),
  /** Hash of the password that opens it; null for one that is open to all. */
  passwordHash: text('password_hash'),
  /** Time at which it ends; null for one that does not. */
  expiresAt: integer('expires_at'),
  createdAt: createdAt(),
  updatedAt: updatedAt(),
})

/** Paths that visitors of sites asked for in vain. */
export const siteMisses = sqliteTable(
  'site_misses',
  {
    siteId: text('site_id')
      .notNull()
      .references(() => sites.id, { onDelete: 'cascade' }),
    /** Path as sent, without its query. */
    path: text('path').notNull(),
    count: integer('count').notNull(),
    lastAt: integer('last_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.siteId, table.path] })],
)

/**
 * Files and folders that a share opens. Items are not references, because what leaves for the trash must be shared
 * again when it is restored.
 */
export const shareItems = sqliteTable(
  'share_items',
  {
    shareId: text('share_id')
      .notNull()
      .references(() => shares.id, { onDelete: 'cascade' }),
    itemId: text('item_id').notNull(),
    kind: text('kind', { enum: ['file', 'folder'] }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.shareId, table.itemId] })],
)

/** Visits of shares. Not a reference, because a share with many visits ends in one short transaction. */
export const shareVisits = sqliteTable(
  'share_visits',
  {
    id: id(),
    shareId: text('share_id').notNull(),
    /** Hash of the visitor's cookie, or of address and user agent. */
    visitor: text('visitor').notNull(),
    what: text('what', { enum: ['opened', 'started', 'downloaded', 'uploaded', 'refused'] }).notNull(),
    /** File that the visitor downloaded or sent; null for an archive. */
    fileId: text('file_id'),
    /** Name of the file at that time. */
    name: text('name'),
    /** Name that the visitor sent, when the stored one has a number: that would report which names exist. */
    sentName: text('sent_name'),
    bytes: integer('bytes').notNull(),
    ipAddress: text('ip_address').notNull(),
    userAgent: text('user_agent').notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    index('share_visits_share').on(table.shareId, desc(table.createdAt), desc(table.id)),
    index('share_visits_visitor').on(table.shareId, table.visitor, table.what, desc(table.createdAt)),
    index('share_visits_created').on(table.createdAt),
  ],
)

/**
 * Downloads of visitors from shares. An unfinished one takes a place under the limit of its share while bytes are sent.
 * A finished one was counted, and lets its visitor repeat it for a day.
 */
export const shareDownloads = sqliteTable(
  'share_downloads',
  {
    shareId: text('share_id').notNull(),
    visitor: text('visitor').notNull(),
    /** Id of the file, or the name of an archive. */
    item: text('item').notNull(),
    /** Length in bytes. A file with another length starts from none. */
    size: integer('size').notNull(),
    /** Delivered ranges of bytes: first and last, both inclusive, in order. */
    ranges: text('ranges', { mode: 'json' }).$type<[first: number, last: number][]>().notNull(),
    isFinished: integer('is_finished', { mode: 'boolean' }).notNull(),
    /** Time at which it began, or was sent bytes since. */
    sentAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.shareId, table.visitor, table.item] }),
    index('share_downloads_created').on(table.sentAt),
  ],
)

/** Addresses that events of the instance are sent to. */
export const webhooks = sqliteTable('webhooks', {
  id: id(),
  name: text('name').notNull(),
  url: text('url').notNull(),
  /** Secret that signs deliveries, in the clear: a hash of it could not sign. */
  secret: text('secret').notNull(),
  /** Types of the events that it gets from the whole instance. */
  events: text('events', { mode: 'json' }).$type<string[]>().notNull(),
  /** True when any account may name it as the receiver of the events of a share. */
  forShares: integer('for_shares', { mode: 'boolean' }).notNull(),
  enabled: integer('enabled', { mode: 'boolean' }).notNull(),
  createdAt: createdAt(),
  updatedAt: updatedAt(),
})

/**
 * Outbox and log of webhooks: one row for each event and webhook. The row of an event is inserted by the transaction
 * that the event reports. Not a reference, because a webhook with many deliveries is deleted in one short transaction.
 */
export const webhookDeliveries = sqliteTable(
  'webhook_deliveries',
  {
    webhookId: text('webhook_id').notNull(),
    eventId: text('event_id').notNull(),
    type: text('type').notNull(),
    /** Body of the request, byte for byte: the signature covers it. */
    body: text('body').notNull(),
    state: text('state', { enum: ['pending', 'delivered', 'failed'] }).notNull(),
    /** Attempts that have begun. */
    attempts: integer('attempts').notNull(),
    /** Time of the next attempt; while one is under way, the time at which its server counts as dead. */
    nextAt: integer('next_at').notNull(),
    /** Status of the last response; null when there was none. */
    status: integer('status'),
    /** Reason why the last attempt failed. */
    error: text('error'),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.webhookId, table.eventId] }),
    index('webhook_deliveries_due').on(table.nextAt).where(sql`${table.state} = 'pending'`),
    index('webhook_deliveries_newest').on(table.webhookId, desc(table.createdAt), desc(table.eventId)),
    index('webhook_deliveries_created').on(table.createdAt),
  ],
)
