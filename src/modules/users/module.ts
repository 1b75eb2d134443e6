import { Elysia } from 'elysia'
import type { Context } from '../../access/context.ts'
import { foldersOf, GIVEN_ELSEWHERE } from '../../access/grants.ts'
import { ADMIN, auth } from '../../access/plugin.ts'
import { whole } from '../../access/reach.ts'
import { route } from '../../access/route.ts'
import { ACCOUNT } from '../../api/openapi/samples.ts'
import { done, emptyEnvelope, success } from '../../api/schema.ts'
import { alsoAtStart } from '../../platform/jobs.ts'
import type { UserRow, Work } from '../../store/rows.ts'
import {
  ChangeUserBody,
  CreateUserBody,
  DeleteUserBody,
  QuotaAnswer,
  QuotaBody,
  UsageAnswer,
  UserAnswer,
  UsersAnswer,
  type UserView,
  usageView,
  userView,
} from './model.ts'
import { changeUser, createUser, deleteUser, removeRetired, resetSecondFactor, setQuota } from './service.ts'

const OWN = '"id" is your own account: another admin must change its role, password or status'

const LIMITLESS =
  'An admin, or an account with the scope settings:manage, reaches everything: "folders" must be null'

const NO_FOLDER = 'Folder not found'

const IN_PLACE = 'A file named "photos" is in the place of a folder'

const LIST_USERS = route('Users', ADMIN, {
  id: 'listUsers',
  summary: 'List the accounts',
  answer: UsersAnswer,
  returns: 'Oldest first.',
})

const LIST_USAGE = route('Users', ADMIN, {
  id: 'listUsage',
  summary: 'List the use of the accounts',
  answer: UsageAnswer,
  returns: 'Oldest account first.',
})

const SET_QUOTA = route('Users', ADMIN, {
  id: 'setQuota',
  summary: 'Limit the storage of an account',
  description:
    'Files, files in the trash and versions count for the account that sent them. What would exceed the quota is ' +
    'refused with 507; what is stored stays.',
  takes: QuotaBody,
  answer: QuotaAnswer,
  returns: 'The storage of the account.',
  refusals: { 404: ['User not found'] },
})

const CREATE_USER = route('Users', ADMIN, {
  id: 'createUser',
  summary: 'Add an account',
  description:
    '`scopes` belong to the role `custom`: at least one, and never `users:manage`. With `folders`, the account is limited to ' +
    'these folders and everything below them; a missing one named by its key is created. ' +
    'What may be done there is what both the role and `rights` allow.',
  takes: CreateUserBody,
  answer: UserAnswer,
  returns: 'The new account.',
  refusals: {
    400: ['Another account uses this "email" already', LIMITLESS],
    404: [NO_FOLDER],
    409: [IN_PLACE],
  },
})

const CHANGE_USER = route('Users', ADMIN, {
  id: 'changeUser',
  summary: 'Change an account’s role, password or status',
  description:
    'Omitted fields stay. A role applies from the account’s next request on. A new password, or disabling the ' +
    'account, ends its sessions. Its API keys and shares continue unless `deleteKeys` and `endShares` ' +
    'are true. A new password unlinks it from a provider unless `keepLinked` is true. `folders` replaces the folders that the account is limited to; null lets it into everything again. Its ' +
    'sessions and API keys have the new folders with their next request.',
  example: { id: ACCOUNT.user.id, disabled: true },
  takes: ChangeUserBody,
  answer: UserAnswer,
  returns: { description: 'The changed account.', data: { user: { disabled: true } } },
  refusals: {
    400: ['"role", "password" or "disabled" is required', OWN, LIMITLESS, GIVEN_ELSEWHERE],
    404: ['User not found', NO_FOLDER],
    409: [IN_PLACE],
  },
})

const DELETE_USER = route('Users', ADMIN, {
  id: 'deleteUser',
  summary: 'Delete an account',
  description: 'Also deletes its sessions, API keys and history. The files that it uploaded stay.',
  takes: DeleteUserBody,
  answer: emptyEnvelope,
  returns: 'Deleted.',
  refusals: {
    400: ['"id" is your own account: another admin must delete it'],
    404: ['User not found'],
  },
})

const RESET_SECOND_FACTOR = route('Users', ADMIN, {
  id: 'resetSecondFactor',
  summary: 'Reset the second factor of an account',
  description:
    'Removes its codes, recovery codes, passkeys and trusted browsers, and ends its sessions: the password alone signs in.',
  takes: DeleteUserBody,
  answer: emptyEnvelope,
  returns: 'The second factor was reset.',
  refusals: {
    400: ['"id" is your own account: turn codes off under Account'],
    404: ['User not found'],
  },
})

/** Builds `/api/users`: the instance's accounts, for its admins. */
function userRoutes(deps: Context) {
  // No limited caller may manage users.
  const tree = whole(deps)
  const { store } = tree
  function* viewOf(user: UserRow): Work<UserView> {
    const { oidc } = deps.config.signIn
    const waysIn = {
      password: user.passwordHash !== '',
      passkey: (yield* store.passkeys.countOf(user.id)) > 0,
      oidc: oidc !== undefined && (yield* store.identities.ofUser(user.id)).length > 0,
    }
    return userView(user, {
      waysIn,
      apiKeys: yield* store.users.countKeys(user.id),
      folders: yield* foldersOf(tree, user),
    })
  }
  const view = (user: UserRow) => store.read(() => viewOf(user))
  const list = () =>
    store.read(function* () {
      const users: UserView[] = []
      for (const user of yield* store.users.all()) users.push(yield* viewOf(user))
      return users
    })
  return new Elysia({ prefix: '/api/users' })
    .use(auth(deps))
    .get('/', async () => success({ users: await list() }), { ...LIST_USERS })
    .get('/usage', async () => success({ accounts: await listUsage(deps) }), { ...LIST_USAGE })
    .put('/quota', async ({ caller, body }) => success(await setQuota(deps, caller, body)), { ...SET_QUOTA })
    .post(
      '/',
      async ({ caller, body }) => success({ user: await view(await createUser(tree, caller, body)) }),
      { ...CREATE_USER },
    )
    .put(
      '/',
      async ({ caller, body }) => success({ user: await view(await changeUser(tree, caller, body)) }),
      { ...CHANGE_USER },
    )
    .delete('/', ({ caller, body }) => done(deleteUser(deps, caller, body.id)), { ...DELETE_USER })
    .delete('/second-factor', ({ caller, body }) => done(resetSecondFactor(deps, caller, body.id)), {
      ...RESET_SECOND_FACTOR,
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
