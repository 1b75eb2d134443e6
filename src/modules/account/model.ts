import * as T from 'typebox'
import { StorageView } from '../../access/accounts.ts'
import { type Caller, scopesOfCaller } from '../../access/caller.ts'
import { EmailField, NameField, PasswordField } from '../../access/profile.ts'
import { ACCOUNT } from '../../api/openapi/samples.ts'
import { envelope, IsoTime, jsonBody, named, nullable } from '../../api/schema.ts'
import { iso } from '../../platform/time.ts'
import type { SessionRow } from '../../store/rows.ts'

/** Schema of an account. */
export const AccountView = named(
  'Account',
  T.Object({
    user: T.Object({
      id: T.String(),
      name: T.String(),
      email: T.String(),
      image: nullable(T.String()),
      role: T.String(),
    }),
    scopes: T.Array(T.String()),
  }),
  ACCOUNT,
)

/** Schema of a session, which the API calls a device. */
export const SessionView = named(
  'Session',
  T.Object({
    id: T.String(),
    ipAddress: T.String(),
    userAgent: T.String(),
    createdAt: IsoTime,
    current: T.Boolean(),
  }),
  {
    id: '019a2f02-4c11-7a9e-8b57-6f5e4d3c2b1a',
    ipAddress: '203.0.113.7',
    userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0',
    createdAt: '2026-11-20T18:00:00.000Z',
    current: true,
  },
)

export const AccountAnswer = envelope(AccountView)
export const StorageAnswer = envelope(StorageView)
export const SessionsAnswer = envelope(T.Object({ sessions: T.Array(SessionView) }))

export const ChangeAccountBody = jsonBody(
  T.Object({ name: T.Optional(NameField), email: T.Optional(EmailField) }),
)
export type ChangeAccount = T.Static<typeof ChangeAccountBody.schema>

export const ChangePasswordBody = jsonBody(
  T.Object({
    currentPassword: T.String(),
    newPassword: PasswordField,
    revokeOtherSessions: T.Optional(T.Boolean()),
  }),
)
export type ChangePassword = T.Static<typeof ChangePasswordBody.schema>

export const EndSessionsBody = jsonBody(
  T.Object({ id: T.Optional(T.String()), others: T.Optional(T.Boolean()) }),
)

/** Returns the account as its owner sees it, with the scopes of this caller. */
export const accountView = (caller: Caller): T.Static<typeof AccountView> => ({
  user: {
    id: caller.user.id,
    name: caller.user.name,
    email: caller.user.email,
    image: caller.user.image,
    role: caller.user.role,
  },
  scopes: [...scopesOfCaller(caller)],
})

export const sessionView = (session: SessionRow, current: SessionRow): T.Static<typeof SessionView> => ({
  id: session.id,
  ipAddress: session.ipAddress,
  userAgent: session.userAgent,
  createdAt: iso(session.createdAt),
  current: session.id === current.id,
})
