import type { Database } from 'bun:sqlite'
import { errorCode, isOutOfSpace, Refusal, refuseNoSpace, refuseReadOnly } from '../../platform/errors.ts'
import { type Steps, UnknownOutcome } from '../engine/query.ts'
import { removeInSlices } from '../engine/slices.ts'
import { runNow } from './engine.ts'

interface Job {
  work: () => Steps<unknown>
  resolve: (value: unknown) => void
  reject: (error: unknown) => void
  /** True when the work frees space, or is part of work that does. */
  frees: boolean
  /** Times it found another connection writing. */
  waits: number
}

interface GroupCommitOptions {
  /** Called after a commit failed that may or may not be durable. */
  onUnknownOutcome: (error: unknown) => void
  /** Called after a rollback: cached values derived from its changes must be evicted. */
  onRollback: () => void
  /** Called after a commit succeeded. */
  onCommit?: () => void
  /** Reserved space for work that frees space when the disk is full. */
  reserve?: Reserve
  /** Tries a write and returns true when the database's disk takes none. */
  isReadOnly?: () => boolean
  /**
   * Returns true once another connection of this process failed to sync: a later sync may succeed without the pages that
   * the failed one has lost.
   */
  hasLostPages?: () => boolean
  /** Milliseconds of a monotonic clock. With it, slow slices of a removal shrink. */
  monotonic?: () => number
  /** Maximum waits for another writing connection before the work is refused; 4,000 by default. */
  maxWaits?: number
}

export interface Reserve {
  /** Releases the space and returns true if there was any. */
  giveUp: () => boolean
  /** Reserves the space again, as far as there is any. */
  take: () => void
}

/** Time between two tries while another connection writes, in milliseconds. */
const BUSY_RETRY_MS = 5
/** Default of `maxWaits`. It gives 20 seconds in total, several times our longest change. */
const MAX_WAITS = 4000

type Outcome = { value: unknown } | { error: unknown }

/**
 * Group commit. Work submitted during one turn of the event loop shares one commit, and so one fsync of the
 * write-ahead log. Each job still succeeds or fails alone, inside a savepoint of its own.
 */
export class GroupCommit {
  readonly #sqlite: Database
  readonly #options: GroupCommitOptions
  readonly #maxWaits: number
  #waiting: Job[] = []
  #hasEnded = false
  /** Set once an outcome is unknown: a later commit could seem to succeed although earlier bytes are lost. */
  #failed: UnknownOutcome | undefined

  constructor(sqlite: Database, options: GroupCommitOptions) {
    this.#sqlite = sqlite
    this.#options = options
    // SQLite writes the journal of a savepoint to a file beyond 64 KiB, as that of each upload is: a file touches 25 pages.
    sqlite.run('PRAGMA temp_store = MEMORY')
    this.removeInSlices = removeInSlices(this.transact, options.monotonic ?? (() => 0))
    this.#maxWaits = options.maxWaits ?? MAX_WAITS
  }

  /**
   * Runs the steps of `work` in a transaction and resolves with their result once the commit is durable. They run in
   * one turn of the event loop; an error rolls back their own changes and rejects.
   */
  readonly transact = <Value>(work: () => Steps<Value>): Promise<Value> => this.#submit(work, false)

  /**
   * Like `transact`, for work that frees space. On a full volume it is retried with the reserve released, so
   * `work` may run twice.
   */
  readonly transactToFree = <Value>(work: () => Steps<Value>): Promise<Value> => this.#submit(work, true)

  /** Removes many rows in separate transactions, yielding to other requests between them. */
  readonly removeInSlices: ReturnType<typeof removeInSlices>

