import type { Database } from 'bun:sqlite'
import { statSync } from 'node:fs'
import type { Readers } from './readers.ts'
import type { CatalogThread } from './thread.ts'

const MiB = 1024 ** 2
/** A page of the database and its header in the log (https://sqlite.org/fileformat2.html §4.1). */
const FRAME_BYTES = 4096 + 24
/** Log since the last checkpoint at which the next one begins: as much as SQLite's own default. */
const CHECKPOINT_BYTES = 4 * MiB
/** Log file above this size is truncated behind its checkpoint; a smaller one is written again from its start. */
const KEPT_BYTES = 16 * MiB
/** Log at which new snapshots wait, so that there is a moment without any: only then it begins again. */
const CROWDED_BYTES = 24 * MiB
/** Log at which the open snapshots are ended. */
const LONG_BYTES = 40 * MiB
/** Size that the log file should never have. */
export const MAX_LOG_BYTES = 64 * MiB
/** Time without a commit after which the log file is truncated, in milliseconds. */
const QUIET_MS = 10_000
/** Log file that stays when nothing is written: it would cost a thread to truncate it. */
const SMALL_BYTES = MiB

/** Frames in the log, and how many of them are in the database file. */
interface Frames {
  log: number
  checkpointed: number
}

/**
 * Keeps the write-ahead log short. Checkpoints run on the catalog's own thread. They are not SQLite's automatic ones:
 * those hold up the commit that they follow, and swallow the errors of fsync(2).
 */
export class WriteAheadLog {
  readonly #path: string
  readonly #frames: () => Frames
  readonly #readers: Readers
  readonly #checkpoint: CatalogThread['checkpoint']
  #isRunning = false
  #isAskedAgain = false
  #isClosed = false
  /** Whether nothing was written for a while. */
  #isQuiet = false
  #timer: Timer | undefined
  /** Resolved when no snapshot is open any more and the log was begun again, if it could be. */
  #crowd: PromiseWithResolvers<void> | undefined

  constructor(
    sqlite: Database,
    path: string,
    { readers, checkpoint }: { readers: Readers; checkpoint: CatalogThread['checkpoint'] },
  ) {
    sqlite.run('PRAGMA wal_autocheckpoint = 0')
    const look = sqlite.query<Frames, []>('PRAGMA wal_checkpoint(NOOP)')
    this.#frames = () => look.get() ?? { log: 0, checkpointed: 0 }
    this.#path = `${path}-wal`
    this.#readers = readers
    this.#checkpoint = checkpoint
  }

  /** Size of the log file in bytes. */
  get size(): number {
    return statSync(this.#path, { throwIfNoEntry: false })?.size ?? 0
  }

  /** Must follow each commit of this process. */
  committed(): void {
    const { log, checkpointed } = this.#frames()
    if ((log - checkpointed) * FRAME_BYTES >= CHECKPOINT_BYTES) this.#start()
    this.#isQuiet = false
    this.#timer ??= setTimeout(() => this.#rest(), QUIET_MS).unref()
    this.#timer.refresh()
  }

  /** Must follow each end of a snapshot: it may have kept the log from being written again. */
  snapshotEnded(): void {
    if (this.#crowd || this.#frames().log * FRAME_BYTES >= CHECKPOINT_BYTES) this.#start()
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
    this.#letIn()
  }

  #rest(): void {
    this.#isQuiet = true
    if (this.size > SMALL_BYTES) this.#start()
  }

  #start(): void {
    this.#isAskedAgain = true
    if (!this.#isRunning && !this.#isClosed) void this.#run()
  }

  async #run(): Promise<void> {
    this.#isRunning = true
    try {
      while (this.#isAskedAgain && !this.#isClosed) {
        this.#isAskedAgain = false
        await this.#shorten()
      }
    } catch {
      // The thread has reported it. What cannot be written back now, for want of space, stays in the log.
      this.#letIn()
    } finally {
      this.#isRunning = false
    }
  }

  async #shorten(): Promise<void> {
    await this.#checkpoint('PASSIVE')
    if (this.#isClosed) return
    const bytes = this.#frames().log * FRAME_BYTES
    if (bytes >= LONG_BYTES) this.#readers.endAll()
    else if (bytes >= CROWDED_BYTES && !this.#crowd) {
      this.#crowd = Promise.withResolvers()
      this.#readers.holdBack(this.#crowd.promise)
    }
    // While a snapshot is open, the log cannot begin again; when it ends, this is tried again.
    if (this.#readers.size > 0) return
    await this.#checkpoint(this.#isQuiet || this.size > KEPT_BYTES ? 'TRUNCATE' : 'RESTART')
    this.#letIn()
  }

  #letIn(): void {
    this.#crowd?.resolve()
    this.#crowd = undefined
  }
}
