/** What the other thread is told of a file: `written` bytes of it are there to be hashed. */
export interface HashProgress {
  id: number
  path: string
  written: number
  /** Whether its CRC-32 is wanted, too; told when the file is told of first. */
  withCrc32?: boolean
  /** Why nothing more will be told: the file is complete, or nobody wants its hash any more. */
  end?: 'complete' | 'abandoned'
}

/** The answer to a file's end. The CRC-32 is 0 when it was not wanted. */
export type HashResult = ({ id: number } & FileSums) | { id: number; error: string }

/** The checksums of a whole file: SHA-256 in hex, and an unsigned CRC-32. */
export interface FileSums {
  sha256: string
  crc32: number
}

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
  readonly #waiting = new Map<number, { resolve: (sums: FileSums) => void; reject: (error: Error) => void }>()

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
      digest: async (size) => (await this.#complete({ id, path, written: size })).sha256,
      abandon: () => tell({ written: 0, end: 'abandoned' }),
    }
  }

  /** Both checksums of the file at `path`, which is complete and has `size` bytes. */
  checksums(path: string, size: number): Promise<FileSums> {
    return this.#complete({ id: this.#count++, path, written: size, withCrc32: true })
  }

  close(): void {
    this.#worker?.terminate()
    this.#fail(new Error('The server is stopping'))
  }

  #complete(progress: HashProgress): Promise<FileSums> {
    const { promise, resolve, reject } = Promise.withResolvers<FileSums>()
    this.#waiting.set(progress.id, { resolve, reject })
    this.#tell({ ...progress, end: 'complete' })
    return promise
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
      if ('sha256' in data) waiting?.resolve(data)
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
