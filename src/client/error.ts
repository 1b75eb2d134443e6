/** Why a call failed: what the server said, or that it could not be asked. */
export class HoldfastError extends Error {
  override readonly name = 'HoldfastError'
  /** The HTTP status; 0 when there was no answer. */
  readonly status: number
  /** The server's machine-readable code, where it sends one; `UNREACHABLE` when there was no answer. */
  readonly code: string | undefined
  /** How long the server asked to be left alone, in seconds; 0 when it did not. */
  readonly retryAfterSeconds: number

  constructor(
    message: string,
    details: { status: number; code?: string | undefined; retryAfterSeconds?: number; cause?: unknown },
  ) {
    super(message, { cause: details.cause })
    this.status = details.status
    this.code = details.code
    this.retryAfterSeconds = details.retryAfterSeconds ?? 0
  }
}

/**
 * The error that a failed answer stands for, also when it comes from a proxy and is no envelope.
 *
 * @param retryAfter The seconds in its `Retry-After`; not a number when there are none.
 */
export function errorOf(status: number, body: string, retryAfter: number): HoldfastError {
  const sent = parse(body)
  const message = textAt(at(sent, 'error'), 'message') ?? `The server answered ${status}`
  return new HoldfastError(message, {
    status,
    retryAfterSeconds: Number.isNaN(retryAfter) ? 0 : retryAfter,
    code: textAt(at(sent, 'error'), 'code') ?? textAt(sent, 'code'),
  })
}

/** The same for a request that got no whole answer. One that its caller gave up stays what it is. */
export function unanswered(url: string, cause?: unknown, signal?: AbortSignal): unknown {
  if (signal?.aborted) return cause
  return new HoldfastError(`No answer from ${url}`, { status: 0, code: 'UNREACHABLE', cause })
}

/**
 * The `data` in the text of an answer that succeeded.
 *
 * @throws {HoldfastError} when it is no answer of Holdfast's, as where another website is at the address.
 */
export function dataIn<Data>(text: string, url: string): Data {
  const sent = parse(text)
  if (typeof sent !== 'object' || sent === null || !('data' in sent))
    throw new HoldfastError(`What answers at ${url} is not Holdfast`, { status: 200 })
  // What the server promises by its schemas, from which the types come.
  return sent.data as Data
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

const at = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined

function textAt(value: unknown, name: string): string | undefined {
  const text = at(value, name)
  return typeof text === 'string' ? text : undefined
}
