import { desc, sql } from 'drizzle-orm'
import {
  type AnySQLiteColumn,
  check,
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
  uniqueIndex,
} from 'drizzle-orm/sqlite-core'

/** Makes the column of an id, a UUID. Times in this schema are milliseconds since 1970 in UTC, sizes are bytes. */

const id = () => text('id').primaryKey()
const createdAt = () => integer('created_at').notNull()
const updatedAt = () => integer('updated_at').notNull()
/** Makes the column of the blob that has the bytes; null when they are in the data folder. */
const blobId = () => text('blob_id')

/** Makes the columns of a file that it has also in the trash. */
const fileColumns = () => ({
  name: text('name').notNull(),
  mimeType: text('mime_type').notNull(),
  size: integer('size').notNull(),
  /** Unsigned CRC-32 (ISO-HDLC) of the bytes. */
  crc32: integer('crc32').notNull(),
  /** SHA-256 of the bytes, in hex. */
  sha256: text('sha256').notNull(),
  visibility: text('visibility', { enum: ['public', 'private'] }).notNull(),
  /** Account that uploaded the file. Not a reference, because a file outlives it. */
  uploadedBy: text('uploaded_by'),
  blobId: blobId(),
  createdAt: createdAt(),
  updatedAt: updatedAt(),
})

