import type { Database } from 'bun:sqlite'
import { errorCode, isOutOfSpace, Refusal, refuseNoSpace, refuseReadOnly } from '../platform/errors.ts'
import { isSteps, runNow, type Steps } from './query.ts'

interface Job {
  work: () => unknown
  resolve: (value: unknown) => void
  reject: (error: unknown) => void
  /** Whether the work makes room, or is part of what does. */
  frees: boolean
  /** How often it found another connection writing. */
  waits: number
}

/** Most rows that one transaction of a large removal takes. */
const SLICE_ROWS = 250
/** Time after which such a transaction takes fewer rows the next time, in milliseconds: other requests wait for it. */
const SLICE_MS = 10

/** A commit failed in a way that leaves open whether it is durable. Nothing may be undone; the process stops. */
export class UnknownOutcome extends Error {
  override readonly name = 'UnknownOutcome'
}

interface TransactionEvents {
  /** A commit failed and may or may not be durable. */
  onUnknownOutcome: (error: unknown) => void
  /** Changes were undone: what was derived from them in memory must be forgotten. */
  onRollback: () => void
  /** A commit succeeded, of this connection or of another. */
  onCommit?: () => void
  /** Space for work that makes room, for the time when there is no other. */
  reserve?: Reserve
  /** Whether the database's disk takes no writes at all; it is tried. */
  isReadOnly?: () => boolean
  /** Milliseconds on a clock that never goes back. With it, slices of a removal that take long become smaller. */
  monotonic?: () => number
  /** How often work waits for another connection that is writing before it is refused; 4,000 unless said. */
  maxWaits?: number
}

export interface Reserve {
  /** Gives the space up, and answers whether there was any. */
  giveUp: () => boolean
  /** Takes it back, as far as there is any. */
  take: () => void
}

/** How long to wait for another connection that is writing. */
const BUSY_RETRY_MS = 5
/** With the wait above that is 20 seconds, several times what our own longest change takes. */
const MAX_WAITS = 4000

type Outcome = { value: unknown } | { error: unknown }

/**
 * Group commit. Work that is handed in during one turn of the event loop shares one commit, and so one
 * fsync of the write-ahead log; each piece still succeeds or fails alone, inside a savepoint of its own.
 */
