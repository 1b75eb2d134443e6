/** What the other thread is told of a file: `written` bytes of it are there to be hashed. */
export interface HashProgress {
  id: number
  path: string
  written: number
  /** Why nothing more will be told: the file is complete, or nobody wants its hash any more. */
  end?: 'complete' | 'abandoned'
}

/** The answer to a file's end. */
export type HashResult = { id: number; sha256: string } | { id: number; error: string }

/** Bytes between two messages about one file. */
const STEP_BYTES = 4 * 1024 ** 2

/** The SHA-256 of a file that is being written. Exactly one of `digest` and `abandon` must end it. */
export interface GrowingHash {
  /** Says how many bytes are in the file by now. */
  wrote: (written: number) => void
  /** The hash of the complete file, in hex. */
  digest: (size: number) => Promise<string>
  abandon: () => void
}

/**
 * Hashes files on a thread of its own, so that a large upload neither waits for its hash nor keeps other
 * requests waiting. The thread reads what was written from the page cache; it starts with the first file.
 */
export class HashThread {
  #worker: Worker | undefined
  #count = 0
  readonly #waiting = new Map<number, { resolve: (sha256: string) => void; reject: (error: Error) => void }>()

  begin(path: string): GrowingHash {
    const id = this.#count++
    let told = 0
    const tell = (progress: Omit<HashProgress, 'id' | 'path'>) => this.#tell({ id, path, ...progress })
    return {
      wrote: (written) => {
        if (written - told < STEP_BYTES) return
        told = written
        tell({ written })
      },
      digest: (size) => {
        const { promise, resolve, reject } = Promise.withResolvers<string>()
        this.#waiting.set(id, { resolve, reject })
        tell({ written: size, end: 'complete' })
        return promise
      },
      abandon: () => tell({ written: 0, end: 'abandoned' }),
    }
  }

  close(): void {
    this.#worker?.terminate()
    this.#fail(new Error('The server is stopping'))
  }

  #tell(progress: HashProgress): void {
    this.#worker ??= this.#start()
    this.#worker.postMessage(progress)
  }

  #start(): Worker {
    const worker = new Worker(new URL('./hash-worker.ts', import.meta.url))
    worker.unref()
    worker.addEventListener('message', ({ data }: MessageEvent<HashResult>) => {
      const waiting = this.#waiting.get(data.id)
      this.#waiting.delete(data.id)
      if ('sha256' in data) waiting?.resolve(data.sha256)
      else waiting?.reject(new Error(data.error))
    })
    worker.addEventListener('error', ({ message }) => this.#fail(new Error(message)))
    return worker
  }

  /** Nothing more is to be expected of this thread. The next file gets a new one. */
  #fail(error: Error): void {
    this.#worker = undefined
    for (const { reject } of this.#waiting.values()) reject(error)
    this.#waiting.clear()
  }
}
