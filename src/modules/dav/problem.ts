import { textOf } from '../../api/html.ts'
import { ERROR_CODE, type ErrorCode } from '../../platform/error-codes.ts'
import { Refusal } from '../../platform/errors.ts'

/** Preconditions that stand for a code (RFC 4331 §6). */
const PRECONDITIONS: Partial<Record<ErrorCode, string>> = {
  'quota-exceeded': 'quota-not-exceeded',
  'no-space': 'sufficient-disk-space',
}

/** Builds the response to a failure (RFC 4918 §8.7). A bug, which has no refusal, reveals nothing about itself. */
export function davProblem(refusal: Refusal | undefined): Response {
  const { message, status, reason, headers } = refusal ?? new Refusal('internal-server-error')
  const response = davError(status, message, namedBy(PRECONDITIONS[reason]))
  for (const [name, value] of Object.entries({ ...headers, [ERROR_CODE]: reason }))
    response.headers.set(name, value)
  return response
}

const namedBy = (name: string | undefined) => (name === undefined ? '' : `<D:${name}/>`)

/**
 * Builds a response with the preconditions that failed, and a message. Clients that show one look for that of SabreDAV.
 *
 * @param preconditions Elements of the namespace `DAV:` (RFC 4918 §16), with the prefix `D`.
 */
export const davError = (status: number, message: string, preconditions: string): Response =>
  new Response(
    `<?xml version="1.0" encoding="UTF-8"?>\n<D:error xmlns:D="DAV:" xmlns:s="http://sabredav.org/ns">${preconditions}<s:message>${textOf(message).markup}</s:message></D:error>`,
    { status, headers: { 'Content-Type': 'application/xml; charset=utf-8' } },
  )
