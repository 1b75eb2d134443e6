import { documented } from '../../api/openapi/described.ts'
import { ACCOUNT, PASSWORD, SECURITY_ENTRY, SESSION, STORAGE } from '../../api/openapi/samples.ts'
import { success } from '../../api/schema.ts'

const DONE = { done: success(null) }

/** `GET /api/me` */
export const getAccount = documented('Account', {
  id: 'getAccount',
  summary: 'Get the caller’s account',
  returns: {
    description: 'The account with the scopes of this caller; with an API key, only those of the key.',
    examples: { 'an editor': success(ACCOUNT) },
  },
})

/** `PUT /api/me` */
export const changeAccount = documented('Account', {
  id: 'changeAccount',
  summary: 'Change the caller’s name or e-mail',
  description: 'From then on the account signs in with the new e-mail.',
  body: { name: 'Ada' },
  returns: { description: 'The changed account.', examples: { 'an editor': success(ACCOUNT) } },
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
  body: {
    currentPassword: PASSWORD,
    newPassword: 'a new and longer password',
    revokeOtherSessions: true,
  },
  returns: { description: 'The password was changed.', examples: DONE },
  refusals: {
    400: ['"currentPassword" is not your current password'],
    429: ['Too many requests', 'Too many wrong passwords, try again later'],
  },
})

/** `GET /api/me/usage` */
export const getUsage = documented('Account', {
  id: 'getUsage',
  summary: 'Get the storage that the account uses',
  returns: { description: 'The storage, and its limit.', examples: { 'ten gigabytes': success(STORAGE) } },
})

/** `GET /api/me/sessions` */
export const listSessions = documented('Account', {
  id: 'listSessions',
  summary: 'List the devices that the caller is signed in on',
  returns: {
    description: 'The current session, then the others, most recently used first.',
    examples: { 'one device': success({ sessions: [SESSION] }) },
  },
})

/** `DELETE /api/me/sessions` */
export const endSessions = documented('Account', {
  id: 'endSessions',
  summary: 'Sign out one device, or every other one',
  description: 'Ends the session `id`, or with `others` all except the current one.',
  body: { others: true },
  returns: { description: 'The sessions have ended.', examples: DONE },
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
  returns: {
    description: 'The account’s entries of the security log.',
    examples: { 'a failed sign-in': success({ activities: [SECURITY_ENTRY] }) },
  },
  refusals: { 400: ['"before" is not an entry of this list'] },
})
