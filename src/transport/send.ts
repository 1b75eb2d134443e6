import { fieldText, headText, type WireResponse } from '../http/wire.ts'
import type { Fairness } from './fairness.ts'
import type { ClientSocket } from './socket.ts'

/** Sending side of a connection: buffers what the kernel did not accept, and counts what it did. */
export class Output {
  readonly #socket: Pick<ClientSocket, 'write'>
  readonly #fairness: Fairness
  #unsent: Uint8Array | undefined
  #flushing: PromiseWithResolvers<void> | undefined
  #hasLeft = false
  #taken = 0

  constructor(socket: Pick<ClientSocket, 'write'>, fairness: Fairness) {
    this.#socket = socket
    this.#fairness = fairness
  }

  /** Returns the total number of bytes accepted by the kernel. */
  get taken(): number {
    return this.#taken
  }

  /** True when the client has disconnected, so nothing can be sent any more. */
  get hasLeft(): boolean {
    return this.#hasLeft
  }

  /** True when bytes wait for the client to read earlier ones. */
  get isBlocked(): boolean {
    return this.#unsent !== undefined
  }

  /**
   * Sends `bytes`, which must not change until `flushed`.
   *
   * @throws while others wait: they would be lost.
   */
  write(bytes: Uint8Array): void {
    if (this.#unsent) throw new Error('Bytes are waiting to be sent before these')
    this.#send(bytes)
  }

  #send(bytes: Uint8Array): void {
    if (this.#hasLeft || bytes.length === 0) return
    const count = this.#socket.write(bytes)
    this.#taken += Math.max(0, count)
    if (count < 0) this.leave()
    else this.#unsent = count < bytes.length ? bytes.subarray(count) : undefined
  }

  /** Resolves when this connection may send `bytes` more of a long body. */
  turn(bytes: number): Promise<void> | undefined {
    return this.#fairness.turn(bytes, 'sending')
  }

  /** Resolves when the buffer is empty, or the client has disconnected. */
  flushed(): Promise<void> | undefined {
    if (!this.#unsent) return undefined
    this.#flushing ??= Promise.withResolvers()
    return this.#flushing.promise
  }

  /** Continues to send: the kernel accepts more. */
  drained(): void {
    if (this.#unsent) this.#send(this.#unsent)
    if (!this.#unsent) this.#flush()
  }

  /** Discards the buffer: the client has disconnected. */
  leave(): void {
    this.#hasLeft = true
    this.#unsent = undefined
    this.#flush()
  }

  #flush(): void {
    this.#flushing?.resolve()
    this.#flushing = undefined
  }
}

/** Maximum length of a body that is sent in one piece, in bytes. */
const SMALL_BYTES = 1024 ** 2
/**
 * Maximum length of a body that is copied after its head, in bytes: copying costs less than a second write.
 */
const COPIED_BYTES = 64 * 1024

/**
 * Error of a body that failed while it was sent. The connection is cut; the body is never padded or ended as
 * if complete.
 */
export class BrokenBody extends Error {
  override readonly name = 'BrokenBody'
  readonly bytesSent: number

  constructor(bytesSent: number, cause: unknown) {
    super('A response body broke while it was sent', { cause })
    this.bytesSent = bytesSent
  }
}

/** Type of bodies that are sent chunk by chunk, as they come (HTML §9.2). */
const EVENT_STREAM = 'text/event-stream'

/** Statuses without a body, and so without a length (RFC 9110 §8.6). */
const BODILESS = new Set([204, 304])

export interface Sending {
  output: Output
  /** Value of the `Date` field. */
  date: string
  /** Close the connection after the response. */
  closes: boolean
  /**
   * True when the client can read a chunked body; otherwise one without a length ends with the connection.
   */
  knowsChunks: boolean
  /** Send the head only. */
  isHead: boolean
}

/**
 * Sends the response. Resolves with the number of bytes of its body that the kernel accepted.
 *
 * @throws {BrokenBody} when the body broke after its head; the cause itself, when nothing was sent yet.
 */
export async function sendResponse(response: Response, sending: Sending): Promise<number> {
  const fields: string[] = []
  response.headers.forEach((value, name) => {
    fields.push(name, value)
  })
  const length = response.headers.get('content-length')
  if (sending.isHead) void response.body?.cancel()
  const reader = sending.isHead ? undefined : response.body?.getReader()
  // Read before the head is sent, so that a body that breaks at once becomes a refusal.
  const isLive = response.headers.get('content-type') === EVENT_STREAM
  const start = reader ? await readStart(reader, isLive ? Number.POSITIVE_INFINITY : Number(length)) : NOTHING
  if (reader && !start.isWhole)
    return sendLong(reader, start.bytes, { ...sending, status: response.status, fields, length })
  const { bytes } = start
  if (reader && length !== null && Number(length) !== bytes.length)
    throw new Error('The body has another length than its Content-Length')
  if (length === null && !sending.isHead && !BODILESS.has(response.status))
    fields.push('content-length', String(bytes.length))
  return sendPieces([headOf(response.status, fields, sending), bytes], sending.output)
}

const headOf = (status: number, fields: readonly string[], { date, closes }: Sending) =>
  Buffer.from(headText(status, fieldText(fields) + (closes ? 'Connection: close\r\n' : ''), date), 'latin1')

/** Sends a head and a body, and resolves with the number of accepted bytes of the body. */
async function sendPieces([head, body]: [Buffer, Uint8Array], output: Output): Promise<number> {
  const before = output.taken + head.length
  if (body.length <= COPIED_BYTES) output.write(body.length === 0 ? head : Buffer.concat([head, body]))
  else {
    output.write(head)
    await output.flushed()
    output.write(body)
  }
  await output.flushed()
  return Math.max(0, output.taken - before)
}

/**
 * Sends a response, at once if the system takes all of it.
 *
 * @returns A promise when sending takes longer; it rejects with `BrokenBody`.
 */
export function sendWire(response: WireResponse, output: Output): Promise<void> | undefined {
  const before = output.taken
  output.write(response.bytes)
  if (response.rest || output.isBlocked) return sendRest(response, before, output)
  response.onSent?.()
  response.onDelivered(bodyTaken(response, output.taken - before))
  return undefined
}

/** Returns how many of the first `taken` bytes of a response belong to its body. */
const bodyTaken = ({ bytes, bodyBytes }: WireResponse, taken: number) =>
  Math.max(0, taken - (bytes.length - bodyBytes))

/**
 * Sends the rest of a response whose `bytes` were written.
 *
 * @param before Number of bytes that `output` had accepted before.
 * @throws {BrokenBody}
 */
async function sendRest(response: WireResponse, before: number, output: Output): Promise<void> {
  const { rest, onDelivered, onSent } = response
  await output.flushed()
  onSent?.()
  if (!rest) return onDelivered(bodyTaken(response, output.taken - before))
  try {
    onDelivered(
      await sendStream(rest.stream.getReader(), undefined, { output, length: rest.length, chunks: false }),
    )
  } catch (error) {
    onDelivered(error instanceof BrokenBody ? error.bytesSent : 0)
    throw error
  }
}

/** Used part of a stream's reader. */
interface Reader {
  read: () => Promise<{ done: boolean; value?: Uint8Array | undefined }>
  cancel: () => Promise<void>
}

/** Beginning of a body, read before its head is sent. */
interface Start {
  bytes: Uint8Array
  isWhole: boolean
}

const NOTHING: Start = { bytes: new Uint8Array(), isWhole: true }

/** Reads a small body completely, or enough of a larger one to know its size class. */
async function readStart(reader: Reader, length: number): Promise<Start> {
  const chunks: Uint8Array[] = []
  let size = 0
  while (size <= SMALL_BYTES) {
    const { done, value } = await reader.read()
    if (done || !value)
      return { bytes: chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks), isWhole: true }
    if (length > SMALL_BYTES) return { bytes: value, isWhole: false }
    // A chunk is valid only until the next is pulled.
    chunks.push(value.slice())
    size += value.length
  }
  return { bytes: Buffer.concat(chunks), isWhole: false }
}

interface Long extends Sending {
  status: number
  fields: readonly string[]
  /** Value of `Content-Length`, if there is one. */
  length: string | null
}

async function sendLong(reader: Reader, start: Uint8Array, long: Long): Promise<number> {
  const { status, fields, length, output } = long
  const chunks = length === null && long.knowsChunks
  output.write(headOf(status, chunks ? [...fields, 'transfer-encoding', 'chunked'] : fields, long))
  await output.flushed()
  const sent = await sendStream(reader, start, {
    output,
    length: length === null ? undefined : Number(length),
    chunks,
  })
  if (chunks) output.write(Buffer.from('0\r\n\r\n'))
  await output.flushed()
  return sent
}

interface Streaming {
  output: Output
  /** Promised length in bytes, if any. */
  length: number | undefined
  /** Send each piece as a chunk (RFC 9112 §7.1). */
  chunks: boolean
}

/**
 * Sends `start`, then the output of `reader`, as fast as the client reads. Resolves with the number of bytes
 * that the kernel accepted.
 *
 * @throws {BrokenBody} when the body breaks or does not have the promised length.
 */
async function sendStream(
  reader: Reader,
  start: Uint8Array | undefined,
  { output, length, chunks }: Streaming,
): Promise<number> {
  let sent = 0
  let read = 0
  try {
    let piece = start ?? (await reader.read()).value
    while (piece && !output.hasLeft) {
      read += piece.length
      if (length !== undefined && read > length) throw new Error('The body is longer than its Content-Length')
      await output.turn(piece.length)
      const before = output.taken
      // An empty chunk would end the body (RFC 9112 §7.1).
      if (piece.length > 0) output.write(chunks ? asChunk(piece) : piece)
      await output.flushed()
      sent += Math.min(piece.length, output.taken - before)
      piece = (await reader.read()).value
    }
    if (piece) await reader.cancel()
    else if (length !== undefined && read < length)
      throw new Error('The body is shorter than its Content-Length')
    return sent
  } catch (error) {
    await reader.cancel().catch(() => {})
    throw new BrokenBody(sent, error)
  }
}

const asChunk = (piece: Uint8Array) =>
  Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')])
