import { success } from '../../../api/envelope.ts'
import type { Group } from '../described.ts'
import { FILE, KEY, PASSWORD, SETTINGS, USER } from '../samples.ts'

const OWN = '"id" is your own account: another admin must change its role, password or status'

export const USERS: Group = {
  tag: 'Users',
  description: 'The accounts of the instance, for its admins.',
  operations: {
    'GET /api/users': {
      id: 'listUsers',
      summary: 'List the accounts',
      returns: { description: 'The oldest first.', examples: { 'one account': success({ users: [USER] }) } },
    },
    'POST /api/users': {
      id: 'createUser',
      summary: 'Add an account',
      description: '`scopes` are for the role `custom`: at least one, and never `users:manage`.',
      body: { name: USER.name, email: USER.email, password: PASSWORD, role: 'editor' },
      returns: { description: 'The new account.', examples: { 'an editor': success({ user: USER }) } },
      refusals: { 400: ['Another account uses this "email" already'] },
    },
    'PUT /api/users': {
      id: 'changeUser',
      summary: 'Change an account’s role, password or status',
      description:
        'What is left out stays. A role counts from the account’s next request on; a new password or a disabled ' +
        'account ends its sessions.',
      body: { id: USER.id, disabled: true },
      returns: {
        description: 'The account as it is now.',
        examples: { disabled: success({ user: { ...USER, disabled: true } }) },
      },
      refusals: { 400: ['"role", "password" or "disabled" is required', OWN], 404: ['User not found'] },
    },
    'DELETE /api/users': {
      id: 'deleteUser',
      summary: 'Delete an account',
      description: 'With its sessions, keys and history. The files that it uploaded stay.',
      body: { id: USER.id },
      returns: { description: 'It is gone.', examples: { gone: success(null) } },
      refusals: {
        400: ['"id" is your own account: another admin must delete it'],
        404: ['User not found'],
      },
    },
  },
}

export const INSTANCE: Group = {
  tag: 'Instance',
  description: 'Settings that hold for everyone, and what the dashboard shows.',
  operations: {
    'GET /api/settings': {
      id: 'getSettings',
      summary: 'Get the settings',
      returns: { description: 'The settings.', examples: { 'the settings': success(SETTINGS) } },
    },
    'PUT /api/settings': {
      id: 'changeSettings',
      summary: 'Change the settings',
      description: 'What is left out stays. Changes hold at once.',
      body: { defaultVisibility: 'private', limits: { activityRetentionDays: 30 } },
      returns: {
        description: 'The settings as they are now.',
        examples: { 'the settings': success({ ...SETTINGS, defaultVisibility: 'private' }) },
      },
      refusals: { 400: ['"defaultVisibility" or at least one of "limits" is required'] },
    },
    'POST /api/settings/apply-visibility': {
      id: 'applyVisibility',
      summary: 'Make every file public, or private',
      body: { visibility: 'private' },
      returns: { description: 'How many were changed.', examples: { some: success({ updated: 120 }) } },
    },
    'GET /api/stats': {
      id: 'getStats',
      summary: 'Get counts, traffic and alerts',
      description:
        'A section is null when its caller may not see it. Days are in UTC, the oldest first. New types of alerts may ' +
        'come: pass over those that you do not know.',
      returns: {
        description: 'What is stored, what was asked for, and what needs somebody’s attention.',
        examples: {
          'an editor': success({
            files: {
              total: 1,
              folders: 2,
              storage: { used: FILE.size, available: 52_428_800_000, capacity: 107_374_182_400 },
              types: [{ mimeType: FILE.mimeType, size: FILE.size, count: 1 }],
              largest: [FILE],
              recent: [FILE],
              visibility: { public: { count: 1, size: FILE.size }, private: { count: 0, size: 0 } },
              added: [{ date: '2026-11-02', count: 1, size: FILE.size }],
            },
            apiKeys: {
              total: 1,
              requests: [{ date: '2026-11-21', count: 12 }],
              keys: [{ id: KEY.id, name: KEY.name, requests: 12, lastUsed: KEY.lastUsed, expiresAt: null }],
            },
            hosting: {
              days: [{ date: '2026-11-21', requests: 40, bytes: 19_284_520, notFound: 1 }],
              top: [{ file: FILE, requests: 40, bytes: 19_284_520 }],
            },
            users: null,
            alerts: [{ type: 'uploads-failed', count: 2, latest: '2026-11-20 19:04:11' }],
          }),
        },
      },
    },
  },
}
