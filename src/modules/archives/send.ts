import { refuseForNow } from '../../platform/errors.ts'
import { writeZip } from '../../zip/writer.ts'
import { type Archive, type Attempt, FileChanged } from './archive.ts'

/** Archives up to this length, in bytes, are made before they are sent. */
const SMALL_BYTES = 1024 ** 2
/** How often an archive is made anew because a file in it is not there any more. */
const MAX_ATTEMPTS = 5

/** An archive whose first bytes were made. */
interface BegunArchive extends Archive {
  start: Uint8Array
  /** What follows. */
  chunks: AsyncGenerator<Uint8Array>
}

/**
 * Begins an archive, and does so again when a file in it changes meanwhile: as long as nothing was sent, that is as
 * if it had been asked for a little later. What cannot be read is left to the next attempt to judge.
 *
 * @throws {Refusal} what `make` refuses; `unavailable` when files go on changing.
 */
export async function begin(
  make: (attempt: Attempt) => Promise<Archive>,
  leaving: AbortSignal,
): Promise<BegunArchive> {
  const unreadable = new Set<string>()
  for (let attempt = 1; ; attempt += 1) {
    let archive: Archive | undefined
    try {
      archive = await make({ leaving, unreadable, isLast: attempt >= MAX_ATTEMPTS })
      const chunks = writeZip(archive.entries)
      return { ...archive, start: await readStart(chunks, archive.length), chunks }
    } catch (error) {
      archive?.close()
      if (!(error instanceof FileChanged)) throw error
      if (error.unreadable !== undefined) unreadable.add(error.unreadable)
      // Each attempt that leaves one more out gets nearer to the end.
      else if (attempt >= MAX_ATTEMPTS) throw refuseForNow('The files change too fast, try again soon', error)
    }
  }
}

/** The first chunk, or all of an archive that is small. */
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

/** A stream that goes on with the archive only as fast as it is read. */
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
