import * as T from 'typebox'
import { AuthUser } from '../../access/accounts.ts'
import { EmailField, NameField, PasswordField } from '../../access/profile.ts'
import { ACCOUNT } from '../../api/openapi/samples.ts'
import { answer, IsoTime, jsonBody, named } from '../../api/schema.ts'
import { iso } from '../../platform/time.ts'
import type { SessionRow } from '../../store/rows.ts'

export const SignUpBody = jsonBody(
  T.Object({
    name: NameField,
    email: EmailField,
    password: PasswordField,
    setupToken: T.Optional(
      T.String({ description: 'Required when `GET /api/setup` returns `tokenRequired`.' }),
    ),
  }),
)
export type SignUp = T.Static<typeof SignUpBody.schema>

export const SignInBody = jsonBody(
  T.Object({ email: T.String(), password: T.String(), rememberMe: T.Optional(T.Boolean()) }),
)
export type SignIn = T.Static<typeof SignInBody.schema>

export const AuthSession = named(
  'AuthSession',
  T.Object({
    id: T.String(),
    userId: T.String(),
    expiresAt: IsoTime,
    createdAt: IsoTime,
    updatedAt: IsoTime,
    ipAddress: T.String(),
    userAgent: T.String(),
  }),
  {
    id: '019a2f02-4c11-7a9e-8b57-6f5e4d3c2b1a',
    userId: ACCOUNT.user.id,
    expiresAt: '2026-11-27T18:00:00.000Z',
    createdAt: '2026-11-20T18:00:00.000Z',
    updatedAt: '2026-11-20T18:00:00.000Z',
    ipAddress: '203.0.113.7',
    userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0',
  },
)

/**
 * Builds a response schema with the data both enveloped and beside the envelope: clients of the sign-in
 * routes read the fields themselves.
 */
const both = <const P extends T.TProperties, const E extends T.TProperties>(data: P, beside: E) =>
  answer(T.Object({ data: T.Object(data), error: T.Null(), ...beside, ...data }))

const account = { token: T.String(), user: AuthUser }
export const SignUpAnswer = both(account, {})
export const SignInAnswer = both(account, { redirect: T.Boolean({ examples: [false] }) })
export const SignOutAnswer = answer(T.Object({ data: T.Null(), error: T.Null(), success: T.Boolean() }))
export const SessionAnswer = answer(
  T.Union([
    T.Null(),
    T.Object({
      data: T.Object({ session: AuthSession, user: AuthUser }),
      error: T.Null(),
      session: AuthSession,
      user: AuthUser,
    }),
  ]),
)

/** Returns a session without its token, which never leaves the cookie. */
export const authSession = (session: SessionRow): T.Static<typeof AuthSession> => ({
  id: session.id,
  userId: session.userId,
  expiresAt: iso(session.expiresAt),
  createdAt: iso(session.createdAt),
  updatedAt: iso(session.usedAt),
  ipAddress: session.ipAddress,
  userAgent: session.userAgent,
})
