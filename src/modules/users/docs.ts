import { documented } from '../../api/openapi/described.ts'
import { ACCOUNT } from '../../api/openapi/samples.ts'

const OWN = '"id" is your own account: another admin must change its role, password or status'

/** `GET /api/users` */
export const listUsers = documented('Users', {
  id: 'listUsers',
  summary: 'List the accounts',
  returns: 'Oldest first.',
})

/** `GET /api/users/usage` */
export const listUsage = documented('Users', {
  id: 'listUsage',
  summary: 'List the use of the accounts',
  returns: 'Oldest account first.',
})

/** `PUT /api/users/quota` */
export const setQuota = documented('Users', {
  id: 'setQuota',
  summary: 'Limit the storage of an account',
  description:
    'Files, files in the trash and versions count for the account that sent them. What would exceed the quota is ' +
    'refused with 507; what is stored stays.',
  returns: 'The storage of the account.',
  refusals: { 404: ['User not found'] },
})

/** `POST /api/users` */
export const createUser = documented('Users', {
  id: 'createUser',
  summary: 'Add an account',
  description: '`scopes` belong to the role `custom`: at least one, and never `users:manage`.',
  returns: 'The new account.',
  refusals: { 400: ['Another account uses this "email" already'] },
})

/** `PUT /api/users` */
export const changeUser = documented('Users', {
  id: 'changeUser',
  summary: 'Change an account’s role, password or status',
  description:
    'Omitted fields stay. A role applies from the account’s next request on. A new password, or disabling the ' +
    'account, ends its sessions. Its API keys go on unless `deleteKeys` is true.',
  body: { id: ACCOUNT.user.id, disabled: true },
  returns: { description: 'The changed account.', data: { user: { disabled: true } } },
  refusals: { 400: ['"role", "password" or "disabled" is required', OWN], 404: ['User not found'] },
})

/** `DELETE /api/users` */
export const deleteUser = documented('Users', {
  id: 'deleteUser',
  summary: 'Delete an account',
  description: 'Also deletes its sessions, API keys and history. The files that it uploaded stay.',
  returns: 'Deleted.',
  refusals: {
    400: ['"id" is your own account: another admin must delete it'],
    404: ['User not found'],
  },
})
