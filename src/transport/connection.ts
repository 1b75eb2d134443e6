import { refuseInvalid } from '../errors.ts'
import type { PlainRequest, ReadyAnswer } from '../http/exchange.ts'
import { type Answering, type AnswerOptions, answer, answerBadHead } from './answer.ts'
import { MalformedBody } from './chunked.ts'
import { type Fairness, REQUEST_COST } from './fairness.ts'
import { type BadHead, type RequestHead, readHead } from './head.ts'
import { IncomingBody } from './incoming-body.ts'
import { Output } from './output.ts'
import { sendRest, takenOf } from './send.ts'

/** What the server gives each of its connections. */
export interface ConnectionOptions extends AnswerOptions {
  /** Answers what needs no `Request`; `undefined` sends it on to `fetch`. */
  shortcut: (request: PlainRequest) => ReadyAnswer | undefined
  /** Shared by all connections. */
  fairness: Fairness
}

/** What of a socket a connection uses. */
export interface ConnectionSocket {
  /** `undefined` when the client is gone already. */
  readonly remoteAddress: string | undefined
  /** Answers with how many bytes the system took; negative when the socket is closed. */
  write: (bytes: Uint8Array) => number
  pause: () => void
  resume: () => void
  /** Closes the sending side behind what was written. */
  shutdown: () => void
  /** Closes both sides behind what was written. */
  end: () => void
  /** Closes both sides at once. */
  terminate: () => void
}

/**
 * `reading`: between requests, or within a head. `answering`: one request is being answered, what comes
 * behind it waits. `lingering`: the last answer was sent; what still comes in is dropped, so that the client
 * gets to read that answer (RFC 9112 §9.6).
 */
type Phase = 'reading' | 'answering' | 'lingering' | 'closed'

const NOTHING = Buffer.alloc(0)
const CONTINUE = Buffer.from('HTTP/1.1 100 Continue\r\n\r\n')
/** Bytes of later requests that are taken in while one is being answered. */
const MAX_WAITING_BYTES = 64 * 1024
/** Bytes that are dropped behind the last answer. */
const MAX_LINGERING_BYTES = 64 * 1024 ** 2
/** Requests of one connection that are answered in a row before other connections get their turn. */
const MAX_IN_A_ROW = 32

/** A client's connection: requests come in, are answered one after another, and the answers go out in that order. */
export class Connection {
  readonly output: Output
  readonly #socket: ConnectionSocket
  readonly #options: ConnectionOptions
  readonly #peer: string
  readonly #way: Pick<Answering, 'options' | 'output' | 'peer'>
  #phase: Phase = 'reading'
  /** What has come in and was not looked at yet. */
  #input: Buffer = NOTHING
  /** The body that is coming in, whether or not anybody wants the rest of it. */
  #body: IncomingBody | undefined
  #isPaused = false
  /** Whether the answer that is under way, or the next, is the last one. */
  #isLast = false
  #hasClientEnded = false
  #received = 0
  #lingered = 0
  #heads = 0

  constructor(socket: ConnectionSocket, options: ConnectionOptions) {
    this.#socket = socket
    this.#options = options
    this.#peer = socket.remoteAddress ?? ''
    this.output = new Output(socket, options.fairness)
    this.#way = { options, output: this.output, peer: this.#peer }
  }

  get phase(): Phase {
    return this.#phase
  }

  /** Bytes that came in. */
  get received(): number {
    return this.#received
  }

  /** Heads that came in whole. */
  get heads(): number {
    return this.#heads
  }

  /** Whether the first head, or one of which a part has come, is being waited for. */
  get isInHead(): boolean {
    return this.#phase === 'reading' && !this.#body && (this.#input.length > 0 || this.#heads === 0)
  }

  /** Whether nothing happens until the client sends something. */
  get isWaitingForClient(): boolean {
    return this.#phase !== 'answering' || this.#body?.isHungry === true
  }

