import { Elysia, ParseError } from 'elysia'
import type { Static } from 'typebox'
import { exchangeOf } from '../http/exchange.ts'
import { DatabaseAway, type Reason, Refusal, refusalOfMachine, refuseUnknown } from '../platform/errors.ts'
import type { Log } from '../platform/log.ts'
import { type AuthFailure, type Failure, isAuthPath } from './schema.ts'

const STATUS: Record<Reason, number> = {
  invalid: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  conflict: 409,
  precondition_failed: 412,
  too_large: 413,
  unsupported_media_type: 415,
  range_not_satisfiable: 416,
  rate_limited: 429,
  header_too_large: 431,
  /** Status of the tus extension Checksum. */
  checksum_mismatch: 460,
  disk_refused: 500,
  not_implemented: 501,
  unavailable: 503,
  version_not_supported: 505,
  no_space: 507,
}

interface ProblemOptions {
  respondTo: ErrorResponder
  /** Returns the methods of the route at this path; empty when there is no such route. */
  methodsAt: (path: string) => string[]
}

/** Turns every error, ours or the framework's, into the failure envelope. */
export function problems({ respondTo, methodsAt }: ProblemOptions) {
  return new Elysia({ name: 'problems' })
    .error({ REFUSAL: Refusal })
    .onError({ as: 'global' }, ({ code, error, request }) => {
      if (code === 'NOT_FOUND') return problem(unknownRoute(request, methodsAt), request)
      return respondTo(error, request)
    })
}

/** Builds the response to an error, and logs what the operator has to mend. */
export type ErrorResponder = (error: unknown, request: Request) => Response

/** @param mayHaveChanged Returns true when a change of the request may have been committed before the error. */
export const createErrorResponder =
  (log: Log, mayHaveChanged: (request: Request) => boolean): ErrorResponder =>
  (error, request) => {
    const known =
      error instanceof DatabaseAway && mayHaveChanged(request) ? refuseUnknown(error.cause) : error
    return problem(
      toRefusal(known, (message, cause) => log.error(message, cause, fieldsOf(request))),
      request,
    )
  }

/** Returns the fields that identify a request in the log. */
const fieldsOf = (request: Request) => ({
  requestId: exchangeOf(request).requestId ?? '',
  method: request.method,
  path: new URL(request.url).pathname,
})

type Report = (message: string, error: unknown) => void

function toRefusal(error: unknown, report: Report): Refusal | undefined {
  if (error instanceof Refusal) {
    if (error.cause !== undefined) report(error.message, error.cause)
    return error
  }
  // Errors of a body parser arrive wrapped.
  if (error instanceof ParseError) return toRefusal(error.cause, report)
  const refusal = refusalOfMachine(error)
  report(refusal?.message ?? 'A request failed unexpectedly', error)
  return refusal
}

function unknownRoute({ url, method }: Request, methodsAt: ProblemOptions['methodsAt']): Refusal {
  const allowed = methodsAt(new URL(url).pathname)
  if (allowed.length === 0) return new Refusal('not_found', 'Not found')
  return new Refusal('method_not_allowed', `${method} is not allowed here`, {
    headers: { Allow: allowed.join(', ') },
  })
}

/** Builds the failure envelope. A bug, which has no refusal, reveals nothing about itself. */
export function problem(refusal: Refusal | undefined, request: Request): Response {
  const message = refusal?.message ?? 'Internal server error'
  const status = refusal ? STATUS[refusal.reason] : 500
  const envelope: Static<typeof Failure> = { data: null, error: { message } }
  const body: Static<typeof Failure | typeof AuthFailure> = isAuthPath(new URL(request.url).pathname)
    ? { ...envelope, message, code: refusal?.clientCode ?? codeOf(refusal) }
    : envelope
  return Response.json(body, { status, headers: refusal?.headers ?? {} })
}

const codeOf = (refusal: Refusal | undefined) => (refusal?.reason ?? 'internal_server_error').toUpperCase()
