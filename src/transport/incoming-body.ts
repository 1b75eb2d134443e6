import { type BodyDecoder, ChunkedBody, CountedBody } from './chunked.ts'

/** Returns the reason why work for a client that disconnected is aborted. */
export const clientLeft = () => new DOMException('The client left', 'AbortError')

/** Bytes that wait to be read before no more are taken from the client. */
const MAX_WAITING_BYTES = 512 * 1024
/** Memory that a waiting piece takes beside its bytes. */
const PIECE_BYTES = 256
/** Most that is read of a body that nobody wants, in bytes: a client may be slow to notice its answer. */
const MAX_DROPPED_BYTES = 64 * 1024 ** 2

/** The body of a request: the connection feeds it, whoever answers the request reads it. */
export class IncomingBody {
  readonly isChunked: boolean
  readonly #decoder: BodyDecoder
  readonly #onDemand: () => void
  #waiting: Buffer[] = []
  #waitingBytes = 0
  #reader: PromiseWithResolvers<Buffer | undefined> | undefined
  #failure: Error | undefined
  #dropped: number | undefined
  #wasRead = false
  #isComplete = false

  /** @param onDemand Called when more is read than has come. */
  constructor(length: number | 'chunked', onDemand: () => void) {
    this.isChunked = length === 'chunked'
    this.#decoder = length === 'chunked' ? new ChunkedBody() : new CountedBody(length)
    this.#onDemand = onDemand
  }

  /** Whether its end has come. */
  get isComplete(): boolean {
    return this.#isComplete
  }

  /** Whether the client is the one to go on. Before the first read the rest of the body may wait at the client. */
  get isHungry(): boolean {
    const isWanted = this.#wasRead || this.#dropped !== undefined
    return isWanted && !this.#isComplete && !this.#failure && this.#waitingBytes < MAX_WAITING_BYTES
  }

  /** Whether its rest is dropped. */
  get isDropped(): boolean {
    return this.#dropped !== undefined
  }

  /** Whether nobody wanted more of it than is reasonable to drop. */
  get isTooMuch(): boolean {
    return (this.#dropped ?? 0) > MAX_DROPPED_BYTES
  }

  /**
   * Takes what came over the wire, and answers with what stands behind the body, once its end has come.
   *
   * @throws {MalformedBody}
   */
  feed(input: Buffer): Buffer | undefined {
    // Where a body that failed ends is not known: nothing that comes can complete it.
    if (this.#failure) return undefined
    const { data, rest } = this.#decoder.decode(input)
    this.#isComplete = rest !== undefined
    if (data.length > 0) this.#take(data)
    if (this.#isComplete) this.#settle()
    return rest
  }

  #take(data: Buffer): void {
    if (this.#dropped !== undefined) this.#dropped += data.length
    else if (this.#reader) {
      this.#reader.resolve(data)
      this.#reader = undefined
    } else {
      this.#waiting.push(data)
      this.#waitingBytes += data.length + PIECE_BYTES
    }
  }

  /**
   * The next bytes, or `undefined` behind the last. One reader at a time.
   *
   * @throws the error that `fail` was called with.
   */
  read(): Promise<Buffer | undefined> {
    this.#wasRead = true
    const reader = Promise.withResolvers<Buffer | undefined>()
    const next = this.#waiting.shift()
    if (next) {
      this.#waitingBytes -= next.length + PIECE_BYTES
      reader.resolve(next)
      this.#onDemand()
      return reader.promise
    }
    this.#reader = reader
    if (this.#isComplete || this.#failure) this.#settle()
    else this.#onDemand()
    return reader.promise
  }

  /** Returns the whole body if its end has come already. Nothing of it was read before. */
  whole(): Buffer<ArrayBuffer> | undefined {
    return this.#isComplete ? Buffer.concat(this.#waiting.splice(0)) : undefined
  }

  /** Nobody reads the rest. */
  drop(): void {
    this.#dropped ??= 0
    this.#waiting = []
    this.#waitingBytes = 0
    this.#onDemand()
  }

  /** No more of it comes. */
  clientLeft(): void {
    this.fail(clientLeft())
  }

  /** It ends here, incomplete. */
  fail(error: Error): void {
    if (this.#isComplete) return
    this.#failure ??= error
    this.#settle()
  }

  /** Tells whoever waits for more that there is none. */
  #settle(): void {
    if (this.#failure && !this.#isComplete) this.#reader?.reject(this.#failure)
    else this.#reader?.resolve(undefined)
    this.#reader = undefined
  }
}
