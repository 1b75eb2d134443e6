import { documented } from '../../api/openapi/described.ts'

/** `GET /api/me` */
export const getAccount = documented('Account', {
  id: 'getAccount',
  summary: 'Get the caller’s account',
  returns: 'The account with the scopes of this caller; with an API key, only those of the key.',
})

/** `PUT /api/me` */
export const changeAccount = documented('Account', {
  id: 'changeAccount',
  summary: 'Change the caller’s name or e-mail',
  description: 'From then on the account signs in with the new e-mail.',
  body: { name: 'Ada' },
  returns: 'The changed account.',
  refusals: {
    400: ['"name" or "email" is required'],
    409: ['Another account uses this "email" already'],
  },
})

/** `PUT /api/me/password` */
export const changePassword = documented('Account', {
  id: 'changePassword',
  summary: 'Change the caller’s password',
  description: '`revokeOtherSessions` signs out every other device.',
  returns: 'The password was changed.',
  refusals: {
    400: ['"currentPassword" is not your current password'],
    429: ['Too many requests', 'Too many wrong passwords, try again later'],
  },
})

/** `GET /api/me/usage` */
export const getUsage = documented('Account', {
  id: 'getUsage',
  summary: 'Get the storage that the account uses',
  returns: 'The storage, and its limit.',
})

/** `GET /api/me/sessions` */
export const listSessions = documented('Account', {
  id: 'listSessions',
  summary: 'List the devices that the caller is signed in on',
  returns: 'The current session, then the others, most recently used first.',
})

/** `DELETE /api/me/sessions` */
export const endSessions = documented('Account', {
  id: 'endSessions',
  summary: 'Sign out one device, or every other one',
  description: 'Ends the session `id`, or with `others` all except the current one.',
  body: { others: true },
  returns: 'The sessions have ended.',
  refusals: {
    400: ['"id" or "others": true is required', '"id" is the session you are using: sign out to end it'],
    404: ['Session not found'],
  },
})

/** `GET /api/me/security` */
export const listOwnSecurity = documented('Account', {
  id: 'listOwnSecurity',
  summary: 'List sign-ins and changes of the caller’s account',
  description:
    'The 200 most recent entries, newest first. They cannot be deleted, and are kept for 90 days or longer.',
  returns: 'The account’s entries of the security log.',
  refusals: { 400: ['"before" is not an entry of this list'] },
})
