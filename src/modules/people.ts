import { Elysia } from 'elysia'
import * as T from 'typebox'
import { RoleField } from '../access/accounts.ts'
import { assertStillAllowed, type LocatedCaller, scopesOf } from '../access/caller.ts'
import type { Context, TreeContext } from '../access/context.ts'
import {
  assertRoomFor,
  ByGroups,
  describeFolders,
  describeOther,
  GIVEN_ELSEWHERE,
  grantsOf,
  heldRights,
  RightsField,
  readRights,
  setRights,
} from '../access/grants.ts'
import { insertActivity } from '../access/history.ts'
import { ADMIN, auth } from '../access/plugin.ts'
import { whole } from '../access/reach.ts'
import { route } from '../access/route.ts'
import { ACCOUNT, FOLDER } from '../api/openapi/samples.ts'
import { envelope, jsonBody, named, nullable, queryParameters, success } from '../api/schema.ts'
import { Refusal, refuseInvalid } from '../platform/errors.ts'
import { EVERYONE, type UserRow, type Work } from '../store/rows.ts'
import { findView } from '../views/folders.ts'

/** Schema of the people of a folder. */
const PeopleView = named(
  'People',
  T.Object({
    people: T.Array(
      T.Object({
        user: nullable(
          T.Object(
            { id: T.String(), name: T.String(), email: T.String() },
            { description: 'Null for every account.' },
          ),
        ),
        rights: RightsField,
        byGroups: ByGroups,
        folderId: T.String({ description: 'Folder that has the rights: this one, or one above.' }),
        key: T.String(),
        inherited: T.Boolean({ description: 'True for rights of a folder above.' }),
      }),
    ),
    everywhere: T.Array(T.Object({ id: T.String(), name: T.String(), role: RoleField }), {
      description: 'Accounts that are not limited to folders and may read files.',
    }),
  }),
  {
    people: [
      {
        user: { id: ACCOUNT.user.id, name: ACCOUNT.user.name, email: ACCOUNT.user.email },
        rights: ['read', 'write'],
        ...{ folderId: FOLDER.id, key: FOLDER.key, inherited: false },
      },
    ],
    everywhere: [{ id: '019a2f00-9b8a-7c6d-8e5f-4a3b2c1d0e9f', name: 'Grace', role: 'admin' }],
  },
)
type People = T.Static<typeof PeopleView>

export const PeopleAnswer = envelope(PeopleView)
const PeopleQuery = queryParameters(
  T.Object({ id: T.String({ description: 'Id of the folder.', examples: [FOLDER.id] }) }),
)
const SetBody = jsonBody(
  T.Object({
    id: T.String({ description: 'Id of the folder.', examples: [FOLDER.id] }),
    userId: T.Optional(
      T.String({ description: 'Account that is limited to folders.', examples: [ACCOUNT.user.id] }),
    ),
    everyone: T.Optional(
      T.Boolean({ description: 'For every account that is limited to folders, now and later.' }),
    ),
    rights: RightsField,
  }),
)
export type SetRights = T.Static<typeof SetBody.schema>

const LIST_PEOPLE = route('Folders', ADMIN, {
  id: 'listPeople',
  summary: 'List the people of a folder',
  query: PeopleQuery,
  answer: PeopleAnswer,
  returns: 'The accounts with rights in it or in a folder above, and those that reach everything.',
  refusals: { 404: ['Folder not found'] },
})

const SET_PEOPLE = route('Folders', ADMIN, {
  id: 'setPeople',
  summary: 'Let an account into a folder, or out of it',
  description:
    'Sets the rights of an account, or of every account that is limited to folders, in one folder and everything below it. ' +
    'They add up with those of the folders above. No rights let it out; what it has from above stays.',
  example: { id: FOLDER.id, userId: ACCOUNT.user.id, rights: ['read', 'write'] },
  takes: SetBody,
  answer: PeopleAnswer,
  returns: 'The people of the folder.',
  refusals: {
    400: [
      '"userId" or "everyone": true is required',
      'This account reaches everything: limit it to folders first',
      GIVEN_ELSEWHERE,
    ],
    404: ['Folder not found', 'User not found'],
    409: ['An account has at most 100 folders'],
  },
})

