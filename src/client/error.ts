/** Failure of a call: the server refused it, or did not respond. */
export class HoldfastError extends Error {
  override readonly name = 'HoldfastError'
  /** HTTP status; 0 without a response. */
  readonly status: number
  /** Machine-readable code, where the server sends one; `UNREACHABLE` without a response. */
  readonly code: string | undefined
  /** Seconds of the response's `Retry-After`; 0 without one. */
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
 * Returns the error for a failed response, also for one of a proxy.
 *
 * @param retryAfter Seconds of its `Retry-After`; NaN without one.
 */
export function errorOf(status: number, body: string, retryAfter: number): HoldfastError {
  const sent = parse(body)
  const message = textAt(at(sent, 'error'), 'message') ?? `The server responded with ${status}`
  return new HoldfastError(message, {
    status,
    retryAfterSeconds: Number.isNaN(retryAfter) ? 0 : retryAfter,
    code: textAt(at(sent, 'error'), 'code') ?? textAt(sent, 'code'),
  })
}

/** Returns the error for a request without a whole response. An abort by the caller keeps its reason. */
export function unanswered(url: string, cause?: unknown, signal?: AbortSignal): unknown {
  if (signal?.aborted) return cause
  return new HoldfastError(`No response from ${url}`, { status: 0, code: 'UNREACHABLE', cause })
}

/**
 * Returns the `data` in the text of a successful response.
 *
 * @throws {HoldfastError} when another website responds at the address.
 */
export function dataIn<Data>(text: string, url: string): Data {
  const sent = parse(text)
  if (typeof sent !== 'object' || sent === null || !('data' in sent))
    throw new HoldfastError(`The server at ${url} is not Holdfast`, { status: 200 })
  // The types come from the schemas that the server validates its responses with.
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
