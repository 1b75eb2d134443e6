import type { ErrorCode } from './model.ts'

/** Failure of a call: the server refused it, or did not respond. */
export class HoldfastError extends Error {
  override readonly name = 'HoldfastError'
  /** HTTP status; 0 without a response. */
  readonly status: number
  /** Code of the server's `Error-Code`; `unreachable` without a response, undefined for a response of another server. */
  readonly code: ErrorCode | 'unreachable' | undefined
  /** Seconds of the response's `Retry-After`; 0 without one. */
  readonly retryAfterSeconds: number

  constructor(
    message: string,
    details: {
      status: number
      code?: HoldfastError['code']
      retryAfterSeconds?: number
      cause?: unknown
    },
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
 * @param headerOf Returns the value of a header; null without it.
 */
export function errorOf(
  status: number,
  body: string,
  headerOf: (name: string) => string | null,
): HoldfastError {
  const message = textAt(at(parse(body), 'error'), 'message') ?? `The server responded with ${status}`
  const retryAfter = Number(headerOf('Retry-After') ?? Number.NaN)
  return new HoldfastError(message, {
    status,
    retryAfterSeconds: Number.isNaN(retryAfter) ? 0 : Math.max(retryAfter, 1),
    // A newer server may know further codes.
    code: (headerOf('Error-Code') ?? undefined) as ErrorCode | undefined,
  })
}

/** Returns the error for a request without a whole response. An abort by the caller keeps its reason. */
export function unanswered(url: string, cause?: unknown, signal?: AbortSignal): unknown {
  if (signal?.aborted) return cause
  return new HoldfastError(`No response from ${url}`, { status: 0, code: 'unreachable', cause })
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
