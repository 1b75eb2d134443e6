import { AuthFailure, Failure } from '../schema.ts'
import { contentRange } from './bytes.ts'
import type { Answer, Header, Reference } from './document.ts'
import { toJsonSchema } from './schemas.ts'

interface Refused {
  name: string
  description: string
  /** Example of the message. */
  message: string
  /** Example of the code for clients of the sign-in routes. */
  code: string
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

const refused = (
  name: string,
  description: string,
  message: string,
  more: Partial<Pick<Refused, 'code' | 'headers'>> = {},
): Refused => ({ name, description, message, code: message, ...more })

/** Refusals by their status. */
const REFUSED: Record<number, Refused> = {
  400: refused('Invalid', 'The request is not valid.', '"name" is required', { code: 'INVALID' }),
  401: refused('Unauthorized', 'Credentials are missing, expired or invalid.', 'Unauthorized', {
    code: 'INVALID_EMAIL_OR_PASSWORD',
  }),
  403: refused('Forbidden', 'The caller lacks a permission or a scope.', 'Invalid origin', {
    code: 'INVALID_ORIGIN',
  }),
  404: refused('NotFound', 'The resource does not exist.', 'Not found', { code: 'NOT_FOUND' }),
  408: refused('TooSlow', 'The body took too long to arrive.', 'The body took too long to arrive', {
    code: 'REQUEST_TIMEOUT',
  }),
  409: refused(
    'Conflict',
    'The request conflicts with the current state, such as a taken name.',
    'Something named "x" exists in this folder already',
    {
      code: 'CONFLICT',
    },
  ),
  412: refused('PreconditionFailed', 'A precondition failed.', 'The file does not match the precondition'),
  413: refused('TooLarge', 'The body is too large.', 'The body is larger than 1048576 bytes', {
    code: 'TOO_LARGE',
  }),
  415: refused(
    'UnsupportedMediaType',
    'The content type or coding is not supported.',
    'The body must not be compressed: send it without "Content-Encoding"',
    { headers: { 'Accept-Encoding': IDENTITY } },
  ),
  416: refused(
    'RangeNotSatisfiable',
    'The range starts after the end.',
    'The range starts after the end of the file',
    { headers: { 'Content-Range': contentRange('bytes */482113') } },
  ),
  429: refused('RateLimited', 'Too many requests in a minute.', 'Too many requests', {
    code: 'RATE_LIMITED',
    headers: { 'Retry-After': { ...RETRY_AFTER, required: true } },
  }),
  460: refused(
    'ChecksumMismatch',
    'The received bytes do not match their checksum.',
    'The bytes do not have the checksum that was sent with them',
  ),
  500: refused('Failed', 'Unexpected failure; the server’s log has the details.', 'Internal server error', {
    code: 'INTERNAL_SERVER_ERROR',
  }),
  503: refused(
    'Unavailable',
    'The server cannot handle the request now.',
    'Too many files are open, try again soon',
    {
      code: 'UNAVAILABLE',
      headers: { 'Retry-After': RETRY_AFTER },
    },
  ),
  507: refused('NoSpace', 'The volume or the account is full.', 'Not enough free space on the volume', {
    code: 'NO_SPACE',
  }),
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
  const { code, ...refused } = refusedWith(status)
  const [message = refused.message] = messages
  const example = { data: null, error: { message }, message, code }
  return {
    ...failure({ ...refused, code }, messages),
    content: { 'application/json': { schema: toJsonSchema(AuthFailure), example } },
  }
}

function refusedWith(status: number): Refused {
  const found = REFUSED[status]
  if (!found) throw new Error(`No refusal has the status ${status}`)
  return found
}

function failure({ description, message, headers }: Refused, messages: readonly string[]): Answer {
  const example = { data: null, error: { message: messages[0] ?? message } }
  return {
    description: [description, ...messages.map((text) => `“${text}”`)].join(' '),
    ...(headers && { headers }),
    content: { 'application/json': { schema: toJsonSchema(Failure), example } },
  }
}
