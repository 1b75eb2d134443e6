import { type ClientSide, type PlainRequest, SAFE_METHODS } from '../http/exchange.ts'
import type { ShortBodies } from '../http/short-bodies.ts'
import { refuseInvalid } from '../platform/errors.ts'
import { MalformedBody } from './chunked.ts'
import { type Fairness, REQUEST_COST } from './fairness.ts'
import { type BadHead, HeadReader, MAX_HEAD_BYTES, type RequestHead } from './head.ts'
import { clientLeft, free, IncomingBody } from './incoming-body.ts'
import type { Intake } from './intake.ts'
import { Lingering } from './lingering.ts'
import { type Channel, type ResponseOptions, refuseHead, respond } from './respond.ts'
import { Output, sendWire } from './send.ts'
import type { ClientSocket } from './socket.ts'

/** Services that the server gives each connection. */
export interface ConnectionOptions extends ResponseOptions {
  /** Scheduler shared by all connections. */
  fairness: Fairness
  intake: Intake
  shortBodies: ShortBodies
  /** True for a connection that the server decrypts. */
  isEncrypted: boolean
}

/**
 * State of a connection. `reading`: between requests, or within a head. `answering`: one request is handled,
 * and later input waits. `lingering`: the last response was sent, and input is discarded so that the client
 * can read it (RFC 9112 §9.6).
 */
type Phase = 'reading' | 'answering' | 'lingering' | 'closed'

const NOTHING = Buffer.alloc(0)
const PROCESSING = Buffer.from('HTTP/1.1 102 Processing\r\n\r\n')
const CONTINUE = Buffer.from('HTTP/1.1 100 Continue\r\n\r\n')
/** Maximum buffered bytes of pipelined requests while one is handled. */
const MAX_WAITING_BYTES = 64 * 1024
/** Bytes of a chunked body decoded per time slice: a millisecond of work if the chunks are tiny. */
const SLICE_BYTES = 64 * 1024
/** Maximum bytes of a read. */
const READ_BYTES = 512 * 1024
/** Cost of decoding chunks, relative to passing bytes on. */
const CHUNKED_COST = 8
/** Maximum consecutive requests of one connection before it yields to others. */
const MAX_IN_A_ROW = 32

/** Connection of a client. Requests are handled one after another, and responses leave in that order. */
export class Connection implements Channel {
  readonly output: Output
  /** Received so far: bytes, and complete heads. */
  readonly received = { bytes: 0, heads: 0 }
  readonly options: ConnectionOptions
  readonly client: ClientSide
  readonly #socket: ClientSocket
  readonly #heads = new HeadReader()
  readonly #lingering: Lingering
  #phase: Phase = 'reading'
  /** Received bytes that were not parsed yet. */
  #input: Buffer = NOTHING
  /** Body being received, even when its rest is not needed. */
  #body: IncomingBody | undefined
  #isPaused = false
  /** True while it must not begin another request. */
  #isHeld = false
  /** Received bytes whose request is not handled yet, if they are more than a head. */
  #unhandled = 0
  /** True while received bytes of the body wait for a time slice. */
  #isInTurn = false
  /** True when the current response, or the next, is the last one. */
  #isLast = false
  /**
   * Set for a body that was sent without a 100 Continue. The client may or may not send it, so the start of
   * the next request is ambiguous: close after this response (RFC 9110 §10.1.1).
   */
  #isUnasked = false
  #hasClientEnded = false
  /** Aborted when the client disconnects, if the current request asked for its signal. */
  #leaving: AbortController | undefined
  /** Bytes sent before the current response. */
  #takenBefore = 0
  /** True when the current request accepts interim responses, as HTTP/1.1 does. */
  #canProbe = false

  /** @param peer Address of the client. */
  constructor(socket: ClientSocket, peer: string, options: ConnectionOptions) {
    this.#socket = socket
    this.options = options
    this.output = new Output(socket, options.fairness)
    this.#lingering = new Lingering(socket, options.fairness)
    this.client = {
      peer,
      leaving: () => this.#signal(),
      shortBodies: options.shortBodies,
      isEncrypted: options.isEncrypted,
    }
  }

  /** True when the connection ends after the current response, or the next. */
  get closes(): boolean {
    return this.#isLast || this.#isUnasked || (this.#hasClientEnded && this.#input.length === 0)
  }

  get phase(): Phase {
    return this.#phase
  }

  /** True while waiting for the first head, or for the rest of one. */
  get isInHead(): boolean {
    return this.#phase === 'reading' && !this.#body && (this.#input.length > 0 || this.received.heads === 0)
  }

  /** True while the rest of a body arrives whose response was already sent. */
  get isDropping(): boolean {
    return this.#phase === 'reading' && this.#body !== undefined
  }

  /** True while a response waits for the client's body. */
  get isReceiving(): boolean {
    return this.#phase === 'answering' && this.#body?.isHungry === true
  }

