import type { ServerResponse } from 'node:http'
import type { ReadyAnswer, SentAnswer } from '../http/exchange.ts'

/** Bodies up to this length, in bytes, are written in one piece. */
const SMALL_BYTES = 1024 ** 2

/** A body that failed while it was sent: the connection is cut, never padded or ended as if complete. */
export class BrokenBody extends Error {
  override readonly name = 'BrokenBody'
  readonly bytesSent: number

  constructor(bytesSent: number, cause: unknown) {
    super('A response body broke while it was sent', { cause })
    this.bytesSent = bytesSent
  }
}

/** Statuses whose answers have no body and so no length (RFC 9110 §8.6). */
const BODILESS = new Set([204, 304])

/** Writes the response and resolves with the number of body bytes that were handed to the socket. */
export async function send(
  response: Response,
  outgoing: ServerResponse,
  onSent: ((sent: SentAnswer) => void) | undefined,
): Promise<number> {
  const headers = [...response.headers].flat()
  const length = response.headers.get('content-length')
  const reader = response.body?.getReader()
  // Before the head: a body that breaks at once is refused instead.
  const start = reader && (await (Number(length) > SMALL_BYTES ? readChunk(reader) : readStart(reader)))
  if (reader && !start?.isWhole) {
    // Without a length this is a list that is written as it is read.
    outgoing.writeHead(response.status, headers)
    if (length !== null) onSent?.({ status: response.status, headers, bytes: undefined })
    return sendStream(reader, outgoing, start?.bytes)
  }
  const bytes = start?.bytes ?? new Uint8Array()
  if (length === null && !BODILESS.has(response.status)) headers.push('content-length', String(bytes.length))
  outgoing.writeHead(response.status, headers)
  outgoing.end(bytes)
  onSent?.({ status: response.status, headers, bytes })
  return bytes.length
}

/** Writes an answer that is ready. Resolves as `send` does. */
export async function sendReady(ready: ReadyAnswer, outgoing: ServerResponse): Promise<number> {
  const { status, headers, body } = ready
  if (!(body instanceof ReadableStream)) return writeReady(ready, body, outgoing)
  const reader = body.getReader()
  const { bytes } = await readChunk(reader)
  outgoing.writeHead(status, headers)
  return sendStream(reader, outgoing, bytes)
}

/** Writes an answer whose body is in one piece, and answers with its length. */
export function writeReady(
  { status, headers, onWritten }: ReadyAnswer,
  body: Uint8Array | undefined,
  outgoing: ServerResponse,
): number {
  outgoing.writeHead(status, headers)
  if (onWritten) outgoing.write(body, onWritten)
  outgoing.end(onWritten ? undefined : body)
  return body?.length ?? 0
}

/** What is used of a stream's reader. */
interface Reader {
  read: () => Promise<{ done: boolean; value?: Uint8Array | undefined }>
  cancel: () => Promise<void>
}

/** What was read of a body before its head is written. */
interface Start {
  bytes: Uint8Array
  isWhole: boolean
}

async function readChunk(reader: Reader): Promise<Start> {
  const { value } = await reader.read()
  return { bytes: value ?? new Uint8Array(), isWhole: false }
}

/** Reads a body that may be small: the whole of it, or as much as shows that it is not. */
async function readStart(reader: Reader): Promise<Start> {
  const chunks: Uint8Array[] = []
  let size = 0
  while (size <= SMALL_BYTES) {
    const { done, value } = await reader.read()
    if (done || !value)
      return { bytes: chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks), isWhole: true }
    // A chunk is good only until the next is asked for.
    chunks.push(value.slice())
    size += value.length
  }
  return { bytes: Buffer.concat(chunks), isWhole: false }
}

/** Sends `start`, then pulls from `reader` only as fast as the client reads. */
async function sendStream(
  reader: Reader,
  outgoing: ServerResponse,
  start: Uint8Array | undefined,
): Promise<number> {
  const client = follow(outgoing)
  let handed = 0
  try {
    let chunk = start ?? (await reader.read()).value
    while (chunk && !client.hasLeft()) {
      handed += chunk.length
      await client.write(chunk)
      chunk = (await reader.read()).value
    }
    if (chunk) await reader.cancel()
    else outgoing.end()
    return handed - client.unsent()
  } catch (error) {
    throw new BrokenBody(handed, error)
  }
}

/** Follows a response that is being written: whether its client left, and what it had not taken by then. */
function follow(outgoing: ServerResponse) {
  let hasLeft = outgoing.destroyed
  let unsent = 0
  let resume: (() => void) | undefined
  outgoing.on('close', () => {
    hasLeft = true
    resume?.()
  })
  return {
    hasLeft: () => hasLeft,
    /** Bytes that were still waiting in this process when the client was last seen. */
    unsent: () => unsent,
    /** Resolves when nothing of `bytes` is waiting any more, so that their buffer may be used again. */
    write: (bytes: Uint8Array) =>
      new Promise<void>((resolve) => {
        if (hasLeft) return resolve()
        resume = resolve
        outgoing.write(bytes, () => {
          unsent = 0
          resolve()
        })
        unsent = outgoing.writableLength
      }),
  }
}
