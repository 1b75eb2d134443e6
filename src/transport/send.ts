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
  const start = reader && !(Number(length) > SMALL_BYTES) ? await readStart(reader) : undefined
  if (reader && !start?.isWhole) {
    // Without a length this is a list that is written as it is read.
    outgoing.writeHead(response.status, headers)
    if (length !== null) onSent?.({ headers, bytes: undefined })
    return sendStream(reader, outgoing, start?.bytes)
  }
  const bytes = start?.bytes ?? new Uint8Array()
  if (length === null && !BODILESS.has(response.status)) headers.push('content-length', String(bytes.length))
  outgoing.writeHead(response.status, headers)
  outgoing.end(bytes)
  onSent?.({ headers, bytes })
  return bytes.length
}

/** Writes an answer that is ready. Resolves as `send` does. */
export async function sendReady(
  { status, headers, body }: ReadyAnswer,
  outgoing: ServerResponse,
): Promise<number> {
  outgoing.writeHead(status, headers)
  if (body instanceof ReadableStream) return sendStream(body.getReader(), outgoing, undefined)
  outgoing.end(body)
  return body?.length ?? 0
}

/** What is used of a stream's reader. */
interface Reader {
  read: () => Promise<{ done: boolean; value?: Uint8Array | undefined }>
  cancel: () => Promise<void>
}

/** Reads a body that may be small: the whole of it, or as much as shows that it is not. */
async function readStart(reader: Reader): Promise<{ bytes: Uint8Array; isWhole: boolean }> {
  const chunks: Uint8Array[] = []
  let size = 0
  while (size <= SMALL_BYTES) {
    const { done, value } = await reader.read()
    if (done || !value)
      return { bytes: chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks), isWhole: true }
    chunks.push(value)
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
  const socket = watch(outgoing)
  let handed = 0
  const write = async (bytes: Uint8Array) => {
    handed += bytes.length
    if (!outgoing.write(bytes)) await socket.drained()
    // The next chunk comes in the same buffer: nothing of this one may still be waiting.
    while (outgoing.writableLength > 0 && !socket.closed()) await Bun.sleep(1)
  }
  try {
    if (start) await write(start)
    while (!socket.closed()) {
      const { done, value } = await reader.read()
      if (done || !value) {
        outgoing.end()
        return handed
      }
      await write(value)
    }
    await reader.cancel()
    return handed - socket.unsent()
  } catch (error) {
    throw new BrokenBody(handed, error)
  }
}

/** Follows a response that is being written: whether its client left, and what it had not taken by then. */
function watch(outgoing: ServerResponse) {
  let closed = outgoing.destroyed
  let unsent = 0
  let resume: (() => void) | undefined
  outgoing.on('close', () => {
    closed = true
    resume?.()
  })
  outgoing.on('drain', () => {
    unsent = 0
    resume?.()
  })
  return {
    closed: () => closed,
    /** Bytes written that were still waiting in this process when the client was last seen. */
    unsent: () => unsent,
    drained: () =>
      new Promise<void>((resolve) => {
        unsent = outgoing.writableLength
        if (closed) resolve()
        else resume = resolve
      }),
  }
}
