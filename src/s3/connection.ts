import type { Clock } from '../platform/clock.ts'
import type { Random } from '../platform/random.ts'
import { Slots } from '../platform/slots.ts'
import { EMPTY_SHA256, encodePath, encodeQuery } from '../sigv4/sigv4.ts'
import { Deadline } from './deadline.ts'
import { errorOfStatus, S3Error } from './error.ts'
import { Incoming } from './incoming.ts'
import { outgoingBody, type Payload } from './payload.ts'
import { type Credentials, Signer } from './signature.ts'

/** Bucket of an S3-compatible store, and the account that may use it. */
export interface S3Location extends Credentials {
  /** Address of the store, `https://` or `http://`, with an optional path. */
  endpoint: string
  bucket: string
  /** Bucket as the first label of the host name, not as the first segment of the path. */
  isVirtualHosted: boolean
}

/** Longest waits in milliseconds. */
export interface Patience {
  /** Wait from the request, or from its last byte, to the head of the response. */
  headMs: number
  /** Wait for the head when the store has to copy or join bytes. */
  workMs: number
  /** Wait from one chunk of a body to the next. */
  chunkMs: number
  /** Pauses before the second, third, … try. Each is lengthened by up to its half, at random. */
  pausesMs: readonly number[]
}

const PATIENCE: Patience = { headMs: 10_000, workMs: 120_000, chunkMs: 30_000, pausesMs: [200, 1000] }

export interface S3Options {
  clock: Clock
  random: Random
  patience?: Partial<Patience>
}

export interface S3Request {
  method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE'
  /** Name of the object; the bucket itself when missing. */
  key?: string
  query?: Readonly<Record<string, string>>
  headers?: Readonly<Record<string, string>>
  payload?: Payload
  /** True when the store needs time in proportion to the object. */
  isWork?: boolean
  /** Aborted when nothing waits for the response any more. */
  leaving?: AbortSignal
}

/** Requests without a body that wait for a response at a time. A store that hangs holds no more of them. */
const MAX_WAITING = 64

/** Maximum length of a body for which the deadline is not extended while it is sent, in bytes. */
const SHORT_BYTES = 256 * 1024

const NEVER = new AbortController().signal

/** Signed requests to one bucket, with deadlines and retries. Redirects are never followed. */
export class S3Connection {
  readonly #location: S3Location
  readonly #options: S3Options
  readonly #patience: Patience
  readonly #signer: Signer
  readonly #base: string
  readonly #slots: Slots

  constructor(location: S3Location, options: S3Options) {
    this.#location = location
    this.#options = options
    this.#patience = { ...PATIENCE, ...options.patience }
    this.#signer = new Signer(location)
    this.#base = baseOf(location)
    this.#slots = new Slots({
      count: MAX_WAITING,
      maxWaiting: 1024,
      maxWaitMs: this.#patience.headMs,
      busy: 'The store of file contents is too slow, try again soon',
    })
  }

  /** Returns a method with the bucket and its endpoint, for messages. */
  #inWords(method: string): string {
    const { bucket, endpoint } = this.#location
    return `${method} of the bucket "${bucket}" at ${new URL(endpoint).origin}`
  }

  get bucket(): string {
    return this.#location.bucket
  }

  /**
   * Sends a request and uses its response, which must have one of the expected statuses. After a lost connection or a
   * status that passes, it tries again, `use` included.
   *
   * @param use Consumes the response, also when it throws. `attempt` counts from 1.
   * @throws {S3Error}
   */
  async run<Result>(
    request: S3Request,
    expected: readonly number[],
    use: (incoming: Incoming, attempt: number) => Result | Promise<Result>,
  ): Promise<Result> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await use(await this.#send(request, expected), attempt)
      } catch (error) {
        const pauseMs = this.#patience.pausesMs[attempt - 1]
        const mayRetry = error instanceof S3Error && error.isTransient && !request.leaving?.aborted
        if (!mayRetry || pauseMs === undefined) throw error
        await Bun.sleep(pauseMs + (pauseMs / 512) * (this.#options.random.bytes(1)[0] ?? 0))
      }
    }
  }

  async #send(request: S3Request, expected: readonly number[]): Promise<Incoming> {
    // Requests with a body are bounded by the caller, which has the bytes.
    const release = request.payload ? undefined : await this.#slots.take(request.leaving ?? NEVER)
    try {
      const incoming = await this.#fetch(request)
      if (expected.includes(incoming.status)) return incoming
      const code = request.method === 'HEAD' ? undefined : await incoming.errorCode()
      throw errorOfStatus(this.#inWords(request.method), incoming.status, code)
    } finally {
      release?.()
    }
  }

  async #fetch({ method, key, query, headers, payload, isWork, leaving }: S3Request): Promise<Incoming> {
    const { headMs, workMs, chunkMs } = this.#patience
    const search = query ? `?${encodeQuery(Object.entries(query))}` : ''
    const url = new URL(`${this.#base}${key === undefined ? '' : `/${encodePath(key)}`}${search}`)
    const signed = this.#signer.sign({
      method,
      url,
      headers: { ...headers, ...(payload && { 'content-length': String(payload.size) }) },
      payloadSha256: payload?.sha256 ?? EMPTY_SHA256,
      now: this.#options.clock.now(),
    })
    const deadline = new Deadline(this.#options.clock.monotonic, leaving)
    deadline.renew(isWork ? workMs : headMs)
    // Bytes in the buffers of the connection have left this process but may not have arrived.
    const isLong = payload !== undefined && payload.size > SHORT_BYTES
    const onProgress = isLong ? (bytes: number) => deadline.awaitChunk(bytes, chunkMs) : () => {}
    deadline.beginBody(chunkMs)
    try {
      const response = await fetch(url, {
        method,
        headers: { ...signed, 'accept-encoding': 'identity' },
        ...(payload && { body: outgoingBody(payload, onProgress) }),
        redirect: 'manual',
        signal: deadline.signal,
      })
      deadline.clear()
      return new Incoming({ method: this.#inWords(method), response, deadline, chunkMs })
    } catch (error) {
      throw deadline.failure(this.#inWords(method), error)
    }
  }
}

function baseOf({ endpoint, bucket, isVirtualHosted }: S3Location): string {
  const url = new URL(endpoint)
  const path = url.pathname.replace(/\/+$/, '')
  return isVirtualHosted
    ? `${url.protocol}//${bucket}.${url.host}${path}`
    : `${url.protocol}//${url.host}${path}/${encodePath(bucket)}`
}
