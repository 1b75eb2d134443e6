import { success } from '../../../api/envelope.ts'
import type { Group } from '../described.ts'
import type { Answer } from '../document.ts'
import { ACCOUNT, OPEN_SESSION, PASSWORD, SIGNED_IN } from '../samples.ts'

const COOKIE: Answer['headers'] = {
  'Set-Cookie': {
    description: 'The session.',
    required: true,
    schema: { type: 'string' },
    example: 'better-auth.session_token=q3…; Max-Age=604800; Path=/; HttpOnly; SameSite=Lax',
  },
}

const inBothForms = (data: object) => ({ ...success(data), ...data })

const ORIGIN = ['Invalid origin', 'Missing or null Origin']

const SETUP_TOKEN = 'Registering takes the setup token of this instance as "setupToken"'

const document = (type: string, description: string, example: unknown): Answer => ({
  description,
  content: { [type]: { schema: {}, example } },
})

export const SYSTEM: Group = {
  tag: 'System',
  description: 'What anyone may ask.',
  operations: {
    'GET /api/health': {
      id: 'getHealth',
      summary: 'Tell whether the server runs',
      returns: {
        description: 'It runs.',
        examples: { running: success({ message: 'Holdfast is running' }) },
      },
      refusals: { 503: [] },
    },
    'GET /api/setup': {
      id: 'getSetup',
      summary: 'Get what a page must know before sign-in',
      returns: {
        description: 'The state of the instance, and if it accepts changes from the page that asks.',
        examples: {
          'a new instance': success({ needed: true, tokenRequired: false, originTrusted: true }),
          'a page that needs BASE_URL': success({
            needed: false,
            tokenRequired: false,
            originTrusted: false,
          }),
        },
      },
    },
    'GET /api/openapi.json': {
      id: 'getOpenApi',
      summary: 'Get this document',
      responses: {
        200: document('application/json', 'OpenAPI 3.1.', { openapi: '3.1.1', info: { title: 'Holdfast' } }),
      },
    },
    'GET /api/docs': {
      id: 'getDocs',
      summary: 'Read this document',
      responses: { 200: document('text/html', 'A page.', '<!doctype html>…') },
    },
  },
}

export const SIGN_IN: Group = {
  tag: 'Signing in',
  description:
    'For browsers and apps, in the words of better-auth’s clients: the fields stand in `data` and beside it, failures ' +
    'carry a `code`. A request with a cookie must name a trusted origin. Pages of other sites are refused with or ' +
    'without a cookie: by `Sec-Fetch-Site`, `Origin`, or `Referer` where there is no `Origin`.',
  operations: {
    'POST /api/auth/sign-up/email': {
      id: 'signUp',
      summary: 'Register the first account',
      description:
        'It is an admin. Afterwards registration is closed: admins add further accounts. Where `GET /api/setup` says ' +
        '`tokenRequired`, it takes the `setupToken` that the operator set or the start of the server printed.',
      body: { name: ACCOUNT.user.name, email: ACCOUNT.user.email, password: PASSWORD },
      returns: {
        description: 'The account, signed in.',
        headers: COOKIE,
        examples: { 'the first account': inBothForms(SIGNED_IN) },
      },
      refusals: {
        403: [...ORIGIN, 'Registration is closed: an administrator adds further accounts', SETUP_TOKEN],
      },
    },
    'POST /api/auth/sign-in/email': {
      id: 'signIn',
      summary: 'Sign in',
      description: 'Without `rememberMe` (true when left out) the cookie ends with the browser.',
      body: { email: ACCOUNT.user.email, password: PASSWORD, rememberMe: true },
      returns: {
        description: 'A new session.',
        headers: COOKIE,
        examples: { 'a session': { ...inBothForms(SIGNED_IN), redirect: false } },
      },
      refusals: {
        401: ['Invalid email or password'],
        403: ORIGIN,
        429: ['Too many requests', 'Too many wrong passwords, try again later'],
      },
    },
    'POST /api/auth/sign-out': {
      id: 'signOut',
      summary: 'Sign out',
      description: 'Also succeeds without a session.',
      returns: {
        description: 'The session is over.',
        headers: COOKIE,
        examples: { over: { ...success(null), success: true } },
      },
      refusals: { 403: ORIGIN },
    },
    'GET /api/auth/get-session': {
      id: 'getSession',
      summary: 'Get the session of this device',
      returns: {
        description: 'The session and its account, or null when signed out.',
        examples: { 'signed in': inBothForms(OPEN_SESSION), 'signed out': null },
      },
    },
  },
}
