import { documented } from '../../api/openapi/described.ts'
import { PASSWORD, STORAGE, USER } from '../../api/openapi/samples.ts'
import { success } from '../../api/schema.ts'

const OWN = '"id" is your own account: another admin must change its role, password or status'

/** `GET /api/users` */
export const listUsers = documented('Users', {
  id: 'listUsers',
  summary: 'List the accounts',
  returns: { description: 'Oldest first.', examples: { 'one account': success({ users: [USER] }) } },
})

/** `GET /api/users/usage` */
export const listUsage = documented('Users', {
  id: 'listUsage',
  summary: 'List the use of the accounts',
  returns: {
    description: 'Oldest account first.',
    examples: {
      'one account': success({
        accounts: [{ id: USER.id, lastSeenAt: '2026-11-20T17:45:00.000Z', ...STORAGE }],
      }),
    },
  },
})

/** `PUT /api/users/quota` */
export const setQuota = documented('Users', {
  id: 'setQuota',
  summary: 'Limit the storage of an account',
  description:
    'Files, files in the trash and versions count for the account that sent them. What would exceed the quota is ' +
    'refused with 507; what is stored stays.',
  body: { id: USER.id, quota: STORAGE.quota },
  returns: { description: 'The storage of the account.', examples: { 'ten gigabytes': success(STORAGE) } },
  refusals: { 404: ['User not found'] },
})

/** `POST /api/users` */
export const createUser = documented('Users', {
  id: 'createUser',
  summary: 'Add an account',
  description: '`scopes` belong to the role `custom`: at least one, and never `users:manage`.',
  body: { name: USER.name, email: USER.email, password: PASSWORD, role: 'editor' },
  returns: { description: 'The new account.', examples: { 'an editor': success({ user: USER }) } },
  refusals: { 400: ['Another account uses this "email" already'] },
})

/** `PUT /api/users` */
export const changeUser = documented('Users', {
  id: 'changeUser',
  summary: 'Change an account’s role, password or status',
  description:
    'Omitted fields stay. A role applies from the account’s next request on. A new password, or disabling the ' +
    'account, ends its sessions. Its API keys go on unless `deleteKeys` is true.',
  body: { id: USER.id, disabled: true },
  returns: {
    description: 'The changed account.',
    examples: { disabled: success({ user: { ...USER, disabled: true } }) },
  },
  refusals: { 400: ['"role", "password" or "disabled" is required', OWN], 404: ['User not found'] },
})

/** `DELETE /api/users` */
export const deleteUser = documented('Users', {
  id: 'deleteUser',
  summary: 'Delete an account',
  description: 'Also deletes its sessions, API keys and history. The files that it uploaded stay.',
  body: { id: USER.id },
  returns: { description: 'Deleted.', examples: { gone: success(null) } },
  refusals: {
    400: ['"id" is your own account: another admin must delete it'],
    404: ['User not found'],
  },
})
