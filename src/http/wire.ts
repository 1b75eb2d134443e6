import { STATUS_CODES } from 'node:http'

/**
 * Formats a time as an IMF-fixdate, such as `Wed, 01 Jan 2025 00:00:00 GMT` (RFC 9110 §5.6.7).
 *
 * @param epochMs Milliseconds since 1970, in the years 0 to 9999; a fraction of a second is cut off.
 */
export const formatHttpDate = (epochMs: number): string => new Date(epochMs).toUTCString()

/** Returns a function that gives the current HTTP-date, formatted once a second. */
export function createDateStamp(now: () => number): () => string {
  let second = Number.NaN
  let text = ''
  return () => {
    const current = Math.floor(now() / 1000)
    if (current !== second) text = formatHttpDate(current * 1000)
    second = current
    return text
  }
}

/**
 * Returns header fields as they go over the wire (RFC 9112 §5).
 *
 * @param fields Names and values in turn.
 */
export function fieldText(fields: readonly string[]): string {
  let text = ''
  for (let index = 0; index + 1 < fields.length; index += 2)
    text += `${fields[index]}: ${fields[index + 1]}\r\n`
  return text
}

/**
 * Returns the head of a response as it goes over the wire, its empty last line included (RFC 9112 §4). The date
 * comes first, so that its offset depends on the status alone.
 *
 * @param fields As `fieldText` returns them.
 */
export const headText = (status: number, fields: string, date: string): string =>
  `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\ndate: ${date}\r\n${fields}\r\n`

/** Response in the bytes of the wire, on its way from a file or a cache to the socket. */
export interface WireResponse {
  /** Head, and the whole body unless that is `rest`. */
  readonly bytes: Uint8Array
  /** Number of `bytes` that belong to the body. */
  readonly bodyBytes: number
  /** Body that is sent as it is read, and its length in bytes. */
  readonly rest?: { stream: ReadableStream<Uint8Array>; length: number }
  /** Called once with the number of body bytes that the client's system took. */
  readonly onDelivered: (bytesSent: number) => void
  /** Called once when nothing reads from `bytes` any more. */
  readonly onSent?: () => void
}

/** Response that is made once and sent many times: only its date changes. */
export class CachedResponse implements WireResponse {
  readonly bytes: Buffer
  readonly bodyBytes: number
  readonly onDelivered: WireResponse['onDelivered']
  readonly #dateAt: number
  #date: string

  constructor({ status, fields, date, body, onDelivered }: CachedResponseParts) {
    const head = headText(status, fields, date)
    this.bytes = Buffer.allocUnsafe(head.length + body.length)
    this.bytes.write(head, 'latin1')
    this.bytes.set(body, head.length)
    this.bodyBytes = body.length
    this.onDelivered = onDelivered
    this.#dateAt = head.indexOf(date)
    this.#date = date
  }

  /** Part of `bytes` behind the head. */
  get body(): Uint8Array {
    return this.bytes.subarray(this.bytes.length - this.bodyBytes)
  }

  /** Sets the date, also for receivers that are still being sent the same bytes. */
  at(date: string): this {
    if (date !== this.#date) this.bytes.write(date, this.#dateAt, 'latin1')
    this.#date = date
    return this
  }
}

interface CachedResponseParts {
  status: number
  /** Result of `fieldText`. */
  fields: string
  /** Any HTTP-date: all have the same length. */
  date: string
  body: Uint8Array
  onDelivered: WireResponse['onDelivered']
}
