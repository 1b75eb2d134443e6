import type { Deadline } from './deadline.ts'
import { brokenResponse, S3Error, storeAway } from './error.ts'
import { parseXml, type XmlElement } from './xml.ts'

/** Maximum length of an XML response, in bytes: a list of 1,000 long keys has less than 3 MB. */
const MAX_XML_BYTES = 8 * 1024 ** 2

interface IncomingOptions {
  method: string
  response: Response
  deadline: Deadline
  /** Maximum wait for the next chunk, in milliseconds. */
  chunkMs: number
}

/** Response whose body is not read yet. Exactly one of `chunks`, `xml` and `discard` must end it. */
export class Incoming {
  readonly status: number
  readonly headers: Headers
  readonly #options: IncomingOptions

  constructor(options: IncomingOptions) {
    this.status = options.response.status
    this.headers = options.response.headers
    this.#options = options
  }

  /**
   * Yields the body, which must have exactly `length` bytes. The deadline runs only while the store is waited for, not
   * while the caller uses a chunk.
   *
   * @throws {S3Error} when the body stalls, is cut off, or has another length.
   */
  async *chunks(length?: number): AsyncGenerator<Uint8Array> {
    const { method, response, deadline, chunkMs } = this.#options
    const reader = response.body?.getReader()
    let [received, latest] = [0, 0]
    deadline.beginBody(chunkMs)
    try {
      for (;;) {
        deadline.awaitChunk(latest, chunkMs)
        const next = await reader?.read().catch((error) => {
          throw deadline.failure(method, error)
        })
        deadline.clear()
        if (!next || next.done) break
        latest = next.value.length
        received += latest
        if (length !== undefined && received > length)
          throw brokenResponse(method, `more than ${length} bytes`)
        yield next.value
      }
    } finally {
      deadline.clear()
      await reader?.cancel().catch(() => {})
    }
    if (length !== undefined && received < length)
      throw storeAway(method, `the body ended after ${received} of ${length} bytes`)
  }

  /** Reads a body of XML. @throws {S3Error} when it is too long or incomplete, or has another root. */
  async xml(root: string): Promise<XmlElement> {
    const { method } = this.#options
    const text = await this.#text(MAX_XML_BYTES)
    const found = parseXml(text, root)
    if (found) return found
    // A copy and a completed upload may fail after their 200 (S3 API reference, CompleteMultipartUpload).
    const failure = parseXml(text, 'Error')
    if (failure) throw new S3Error(`The object store failed ${method} after it began`, { kind: 'away' })
    // A connection that was cut in a body without a length looks like its end.
    throw storeAway(method, 'the response is no complete XML')
  }

  /** Returns S3's name of the error in the body; `undefined` when it has none. */
  async errorCode(): Promise<string | undefined> {
    try {
      const error = parseXml(await this.#text(64 * 1024), 'Error')
      const code = error?.children.find(({ name }) => name === 'Code')?.text
      return code && /^\w{1,64}$/.test(code) ? code : undefined
    } catch {
      return undefined
    }
  }

  /** Ends the response without its body. */
  async discard(): Promise<void> {
    this.#options.deadline.clear()
    await this.#options.response.body?.cancel().catch(() => {})
  }

  async #text(maxBytes: number): Promise<string> {
    const chunks: Uint8Array[] = []
    let length = 0
    for await (const chunk of this.chunks()) {
      length += chunk.length
      if (length > maxBytes) throw brokenResponse(this.#options.method, 'the response is too long')
      chunks.push(chunk)
    }
    return Buffer.concat(chunks).toString('utf8')
  }
}
