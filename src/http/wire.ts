import { STATUS_CODES } from 'node:http'

/**
 * Header fields as they go over the wire (RFC 9112 §5).
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
 * The head of an answer as it goes over the wire, its empty last line included (RFC 9112 §4). The date stands
 * in front, so that its place depends on the status alone.
 *
 * @param fields As `fieldText` gives them.
 */
export const headText = (status: number, fields: string, date: string): string =>
  `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\ndate: ${date}\r\n${fields}\r\n`

/** An answer that was put together once and is sent many times: only its date is written anew. */
export class PreparedAnswer {
  readonly body: Uint8Array
  readonly #bytes: Buffer
  readonly #dateAt: number
  #date: string

  /** @param date Any; what matters is its length, which that of all dates is. */
  constructor(status: number, fields: string, date: string, body: Uint8Array = new Uint8Array()) {
    const head = headText(status, fields, date)
    this.#bytes = Buffer.allocUnsafe(head.length + body.length)
    this.#bytes.write(head, 'latin1')
    this.#bytes.set(body, head.length)
    this.body = this.#bytes.subarray(head.length)
    this.#dateAt = head.indexOf(date)
    this.#date = date
  }

  /** Head and body at `date`. The bytes belong to all who send them: only their date ever changes. */
  at(date: string): Uint8Array {
    if (date !== this.#date) this.#bytes.write(date, this.#dateAt, 'latin1')
    this.#date = date
    return this.#bytes
  }
}
