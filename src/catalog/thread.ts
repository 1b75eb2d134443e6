import { isOutOfSpace, refuseNoSpace, refuseReadOnly } from '../errors.ts'
import type { BulkChange } from './bulk.ts'
import { isRefusedWrite, UnknownOutcome } from './transactions.ts'

/** A change for the other thread to make, in a transaction of its own. */
export interface BulkRequest {
  id: number
  change: BulkChange
}

/** What became of it: how many rows changed, or the system's or SQLite's name for what went wrong. */
export type BulkResult = { id: number; changed: number } | { id: number; code: string; message: string }

interface ThreadEvents {
  onUnknownOutcome: (error: unknown) => void
  onCommit: () => void
  isReadOnly?: (() => boolean) | undefined
}

interface Waiting {
  resolve: (changed: number) => void
  reject: (error: unknown) => void
}

/**
 * Makes changes of very many rows on a thread of its own, so that requests are answered meanwhile. It has a
 * connection of its own to the database at `path`; transactions here wait for the lock without blocking.
 */
export function createCatalogThread(path: string, { onUnknownOutcome, onCommit, isReadOnly }: ThreadEvents) {
  const waiting = new Map<number, Waiting>()
  let worker: Worker | undefined
  let count = 0

  function start(): Worker {
    const started = new Worker(new URL('./worker.ts', import.meta.url), { argv: [path] })
    started.unref()
    started.addEventListener('message', ({ data }: MessageEvent<BulkResult>) => settle(data))
    started.addEventListener('error', ({ message }) => {
      worker = undefined
      for (const id of [...waiting.keys()]) settle({ id, code: 'ERR_WORKER', message })
    })
    return started
  }

  function settle(result: BulkResult): void {
    const { resolve, reject } = waiting.get(result.id) ?? {}
    waiting.delete(result.id)
    if ('changed' in result) {
      onCommit()
      resolve?.(result.changed)
    } else {
      reject?.(failureOf(result))
    }
  }

  function failureOf({ code, message }: { code: string; message: string }): unknown {
    const error = Object.assign(new Error(message), { code })
    if (isOutOfSpace(error)) return refuseNoSpace(error)
    if (isRefusedWrite(error) && isReadOnly?.()) return refuseReadOnly(error)
    onUnknownOutcome(error)
    return new UnknownOutcome('A bulk change failed', { cause: error })
  }

  return {
    /** Resolves with the number of rows that changed, once the change is durable. */
    run(change: BulkChange): Promise<number> {
      worker ??= start()
      const { promise, resolve, reject } = Promise.withResolvers<number>()
      const id = count++
      waiting.set(id, { resolve, reject })
      worker.postMessage({ id, change } satisfies BulkRequest)
      return promise
    },
    /** No change may be under way. */
    close: () => worker?.terminate(),
  }
}
