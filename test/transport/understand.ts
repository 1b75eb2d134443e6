import { type BodyDecoder, ChunkedBody, MalformedBody } from '../../src/transport/chunked.ts'
import { HeadReader } from '../../src/transport/head.ts'
import { CountedBody } from '../../src/transport/incoming-body.ts'

/** Request as a parser understood it. */
export interface Understood {
  method: string
  target: string
  /** Values by lower-case name, those of several lines joined. */
  headers: Record<string, string>
  body: string
}

/** Result of a parser: the complete requests of a stream. `isRefused` is true if it refused the following bytes. */
export interface Reading {
  requests: Understood[]
  isRefused: boolean
}

/** Joins header lines as `headers` of a request has them, with the authority of an absolute target as Host. */
export function joinFields(fields: readonly [name: string, value: string][], target: string) {
  const headers: Record<string, string> = {}
  for (const [sent, value] of fields) {
    const name = sent.toLowerCase()
    const before = headers[name]
    const trimmed = value.replace(/[ \t]+$/, '')
    headers[name] = before === undefined ? trimmed : `${before}${name === 'cookie' ? '; ' : ', '}${trimmed}`
  }
  const [, authority] = /^https?:\/\/([^/?]*)/i.exec(target) ?? []
  return authority === undefined ? headers : { ...headers, host: authority }
}

/** Reads a stream, cut at `cuts`, as a connection does. */
export function readAsWeDo(text: string, cuts: readonly number[] = []): Reading {
  const reader = new Reader()
  let from = 0
  for (const to of [...cuts, text.length]) {
    reader.take(Buffer.from(text.slice(from, to), 'latin1'))
    from = to
  }
  return { requests: reader.requests, isRefused: reader.isRefused }
}

class Reader {
  readonly requests: Understood[] = []
  isRefused = false
  readonly #heads = new HeadReader()
  #input: Buffer = Buffer.alloc(0)
  #open: (Understood & { decoder: BodyDecoder }) | undefined
  #isLast = false

  take(chunk: Buffer): void {
    this.#input = Buffer.concat([this.#input, chunk])
    try {
      while (!this.isRefused && (this.#open ? this.#readBody() : this.#readHead()));
    } catch (error) {
      if (!(error instanceof MalformedBody)) throw error
      this.isRefused = true
    }
  }

  #readHead(): boolean {
    if (this.#input.length === 0) return false
    const found = this.#heads.read(this.#input)
    if (!found) return false
    const { head, length } = found
    if ('refusal' in head || this.#isLast) {
      this.isRefused = true
      return false
    }
    this.#input = this.#input.subarray(length)
    const { method, target, headers, bodyLength } = head
    const decoder = bodyLength === 'chunked' ? new ChunkedBody() : new CountedBody(bodyLength)
    this.#open = { method, target, headers: { ...headers }, body: '', decoder }
    this.#isLast = !head.keepsAlive
    return true
  }

  #readBody(): boolean {
    if (!this.#open) return false
    const { data, rest } = this.#open.decoder.decode(Buffer.from(this.#input))
    this.#open.body += data.toString('latin1')
    this.#input = rest ?? Buffer.alloc(0)
    if (!rest) return false
    const { decoder: _, ...request } = this.#open
    this.requests.push(request)
    this.#open = undefined
    return true
  }
}
