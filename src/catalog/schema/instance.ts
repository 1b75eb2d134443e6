import { desc } from 'drizzle-orm'
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { createdAt, id } from './columns.ts'
import { files } from './tree.ts'

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

/**
 * Outbox of purges for a cache in front, inserted by the transactions that change public files. One path may have several
 * rows, which become one request.
 */
export const purges = sqliteTable('purges', {
  id: id(),
  /** Object key of a file, or of a folder with a slash at its end; empty for everything. */
  path: text('path').notNull(),
  /** Time of the first attempt that failed; null before. */
  failedAt: integer('failed_at'),
  /** Time of the first purge. A second one follows, because the cache may have been fetching the file. */
  sentAt: integer('sent_at'),
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
