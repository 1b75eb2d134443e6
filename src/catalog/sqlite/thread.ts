import { isOutOfSpace, refuseNoSpace, refuseReadOnly } from '../../platform/errors.ts'
import type { Owes } from '../engine/engine.ts'
import { UnknownOutcome } from '../engine/query.ts'
import type { NewFile, Publication, Terms } from '../publication.ts'
import type { BulkChange } from '../tree/bulk.ts'
import type { FolderRow } from '../tree/folders.ts'
import { isRefusedWrite, refuseBusy } from './group-commit.ts'

/** Maximum rows copied to the thread at once: requests wait for the copy. */
const PIECE_ROWS = 500

/**
 * SQLite's checkpoint modes. `PASSIVE` blocks no connection; `RESTART` makes the next commit overwrite the
 * log from its start, and `TRUNCATE` empties its file.
 */
export type CheckpointMode = 'PASSIVE' | 'RESTART' | 'TRUNCATE'

/** Work for the other thread. */
export type Work =
  | { kind: 'change'; change: BulkChange; verdict: SharedArrayBuffer }
  | { kind: 'stage'; folders: readonly FolderRow[]; files: readonly NewFile[] }
  | { kind: 'begin' }
  | { kind: 'publish'; intentId: string | undefined; terms: Terms }
  | { kind: 'roll back' }
  | { kind: 'checkpoint'; mode: CheckpointMode }
  | { kind: 'longest path'; folderId: string }
  | { kind: 'path longer than'; folderId: string; bytes: number; nameBytes: number }

export type WorkRequest = Work & {
  id: number
  /** Set to 1 by the thread when a sync fails, because its message takes a while. */
  lostPages: SharedArrayBuffer
}

/** Error of the thread, with the system's or SQLite's code. */
interface WorkFailure {
  code: string
  message: string
  /** True when the work was rolled back before its commit began. */
  isUndone?: boolean
}

/** Result of work: a number, or the reason of its failure. */
export type WorkResult = { id: number } & ({ value: number } | WorkFailure)
/** Message that a change's transaction has begun and waits for its verdict. */
export type WorkBegun = { id: number; begun: true }

/** Verdicts on a change whose transaction has begun; 0 until there is one. */
export const VERDICT = { goOn: 1, rollBack: 2 }

interface ThreadOptions {
  /** Set to 1 once a sync of the thread has failed, even before its work has. */
  lostPages: Int32Array<SharedArrayBuffer>
  onUnknownOutcome: (error: unknown) => void
  onCommit: () => void
  isReadOnly?: (() => boolean) | undefined
  owes?: Owes | undefined
}

interface Waiting {
  kind: Work['kind']
  /** Returns if the change is authorized, and throws if not. */
  authorize?: (() => void) | undefined
  resolve: (value: number) => void
  reject: (error: unknown) => void
}

/**
 * Runs work on very many rows or pages on a separate thread, so that requests are served meanwhile. The
 * thread has its own connection to the database at `path`; transactions here wait for its lock without
 * blocking.
 */
export class CatalogThread {
  readonly #path: string
  readonly #options: ThreadOptions
  readonly #waiting = new Map<number, Waiting>()
  #worker: Worker | undefined
  #last: Promise<unknown> = Promise.resolve()
  #count = 0

  constructor(path: string, options: ThreadOptions) {
    this.#path = path
    this.#options = options
  }

