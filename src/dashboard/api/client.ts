import { treaty } from '@elysiajs/eden'
import type { App } from '../../app.ts'
import { texts } from '../texts.ts'

/** The public API, typed by the server's own route tree. Dates stay the text that they are. */
export const { api } = treaty<App>(location.origin, { parseDate: false })

/** A request that did not succeed; its message is for the user. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  /** 0 when the server could not be reached. */
  readonly status: number
  /** Seconds after which the server takes requests again; 0 when it did not say. */
  readonly retryAfter: number

  constructor(status: number, message: string, retryAfter: string | null = null) {
    super(message)
    this.status = status
    this.retryAfter = Number(retryAfter) || 0
  }
}

/** Seconds to wait after a 429 without `Retry-After`. */
const DEFAULT_WAIT_SECONDS = 5

/** Seconds until what was refused with 429 may be tried again; 0 for any other error. */
export const waitOf = (error: unknown): number =>
  error instanceof ApiError && error.status === 429 ? error.retryAfter || DEFAULT_WAIT_SECONDS : 0

export const isSignedOut = (error: unknown): boolean => error instanceof ApiError && error.status === 401

interface Answer<Data> {
  data: { data: Data } | null
  error: { status: unknown; value: unknown } | null
  response: Response | undefined
}

/** The `data` of an enveloped answer. @throws {ApiError} */
export async function call<Data>(answer: Promise<Answer<Data>>): Promise<Data> {
  const { data, error, response } = await answer
  if (data) return data.data
  const message = messageIn(error?.value) ?? texts.errors.unreachable
  throw new ApiError(response?.status ?? 0, message, response?.headers.get('Retry-After'))
}

/**
 * Reads a list. Lists are streamed by the server, so the route tree says nothing of their form and the
 * caller names it.
 *
 * @throws {ApiError}
 */
export async function readList<Data>(
  path: string,
  query: Record<string, string | number>,
  signal: AbortSignal,
): Promise<Data> {
  const parameters = Object.entries(query).map(([name, value]) => [name, String(value)])
  const response = await fetch(`${path}?${new URLSearchParams(parameters)}`, { signal }).catch((error) => {
    throw signal.aborted ? error : new ApiError(0, texts.errors.unreachable)
  })
  const body: unknown = await response.json().catch(() => undefined)
  if (!response.ok) {
    const message = messageIn(body) ?? texts.errors.unexpected
    throw new ApiError(response.status, message, response.headers.get('Retry-After'))
  }
  return (body as { data: Data }).data
}

/** The message of a failure envelope. */
export function messageIn(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null || !('error' in body)) return undefined
  const { error } = body
  if (typeof error !== 'object' || error === null || !('message' in error)) return undefined
  return typeof error.message === 'string' ? error.message : undefined
}

/** What to tell the user about anything that was thrown. */
export function explain(error: unknown): string {
  if (!(error instanceof ApiError)) return texts.errors.unexpected
  if (error.status === 429) return texts.errors.tooMany(waitOf(error))
  // What the disk refuses is a 500 that names the file and why.
  if (error.message === 'Internal server error') return texts.errors.unexpected
  if (error.message === 'Invalid origin') return texts.errors.origin(location.origin)
  return error.message
}
