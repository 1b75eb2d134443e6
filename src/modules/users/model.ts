import * as T from 'typebox'
import { RoleField, ScopesField, StorageView } from '../../access/accounts.ts'
import { scopesOf } from '../../access/caller.ts'
import { FoldersField, GrantView } from '../../access/grants.ts'
import { EmailField, NameField, PasswordField } from '../../access/profile.ts'
import { ACCOUNT } from '../../api/openapi/samples.ts'
import { envelope, IsoTime, jsonBody, named, nullable, oneOf } from '../../api/schema.ts'
import { iso, isoOrNull } from '../../platform/time.ts'
import type { AccountUse, Storage, UserRow } from '../../store/rows.ts'

const WAYS_IN = ['password', 'passkey', 'oidc'] as const

/** Schema of an account. */
const UserView = named(
  'User',
  T.Object({
    id: T.String(),
    name: T.String(),
    email: T.String(),
    role: RoleField,
    scopes: T.Array(T.String()),
    customScopes: T.Array(T.String()),
    folders: nullable(
      T.Array(GrantView, {
        description:
          'Folders that the account is limited to, without those of every account; null for everything.',
      }),
    ),
    disabled: T.Boolean(),
    secondFactor: T.Optional(T.Literal(true, { description: 'Missing while the password alone signs in.' })),
    waysIn: T.Optional(
      T.Array(oneOf(WAYS_IN), {
        description: 'Ways to sign in; missing where the password is the only one.',
      }),
    ),
    apiKeys: T.Integer(),
    createdAt: IsoTime,
  }),
  {
    id: ACCOUNT.user.id,
    name: ACCOUNT.user.name,
    email: ACCOUNT.user.email,
    role: ACCOUNT.user.role,
    scopes: ACCOUNT.scopes,
    customScopes: [],
    folders: null,
    disabled: false,
    apiKeys: 1,
    createdAt: '2026-11-01T08:00:00.000Z',
  },
)
export type UserView = T.Static<typeof UserView>

export const UserAnswer = envelope(T.Object({ user: UserView }))
export const UsersAnswer = envelope(T.Object({ users: T.Array(UserView) }))

/** Schema of the use of an account. */
const UsageView = T.Object({
  id: T.String({ description: 'Id of the account.' }),
  lastSeenAt: nullable(
    T.String({
      description: 'Last use of a session or an API key, to the minute; null for none.',
      examples: ['2026-11-20T17:45:00.000Z'],
    }),
  ),
  ...StorageView.properties,
})
export const UsageAnswer = envelope(T.Object({ accounts: T.Array(UsageView) }))
export const QuotaAnswer = envelope(StorageView)

/** Maximum quota: a thousand terabytes. */
const MAX_QUOTA_BYTES = 1000 * 2 ** 40
export const QuotaBody = jsonBody(
  T.Object({
    id: T.String({ description: 'Id of the account.' }),
    quota: nullable(
      T.Integer({ minimum: 0, maximum: MAX_QUOTA_BYTES, description: 'In bytes; null for none.' }),
    ),
  }),
)

export const CreateUserBody = jsonBody(
  T.Object({
    name: NameField,
    email: EmailField,
    password: PasswordField,
    role: RoleField,
    scopes: T.Optional(ScopesField),
    folders: T.Optional(nullable(FoldersField)),
  }),
)
export type CreateUser = T.Static<typeof CreateUserBody.schema>

export const ChangeUserBody = jsonBody(
  T.Object({
    id: T.String(),
    role: T.Optional(RoleField),
    scopes: T.Optional(ScopesField),
    password: T.Optional(PasswordField),
    disabled: T.Optional(T.Boolean()),
    folders: T.Optional(nullable(FoldersField)),
    deleteKeys: T.Optional(
      T.Boolean({ description: 'Deletes its API keys, and what they shared, beside another change.' }),
    ),
    endShares: T.Optional(T.Boolean({ description: 'Ends its shares, beside another change.' })),
    keepLinked: T.Optional(
      T.Boolean({ description: 'Keeps its link to a provider, beside a new password.' }),
    ),
  }),
)
export type ChangeUser = T.Static<typeof ChangeUserBody.schema>

export const DeleteUserBody = jsonBody(T.Object({ id: T.String() }))

interface UserFacts extends Pick<UserView, 'apiKeys' | 'folders'> {
  waysIn: Record<(typeof WAYS_IN)[number], boolean>
}

/** Returns an account as admins see it, with the number of its API keys and the folders that it is limited to. */
export const userView = (user: UserRow, { apiKeys, folders, waysIn }: UserFacts): UserView => ({
  id: user.id,
  name: user.name,
  email: user.email,
  role: user.role,
  scopes: [...scopesOf(user)],
  customScopes: user.customScopes,
  folders,
  disabled: user.disabled,
  ...(user.secondFactor && { secondFactor: true as const }),
  ...((waysIn.passkey || waysIn.oidc || !waysIn.password) && {
    waysIn: WAYS_IN.filter((way) => waysIn[way]),
  }),
  apiKeys,
  createdAt: iso(user.createdAt),
})

/** Returns the use of an account as admins see it. */
export const usageView = (
  { id, lastSeenAt }: AccountUse,
  { quota, usedBytes }: Storage = { quota: null, usedBytes: 0 },
): T.Static<typeof UsageView> => ({ id, lastSeenAt: isoOrNull(lastSeenAt), quota, usedBytes })
