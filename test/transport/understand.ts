import { type BodyDecoder, ChunkedBody, CountedBody, MalformedBody } from '../../src/transport/chunked.ts'
import { HeadReader } from '../../src/transport/head.ts'

/** A request as a parser understood it. */
export interface Understood {
  method: string
  target: string
  body: string
}

/** What a parser made of a stream: the whole requests, and whether it refused what came behind them. */
export interface Reading {
  requests: Understood[]
  isRefused: boolean
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
    const { method, target, bodyLength } = head
    const decoder = bodyLength === 'chunked' ? new ChunkedBody() : new CountedBody(bodyLength)
    this.#open = { method, target, body: '', decoder }
    this.#isLast = !head.keepsAlive
    return true
  }

  #readBody(): boolean {
    if (!this.#open) return false
    const { data, rest } = this.#open.decoder.decode(Buffer.from(this.#input))
    this.#open.body += data.toString('latin1')
    this.#input = rest ?? Buffer.alloc(0)
    if (!rest) return false
    const { method, target, body } = this.#open
    this.requests.push({ method, target, body })
    this.#open = undefined
    return true
  }
}
