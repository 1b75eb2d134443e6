import { errorCode } from '../../platform/errors.ts'
import { activityQueries } from '../people/activities.ts'
import { insertPublication, intentQueries, type NewFile, type Terms } from '../publication.ts'
import { resumableQueries } from '../shares/resumables.ts'
import { shareQueries } from '../shares/shares.ts'
import { shareVisitQueries } from '../shares/visits.ts'
import { deliveryQueries } from '../shares/webhooks.ts'
import { blobQueries } from '../tree/blobs.ts'
import { bulkQueries } from '../tree/bulk.ts'
import { fileQueries } from '../tree/files.ts'
import { type FolderRow, folderQueries } from '../tree/folders.ts'
import { runNow, sqliteEngine } from './engine.ts'
import { FolderCache } from './folder-cache.ts'
import { PlannedOnce } from './planned-once.ts'
import { type CheckpointMode, VERDICT, type WorkBegun, type WorkRequest, type WorkResult } from './thread.ts'

/**
 * Thread scope. This file runs as the other end of `CatalogThread`; its arguments are the database's
 * path, and the purges that a cache in front is owed.
 */

declare const self: Worker

/** Maximum time a change waits for the transactions of requests, which are short, in milliseconds. */
const CHANGE_WAIT_MS = 60_000
/** Maximum time a checkpoint waits for a transaction or a snapshot, in milliseconds. */
const CHECKPOINT_WAIT_MS = 20

const [path = '', owed] = Bun.argv.slice(2)
const sqlite = new PlannedOnce(path, { strict: true })
sqlite.run('PRAGMA synchronous = FULL')
sqlite.run('PRAGMA foreign_keys = ON')
sqlite.run('PRAGMA cache_size = -16384')
sqlite.run('PRAGMA wal_autocheckpoint = 0')
sqlite.run(`PRAGMA busy_timeout = ${CHANGE_WAIT_MS}`)
const owes = owed === 'folders' || owed === 'files' ? owed : 'nothing'
const engine = sqliteEngine(sqlite, undefined, owes)
const bulk = bulkQueries(engine)
const folders = folderQueries(engine, new FolderCache(engine))
const tables = {
  activities: activityQueries(engine),
  blobs: blobQueries(engine),
  files: fileQueries(engine),
  folders,
  intents: intentQueries(engine),
  resumables: resumableQueries(engine),
  shares: shareQueries(engine),
  shareVisits: shareVisitQueries(engine),
  webhookDeliveries: deliveryQueries(engine),
}

/** Rows received so far of the publication being handed over. */
let staged: { folders: FolderRow[]; files: NewFile[] } = { folders: [], files: [] }

/** Error of a transaction that was rolled back completely. */
class Undone extends Error {}

function perform(work: WorkRequest): number {
  switch (work.kind) {
    case 'change':
      return sqlite
        .transaction(() => (isAllowed(work) ? runNow(bulk.setVisibilityBelow(work.change)) : 0))
        .immediate()
    case 'stage':
      staged.folders.push(...work.folders)
      staged.files.push(...work.files)
      return 0
    case 'begin':
      return begin()
    case 'publish':
      return publish(work.intentId, work.terms)
    case 'roll back':
      return rollBack()
    case 'checkpoint':
      return checkpoint(work.mode)
    case 'longest path':
      return runNow(folders.longestPathBelow(work.folderId))
    case 'path longer than':
      return Number(runNow(folders.hasPathBelow(work.folderId, work.bytes, work.nameBytes)))
  }
}

/** Waits until the main thread has authorized the change, which takes one turn of its event loop. */
function isAllowed({ id, verdict }: WorkRequest & { kind: 'change' }): boolean {
  const answer = new Int32Array(verdict)
  self.postMessage({ id, begun: true } satisfies WorkBegun)
  Atomics.wait(answer, 0, 0)
  return Atomics.load(answer, 0) === VERDICT.goOn
}

function begin(): number {
  try {
    sqlite.run('BEGIN IMMEDIATE')
    return 0
  } catch (error) {
    rollBack()
    throw error
  }
}

function publish(intentId: string | undefined, terms: Terms): number {
  try {
    insertStaged(intentId, terms)
    sqlite.run('COMMIT')
    return 0
  } finally {
    rollBack()
  }
}

function insertStaged(intentId: string | undefined, terms: Terms): void {
  try {
    const publication = { ...staged, ...(intentId !== undefined && { intentId }) }
    runNow(insertPublication(tables, publication, terms))
  } catch (error) {
    // SQLite rolls the whole transaction back by itself after some I/O errors.
    throw sqlite.inTransaction ? new Undone(String(error), { cause: error }) : error
  }
}

/** Rolls back uncommitted changes and discards the rows received for them. */
function rollBack(): number {
  staged = { folders: [], files: [] }
  if (sqlite.inTransaction) sqlite.run('ROLLBACK')
  return 0
}

/** Checkpoints as far as possible without waiting: while a checkpoint waits, nothing can be written. */
function checkpoint(mode: CheckpointMode): number {
  sqlite.run(`PRAGMA busy_timeout = ${CHECKPOINT_WAIT_MS}`)
  try {
    return sqlite.query<{ busy: number }, []>(`PRAGMA wal_checkpoint(${mode})`).get()?.busy ?? 0
  } finally {
    sqlite.run(`PRAGMA busy_timeout = ${CHANGE_WAIT_MS}`)
  }
}

function answer(work: WorkRequest): WorkResult {
  const { id, lostPages } = work
  try {
    return { id, value: perform(work) }
  } catch (error) {
    const isUndone = error instanceof Undone
    const code = errorCode(isUndone ? error.cause : error) ?? ''
    if (/^SQLITE_IOERR_(DIR_)?FSYNC$/.test(code)) Atomics.store(new Int32Array(lostPages), 0, 1)
    return { id, code, message: isUndone ? error.message : String(error), isUndone }
  }
}

self.onmessage = ({ data }: MessageEvent<WorkRequest>) => self.postMessage(answer(data))