export function createTransactions(
  sqlite: Database,
  {
    onUnknownOutcome,
    onRollback,
    onCommit,
    reserve,
    isReadOnly,
    monotonic = () => 0,
    maxWaits = MAX_WAITS,
  }: TransactionEvents,
) {
  let waiting: Job[] = []
  let commits = 0
  let ended = false
  /** Set once an outcome is unknown: a later commit may seem to succeed although earlier bytes are lost. */
  let failed: UnknownOutcome | undefined

  /**
   * Runs the steps of `work` in a transaction and resolves with their result once the commit is durable. They run in
   * one turn of the event loop; an error rolls back their own changes and rejects.
   */
  function transact<Value>(work: () => Steps<Value> | Value): Promise<Value> {
    return handIn(work, false)
  }

  /**
   * Does as `transact` does, for work that makes room or is part of what does: on a full volume it is done
   * with the space kept for it. It may run twice.
   */
  function transactToFree<Value>(work: () => Steps<Value> | Value): Promise<Value> {
    return handIn(work, true)
  }

  function handIn<Value>(work: () => Steps<Value> | Value, frees: boolean): Promise<Value> {
    if (failed || ended) return Promise.reject(failed ?? refuseClosed())
    return new Promise<Value>((resolve, reject) => {
      if (waiting.length === 0) setImmediate(commitWaiting)
      waiting.push({ work, resolve: (value) => resolve(value as Value), reject, frees, waits: 0 })
    })
  }

  /**
   * Removes many rows in transactions of their own, so that other requests get their turn between.
   *
   * @param removeSome Removes `limit` rows at most and answers how many.
   * @returns How many were removed.
   */
  async function removeInSlices(removeSome: (limit: number) => Steps<number> | number): Promise<number> {
    let rows = SLICE_ROWS
    for (let total = 0; ; ) {
      const limit = rows
      const removed = await transact(function* () {
        const began = monotonic()
        const some = removeSome(limit)
        const count = typeof some === 'number' ? some : yield* some
        const isSlow = monotonic() - began > SLICE_MS
        rows = isSlow ? Math.ceil(limit / 2) : Math.min(SLICE_ROWS, limit + 10)
        return count
      })
      total += removed
      if (removed < limit) return total
    }
  }

  function commitWaiting(): void {
    if (failed || ended) return
    const jobs = waiting
    waiting = []
    try {
      if (!begin()) {
        waitForOther(jobs)
        return
      }
      const outcomes = commitTogether(jobs)
      jobs.forEach((job, index) => {
        const outcome = outcomes[index]
        if (outcome && 'value' in outcome) job.resolve(outcome.value)
        else job.reject(outcome?.error)
      })
    } catch (error) {
      if (sqlite.inTransaction) sqlite.run('ROLLBACK')
      onRollback()
      // A full or read-only disk is noticed while the log is written, before its commit record: nothing happened.
      // After any other failure the log may or may not hold the commit; only the next start can tell.
      if (isOutOfSpace(error)) onNoSpace(jobs, error)
      else if (isRefusedWrite(error) && isReadOnly?.())
        for (const job of jobs) job.reject(refuseReadOnly(error))
      else onUnknown(jobs, error)
    }
  }

  /** Nothing of it was done: who waited long enough is told so, the others are tried again. */
  function waitForOther(jobs: Job[]): void {
    for (const job of jobs) {
      job.waits += 1
      if (job.waits > maxWaits) job.reject(refuseBusy())
      else waiting.push(job)
    }
    if (waiting.length > 0) setTimeout(commitWaiting, BUSY_RETRY_MS)
  }

  function onUnknown(jobs: Job[], error: unknown): void {
    const failure = fail(error)
    for (const job of jobs) job.reject(failure)
  }

  /**
   * Ends all commits for good, and has the process stop: what the disk holds is not known any more. Nothing that
   * begins after this is acknowledged.
   */
  function fail(cause: unknown): UnknownOutcome {
    if (failed) return failed
    failed = new UnknownOutcome('The volume or the database could not be written safely', { cause })
    onUnknownOutcome(cause)
    for (const job of waiting) job.reject(failed)
    waiting = []
    return failed
  }

  /** What makes room is tried again with the reserve. Everything else is refused. */
  function onNoSpace(jobs: Job[], error: unknown): void {
    const isLent = jobs.some(({ frees }) => frees) && reserve?.giveUp()
    for (const job of jobs) {
      if (isLent && job.frees) waiting.push(job)
      else job.reject(refuseNoSpace(error))
    }
    if (!isLent) return
    writeBackLog()
    commitWaiting()
    reserve?.take()
  }

  /** Has the write-ahead log begin anew in the space that it has: else every delete would make it longer. */
  function writeBackLog(): void {
    try {
      sqlite.run('PRAGMA wal_checkpoint(RESTART)')
    } catch (error) {
      // What finds no space now stays in the log. Any other failure leaves open what the database file holds.
      if (!isOutOfSpace(error)) fail(error)
    }
  }

  /** Whether a transaction could be begun: another connection may be writing. */
  function begin(): boolean {
    try {
      sqlite.run('BEGIN IMMEDIATE')
      return true
    } catch (error) {
      if (errorCode(error) === 'SQLITE_BUSY') return false
      throw error
    }
  }

  function commitTogether(jobs: Job[]): Outcome[] {
    const outcomes = jobs.map((job) => runInSavepoint(job.work))
    sqlite.run('COMMIT')
    noteCommit()
    return outcomes
  }

  function noteCommit(): void {
    commits += 1
    onCommit?.()
  }

  function runInSavepoint(work: () => unknown): Outcome {
    sqlite.run('SAVEPOINT job')
    try {
      const result = work()
      const value = isSteps(result) ? runNow(result) : result
      sqlite.run('RELEASE job')
      return { value }
    } catch (error) {
      // SQLite ends the whole transaction by itself after some I/O errors: then no job has succeeded. On a
      // full volume none would.
      if (!sqlite.inTransaction || errorCode(error) === 'SQLITE_FULL') throw error
      sqlite.run('ROLLBACK TO job')
      onRollback()
      sqlite.run('RELEASE job')
      return { error }
    }
  }

  return {
    transact,
    transactToFree,
    removeInSlices,
    version: () => commits,
    /** Says that another connection has committed. */
    changed: noteCommit,
    fail,
    /** @throws when nothing may be acknowledged any more, or the database is about to be closed. */
    assertOpen: (): void => {
      if (failed || ended) throw failed ?? refuseClosed()
    },
    /** Refuses whatever still waits, and whatever comes: the database is about to be closed. */
    end: () => {
      ended = true
      for (const job of waiting) job.reject(refuseClosed())
      waiting = []
    },
  }
}

/** Whether bytes were not taken for the log. When that fails in which they are made durable, they may be in it. */
export const isRefusedWrite = (error: unknown): boolean =>
  /^SQLITE_(IOERR_WRITE$|READONLY)/.test(errorCode(error) ?? '')

export const refuseBusy = () =>
  new Refusal('unavailable', 'Another program is writing to the database, try again soon', {
    headers: { 'Retry-After': '5' },
  })

const refuseClosed = () => new Error('The catalog is closed')
