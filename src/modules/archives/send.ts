import type { Context } from '../../access/context.ts'
import { refuseForNow } from '../../platform/errors.ts'
import { ContentMismatch, writeZip } from '../../zip/writer.ts'
import { type Archive, type Attempt, FileChanged } from './archive.ts'

/** Maximum bytes of an archive that is made before it is sent. */
const SMALL_BYTES = 1024 ** 2
/** Maximum attempts to make an archive whole: after them, files that are deleted meanwhile are left out. */
const MAX_WHOLE = 5
/** Maximum attempts to make an archive whose files are edited meanwhile. Only small archives need more than a few. */
const MAX_ATTEMPTS = 50

/** Archive whose first bytes were made. */
interface BegunArchive extends Archive {
  start: Uint8Array
  /** Bytes behind `start`. */
  chunks: AsyncGenerator<Uint8Array>
}

/**
 * Begins an archive, and begins again when a file in it changes before anything is sent. The next attempt leaves out
 * what could not be read.
 *
 * @throws {Refusal} as `make` does; `unavailable` when files go on changing.
 */
export async function begin(
  { store }: Pick<Context, 'store'>,
  make: (attempt: Attempt) => Promise<Archive>,
  client: Omit<Attempt, 'unreadable' | 'isLast'>,
): Promise<BegunArchive> {
  const unreadable = new Set<string>()
  for (let attempt = 1; ; attempt += 1) {
    let archive: Archive | undefined
    try {
      archive = await make({ ...client, unreadable, isLast: attempt >= MAX_WHOLE })
      const chunks = writeZip(archive.entries, store.createSpool())
      return { ...archive, start: await readStart(chunks, archive.length), chunks }
    } catch (error) {
      archive?.close()
      // Bytes that rotted fail each attempt; those edited on disk after they were measured do not.
      if (error instanceof ContentMismatch && attempt < MAX_WHOLE) continue
      if (!(error instanceof FileChanged)) throw error
      if (error.unreadable !== undefined) unreadable.add(error.unreadable)
      // An attempt that leaves out one more file is progress and not limited.
      else if (attempt >= MAX_ATTEMPTS)
        throw refuseForNow('The files are changing too fast, try again soon', error)
    }
  }
}

/** Reads the first chunk, or the whole of a small archive. */
async function readStart(chunks: AsyncGenerator<Uint8Array>, length: number): Promise<Uint8Array> {
  if (length > SMALL_BYTES) return (await chunks.next()).value ?? new Uint8Array()
  const start = new Uint8Array(length)
  let filled = 0
  for await (const chunk of chunks) {
    start.set(chunk, filled)
    filled += chunk.length
  }
  return start
}

/** Returns a stream that makes the archive only as fast as it is read. */
export function streamOf({ start, chunks, close }: BegunArchive): ReadableStream<Uint8Array> {
  return new ReadableStream(
    {
      start: (controller) => controller.enqueue(start),
      pull: async (controller) => {
        try {
          const { value, done } = await chunks.next()
          if (!done) return controller.enqueue(value)
          close()
          controller.close()
        } catch (error) {
          close()
          throw error
        }
      },
      cancel: async () => {
        await chunks.return(undefined)
        close()
      },
    },
    { highWaterMark: 0 },
  )
}
