import { Database } from 'bun:sqlite'
import { drizzle } from 'drizzle-orm/bun-sqlite'
import { errorCode } from '../errors.ts'
import { type BulkChange, setVisibilityBelow } from './bulk.ts'
import * as schema from './schema.ts'
import type { BulkRequest, BulkResult } from './thread.ts'

/** The other end of `createCatalogThread`: this file is a thread, and its argument the database's path. */

declare const self: Worker

const [path = ''] = Bun.argv.slice(2)
const sqlite = new Database(path, { strict: true })
sqlite.run('PRAGMA synchronous = FULL')
sqlite.run('PRAGMA foreign_keys = ON')
sqlite.run('PRAGMA cache_size = -16384')
// Transactions of requests are short: this thread can wait for them.
sqlite.run('PRAGMA busy_timeout = 60000')
const db = drizzle(sqlite, { schema })

function make(change: BulkChange): number {
  const changed = sqlite.transaction(() => setVisibilityBelow(db, change)).immediate()
  // The log is long now. Written back here, it does not wait for a request to do it.
  sqlite.run('PRAGMA wal_checkpoint(PASSIVE)')
  return changed
}

function answer({ id, change }: BulkRequest): BulkResult {
  try {
    return { id, changed: make(change) }
  } catch (error) {
    return { id, code: errorCode(error) ?? '', message: String(error) }
  }
}

self.onmessage = ({ data }: MessageEvent<BulkRequest>) => self.postMessage(answer(data))