/** Builds `/api/folders/people`: the accounts with rights in a folder, for admins. */
export function peopleRoutes(deps: Context) {
  // No limited caller may manage users.
  const tree = whole(deps)
  return new Elysia({ prefix: '/api/folders/people' })
    .use(auth(deps))
    .get('/', async ({ query: { id } }) => success(await deps.store.read(() => peopleOf(tree, id))), {
      ...LIST_PEOPLE,
    })
    .put('/', async ({ caller, body }) => success(await setPeople(tree, caller, body)), { ...SET_PEOPLE })
}

/** Finds the people of a folder: its own first, then those of the folders above. @throws {Refusal} `not-found`. */
function* peopleOf(deps: TreeContext, id: string): Work<People> {
  const { grants, users } = deps.store
  const known = new Map((yield* users.all()).map((user) => [user.id, user]))
  const people: People['people'] = []
  for (let at: string | null = id; at !== null; ) {
    const {
      id: folderId,
      key,
      parentId,
    }: { id: string; key: string; parentId: string | null } = yield* findView(deps, { id: at })
    const own = heldRights(yield* grants.inFolders([folderId])).flatMap(({ userId, rights, byGroups }) => {
      const user = known.get(userId)
      if (!user && userId !== EVERYONE) return []
      const shown = user ? { id: user.id, name: user.name, email: user.email } : null
      const held = { rights: [...rights], ...(byGroups && { byGroups }) }
      return { user: shown, ...held, folderId, key, inherited: folderId !== id }
    })
    people.push(...own.sort((one, other) => ((one.user?.name ?? '') < (other.user?.name ?? '') ? -1 : 1)))
    at = parentId
  }
  const everywhere = known
    .values()
    .filter((user) => !user.limited && !user.disabled && scopesOf(user).includes('files:read'))
  return { people, everywhere: [...everywhere.map(({ id, name, role }) => ({ id, name, role }))] }
}

/**
 * Sets the rights of an account, or of every limited account, in a folder, and returns the people of the folder.
 *
 * @throws {Refusal} `invalid` for the root and for an account that is not limited, `not-found`, `limit-reached`.
 */
async function setPeople(deps: TreeContext, caller: LocatedCaller, sent: SetRights): Promise<People> {
  const { store, securityLog } = deps
  const { id: folderId } = sent
  const rights = sent.rights.length === 0 ? [] : readRights(sent.rights)
  const userId = readHolder(sent)
  const createdBy = caller.user.id
  const { user, after, isOther, people } = await store.transact(function* () {
    yield* assertStillAllowed(deps, caller, 'users:manage')
    const { key } = yield* findView(deps, { id: folderId })
    if (key === '')
      throw refuseInvalid('The root folder has no people: change what the account is limited to')
    const user = userId === EVERYONE ? undefined : yield* requireLimited(deps, userId)
    const before = yield* grantsOf(deps, userId)
    const isNew = !before.some((granted) => granted.folderId === folderId)
    if (isNew && rights.length > 0) assertRoomFor(before.length + 1)
    yield* setRights(deps, { folderId, rights }, { userId, createdBy })
    const after = yield* grantsOf(deps, userId)
    const detail = describeOther(before, after)
    const target = user?.email ?? 'every account'
    if (detail !== undefined)
      yield* insertActivity(deps, { userId: createdBy, type: 'user.access-changed', target, detail })
    return { user, after, isOther: detail !== undefined, people: yield* peopleOf(deps, folderId) }
  })
  const words = describeFolders(after)
  if (isOther)
    securityLog.record({
      ...{ type: 'folders.changed', account: user ?? caller.user, device: caller.device },
      ...(user && { actorId: caller.user.id }),
      detail: user ? words : `every account: ${words}`,
    })
  return people
}

/** Returns the id of the account that gets rights, or that of every account. @throws {Refusal} `invalid`. */
function readHolder({ userId, everyone = false }: SetRights): string {
  if ((userId !== undefined) === everyone) throw refuseInvalid('"userId" or "everyone": true is required')
  return userId ?? EVERYONE
}

function* requireLimited({ store }: TreeContext, id: string): Work<UserRow> {
  const user = yield* store.users.byId(id)
  if (!user) throw new Refusal('user-not-found')
  if (!user.limited) throw refuseInvalid('This account reaches everything: limit it to folders first')
  return user
}