  /**
   * Ends all commits for good and stops the process, because the state on disk is unknown. Nothing that
   * begins after this is acknowledged.
   */
  readonly fail = (cause: unknown): UnknownOutcome => {
    if (this.#failed) return this.#failed
    this.#failed = new UnknownOutcome('The volume or the database could not be written safely', { cause })
    this.#options.onUnknownOutcome(cause)
    this.#rejectWaiting(this.#failed)
    return this.#failed
  }

  /**
   * Asserts that changes are accepted.
   *
   * @throws when the process is about to stop or the database about to close.
   */
  readonly assertOpen = (): void => {
    const closed = this.#closed()
    if (closed) throw closed
  }

  /**
   * Asserts that what another connection has just committed is durable.
   *
   * @throws {UnknownOutcome} when a commit failed meanwhile, whose sync may have lost these pages.
   */
  readonly assertDurable = (): void => {
    if (this.#failed) throw this.#failed
  }

  /** Rejects all waiting and later work: the database is about to be closed. */
  readonly end = (): void => {
    this.#hasEnded = true
    this.#rejectWaiting(refuseClosed())
  }

  #closed(): Error | undefined {
    return this.#failed ?? (this.#hasEnded ? refuseClosed() : undefined)
  }

  #rejectWaiting(error: Error): void {
    for (const job of this.#waiting) job.reject(error)
    this.#waiting = []
  }

  #submit<Value>(work: () => Steps<Value>, frees: boolean): Promise<Value> {
    const closed = this.#closed()
    if (closed) return Promise.reject(closed)
    return new Promise<Value>((resolve, reject) => {
      if (this.#waiting.length === 0) setImmediate(() => this.#commitWaiting())
      this.#waiting.push({ work, resolve: (value) => resolve(value as Value), reject, frees, waits: 0 })
    })
  }

  #commitWaiting(): void {
    if (this.#closed()) return
    const jobs = this.#waiting
    this.#waiting = []
    try {
      if (!this.#begin()) {
        this.#onBusy(jobs)
        return
      }
      const outcomes = this.#commitTogether(jobs)
      for (const [job, outcome] of outcomes) {
        if ('value' in outcome) job.resolve(outcome.value)
        else job.reject(outcome.error)
      }
    } catch (error) {
      this.#onFailure(jobs, error)
    }
  }

  /** Begins a transaction and returns true, or false when another connection is writing. */
  #begin(): boolean {
    try {
      this.#sqlite.run('BEGIN IMMEDIATE')
      return true
    } catch (error) {
      if (errorCode(error) === 'SQLITE_BUSY') return false
      throw error
    }
  }

  #commitTogether(jobs: Job[]): Map<Job, Outcome> {
    const outcomes = new Map<Job, Outcome>()
    for (const job of jobs) outcomes.set(job, this.#runInSavepoint(job.work))
    this.#sqlite.run('COMMIT')
    if (this.#options.hasLostPages?.()) throw new Error('Another connection failed to sync the database')
    this.#options.onCommit?.()
    return outcomes
  }

  #runInSavepoint(work: () => Steps<unknown>): Outcome {
    const sqlite = this.#sqlite
    sqlite.run('SAVEPOINT job')
    try {
      const value = runNow(work())
      sqlite.run('RELEASE job')
      return { value }
    } catch (error) {
      // SQLite rolls the whole transaction back by itself after some I/O errors, so no job has succeeded. On
      // a full volume none would.
      if (!sqlite.inTransaction || errorCode(error) === 'SQLITE_FULL') throw error
      sqlite.run('ROLLBACK TO job')
      this.#options.onRollback()
      sqlite.run('RELEASE job')
      return { error }
    }
  }

  /** Retries jobs after the database was locked. Jobs past the maximum of waits are rejected. */
  #onBusy(jobs: Job[]): void {
    for (const job of jobs) {
      job.waits += 1
      if (job.waits > this.#maxWaits) job.reject(refuseBusy())
      else this.#waiting.push(job)
    }
    if (this.#waiting.length > 0) setTimeout(() => this.#commitWaiting(), BUSY_RETRY_MS)
  }

  #onFailure(jobs: Job[], error: unknown): void {
    const { onRollback, isReadOnly } = this.#options
    if (this.#sqlite.inTransaction) this.#sqlite.run('ROLLBACK')
    onRollback()
    // A full or read-only disk is noticed while the log is written, before its commit record, so nothing
    // happened. After any other failure the log may hold the commit; only recovery can tell.
    if (isOutOfSpace(error)) this.#onFull(jobs, error)
    else {
      const failure = isRefusedWrite(error) && isReadOnly?.() ? refuseReadOnly(error) : this.fail(error)
      for (const job of jobs) job.reject(failure)
    }
  }

  /** Retries work that frees space with the reserve released, and refuses all other work. */
  #onFull(jobs: Job[], error: unknown): void {
    const { reserve } = this.#options
    const isLent = jobs.some(({ frees }) => frees) && reserve?.giveUp()
    for (const job of jobs) {
      if (isLent && job.frees) this.#waiting.push(job)
      else job.reject(refuseNoSpace(error))
    }
    if (!isLent) return
    this.#writeBackLog()
    this.#commitWaiting()
    reserve?.take()
  }

  /** Lets the write-ahead log start over in its space, because every delete would grow it otherwise. */
  #writeBackLog(): void {
    try {
      this.#sqlite.run('PRAGMA wal_checkpoint(RESTART)')
    } catch (error) {
      // Pages that find no space now stay in the log. After any other failure the state of the database file
      // is unknown.
      if (!isOutOfSpace(error)) this.fail(error)
    }
  }
}

/**
 * True when SQLite failed to write to the log, so the commit cannot be durable. A failed fsync does not
 * count: its bytes may have reached the log.
 */
export const isRefusedWrite = (error: unknown): boolean =>
  /^SQLITE_(IOERR_WRITE$|READONLY)/.test(errorCode(error) ?? '')

export const refuseBusy = () =>
  new Refusal('unavailable', 'Another program is writing to the database, try again soon', {
    headers: { 'Retry-After': '5' },
  })

const refuseClosed = () => new Error('The catalog is closed')
