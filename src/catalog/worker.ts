import { Database } from 'bun:sqlite'
import { drizzle } from 'drizzle-orm/bun-sqlite'
import { errorCode } from '../errors.ts'
import { setVisibilityBelow } from './bulk.ts'
import { folderQueries } from './folders.ts'
import * as schema from './schema.ts'
import { type CheckpointMode, VERDICT, type WorkBegun, type WorkRequest, type WorkResult } from './thread.ts'

/** The other end of `createCatalogThread`: this file is a thread, and its argument the database's path. */

declare const self: Worker

/** Longest wait of a change for the transactions of requests, which are short. */
const CHANGE_WAIT_MS = 60_000
/** Longest wait of a checkpoint for a transaction or a snapshot. */
const CHECKPOINT_WAIT_MS = 20

const [path = ''] = Bun.argv.slice(2)
const sqlite = new Database(path, { strict: true })
sqlite.run('PRAGMA synchronous = FULL')
sqlite.run('PRAGMA foreign_keys = ON')
sqlite.run('PRAGMA cache_size = -16384')
sqlite.run('PRAGMA wal_autocheckpoint = 0')
sqlite.run(`PRAGMA busy_timeout = ${CHANGE_WAIT_MS}`)
const db = drizzle(sqlite, { schema })
const folders = folderQueries(db)

function perform(work: WorkRequest): number {
  switch (work.kind) {
    case 'change':
      return sqlite.transaction(() => (isAllowed(work) ? setVisibilityBelow(db, work.change) : 0)).immediate()
    case 'checkpoint':
      return checkpoint(work.mode)
    case 'longest path':
      return folders.longestPathBelow(work.folderId)
    case 'path longer than':
      return Number(folders.hasPathBelow(work.folderId, work.bytes, work.nameBytes))
  }
}

/** Waits until the main thread has authorized the change, which takes it one turn of its event loop. */
function isAllowed({ id, verdict }: WorkRequest & { kind: 'change' }): boolean {
  const answer = new Int32Array(verdict)
  self.postMessage({ id, begun: true } satisfies WorkBegun)
  Atomics.wait(answer, 0, 0)
  return Atomics.load(answer, 0) === VERDICT.goOn
}

/** Whatever is in the way of all of it is left to the next one: while this waits for it, nothing can be written. */
function checkpoint(mode: CheckpointMode): number {
  sqlite.run(`PRAGMA busy_timeout = ${CHECKPOINT_WAIT_MS}`)
  try {
    return sqlite.query<{ busy: number }, []>(`PRAGMA wal_checkpoint(${mode})`).get()?.busy ?? 0
  } finally {
    sqlite.run(`PRAGMA busy_timeout = ${CHANGE_WAIT_MS}`)
  }
}

function answer(work: WorkRequest): WorkResult {
  const { id } = work
  try {
    return { id, value: perform(work) }
  } catch (error) {
    return { id, code: errorCode(error) ?? '', message: String(error) }
  }
}

self.onmessage = ({ data }: MessageEvent<WorkRequest>) => self.postMessage(answer(data))
