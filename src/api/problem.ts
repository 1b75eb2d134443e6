import { Elysia, ParseError } from 'elysia'
import type { Static } from 'typebox'
import { exchangeOf, loggedPath } from '../http/exchange.ts'
import { ERROR_CODE } from '../platform/error-codes.ts'
import { DatabaseAway, Refusal, refusalOfMachine, refuseUnknown } from '../platform/errors.ts'
import type { Log } from '../platform/log.ts'
import { type AuthFailure, authCodeOf, type Failure, isAuthPath } from './schema.ts'

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

/** Builds the response to an error, as `build` writes it, and logs what the operator has to mend. */
export type ErrorResponder = (error: unknown, request: Request, build?: typeof problem) => Response

/** @param mayHaveChanged Returns true when a change of the request may have been committed before the error. */
export const createErrorResponder =
  (log: Log, mayHaveChanged: (request: Request) => boolean): ErrorResponder =>
  (error, request, build = problem) => {
    const known =
      error instanceof DatabaseAway && mayHaveChanged(request) ? refuseUnknown(error.cause) : error
    return build(
      toRefusal(known, (message, cause) => log.error(message, cause, fieldsOf(request))),
      request,
    )
  }

/** Returns the fields that identify a request in the log. */
const fieldsOf = (request: Request) => ({
  requestId: exchangeOf(request).requestId ?? '',
  method: request.method,
  path: loggedPath(new URL(request.url).pathname),
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
  if (allowed.length === 0) return new Refusal('not-found')
  const known = allowed.join(', ')
  return new Refusal('method-not-allowed', `${method} is not supported here. Use ${known}.`, {
    headers: { Allow: known },
  })
}

/** Builds the failure envelope. A bug, which has no refusal, reveals nothing about itself. */
export function problem(refusal: Refusal | undefined, request: Request): Response {
  const { message, status, reason, headers } = refusal ?? new Refusal('internal-server-error')
  const envelope: Static<typeof Failure> = { data: null, error: { message } }
  const body: Static<typeof Failure | typeof AuthFailure> = isAuthPath(new URL(request.url).pathname)
    ? { ...envelope, message, code: authCodeOf(reason) }
    : envelope
  return Response.json(body, { status, headers: { ...headers, [ERROR_CODE]: reason } })
}
