import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'

/** Body of a request: its length and hash are known, and it can be sent again. */
export interface Payload {
  /** Length in bytes. */
  size: number
  /** SHA-256 in hex. It is signed, so the store refuses other bytes. */
  sha256: string
  /** Returns the bytes from the start. */
  open: () => Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>
}

/** Returns the payload of bytes in memory. */
export const bytesPayload = (bytes: Uint8Array<ArrayBuffer>): Payload => ({
  size: bytes.length,
  sha256: createHash('sha256').update(bytes).digest('hex'),
  open: () => bytes,
})

/** Bytes of a file that are in memory at a time. */
const CHUNK_BYTES = 128 * 1024

/** Returns the payload of a local file, of which only a chunk at a time is in memory. */
export const filePayload = (path: string, known: { size: number; sha256: string }): Payload => ({
  size: known.size,
  sha256: known.sha256,
  open: () => readFile(path),
})

/** Streams a file on demand. `Bun.file(path).stream()` reads several MiB ahead. */
function readFile(path: string): ReadableStream<Uint8Array> {
  const chunks = chunksOf(path)
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await chunks.next()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      // A read under way ends first, also one that is still opening the file.
      cancel: async () => void (await chunks.return(undefined)),
    },
    { highWaterMark: 0 },
  )
}

async function* chunksOf(path: string): AsyncGenerator<Uint8Array, undefined> {
  const file = await open(path)
  try {
    for (;;) {
      const { bytesRead, buffer } = await file.read(new Uint8Array(CHUNK_BYTES), 0, CHUNK_BYTES)
      if (bytesRead === 0) return
      yield buffer.subarray(0, bytesRead)
    }
  } finally {
    await file.close()
  }
}

/**
 * Returns the body for `fetch`.
 *
 * @param onProgress Called with the length of each chunk of a stream once the connection has taken it, and with `Infinity`
 *   after the last.
 */
export function outgoingBody(
  payload: Payload,
  onProgress: (bytes: number) => void,
): Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> {
  const body = payload.open()
  if (!(body instanceof ReadableStream)) return body
  const reader = body.getReader()
  let taken = 0
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        onProgress(taken)
        const { done, value } = await reader.read()
        taken = value?.length ?? 0
        if (done) {
          onProgress(Number.POSITIVE_INFINITY)
          controller.close()
        } else controller.enqueue(value)
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
}
