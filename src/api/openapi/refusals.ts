import { ERROR_CODE, ERROR_CODE_LIST, ERROR_CODES, type ErrorCode } from '../../platform/error-codes.ts'
import { AuthFailure, authCodeOf, ErrorCode as ErrorCodeSchema, Failure } from '../schema.ts'
import { contentRange } from './bytes.ts'
import type { Answer, Header, Reference } from './document.ts'
import { toJsonSchema } from './schemas.ts'

interface Refused {
  name: string
  description: string
  /** Code of the example, and its message. */
  code: ErrorCode
  message: string
  headers?: Record<string, Header>
}

const RETRY_AFTER: Header = {
  description: 'Whole seconds until the next try.',
  schema: { type: 'integer', minimum: 1 },
  example: 42,
}

const IDENTITY: Header = {
  description: 'Codings that a body may have, where it had another (RFC 9110 §15.5.16).',
  schema: { type: 'string' },
  example: 'identity',
}

/** @param message Message of the example; without one, the meaning of the code. */
const refused = (
  name: string,
  description: string,
  code: ErrorCode,
  { message = ERROR_CODES[code][1], headers }: Partial<Pick<Refused, 'message' | 'headers'>> = {},
): Refused => ({ name, description, code, message, ...(headers && { headers }) })

/** Refusals by their status. */
const REFUSED: Record<number, Refused> = {
  400: refused('Invalid', 'The request is not valid.', 'invalid', { message: '"name" is required' }),
  401: refused('Unauthorized', 'Credentials are missing, expired or invalid.', 'unauthorized'),
  403: refused('Forbidden', 'The caller lacks a permission or a scope.', 'scope-missing', {
    message: 'Missing required scope "files:write"',
  }),
  404: refused('NotFound', 'The resource does not exist.', 'not-found'),
  408: refused('TooSlow', 'The body took too long to arrive.', 'request-timeout'),
  409: refused(
    'Conflict',
    'The request conflicts with the current state, such as a taken name.',
    'name-taken',
    { message: 'Something named "x" exists in this folder already' },
  ),
  410: refused('Gone', 'The link was used, or has ended.', 'upload-link-ended'),
  412: refused('PreconditionFailed', 'A precondition failed.', 'precondition-failed'),
  413: refused('TooLarge', 'The body is too large.', 'too-large', {
    message: 'The body is larger than 1048576 bytes',
  }),
  415: refused(
    'UnsupportedMediaType',
    'The content type or coding is not supported.',
    'unsupported-media-type',
    {
      message: 'The body must not be compressed: send it without "Content-Encoding"',
      headers: { 'Accept-Encoding': IDENTITY },
    },
  ),
  416: refused('RangeNotSatisfiable', 'The range starts after the end.', 'range-not-satisfiable', {
    headers: { 'Content-Range': contentRange('bytes */482113') },
  }),
  429: refused('RateLimited', 'Too many requests in a minute.', 'rate-limited', {
    headers: { 'Retry-After': { ...RETRY_AFTER, required: true } },
  }),
  460: refused('ChecksumMismatch', 'The received bytes do not match their checksum.', 'checksum-mismatch'),
  500: refused('Failed', 'Unexpected failure; the server’s log has the details.', 'internal-server-error'),
  503: refused('Unavailable', 'The server cannot handle the request now.', 'unavailable', {
    message: 'Too many files are open, try again soon',
    headers: { 'Retry-After': RETRY_AFTER },
  }),
  507: refused('NoSpace', 'The volume or the account is full.', 'no-space'),
}

/** Returns the refusals that need no text of a route, by their names. */
export const namedRefusals = (): Record<string, Answer> =>
  Object.fromEntries(Object.values(REFUSED).map((refused) => [refused.name, failure(refused, [])]))

/** Describes the response of a status with the route's `messages`; browsers may see a page instead. */
export function refusalAnswer(
  status: number,
  messages: readonly string[],
  hasPage = false,
): Answer | Reference {
  const refused = refusedWith(status)
  if (hasPage) return withPage(failure(refused, messages))
  return messages.length === 0
    ? { $ref: `#/components/responses/${refused.name}` }
    : failure(refused, messages)
}

const withPage = (answer: Answer): Answer => ({
  ...answer,
  content: { ...answer.content, 'text/html': { schema: { type: 'string' }, example: '<!doctype html>…' } },
})

/** Like `refusalAnswer`, for the sign-in routes. */
export function authRefusalAnswer(status: number, messages: readonly string[]): Answer {
  const refused = refusedWith(status)
  const { code, message } = exampleFor(refused, messages)
  const example = { data: null, error: { message }, message, code: authCodeOf(code) }
  return {
    ...failure(refused, messages),
    content: { 'application/json': { schema: toJsonSchema(AuthFailure), example } },
  }
}

function refusedWith(status: number): Refused {
  const found = REFUSED[status]
  if (!found) throw new Error(`No refusal has the status ${status}`)
  return found
}

/** Returns the first of the route's messages with its code, or the example of the status. */
function exampleFor({ code, message }: Refused, [first]: readonly string[]) {
  if (first === undefined) return { code, message }
  const meant = ERROR_CODE_LIST.find((known) => ERROR_CODES[known][1] === first)
  return { code: meant ?? code, message: first }
}

function failure(refused: Refused, messages: readonly string[]): Answer {
  const { code, message } = exampleFor(refused, messages)
  return {
    description: [refused.description, ...messages.map((text) => `“${text}”`)].join(' '),
    headers: {
      ...refused.headers,
      [ERROR_CODE]: {
        description: 'Code of the failure, for programs.',
        required: true,
        schema: toJsonSchema(ErrorCodeSchema),
        example: code,
      },
    },
    content: {
      'application/json': { schema: toJsonSchema(Failure), example: { data: null, error: { message } } },
    },
  }
}