  /** True when what arrives next begins a request. */
  get isBetweenRequests(): boolean {
    return this.#phase === 'reading' && !this.#body
  }

  /** True when nothing happens until the client sends something. */
  get isWaitingForClient(): boolean {
    return this.#phase !== 'answering' || this.isReceiving
  }

  /** Processes received bytes. */
  take(chunk: Buffer): void {
    this.received.bytes += chunk.length
    if (chunk.length > MAX_HEAD_BYTES && this.isBetweenRequests) {
      this.#unhandled += chunk.length
      this.options.intake.arrived(chunk.length)
    }
    if (this.#phase === 'lingering' && !this.#lingering.discard(chunk)) this.#cut()
    if (this.#phase === 'lingering' || this.#phase === 'closed') return
    this.#input = this.#input.length === 0 ? chunk : Buffer.concat([this.#input, chunk])
    this.#proceed()
  }

  /** Stops reading until `admit`. */
  hold(): void {
    this.#isHeld = true
    this.#regulate()
  }

  admit(): void {
    this.#isHeld = false
    this.#regulate()
  }

  #handle(): void {
    if (this.#unhandled === 0) return
    this.options.intake.handled(this.#unhandled)
    this.#unhandled = 0
  }

  /** Records that the client sends nothing more. It may still read. */
  clientEnded(): void {
    this.#hasClientEnded = true
    this.#probe()
    if (this.#phase === 'lingering') this.leave()
    else this.#proceed()
  }

  /** Records that the socket is closed. */
  closed(): void {
    this.#phase = 'closed'
    this.#handle()
    this.output.leave()
    this.#body?.clientLeft()
    this.#leaving?.abort(clientLeft())
    this.#lingering.end()
  }

  /** Closes after the current response, or at once when there is none. */
  finish(): void {
    this.#isLast = true
    if (this.#phase === 'reading') this.#close()
  }

  /** Closes at once, but lets complete responses arrive. */
  leave(): void {
    if (this.#phase === 'reading' || this.#phase === 'lingering') this.#socket.end()
    else if (this.#phase === 'answering') this.#cut()
  }

  #cut(): void {
    this.#socket.terminate()
    this.closed()
  }

  #close(): void {
    this.#phase = 'lingering'
    this.#input = NOTHING
    if (this.#isPaused) this.#socket.resume()
    if (this.#hasClientEnded) this.#socket.end()
    else this.#socket.shutdown()
  }

  /** Processes the buffered input: the rest of a body, then the requests after it. */
  #proceed(): void {
    if (this.#isInTurn || this.#phase === 'closed' || this.#phase === 'lingering') return
    this.#digest()
    if (!this.#isInTurn) this.#advance()
  }

  /** Feeds the input to the body in time slices that alternate with other clients' work. */
  #digest(): void {
    while (this.#body && this.#input.length > 0) {
      const { isChunked, isDropped } = this.#body
      if (isDropped && !isChunked) {
        const dropped = this.#input
        this.#feed(this.#body, dropped)
        if (this.#input.length === 0) free(dropped)
        this.#pause()
        continue
      }
      const slice = isChunked ? this.#input.subarray(0, SLICE_BYTES) : this.#input
      const turn = this.options.fairness.turn(
        isChunked ? slice.length * CHUNKED_COST : slice.length,
        'taking',
      )
      if (turn) {
        this.#proceedAfter(turn, () => this.#body && this.#feed(this.#body, slice))
        this.#regulate()
        return
      }
      this.#feed(this.#body, slice)
    }
    if (this.#hasClientEnded) this.#body?.clientLeft()
  }

  /** Processes no input before the time slice and `work` in it. A defect there costs this connection, not the server. */
  #proceedAfter(turn: Promise<void>, work: () => void): void {
    this.#isInTurn = true
    const proceed = () => {
      this.#isInTurn = false
      work()
      this.#proceed()
    }
    turn.then(proceed).catch((error) => {
      this.options.onError(error)
      this.#cut()
    })
  }

  /** Feeds `body` the first bytes of the input. */
  #feed(body: IncomingBody, slice: Buffer): void {
    try {
      const rest = body.feed(slice)
      const taken = slice.length - (rest?.length ?? 0)
      this.#input = taken === this.#input.length ? NOTHING : this.#input.subarray(taken)
      if (rest) this.#body = undefined
      else if (body.isTooMuch) this.#cut()
    } catch (error) {
      if (!(error instanceof MalformedBody)) throw error
      this.#input = NOTHING
      body.fail(refuseInvalid('The body of the request is not valid HTTP'))
      this.finish()
    }
  }

  /** Handles complete requests, up to the first response that must be awaited. */
  #advance(): void {
    for (let answered = 0; this.#phase === 'reading' && !this.#body; answered += 1) {
      if (answered === MAX_IN_A_ROW) {
        this.#run(() => new Promise((resolve) => setImmediate(resolve)))
        break
      }
      const found = this.#input.length === 0 ? undefined : this.#heads.read(this.#input)
      if (!found) break
      this.received.heads += 1
      this.#input = found.length === this.#input.length ? NOTHING : this.#input.subarray(found.length)
      if ('refusal' in found.head) this.#refuse(found.head)
      else this.#begin(found.head)
    }
    if (this.isBetweenRequests) this.#handle()
    if (this.#hasClientEnded && this.#phase === 'reading' && !this.#isInTurn) this.leave()
    else this.#regulate()
  }

  /** Pauses the socket while the buffers are full. */
  #regulate(): void {
    if (this.#phase === 'closed' || this.#phase === 'lingering') return
    const hasRoom =
      this.#isInTurn || (this.#isHeld && this.isBetweenRequests)
        ? false
        : this.#body
          ? this.#body.isHungry
          : this.#input.length < MAX_WAITING_BYTES
    if (!hasRoom) this.#pause()
    else if (this.#isPaused) this.#resume()
  }

  #pause(): void {
    if (this.#isPaused) return
    this.#isPaused = true
    this.#socket.pause()
  }

  /** Resumes the socket; in a time slice when its input is discarded, so that it does not wait in memory for one. */
  #resume(): void {
    const turn = this.#body?.isDropped ? this.options.fairness.turn(READ_BYTES, 'taking') : undefined
    if (turn) this.#proceedAfter(turn, () => this.#read())
    else this.#read()
  }

  #read(): void {
    if (this.#phase === 'closed') return
    this.#isPaused = false
    this.#socket.resume()
  }

  #refuse(head: BadHead): void {
    this.#handle()
    this.#isLast = true
    this.#run(() => refuseHead(head, this))
  }

  #begin(head: RequestHead): void {
    if (!head.keepsAlive) this.#isLast = true
    const cached = this.#fast(head, this.options.fastPath.cached)
    const sending = cached && sendWire(cached, this.output)
    if (!cached) this.#run(() => this.#respond(head))
    else if (sending) this.#run(() => sending)
  }

  async #respond(head: RequestHead): Promise<void> {
    this.#takenBefore = this.output.taken
    this.#canProbe = head.knowsChunks
    const body = head.bodyLength === 0 ? undefined : this.#beginBody(head)
    await this.options.fairness.turn(REQUEST_COST, SAFE_METHODS.has(head.method) ? 'reading' : 'changing')
    this.#handle()
    const found = this.#fast(head, this.options.fastPath.fresh)
    const fresh = found instanceof Promise ? await found.catch(this.#report) : found
    if (fresh) return sendWire(fresh, this.output)
    await respond(head, body, this).finally(() => body?.drop())
  }

  /** True when a part of the current response was sent. */
  get #hasBegun(): boolean {
    return this.output.taken !== this.#takenBefore || this.output.isBlocked
  }

  /** Returns the signal of the current request. */
  #signal(): AbortSignal {
    if (this.#phase === 'closed') return AbortSignal.abort(clientLeft())
    this.#leaving ??= new AbortController()
    this.#probe()
    return this.#leaving.signal
  }

  /**
   * Probes a client that sends nothing more. A closed socket and a half-closed one look the same until
   * something is sent: the closed one resets the connection. Every HTTP/1.1 client must accept interim
   * responses (RFC 9110 §15.2).
   */
  #probe(): void {
    if (this.#hasClientEnded && this.#leaving && this.#canProbe && !this.#hasBegun)
      this.output.write(PROCESSING)
  }

  #fast<Result>(
    { method, target, headers, bodyLength }: RequestHead,
    respond: (request: PlainRequest) => Result,
  ): Result | undefined {
    if (!target.startsWith(this.options.fastPath.prefix) || bodyLength !== 0 || this.closes) return undefined
    try {
      return respond({ method, target, headers, peer: this.client.peer })
    } catch (error) {
      return this.#report(error)
    }
  }

  readonly #report = (error: unknown): undefined => {
    this.options.onError(error)
  }

  #beginBody({ bodyLength, expectsContinue }: RequestHead): IncomingBody {
    this.#isUnasked = expectsContinue
    const body = new IncomingBody(bodyLength, () => {
      if (this.#isUnasked && !body.isDropped && !this.#hasBegun) {
        this.#isUnasked = false
        this.output.write(CONTINUE)
      }
      this.#regulate()
    })
    this.#body = body
    this.#digest()
    return body
  }

  /** Awaits a response, then goes on. */
  #run(answering: () => Promise<unknown>): void {
    this.#phase = 'answering'
    answering()
      .catch((error) => {
        this.options.onError(error)
        if (this.#phase !== 'closed') this.#cut()
      })
      .finally(() => {
        this.#leaving = undefined
        if (this.#phase === 'closed') return
        this.#phase = 'reading'
        if (this.closes) this.#close()
        else this.#proceed()
      })
  }
}
