import type { Database } from 'bun:sqlite'
import { statSync } from 'node:fs'
import type { Readers } from './readers.ts'
import type { CatalogThread } from './thread.ts'

const MiB = 1024 ** 2
/** Size of a database page with its header in the log (https://sqlite.org/fileformat2.html §4.1). */
const FRAME_BYTES = 4096 + 24
/** Log since the last checkpoint at which the next one begins; SQLite's own default. */
const CHECKPOINT_BYTES = 4 * MiB
/**
 * Size above which the log file is truncated after its checkpoint; a smaller one is overwritten from its
 * start.
 */
const KEPT_BYTES = 16 * MiB
/** Size at which new snapshots wait. The log can start over only while no snapshot is open. */
const CROWDED_BYTES = 24 * MiB
/** Size at which open snapshots are ended. */
const LONG_BYTES = 40 * MiB
/** Maximum size of the log file. */
export const MAX_LOG_BYTES = 64 * MiB
/** Time without a commit after which the log file is truncated, in milliseconds. */
const QUIET_MS = 10_000
/** Size up to which an idle log file stays, because truncating it would cost a thread. */
const SMALL_BYTES = MiB

/** Frames in the log, and how many of them were checkpointed. */
interface Frames {
  log: number
  checkpointed: number
}

/**
 * Keeps the write-ahead log short by checkpoints on the catalog's own thread. SQLite's automatic ones delay
 * the commit that they follow and swallow the errors of fsync(2).
 */
export class WriteAheadLog {
  readonly #path: string
  readonly #frames: () => Frames
  readonly #readers: Readers
  readonly #checkpoint: CatalogThread['checkpoint']
  #isRunning = false
  #isAskedAgain = false
  #isClosed = false
  /** True when nothing was written for a while. */
  #isQuiet = false
  #timer: Timer | undefined
  /** Resolved once no snapshot is open and the log has started over, if it could. */
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

  /** Returns the size of the log file in bytes. */
  get size(): number {
    return statSync(this.#path, { throwIfNoEntry: false })?.size ?? 0
  }

  /** Records a commit. Must follow each commit of this process. */
  committed(): void {
    const { log, checkpointed } = this.#frames()
    if ((log - checkpointed) * FRAME_BYTES >= CHECKPOINT_BYTES) this.#start()
    this.#isQuiet = false
    this.#timer ??= setTimeout(() => this.#rest(), QUIET_MS).unref()
    this.#timer.refresh()
  }

  /**
   * Retries a checkpoint. Must follow each end of a snapshot, which may have kept the log from starting over.
   */
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
      // The thread has reported the error. Pages without space stay in the log for now.
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
    // While a snapshot is open, the log cannot start over; the end of the snapshot retries this.
    if (this.#readers.size > 0) return
    await this.#checkpoint(this.#isQuiet || this.size > KEPT_BYTES ? 'TRUNCATE' : 'RESTART')
    this.#letIn()
  }

  #letIn(): void {
    this.#crowd?.resolve()
    this.#crowd = undefined
  }
}
