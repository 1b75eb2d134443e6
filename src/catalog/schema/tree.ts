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
import { blobId, createdAt, facts, id, madeForKeys, updatedAt } from './columns.ts'

/** Makes the columns of a file that it has also in the trash. */
const fileColumns = () => ({
  name: text('name').notNull(),
  mimeType: text('mime_type').notNull(),
  size: integer('size').notNull(),
  /** Unsigned CRC-32 (ISO-HDLC) of the bytes. */
  crc32: integer('crc32').notNull(),
  /** SHA-256 of the bytes, in hex. */
  sha256: text('sha256').notNull(),
  /** True for bytes that are known to be UTF-8 with more than ASCII. */
  isUtf8: integer('is_utf8', { mode: 'boolean' }).notNull().default(false),
  visibility: text('visibility', { enum: ['public', 'private'] }).notNull(),
  /** Account that uploaded the file. Not a reference, because a file outlives it. */
  uploadedBy: text('uploaded_by'),
  blobId: blobId(),
  /** Sums and headers that a client of the S3 API sent; null for files that came another way. */
  facts: facts(),
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
    madeForKeys: madeForKeys(),
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
    /** Folder that has its place now, if one replaced it. Not a reference, because that may be deleted since. */
    replacedBy: text('replaced_by'),
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
    madeForKeys: madeForKeys(),
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
    /** True for bytes that are known to be UTF-8 with more than ASCII. */
    isUtf8: integer('is_utf8', { mode: 'boolean' }).notNull().default(false),
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

/** Number and size of all versions: one row, maintained by triggers. */
export const versionTotal = sqliteTable('version_total', {
  id: integer('id').primaryKey(),
  count: integer('count').notNull(),
  size: integer('size').notNull(),
})

/** Number and size of what each account has sent: files, files in the trash and versions. Triggers maintain it. */
export const uploaderTotals = sqliteTable('uploader_totals', {
  userId: text('user_id').primaryKey(),
  count: integer('count').notNull(),
  size: integer('size').notNull(),
})

/**
 * Times and properties that WebDAV clients keep with a file or folder. Not references, because what leaves for the trash and returns keeps its
 * id: a row whose item is gone for good means nothing, and is removed within a day.
 */
export const davItems = sqliteTable('dav_items', {
  itemId: text('item_id').primaryKey(),
  /** Time that a client gave the content; null for none. */
  modifiedAt: integer('modified_at'),
  /** Content of a file that has this time. */
  sha256: text('sha256'),
  /** Dead properties in XML, by their names in Clark notation. */
  properties: text('properties', { mode: 'json' }).$type<Record<string, string>>().notNull(),
})

/** Write locks of WebDAV clients (RFC 4918 §6). Each server of an instance keeps to them. */
export const davLocks = sqliteTable('dav_locks', {
  token: text('token').primaryKey(),
  /** Key of what is locked, which may not exist. */
  key: text('key').notNull(),
  /** True when it covers what is below, too. */
  isDeep: integer('is_deep', { mode: 'boolean' }).notNull(),
  isShared: integer('is_shared', { mode: 'boolean' }).notNull(),
  /** Account that may use the token. */
  userId: text('user_id').notNull(),
  /** Words of the client about itself, in XML; empty for none. */
  owner: text('owner').notNull(),
  timeoutMs: integer('timeout_ms').notNull(),
  expiresAt: integer('expires_at').notNull(),
})
