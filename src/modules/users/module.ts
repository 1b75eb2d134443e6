import { Elysia } from 'elysia'
import type { Context } from '../../access/context.ts'
import { type Access, auth } from '../../access/plugin.ts'
import { takes } from '../../api/body.ts'
import { documented } from '../../api/openapi/described.ts'
import { ACCOUNT } from '../../api/openapi/samples.ts'
import { done, emptyEnvelope, success } from '../../api/schema.ts'
import { alsoAtStart } from '../../platform/jobs.ts'
import type { UserRow } from '../../store/rows.ts'
import {
  ChangeUserBody,
  CreateUserBody,
  DeleteUserBody,
  QuotaAnswer,
  QuotaBody,
  UsageAnswer,
  UserAnswer,
  UsersAnswer,
  usageView,
  userView,
} from './model.ts'
import { changeUser, createUser, deleteUser, removeRetired, setQuota } from './service.ts'

const OWN = '"id" is your own account: another admin must change its role, password or status'

const ADMIN: Access = { scope: 'users:manage', by: 'session' }

/** Builds `/api/users`: the instance's accounts, for its admins. */
function userRoutes(deps: Context) {
  const { users } = deps.store
  const view = async (user: UserRow) => userView(user, await users.countKeys(user.id))
  return new Elysia({ prefix: '/api/users' })
    .use(auth(deps))
    .get('/', async () => success({ users: await Promise.all((await users.all()).map(view)) }), {
      ...documented('Users', {
        id: 'listUsers',
        summary: 'List the accounts',
        returns: 'Oldest first.',
      }),
      access: ADMIN,
      response: { 200: UsersAnswer },
    })
    .get('/usage', async () => success({ accounts: await listUsage(deps) }), {
      ...documented('Users', {
        id: 'listUsage',
        summary: 'List the use of the accounts',
        returns: 'Oldest account first.',
      }),
      access: ADMIN,
      response: { 200: UsageAnswer },
    })
    .put('/quota', async ({ caller, body }) => success(await setQuota(deps, caller, body)), {
      ...documented('Users', {
        id: 'setQuota',
        summary: 'Limit the storage of an account',
        description:
          'Files, files in the trash and versions count for the account that sent them. What would exceed the quota is ' +
          'refused with 507; what is stored stays.',
        returns: 'The storage of the account.',
        refusals: { 404: ['User not found'] },
      }),
      access: ADMIN,
      ...takes(QuotaBody),
      response: { 200: QuotaAnswer },
    })
    .post(
      '/',
      async ({ caller, body }) => success({ user: await view(await createUser(deps, caller, body)) }),
      {
        ...documented('Users', {
          id: 'createUser',
          summary: 'Add an account',
          description: '`scopes` belong to the role `custom`: at least one, and never `users:manage`.',
          returns: 'The new account.',
          refusals: { 400: ['Another account uses this "email" already'] },
        }),
        access: ADMIN,
        ...takes(CreateUserBody),
        response: { 200: UserAnswer },
      },
    )
    .put(
      '/',
      async ({ caller, body }) => success({ user: await view(await changeUser(deps, caller, body)) }),
      {
        ...documented('Users', {
          id: 'changeUser',
          summary: 'Change an account’s role, password or status',
          description:
            'Omitted fields stay. A role applies from the account’s next request on. A new password, or disabling the ' +
            'account, ends its sessions. Its API keys go on unless `deleteKeys` is true.',
          body: { id: ACCOUNT.user.id, disabled: true },
          returns: { description: 'The changed account.', data: { user: { disabled: true } } },
          refusals: { 400: ['"role", "password" or "disabled" is required', OWN], 404: ['User not found'] },
        }),
        access: ADMIN,
        ...takes(ChangeUserBody),
        response: { 200: UserAnswer },
      },
    )
    .delete('/', ({ caller, body }) => done(deleteUser(deps, caller, body.id)), {
      ...documented('Users', {
        id: 'deleteUser',
        summary: 'Delete an account',
        description: 'Also deletes its sessions, API keys and history. The files that it uploaded stay.',
        returns: 'Deleted.',
        refusals: {
          400: ['"id" is your own account: another admin must delete it'],
          404: ['User not found'],
        },
      }),
      access: ADMIN,
      ...takes(DeleteUserBody),
      response: { 200: emptyEnvelope },
    })
}

function listUsage({ store }: Context) {
  return store.read(function* () {
    const storage = yield* store.quotas.all()
    return (yield* store.users.lastSeen()).map((account) => usageView(account, storage.get(account.id)))
  })
}

/** Creates the module of the instance's accounts, for its admins. */
export const createUsers = (context: Context) => ({
  routes: userRoutes(context),
  jobs: [alsoAtStart('* * * * *', 'Removing the history of deleted accounts', () => removeRetired(context))],
})
