/**
 * Tests that only instances with the bytes in the data folder can pass, by glob, and the reason. Each other test that speaks
 * to a server passes on every kind (`test/support/kind.ts`).
 */
export const EMBEDDED_ONLY: Readonly<Record<string, string>> = {
  'test/**/*on-disk.test.ts': 'edit, link, swap or add files below the server, whose names are keys',
  'test/hosting/slow-readers.test.ts': 'read a sparse file of 1 GiB',
  'test/storage/**': 'interrupt and repair renames, links and intents in the data folder',
  'test/trash/adopt.test.ts': 'rebuild the catalog from the data folder',
  'test/repair*.test.ts': 'compare the catalog with the data folder',
  'test/verify.test.ts': 'compare the catalog with the data folder; test/objects has its counterpart',
  'test/backup*.test.ts': 'copy the data folder',
  'test/tampered-backup.test.ts': 'copy the data folder',
  'test/trash/backup.test.ts': 'copy the data folder',
  'test/versions/refused-removal.test.ts': 'refuse removals in the data folder',
  'test/versions/kept.test.ts': 'copy, adopt and compare the data folder',
  'test/rights/kept.test.ts': 'copy and rebuild the data folder',
  'test/process.test.ts': 'start and stop on folders that are missing, linked, locked or of another instance',
  'test/attacks/process.test.ts': 'damage the database and swap volumes below a process',
  'test/permissions.test.ts': 'look at the modes of stored files',
  'test/fuzz/kills.test.ts': 'compare the data folder after kills; test/objects has its counterpart',
  'test/damaged-database.test.ts': 'rebuild the catalog from the data folder',
  'test/older-schemas.test.ts': 'open databases of versions that stored files in the data folder',
  'test/auth/setup-token.test.ts': 'rebuild the catalog from the data folder',
  'test/cli/server-side.test.ts': 'import into and compare the data folder',
  'test/stats/storage-low.test.ts': 'fill the disk of the data folder; object stores have no such number',
  'test/objects/**': 'start their own stores, on every kind',
  'test/object-store.test.ts': 'start their own stores, on every kind',
  'test/shared-database.test.ts': 'start on wrong configurations, on every kind',
}

/** Tests that instances of several servers with PostgreSQL cannot pass, by glob, and the reason. */
export const SQLITE_ONLY: Readonly<Record<string, string>> = {
  'test/catalog/readers.test.ts': "watch what readers retain of SQLite's log",
  'test/archives/large-import.test.ts': "watch the lock of SQLite's writer",
  'test/stats/database-log.test.ts': "fill SQLite's log",
  'test/rights/cached-lists.test.ts': 'cache lists, which several servers do not',
}