  /** Takes what came in. */
  take(chunk: Buffer): void {
    this.#received += chunk.length
    if (this.#phase === 'lingering') this.#linger(chunk.length)
    if (this.#phase === 'lingering' || this.#phase === 'closed') return
    const input = this.#body ? this.#feed(this.#body, chunk) : chunk
    this.#input = this.#input.length === 0 ? input : Buffer.concat([this.#input, input])
    this.#advance()
  }

  /** The client sends nothing more, but may still read. */
  clientEnded(): void {
    this.#hasClientEnded = true
    this.#body?.fail(clientLeft())
    if (this.#phase !== 'answering') this.leave()
  }

  /** The socket is closed. */
  closed(): void {
    this.#phase = 'closed'
    this.output.leave()
    this.#body?.fail(clientLeft())
  }

  /** Closes behind the answer that is under way, or at once when there is none. */
  finish(): void {
    this.#isLast = true
    if (this.#phase === 'reading') this.#close()
  }

  /** Closes at once, but what was answered in full may still arrive. */
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

  #linger(bytes: number): void {
    this.#lingered += bytes
    if (this.#lingered > MAX_LINGERING_BYTES) this.#cut()
  }

  /** Gives `body` its share of the input, and answers with what stands behind it. */
  #feed(body: IncomingBody, input: Buffer): Buffer {
    try {
      const rest = body.feed(input)
      if (rest) this.#body = undefined
      else if (body.isTooMuch) this.#cut()
      return rest ?? NOTHING
    } catch (error) {
      if (!(error instanceof MalformedBody)) throw error
      body.fail(refuseInvalid('The body of the request is not valid HTTP'))
      this.finish()
      return NOTHING
    }
  }

  /** Answers what has come in whole, up to the first answer that needs waiting. */
  #advance(): void {
    for (let answered = 0; this.#phase === 'reading' && !this.#body; answered += 1) {
      const found = this.#input.length === 0 ? undefined : readHead(this.#input)
      if (!found) break
      if (answered === MAX_IN_A_ROW) this.#run(() => new Promise((resolve) => setImmediate(resolve)))
      else {
        this.#heads += 1
        const { length } = found
        this.#input = length === this.#input.length ? NOTHING : this.#input.subarray(length)
        this.#begin(found.head)
      }
    }
    this.#regulate()
  }

  /** Takes in only what there is room for. */
  #regulate(): void {
    if (this.#phase === 'closed' || this.#phase === 'lingering') return
    const hasRoom = this.#body ? this.#body.isHungry : this.#input.length < MAX_WAITING_BYTES
    if (hasRoom !== this.#isPaused) return
    this.#isPaused = !hasRoom
    if (hasRoom) this.#socket.resume()
    else this.#socket.pause()
  }

  #begin(head: RequestHead | BadHead): void {
    if ('refusal' in head || !head.keepsAlive) this.#isLast = true
    const closes = () => this.#isLast || this.#hasClientEnded
    const ready = closes() ? undefined : this.#readyAnswer(head)
    if (ready) this.#send(ready)
    else if ('refusal' in head)
      this.#run(() => answerBadHead(head, { ...this.#way, knowsChunks: false, closes }))
    else
      this.#run(async () => {
        const body = head.bodyLength === 0 ? undefined : this.#beginBody(head)
        await this.output.turn(REQUEST_COST)
        const { knowsChunks } = head
        await answer(head, { ...this.#way, body, knowsChunks, closes }).finally(() => body?.drop())
      })
  }

  #readyAnswer(head: RequestHead | BadHead): ReadyAnswer | undefined {
    if ('refusal' in head || head.bodyLength !== 0) return undefined
    const { method, target, headers } = head
    try {
      return this.#options.shortcut({ method, target, headers, peer: this.#peer })
    } catch (error) {
      this.#options.onError(error)
      return undefined
    }
  }

  #send(ready: ReadyAnswer): void {
    const before = this.output.taken
    this.output.write(ready.bytes)
    if (ready.rest || this.output.isBlocked) this.#run(() => sendRest(ready, before, this.output))
    else {
      ready.onSent?.()
      ready.onDelivered(takenOf(ready, this.output.taken - before))
    }
  }

  #beginBody({ bodyLength, expectsContinue }: RequestHead): IncomingBody {
    const before = this.output.taken
    const wasLast = this.#isLast
    let isAsked = !expectsContinue
    // Who was not asked for the body may send it or not: nobody knows where the next request begins.
    this.#isLast ||= expectsContinue
    const body = new IncomingBody(bodyLength, () => {
      if (!isAsked && this.output.taken === before) {
        isAsked = true
        this.#isLast = wasLast
        this.output.write(CONTINUE)
      }
      this.#regulate()
    })
    this.#body = body
    this.#input = this.#feed(body, this.#input)
    return body
  }

  /** Waits for an answer, then goes on. */
  #run(answering: () => Promise<unknown>): void {
    this.#phase = 'answering'
    answering()
      .catch((error) => {
        this.#options.onError(error)
        if (this.#phase !== 'closed') this.#cut()
      })
      .finally(() => {
        if (this.#phase === 'closed') return
        this.#phase = 'reading'
        if (this.#isLast || this.#hasClientEnded) this.#close()
        else this.#advance()
      })
  }
}

const clientLeft = () => new DOMException('The client left', 'AbortError')
