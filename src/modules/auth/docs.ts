import { ORIGIN } from '../../access/origin.ts'
import { COOKIE } from '../../access/plugin.ts'
import { documented } from '../../api/openapi/described.ts'

const SETUP_TOKEN = 'Registering requires the setup token of this instance as "setupToken"'

/** `POST /api/auth/sign-up/email` */
export const signUp = documented('Signing in', {
  id: 'signUp',
  summary: 'Register the first account',
  description:
    'Creates an admin. Afterwards registration is closed: admins add further accounts. If `GET /api/setup` returns ' +
    '`tokenRequired`, send the `setupToken` that the operator set or that the server printed at its start.',
  returns: { description: 'The account, signed in.', headers: COOKIE },
  refusals: {
    403: [...ORIGIN, 'Registration is closed: an administrator adds further accounts', SETUP_TOKEN],
  },
})

/** `POST /api/auth/sign-in/email` */
export const signIn = documented('Signing in', {
  id: 'signIn',
  summary: 'Sign in',
  description: 'With `rememberMe: false` the cookie ends with the browser; true by default.',
  returns: { description: 'A new session.', headers: COOKIE },
  refusals: {
    401: ['Invalid email or password'],
    403: ORIGIN,
    429: ['Too many requests', 'Too many wrong passwords, try again later'],
  },
})

/** `POST /api/auth/sign-out` */
export const signOut = documented('Signing in', {
  id: 'signOut',
  summary: 'Sign out',
  description: 'Also succeeds without a session.',
  returns: { description: 'The session has ended.', headers: COOKIE },
  refusals: { 403: ORIGIN },
})

/** `GET /api/auth/get-session` */
export const getSession = documented('Signing in', {
  id: 'getSession',
  summary: 'Get the session of this device',
  returns: 'The session and its account, or null when signed out.',
})