  /**
   * Makes the change and resolves with the number of changed rows once it is durable. Calls `authorize` on this thread
   * once the other one has begun its transaction. Until that ends, no other commit can revoke the caller's rights.
   */
  async change(change: BulkChange, authorize: () => void): Promise<number> {
    const verdict = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
    let refusal: { error: unknown } | undefined
    const rows = await this.#run({ kind: 'change', change, verdict: verdict.buffer }, () => {
      try {
        authorize()
      } catch (error) {
        refusal = { error }
      }
      Atomics.store(verdict, 0, refusal ? VERDICT.rollBack : VERDICT.goOn)
      Atomics.notify(verdict, 0)
    })
    if (refusal) throw refusal.error
    return rows
  }

  /** Commits a publication. `decide` runs on this thread while the other holds the write lock; it may only read. */
  publish({ intentId, folders, files }: Publication, decide: () => Terms): Promise<Terms> {
    return this.#inTurn(async () => {
      for (let at = 0; at < folders.length; at += PIECE_ROWS)
        await this.#stage({ folders: folders.slice(at, at + PIECE_ROWS), files: [] })
      for (let at = 0; at < files.length; at += PIECE_ROWS)
        await this.#stage({ folders: [], files: files.slice(at, at + PIECE_ROWS) })
      await this.#send({ kind: 'begin' })
      const terms = await this.#decideOrRollBack(decide)
      await this.#send({ kind: 'publish', intentId, terms })
      return terms
    })
  }

  /** Checkpoints the log into the database file, as far as no snapshot is in the way. */
  readonly checkpoint = async (mode: CheckpointMode): Promise<void> => {
    await this.#run({ kind: 'checkpoint', mode })
  }

  /**
   * Returns the bytes of the longest path from a folder to one below it, its leading slash included; 0 when
   * there is none.
   */
  longestPathBelow(folderId: string): Promise<number> {
    return this.#run({ kind: 'longest path', folderId })
  }

  /** True when a path from a folder to a folder or file below it exceeds `bytes` bytes. */
  async hasPathBelow(folderId: string, bytes: number, nameBytes: number): Promise<boolean> {
    return (await this.#run({ kind: 'path longer than', folderId, bytes, nameBytes })) > 0
  }

  /** Ends the thread. No change may be under way. */
  close(): void {
    this.#worker?.terminate()
  }

  #start(): Worker {
    const started = new Worker(new URL('./worker.ts', import.meta.url), {
      argv: [this.#path, this.#options.owes ?? 'nothing'],
    })
    started.unref()
    started.addEventListener('message', ({ data }: MessageEvent<WorkResult | WorkBegun>) => {
      if ('begun' in data) this.#waiting.get(data.id)?.authorize?.()
      else this.#finish(data)
    })
    started.addEventListener('error', ({ message }) => {
      this.#worker = undefined
      for (const id of [...this.#waiting.keys()]) this.#finish({ id, code: 'ERR_WORKER', message })
    })
    return started
  }

  #finish(result: WorkResult): void {
    const job = this.#waiting.get(result.id)
    this.#waiting.delete(result.id)
    if ('value' in result) {
      if (job?.kind === 'change' || job?.kind === 'publish') this.#options.onCommit()
      job?.resolve(result.value)
    } else {
      job?.reject(this.#failureOf(result))
    }
  }

  #failureOf({ code, message, isUndone }: WorkFailure): unknown {
    const error = Object.assign(new Error(message), { code })
    if (code === 'SQLITE_BUSY') return refuseBusy()
    if (isOutOfSpace(error)) return refuseNoSpace(error)
    if (isRefusedWrite(error) && this.#options.isReadOnly?.()) return refuseReadOnly(error)
    if (isUndone) return error
    this.#options.onUnknownOutcome(error)
    return new UnknownOutcome('Work on the catalog failed', { cause: error })
  }

  /** Runs one piece of work after the other, because a publication holds its transaction open between its messages. */
  #inTurn<Value>(work: () => Promise<Value>): Promise<Value> {
    const turn = this.#last.then(work)
    this.#last = turn.catch(() => {})
    return turn
  }

  #run(work: Work, authorize?: () => void): Promise<number> {
    return this.#inTurn(() => this.#send(work, authorize))
  }

  #send(work: Work, authorize?: () => void): Promise<number> {
    this.#worker ??= this.#start()
    const { promise, resolve, reject } = Promise.withResolvers<number>()
    const id = this.#count++
    this.#waiting.set(id, { kind: work.kind, authorize, resolve, reject })
    const lostPages = this.#options.lostPages.buffer
    this.#worker.postMessage({ id, lostPages, ...work } satisfies WorkRequest)
    return promise
  }

  /** Hands rows over, and yields: all messages of the thread may be handled in one turn of the event loop. */
  async #stage(rows: { folders: readonly FolderRow[]; files: readonly NewFile[] }): Promise<void> {
    await this.#send({ kind: 'stage', ...rows })
    await new Promise(setImmediate)
  }

  async #decideOrRollBack(decide: () => Terms): Promise<Terms> {
    try {
      return decide()
    } catch (error) {
      await this.#send({ kind: 'roll back' })
      throw error
    }
  }
}