/** Folder tree. A key is not stored: it is the path of names from the root, whose `parentId` is null. */
export const folders = sqliteTable(
  'folders',
  {
    id: id(),
    parentId: text('parent_id').references((): AnySQLiteColumn => folders.id),
    name: text('name').notNull(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [uniqueIndex('folders_parent_name').on(table.parentId, table.name)],
)

export const files = sqliteTable(
  'files',
  {
    id: id(),
    folderId: text('folder_id')
      .notNull()
      .references(() => folders.id),
    ...fileColumns(),
  },
  (table) => [
    uniqueIndex('files_folder_name').on(table.folderId, table.name),
    // One index per order of lists. Ties fall back to newest first, then id, in both directions. Where ties
    // may be many, as for files made private together, each direction has its own index.
    index('files_created').on(desc(table.createdAt), table.id),
    index('files_updated').on(desc(table.updatedAt), desc(table.createdAt), table.id),
    index('files_updated_ascending').on(table.updatedAt, desc(table.createdAt), table.id),
    index('files_name').on(table.name, desc(table.createdAt), table.id),
    index('files_name_descending').on(desc(table.name), desc(table.createdAt), table.id),
    index('files_size').on(desc(table.size), desc(table.createdAt), table.id),
    index('files_size_ascending').on(table.size, desc(table.createdAt), table.id),
    index('files_folder_created').on(table.folderId, desc(table.createdAt), table.id),
    // Serves both directions: ties are few, and sorted.
    index('files_folder_size').on(table.folderId, table.size),
    check('files_size', sql`${table.size} >= 0`),
  ],
)

/**
 * Trash: files and folders that were deleted and can be restored. The id is that of the file or folder, so an
 * item returns under the id that it had.
 */
export const trash = sqliteTable(
  'trash',
  {
    id: id(),
    kind: text('kind', { enum: ['file', 'folder'] }).notNull(),
    name: text('name').notNull(),
    /** Key at which it was deleted. */
    key: text('key').notNull(),
    /** Folder that it was in. Not a reference, because the folder may be deleted since. */
    parentId: text('parent_id').notNull(),
    /** Folder below `trash/` on the volume that holds its bytes under its name. */
    entry: text('entry').notNull(),
    /** Files in the trash with it. They grow while the rows of a folder are moved. */
    count: integer('count').notNull(),
    size: integer('size').notNull(),
    deletedAt: integer('deleted_at').notNull(),
    /** Account that deleted it. Not a reference, because the item outlives it. */
    deletedBy: text('deleted_by'),
    /** True once it is being removed for good. */
    purging: integer('purging', { mode: 'boolean' }).notNull(),
  },
  (table) => [index('trash_deleted').on(desc(table.deletedAt), table.id)],
)

/** Folders in the trash. The folder of an item is its own parent. */
export const trashedFolders = sqliteTable(
  'trashed_folders',
  {
    id: id(),
    trashId: text('trash_id').notNull(),
    parentId: text('parent_id').notNull(),
    name: text('name').notNull(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [index('trashed_folders_parent').on(table.trashId, table.parentId, table.name)],
)

/** Files in the trash. */
export const trashedFiles = sqliteTable(
  'trashed_files',
  {
    id: id(),
    trashId: text('trash_id').notNull(),
    folderId: text('folder_id').notNull(),
    ...fileColumns(),
  },
  (table) => [index('trashed_files_folder').on(table.trashId, table.folderId, table.name)],
)

export const users = sqliteTable('users', {
  id: id(),
  name: text('name').notNull(),
  email: text('email').notNull().unique(),
  passwordHash: text('password_hash').notNull(),
  image: text('image'),
  role: text('role', { enum: ['admin', 'editor', 'viewer', 'custom'] }).notNull(),
  /** Scopes picked individually for the custom role. */
  customScopes: text('custom_scopes', { mode: 'json' }).$type<string[]>().notNull(),
  disabled: integer('disabled', { mode: 'boolean' }).notNull(),
  /** True when only the removal of the account's history is left to do. */
  deleted: integer('deleted', { mode: 'boolean' }).notNull().default(false),
  /** Last use of deleted sessions and API keys. Triggers maintain it. */
  lastSeenAt: integer('last_seen_at'),
  createdAt: createdAt(),
  updatedAt: updatedAt(),
})

const ofUser = () =>
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
  },
  (table) => [index('sessions_user').on(table.userId)],
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

/** Settings, one row each, so that an upgrade adds a setting by adding a row. Values are JSON. */
export const settings = sqliteTable('settings', {
  name: text('name').primaryKey(),
  value: text('value', { mode: 'json' }).notNull(),
})

/** Facts about the instance itself, such as the id of its volume. */
export const instance = sqliteTable('instance', {
  name: text('name').primaryKey(),
  value: text('value').notNull(),
})

/** Announced operations on volume and catalog together. The start rolls leftover ones forward or back. */
export const intents = sqliteTable('intents', {
  id: id(),
  plan: text('plan', { mode: 'json' }).notNull(),
  createdAt: createdAt(),
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

/** Hosting traffic of one UTC day (`YYYY-MM-DD`). */
export const hostingDays = sqliteTable('hosting_days', {
  day: text('day').primaryKey(),
  requests: integer('requests').notNull(),
  bytes: integer('bytes').notNull(),
  notFound: integer('not_found').notNull(),
})

export const hostingFiles = sqliteTable(
  'hosting_files',
  {
    day: text('day').notNull(),
    fileId: text('file_id')
      .notNull()
      .references(() => files.id, { onDelete: 'cascade' }),
    requests: integer('requests').notNull(),
    bytes: integer('bytes').notNull(),
  },
  (table) => [primaryKey({ columns: [table.fileId, table.day] }), index('hosting_files_day').on(table.day)],
)

/** Hosting traffic of each file over all the days in `hostingFiles`. Triggers maintain it. */
export const hostingTotals = sqliteTable(
  'hosting_totals',
  {
    fileId: text('file_id')
      .primaryKey()
      .references(() => files.id, { onDelete: 'cascade' }),
    requests: integer('requests').notNull(),
    bytes: integer('bytes').notNull(),
  },
  (table) => [index('hosting_totals_requests').on(desc(table.requests), table.fileId)],
)

/** Number and size of files by type and visibility. Triggers maintain it. */
export const fileTotals = sqliteTable(
  'file_totals',
  {
    mimeType: text('mime_type').notNull(),
    visibility: text('visibility', { enum: ['public', 'private'] }).notNull(),
    count: integer('count').notNull(),
    size: integer('size').notNull(),
  },
  (table) => [primaryKey({ columns: [table.mimeType, table.visibility] })],
)

/** Number and size of what each account has sent: files, files in the trash and versions. Triggers maintain it. */
export const uploaderTotals = sqliteTable('uploader_totals', {
  userId: text('user_id').primaryKey(),
  count: integer('count').notNull(),
  size: integer('size').notNull(),
})

/** Maximum bytes of accounts. One without a row has no limit. */
export const quotas = sqliteTable('quotas', {
  userId: ofUser().primaryKey(),
  bytes: integer('bytes').notNull(),
})

/** Stored files by the UTC day on which they were added. Triggers maintain it. */
export const fileDays = sqliteTable('file_days', {
  day: text('day').primaryKey(),
  count: integer('count').notNull(),
  size: integer('size').notNull(),
})

/** Number and size of the files directly in a folder; no row for one without files. Triggers maintain it. */
export const folderSizes = sqliteTable('folder_sizes', {
  folderId: text('folder_id').primaryKey(),
  count: integer('count').notNull(),
  size: integer('size').notNull(),
})

/** Number of folders, the root included: one row, maintained by triggers. */
export const folderTotal = sqliteTable('folder_total', {
  id: integer('id').primaryKey(),
  count: integer('count').notNull(),
})

/** Files whose bytes differed from the catalog when they were last scrubbed. */
export const integrity = sqliteTable('integrity', {
  fileId: text('file_id')
    .primaryKey()
    .references(() => files.id, { onDelete: 'cascade' }),
  problem: text('problem').notNull(),
  foundAt: integer('found_at').notNull(),
})

/**
 * Files in the trash and versions whose bytes differed from the catalog when they were last scrubbed. Not references,
 * because rows of the trash come and go: a row whose file or version is gone means nothing.
 */
export const heldIntegrity = sqliteTable('held_integrity', {
  id: id(),
  place: text('place', { enum: ['trash', 'version'] }).notNull(),
  problem: text('problem').notNull(),
  foundAt: integer('found_at').notNull(),
})

/** Bytes that were replaced, and are kept for some days under their id in `versions/`. */
export const versions = sqliteTable(
  'versions',
  {
    id: id(),
    /** File that had these bytes. Not a reference, because the versions of a file in the trash stay. */
    fileId: text('file_id').notNull(),
    size: integer('size').notNull(),
    /** Unsigned CRC-32 (ISO-HDLC) of the bytes. */
    crc32: integer('crc32').notNull(),
    /** SHA-256 of the bytes, in hex. */
    sha256: text('sha256').notNull(),
    mimeType: text('mime_type').notNull(),
    /** Account that sent these bytes. Not a reference, because a version outlives it. */
    uploadedBy: text('uploaded_by'),
    blobId: blobId(),
    /** Last change of the file with these bytes. */
    writtenAt: integer('written_at').notNull(),
    replacedAt: integer('replaced_at').notNull(),
  },
  (table) => [
    index('versions_file').on(table.fileId, desc(table.replacedAt), desc(table.id)),
    index('versions_replaced').on(table.replacedAt, table.id),
  ],
)

/** Number and size of all versions: one row, maintained by triggers. */
export const versionTotal = sqliteTable('version_total', {
  id: integer('id').primaryKey(),
  count: integer('count').notNull(),
  size: integer('size').notNull(),
})

/**
 * Objects of the store of bytes, each under its id, which is never used twice. A blob is `arriving` until the commit
 * that refers to it, and `doomed` from the commit that removes the last reference.
 */
export const blobs = sqliteTable(
  'blobs',
  {
    id: id(),
    state: text('state', { enum: ['arriving', 'kept', 'doomed'] }).notNull(),
    /** Process that receives it. */
    node: text('node').notNull(),
    /** Multipart upload of the object store, once there is one. */
    uploadId: text('upload_id'),
    size: integer('size').notNull(),
    createdAt: createdAt(),
    /** Time before which a doomed blob may still be read. */
    notBefore: integer('not_before').notNull(),
  },
  (table) => [
    index('blobs_unfinished').on(table.state, table.notBefore).where(sql`${table.state} <> 'kept'`),
    check('blobs_size', sql`${table.size} >= 0`),
  ],
)

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
    createdAt: createdAt(),
    expiresAt: integer('expires_at').notNull(),
  },
  (table) => [
    index('resumables_user').on(table.userId),
    index('resumables_share').on(table.shareId, table.visitor),
    index('resumables_expires').on(table.expiresAt),
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

/** Link by which visitors read shared files and folders, or send files to a folder. */
export const shares = sqliteTable(
  'shares',
  {
    id: id(),
    /** Name of the share in its URL. */
    slug: text('slug').notNull().unique(),
    userId: ofUser(),
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
  ],
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
    what: text('what', { enum: ['opened', 'downloaded', 'uploaded', 'refused'] }).notNull(),
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
 * Downloads of visitors from shares. An unfinished one takes a place under the limit of its share. A finished one
 * was counted, and lets its visitor repeat it for a day.
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
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.shareId, table.visitor, table.item] }),
    index('share_downloads_created').on(table.createdAt),
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
