/** Message to the thread: `written` bytes of a file can be hashed. */
export interface HashProgress {
  id: number
  path: string
  written: number
  /** Compute CRC-32 as well. Read from the first message about a file only. */
  withCrc32?: boolean
  /** Compute MD5 and nothing else. Read from the first message about a file only. */
  onlyMd5?: boolean
  /** Reason of the last message: the file is complete, or its hash is no longer needed. */
  end?: 'complete' | 'abandoned'
}

/** Result for a complete file. The CRC-32 is 0 when it was not requested. */
export type HashResult = ({ id: number } & Sums) | { id: number; error: string }

/** Sums that one thread computes: the digest is that of SHA-256, or MD5 alone. */
interface Sums extends Pick<FileSums, 'crc32' | 'isUtf8'> {
  digest: string
}

/** Facts that are computed from all bytes of a file. */
export interface FileSums {
  /** SHA-256 in hex. */
  sha256: string
  /** Unsigned CRC-32. */
  crc32: number
  /** True for UTF-8 with more than ASCII. */
  isUtf8: boolean
  /** MD5 in hex, if it was requested. */
  md5?: string
}

/** Bytes between two messages about one file. */
const STEP_BYTES = 4 * 1024 ** 2

/** SHA-256 of a growing file. Exactly one of `digest` and `abandon` must end it. */
export interface GrowingHash {
  /** Reports how many bytes are in the file by now. */
  wrote: (written: number) => void
  /** Returns the sums of the complete file, without its CRC-32. */
  digest: (size: number) => Promise<Omit<FileSums, 'crc32'>>
  abandon: () => void
}

/**
 * Hashes files on a separate thread, so that a large upload neither waits for its hash nor delays other
 * requests. The thread reads written bytes from the page cache; it starts with the first file.
 */
export class HashThread {
  #worker: Worker | undefined
  #count = 0
  readonly #waiting = new Map<number, { resolve: (sums: Sums) => void; reject: (error: Error) => void }>()
  /** Second thread: MD5 takes longer than SHA-256, and few files need it. */
  #md5s: HashThread | undefined

  /** @param withMd5 Computes MD5 as well, on a thread of its own. */
  begin(path: string, withMd5 = false): GrowingHash {
    const own = this.#begin(path, {})
    const sums = async (size: number) => {
      const { digest, isUtf8 } = await own.digest(size)
      return { sha256: digest, isUtf8 }
    }
    if (!withMd5) return { ...own, digest: sums }
    this.#md5s ??= new HashThread()
    const other = this.#md5s.#begin(path, { onlyMd5: true })
    return {
      wrote: (written) => {
        own.wrote(written)
        other.wrote(written)
      },
      digest: async (size) => {
        const [found, { digest: md5 }] = await Promise.all([sums(size), other.digest(size)])
        return { ...found, md5 }
      },
      abandon: () => {
        own.abandon()
        other.abandon()
      },
    }
  }

  #begin(path: string, options: Pick<HashProgress, 'onlyMd5'>) {
    const id = this.#count++
    let told = 0
    const tell = (progress: Omit<HashProgress, 'id' | 'path'>) =>
      this.#tell({ id, path, ...options, ...progress })
    return {
      wrote: (written: number) => {
        if (written - told < STEP_BYTES) return
        told = written
        tell({ written })
      },
      digest: (size: number) => this.#complete({ id, path, ...options, written: size }),
      abandon: () => tell({ written: 0, end: 'abandoned' }),
    }
  }

  /** Returns both checksums of the complete file at `path`, which has `size` bytes. */
  async checksums(path: string, size: number): Promise<FileSums> {
    const request = { id: this.#count++, path, written: size, withCrc32: true }
    const { digest: sha256, ...sums } = await this.#complete(request)
    return { sha256, ...sums }
  }

  close(): void {
    this.#md5s?.close()
    this.#worker?.terminate()
    this.#fail(new Error('The server is stopping'))
  }

  #complete(progress: HashProgress): Promise<Sums> {
    const { promise, resolve, reject } = Promise.withResolvers<Sums>()
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
      if ('digest' in data) waiting?.resolve(data)
      else waiting?.reject(new Error(data.error))
    })
    worker.addEventListener('error', ({ message }) => this.#fail(new Error(message)))
    return worker
  }

  /** Rejects what the failed thread still owes. The next file starts a new thread. */
  #fail(error: Error): void {
    this.#worker = undefined
    for (const { reject } of this.#waiting.values()) reject(error)
    this.#waiting.clear()
  }
}
