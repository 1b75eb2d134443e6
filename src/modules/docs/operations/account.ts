import { success } from '../../../api/envelope.ts'
import type { Group } from '../described.ts'
import { ACCOUNT, API_KEY, FILE, KEY, OTHER_ID, PASSWORD, SECURITY_ENTRY, SESSION } from '../samples.ts'

const DONE = { done: success(null) }

export const ACCOUNT_GROUP: Group = {
  tag: 'Account',
  description: 'The caller’s own account, its password, sessions and history.',
  operations: {
    'GET /api/me': {
      id: 'getAccount',
      summary: 'Get the caller’s account',
      returns: {
        description: 'The account, and what this caller may do: with a key only what the key was made for.',
        examples: { 'an editor': success(ACCOUNT) },
      },
    },
    'PUT /api/me': {
      id: 'changeAccount',
      summary: 'Change the caller’s name or e-mail',
      description: 'A new e-mail is what the account signs in with from then on.',
      body: { name: 'Ada' },
      returns: { description: 'The account as it is now.', examples: { 'an editor': success(ACCOUNT) } },
      refusals: {
        400: ['"name" or "email" is required'],
        409: ['Another account uses this "email" already'],
      },
    },
    'PUT /api/me/password': {
      id: 'changePassword',
      summary: 'Change the caller’s password',
      description: 'With `revokeOtherSessions` every other device is signed out.',
      body: {
        currentPassword: PASSWORD,
        newPassword: 'a new and longer password',
        revokeOtherSessions: true,
      },
      returns: { description: 'It is changed.', examples: DONE },
      refusals: {
        400: ['"currentPassword" is not your current password'],
        429: ['Too many requests', 'Too many wrong passwords, try again later'],
      },
    },
    'GET /api/me/sessions': {
      id: 'listSessions',
      summary: 'List the devices that the caller is signed in on',
      returns: {
        description: 'The current one, then those most recently used.',
        examples: { 'one device': success({ sessions: [SESSION] }) },
      },
    },
    'DELETE /api/me/sessions': {
      id: 'endSessions',
      summary: 'Sign out one device, or every other one',
      description: 'With `id` that one, else with `others` all but the current one.',
      body: { others: true },
      returns: { description: 'They are signed out.', examples: DONE },
      refusals: {
        400: ['"id" or "others": true is required', '"id" is the session you are using: sign out to end it'],
        404: ['Session not found'],
      },
    },
    'GET /api/me/security': {
      id: 'listOwnSecurity',
      summary: 'List sign-ins and changes of the caller’s account',
      description:
        'The 200 most recent entries, newest first. They cannot be deleted, and are kept for 90 days or longer.',
      returns: {
        description: 'Its part of the security log.',
        examples: { 'a failed sign-in': success({ activities: [SECURITY_ENTRY] }) },
      },
      refusals: { 400: ['"before" is not an entry of this list'] },
    },
    'GET /api/activity': {
      id: 'listActivity',
      summary: 'List what the caller did, or the security log',
      description:
        'With `security=1` (takes `users:manage`) the entries are those of the security log of the instance: sign-ins, ' +
        'failed ones, and changes of passwords, e-mails, roles and keys, of all accounts or of `user`.',
      returns: {
        description: 'The 200 most recent entries, newest first.',
        examples: {
          'an upload': success({
            activities: [
              {
                id: OTHER_ID,
                type: 'upload.succeeded',
                target: FILE.name,
                detail: null,
                createdAt: FILE.createdAt,
              },
            ],
          }),
        },
      },
    },
    'DELETE /api/activity': {
      id: 'deleteActivity',
      summary: 'Delete entries of the caller’s history',
      description: 'With `ids` some of them, with `all` every one. Nothing else changes.',
      body: { ids: [OTHER_ID] },
      returns: { description: 'How many were deleted.', examples: { one: success({ deleted: 1 }) } },
      refusals: { 400: ['Either "ids" or "all": true is required'] },
    },
  },
}

export const KEYS: Group = {
  tag: 'API keys',
  description: 'The caller’s own keys, for programs: each carries some of the file scopes.',
  operations: {
    'GET /api/keys': {
      id: 'listKeys',
      summary: 'List the caller’s keys',
      returns: { description: 'The newest first.', examples: { 'one key': success({ keys: [KEY] }) } },
    },
    'POST /api/keys': {
      id: 'createKey',
      summary: 'Create a key',
      description:
        'The answer is the only time that its secret can be read. Without `expiresAt`, or with null, it never expires.',
      body: { name: KEY.name, scopes: KEY.scopes, expiresAt: null },
      returns: {
        description: 'The key, with the secret as `key`.',
        examples: { 'a new key': success({ key: { ...KEY, lastUsed: null, key: API_KEY } }) },
      },
      refusals: {
        400: ['"expiresAt" must be a date, or a date and time with its zone, in the future'],
        409: [`You have an API key named "${KEY.name}" already`],
      },
    },
    'PUT /api/keys': {
      id: 'renameKey',
      summary: 'Rename a key',
      body: { id: KEY.id, name: 'nightly backup' },
      returns: { description: 'It has the new name.', examples: DONE },
      refusals: {
        404: ['API key not found'],
        409: ['You have an API key named "nightly backup" already'],
      },
    },
    'DELETE /api/keys': {
      id: 'deleteKey',
      summary: 'Delete a key',
      description: 'The next request made with it is refused.',
      body: { id: KEY.id },
      returns: { description: 'It is gone.', examples: DONE },
      refusals: { 404: ['API key not found'] },
    },
  },
}
