import { Elysia } from 'elysia'
import type { Context } from '../../access/context.ts'
import { type Access, auth } from '../../access/plugin.ts'
import { takes } from '../../api/body.ts'
import { emptyEnvelope, success } from '../../api/schema.ts'
import type { UserRow } from '../../store/rows.ts'
import * as docs from './docs.ts'
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
import { changeUser, createUser, deleteUser, setQuota } from './service.ts'

const ADMIN: Access = { scope: 'users:manage', by: 'session' }

/** Builds `/api/users`: the instance's accounts, for its admins. */
export function userRoutes(deps: Context) {
  const { users } = deps.store
  const view = async (user: UserRow) => userView(user, await users.countKeys(user.id))
  return new Elysia({ prefix: '/api/users' })
    .use(auth(deps))
    .get('/', async () => success({ users: await Promise.all((await users.all()).map(view)) }), {
      ...docs.listUsers,
      access: ADMIN,
      response: { 200: UsersAnswer },
    })
    .get('/usage', async () => success({ accounts: await listUsage(deps) }), {
      ...docs.listUsage,
      access: ADMIN,
      response: { 200: UsageAnswer },
    })
    .put('/quota', async ({ caller, body }) => success(await setQuota(deps, caller, body)), {
      ...docs.setQuota,
      access: ADMIN,
      ...takes(QuotaBody),
      response: { 200: QuotaAnswer },
    })
    .post(
      '/',
      async ({ caller, body }) => success({ user: await view(await createUser(deps, caller, body)) }),
      {
        ...docs.createUser,
        access: ADMIN,
        ...takes(CreateUserBody),
        response: { 200: UserAnswer },
      },
    )
    .put(
      '/',
      async ({ caller, body }) => success({ user: await view(await changeUser(deps, caller, body)) }),
      {
        ...docs.changeUser,
        access: ADMIN,
        ...takes(ChangeUserBody),
        response: { 200: UserAnswer },
      },
    )
    .delete(
      '/',
      async ({ caller, body }) => {
        await deleteUser(deps, caller, body.id)
        return success(null)
      },
      { ...docs.deleteUser, access: ADMIN, ...takes(DeleteUserBody), response: { 200: emptyEnvelope } },
    )
}

function listUsage({ store }: Context) {
  return store.read(function* () {
    const storage = yield* store.quotas.all()
    return (yield* store.users.lastSeen()).map((account) => usageView(account, storage.get(account.id)))
  })
}
