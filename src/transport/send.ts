import type { ServerResponse } from 'node:http'
import type { SentAtOnce } from '../http/exchange.ts'

/** Bodies up to this length, in bytes, are written in one piece. */
const SMALL_BYTES = 256 * 1024

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
  onSentAtOnce: ((sent: SentAtOnce) => void) | undefined,
): Promise<number> {
  const headers = [...response.headers].flat()
  const length = response.headers.get('content-length')
  if (response.body && Number(length) > SMALL_BYTES) {
    outgoing.writeHead(response.status, headers)
    return sendStream(response.body, outgoing)
  }
  const bytes = await response.bytes()
  if (length === null && !BODILESS.has(response.status)) headers.push('content-length', String(bytes.length))
  outgoing.writeHead(response.status, headers)
  outgoing.end(bytes)
  onSentAtOnce?.({ headers, bytes })
  return bytes.length
}

/** Pulls from `body` only as fast as the client reads. */
async function sendStream(body: ReadableStream<Uint8Array>, outgoing: ServerResponse): Promise<number> {
  const reader = body.getReader()
  const socket = watch(outgoing)
  let handed = 0
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done || socket.closed()) break
      handed += value.length
      if (!outgoing.write(value)) await socket.drained()
      // The next chunk comes in the same buffer: nothing of this one may still be waiting.
      while (outgoing.writableLength > 0 && !socket.closed()) await Bun.sleep(1)
    }
    if (socket.closed()) {
      await reader.cancel()
      return handed - socket.unsent()
    }
    outgoing.end()
    return handed
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
