import { Elysia } from 'elysia'
import * as T from 'typebox'
import type { Context } from '../../../access/context.ts'
import { ORIGIN } from '../../../access/origin.ts'
import { type Access, auth } from '../../../access/plugin.ts'
import { openRoute, route } from '../../../access/route.ts'
import type { Answer } from '../../../api/openapi/document.ts'
import { exampleOf } from '../../../api/openapi/examples.ts'
import { authRefusalAnswer } from '../../../api/openapi/refusals.ts'
import { toJsonSchema } from '../../../api/openapi/schemas.ts'
import { AuthFailure, inBothForms, oneOf } from '../../../api/schema.ts'
import { deviceOf } from '../../../http/exchange.ts'
import { ERROR_CODE, ERROR_CODES } from '../../../platform/error-codes.ts'
import { Refusal } from '../../../platform/errors.ts'
import {
  AnsweredAnswer,
  AskAnswer,
  AskBody,
  AskingAnswer,
  TokenAnswer,
  TokenBody,
  UserCodeBody,
  UserCodeQuery,
} from './model.ts'
import { ask, readAsking, redeem, respond, withLimits } from './service.ts'

const MANAGE: Access = { scope: 'api-keys:manage', by: 'session' }

const ASK = openRoute('Signing in', {
  id: 'askForKey',
  summary: 'Ask for an API key for a program',
  description:
    'The device grant of RFC 8628: the program shows `user_code` and `verification_uri` to its person, who approves it in ' +
    'the dashboard, and polls `POST /api/auth/device/token` meanwhile.',
  takes: AskBody,
  answer: AskAnswer,
  returns: 'The codes, valid for 10 minutes.',
  refusals: {
    400: ['"scope" must be of files:read files:write files:delete'],
    403: ORIGIN,
    429: ['Too many requests'],
  },
})

/** Refusals that RFC 8628 §3.5 has a code for. */
const OAUTH = ['authorization-pending', 'slow-down', 'access-denied', 'expired-token'] as const
const inOAuth = (code: string) => code.replaceAll('-', '_')

const OAuthFailure = T.Object({
  error: oneOf(OAUTH.map(inOAuth)),
  error_description: T.String({ examples: [ERROR_CODES['authorization-pending'][1]] }),
})
const FAILURE: Answer = {
  ...authRefusalAnswer(
    400,
    OAUTH.map((code) => ERROR_CODES[code][1]),
  ),
  content: {
    'application/json': {
      schema: toJsonSchema(T.Union([OAuthFailure, AuthFailure])),
      example: exampleOf(OAuthFailure),
    },
  },
}

const TOKEN = openRoute('Signing in', {
  id: 'pollForKey',
  summary: 'Get the API key of an approved program',
  description: 'Failures are those of RFC 8628 §3.5: `error` is a text. The key can be read once.',
  takes: TokenBody,
  answer: TokenAnswer,
  returns: 'The API key.',
  responses: { 400: FAILURE },
  refusals: { 403: ORIGIN, 429: ['Too many requests'] },
})

const UNKNOWN = ['No program waits with this code: it may have expired']

const READ_ASKING = route('Signing in', MANAGE, {
  id: 'getAskingProgram',
  summary: 'Get the program that asks with a code',
  query: UserCodeQuery,
  answer: AskingAnswer,
  returns: 'The program.',
  refusals: { 404: UNKNOWN, 429: ['Too many requests'] },
})

const APPROVE = route('Signing in', MANAGE, {
  id: 'approveProgram',
  summary: 'Approve a program',
  description:
    'The program gets an API key of the caller, named as the program is. Needs a sign-in or a confirmation of the last ' +
    '10 minutes.',
  takes: UserCodeBody,
  answer: AnsweredAnswer,
  returns: 'Approved.',
  refusals: {
    403: [...ORIGIN, 'Confirm that it is you, then try again'],
    404: UNKNOWN,
    429: ['Too many requests'],
  },
})

const DENY = route('Signing in', MANAGE, {
  id: 'denyProgram',
  summary: 'Deny a program',
  takes: UserCodeBody,
  answer: AnsweredAnswer,
  returns: 'Denied.',
  refusals: { 404: UNKNOWN, 429: ['Too many requests'] },
})

/** Builds `/api/auth/device`: programs that get an API key by the approval of a person. */
export function deviceRoutes(context: Context) {
  const deps = withLimits(context)
  const forPrograms = new Elysia()
    .onTransform(({ request }) => deps.origins.assertMaySign(request))
    .post('/code', async ({ body, request }) => inBothForms(await ask(deps, body, deviceOf(request))), {
      ...ASK,
    })
    .post('/token', ({ body }) => inTermsOfOAuth(redeem(deps, body.device_code)), { ...TOKEN })
  return new Elysia({ prefix: '/api/auth/device' })
    .use(forPrograms)
    .use(auth(context))
    .get('/', async ({ query, caller }) => inBothForms(await readAsking(deps, caller, query.user_code)), {
      ...READ_ASKING,
    })
    .post(
      '/approve',
      async ({ body, caller }) =>
        inBothForms(await respond(deps, caller, { userCode: body.userCode, state: 'approved' })),
      { ...APPROVE },
    )
    .post(
      '/deny',
      async ({ body, caller }) =>
        inBothForms(await respond(deps, caller, { userCode: body.userCode, state: 'denied' })),
      { ...DENY },
    )
}

/** Builds the response to a program: the result of `work`, or a failure as OAuth writes it (RFC 6749 §5.2). */
async function inTermsOfOAuth(work: Promise<object>): Promise<Response> {
  try {
    return Response.json(inBothForms(await work))
  } catch (error) {
    if (!(error instanceof Refusal) || !OAUTH.some((code) => code === error.reason)) throw error
    const body = { error: inOAuth(error.reason), error_description: error.message }
    return Response.json(body, { status: error.status, headers: { [ERROR_CODE]: error.reason } })
  }
}
