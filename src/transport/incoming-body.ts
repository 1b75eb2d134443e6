import { type BodyDecoder, ChunkedBody, type Decoded } from './chunked.ts'

/** Returns the reason why work for a client that disconnected is aborted. */
export const clientLeft = () => new DOMException('The client left', 'AbortError')

/** Maximum unread bytes; beyond them the client is paused. */
const MAX_WAITING_BYTES = 512 * 1024
/** Memory of a waiting piece beside its bytes. */
const PIECE_BYTES = 256
/** Maximum bytes read of an unwanted body: a client may be slow to notice the response. */
const MAX_DROPPED_BYTES = 64 * 1024 ** 2

/** Body of a known length. */
export class CountedBody implements BodyDecoder {
  #left: number

  constructor(length: number) {
    this.#left = length
  }

  decode(input: Buffer): Decoded {
    const data = input.subarray(0, this.#left)
    this.#left -= data.length
    return { data, rest: this.#left === 0 ? input.subarray(data.length) : undefined }
  }
}

/** Body of a request: the connection feeds it, and the handler reads it. */
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

  /** @param onDemand Called when more is read than has arrived. */
  constructor(length: number | 'chunked', onDemand: () => void) {
    this.isChunked = length === 'chunked'
    this.#decoder = length === 'chunked' ? new ChunkedBody() : new CountedBody(length)
    this.#onDemand = onDemand
  }

  /** True when its end has arrived. */
  get isComplete(): boolean {
    return this.#isComplete
  }

  /**
   * True when the next move is the client's. Before the first read, the client may hold back the rest of the
   * body.
   */
  get isHungry(): boolean {
    const isWanted = this.#wasRead || this.#dropped !== undefined
    return isWanted && !this.#isComplete && !this.#failure && this.#waitingBytes < MAX_WAITING_BYTES
  }

  /** True when its rest is discarded. */
  get isDropped(): boolean {
    return this.#dropped !== undefined
  }

  /** True when more was discarded than is reasonable. */
  get isTooMuch(): boolean {
    return (this.#dropped ?? 0) > MAX_DROPPED_BYTES
  }

  /**
   * Consumes input, and returns the input after the body once its end has arrived.
   *
   * @throws {MalformedBody}
   */
  feed(input: Buffer): Buffer | undefined {
    // The end of a failed body is unknown, so no input can complete it.
    if (this.#failure) return undefined
    const { data, rest } = this.#decoder.decode(input)
    this.#isComplete = rest !== undefined
    if (data.length > 0) this.#take(alone(data))
    if (this.#isComplete) this.#endRead()
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
   * Returns the next bytes, or `undefined` after the last. One reader at a time.
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
    if (this.#isComplete || this.#failure) this.#endRead()
    else this.#onDemand()
    return reader.promise
  }

  /** Returns the whole body if its end has arrived and nothing was read yet. */
  whole(): Buffer<ArrayBuffer> | undefined {
    return this.#isComplete ? Buffer.concat(this.#waiting.splice(0)) : undefined
  }

  /** Discards the rest, because it has no reader. */
  drop(): void {
    this.#dropped ??= 0
    // A piece of a counted body shares its memory only with the request after it, which is not there before its end.
    const isAlone = !this.isChunked && !this.#isComplete
    for (const piece of this.#waiting) {
      if (isAlone) detach(piece.buffer)
      else free(piece)
    }
    this.#waiting = []
    this.#waitingBytes = 0
    this.#onDemand()
  }

  /** Ends the body after the client disconnected. */
  clientLeft(): void {
    this.fail(clientLeft())
  }

  /** Ends the body here, incomplete. */
  fail(error: Error): void {
    if (this.#isComplete) return
    this.#failure ??= error
    this.#endRead()
  }

  /** Resolves a waiting read, because nothing more will arrive. */
  #endRead(): void {
    if (this.#failure && !this.#isComplete) this.#reader?.reject(this.#failure)
    else this.#reader?.resolve(undefined)
    this.#reader = undefined
  }
}

/**
 * Frees discarded bytes at once if they have their memory to themselves. The garbage collector would let a flood fill
 * hundreds of MiB first.
 */
export function free({ buffer, length }: Buffer): void {
  if (buffer.byteLength === length) detach(buffer)
}

function detach(buffer: ArrayBufferLike): void {
  if (buffer instanceof ArrayBuffer) buffer.transfer(0)
}

/**
 * Returns `data` in memory of its own, unless it fills most of its buffer. Otherwise a small piece would
 * retain the whole buffer.
 */
function alone(data: Buffer): Buffer {
  if (2 * data.length >= data.buffer.byteLength) return data
  const copy = Buffer.allocUnsafeSlow(data.length)
  data.copy(copy)
  return copy
}
