import { Elysia } from 'elysia'
import * as T from 'typebox'
import { assertMayNameEmail, isPassword, NAMES_EMAIL, StorageView } from '../access/accounts.ts'
import {
  assertStillAllowed,
  type Caller,
  type LocatedCaller,
  scopesOfCaller,
  sessionOf,
} from '../access/caller.ts'
import { assertConfirmedIfAsked } from '../access/confirmed.ts'
import type { Context } from '../access/context.ts'
import { GrantView, reachedFolders } from '../access/grants.ts'
import { assertAcceptable } from '../access/passwords.ts'
import { type Access, ANY, auth } from '../access/plugin.ts'
import { EmailField, NameField, PasswordField, readEmail, readName } from '../access/profile.ts'
import { within } from '../access/reach.ts'
import { route } from '../access/route.ts'
import { listSecurityEvents, readFilter } from '../access/security-log.ts'
import { ACCOUNT } from '../api/openapi/samples.ts'
import {
  done,
  emptyEnvelope,
  envelope,
  IsoTime,
  jsonBody,
  named,
  nullable,
  oneOf,
  success,
} from '../api/schema.ts'
import { Refusal, refuseInvalid } from '../platform/errors.ts'
import { isLanguage, LANGUAGE_TAGS } from '../platform/languages.ts'
import { iso } from '../platform/time.ts'
import type { SessionRow } from '../store/rows.ts'
import { SecurityAnswer, SecurityQuery, securityView } from '../views/history.ts'

const LanguageField = (description: string) => oneOf(LANGUAGE_TAGS, { description })

/** Schema of an account. */
const AccountView = named(
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
    folders: nullable(
      T.Array(GrantView, { description: 'Topmost folders that this caller reaches; null for everything.' }),
    ),
    nested: T.Optional(
      T.Array(GrantView, {
        description:
          'Folders inside `folders` in which this caller has more rights than above; missing with `folders: null`.',
      }),
    ),
    language: T.Optional(
      LanguageField('Tag of the language that the account has chosen; missing for that of the browser.'),
    ),
    contact: T.Optional(
      T.String({
        description: 'Name of an admin to ask for a folder; only for a limited account that reaches none.',
      }),
    ),
  }),
  { ...ACCOUNT, folders: null },
)

/** Schema of a session, which the API calls a device. */
const SessionView = named(
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

const ChangeAccountBody = jsonBody(
  T.Object({
    name: T.Optional(NameField),
    email: T.Optional(EmailField),
    language: T.Optional(
      nullable(LanguageField('Tag of the language of the dashboard; null for that of the browser.')),
    ),
  }),
)
export type ChangeAccount = T.Static<typeof ChangeAccountBody.schema>

const ChangePasswordBody = jsonBody(
  T.Object({
    currentPassword: T.String(),
    newPassword: PasswordField,
    revokeOtherSessions: T.Optional(T.Boolean()),
  }),
)
export type ChangePassword = T.Static<typeof ChangePasswordBody.schema>

const EndSessionsBody = jsonBody(T.Object({ id: T.Optional(T.String()), others: T.Optional(T.Boolean()) }))

/** Returns the account as its owner sees it, with the scopes and the folders of this caller. */
async function accountView(deps: Context, caller: Caller): Promise<T.Static<typeof AccountView>> {
  const { id, name, email, image, role, limited, language } = caller.user
  const reached = await deps.store.read(() => reachedFolders(within(deps, caller)))
  const contact = limited && reached.folders?.length === 0 ? await findContact(deps, id) : undefined
  return {
    user: { id, name, email, image, role },
    scopes: [...scopesOfCaller(caller)],
    ...reached,
    ...(language !== null && isLanguage(language) && { language }),
    ...(contact !== undefined && { contact }),
  }
}

/**
 * Returns the name of an admin that can let an account into a folder: the one that changed its folders last, created or
 * invited it, else the oldest one. Disabled admins are left out.
 */
async function findContact(deps: Context, userId: string): Promise<string | undefined> {
  const types = ['folders.changed', 'user.created'] as const
  const [event] = await listSecurityEvents(deps, { userId, types, limit: 1 })
  const { users, invitations } = deps.store
  return deps.store.read(function* () {
    const admins = (yield* users.all()).filter(({ role, disabled }) => role === 'admin' && !disabled)
    const invitation = (yield* invitations.all()).find(({ usedBy }) => usedBy === userId)
    const known = [event?.actorId, invitation?.userId].flatMap((id) =>
      admins.filter((admin) => admin.id === id),
    )
    return [...known, ...admins][0]?.name
  })
}

const sessionView = (session: SessionRow, current: SessionRow): T.Static<typeof SessionView> => ({
  id: session.id,
  ipAddress: session.ipAddress,
  userAgent: session.userAgent,
  createdAt: iso(session.createdAt),
  current: session.id === current.id,
})

const SESSION: Access = { by: 'session' }

const GET_ACCOUNT = route(
  'Account',
  { ...ANY, beforeFactor: true },
  {
    id: 'getAccount',
    summary: 'Get the caller’s account',
    answer: AccountAnswer,
    returns:
      'The account with the scopes and the folders of this caller; with an API key, only those of the key.',
  },
)

const CHANGE_ACCOUNT = route('Account', SESSION, {
  id: 'changeAccount',
  summary: 'Change the caller’s name, e-mail or language',
  description:
    'From then on the account signs in with the new e-mail. The language is that of the dashboard, not of the API.',
  example: { name: 'Ada' },
  takes: ChangeAccountBody,
  answer: AccountAnswer,
  returns: 'The changed account.',
  refusals: {
    400: ['"name" or "email" is required', NAMES_EMAIL],
    409: ['Another account uses this "email" already'],
  },
})

const CHANGE_PASSWORD = route('Account', SESSION, {
  id: 'changePassword',
  summary: 'Change the caller’s password',
  description: '`revokeOtherSessions` signs out every other device.',
  takes: ChangePasswordBody,
  answer: emptyEnvelope,
  returns: 'The password was changed.',
  refusals: {
    400: ['"currentPassword" is not your current password'],
    429: ['Too many requests', 'Too many wrong passwords, try again later'],
  },
})

const GET_USAGE = route('Account', ANY, {
  id: 'getUsage',
  summary: 'Get the storage that the account uses',
  answer: StorageAnswer,
  returns: 'The storage, and its limit.',
})

const LIST_SESSIONS = route('Account', SESSION, {
  id: 'listSessions',
  summary: 'List the devices that the caller is signed in on',
  answer: SessionsAnswer,
  returns: 'The current session, then the others, most recently used first.',
})

const LIST_OWN_SECURITY = route('Account', SESSION, {
  id: 'listOwnSecurity',
  summary: 'List sign-ins and changes of the caller’s account',
  description:
    'The 200 most recent entries, newest first. They cannot be deleted, and are kept for 90 days or longer.',
  query: SecurityQuery,
  answer: SecurityAnswer,
  returns: 'The account’s entries of the security log.',
  refusals: { 400: ['"before" is not an entry of this list'] },
})

const END_SESSIONS = route('Account', SESSION, {
  id: 'endSessions',
  summary: 'Sign out one device, or every other one',
  description: 'Ends the session `id`, or with `others` all except the current one.',
  example: { others: true },
  takes: EndSessionsBody,
  answer: emptyEnvelope,
  returns: 'The sessions have ended.',
  refusals: {
    400: ['"id" or "others": true is required', '"id" is the session you are using: sign out to end it'],
    404: ['Session not found'],
  },
})

/** Builds `/api/me`: the caller's own account, its password and its sessions. */
export function accountRoutes(deps: Context) {
  return new Elysia({ prefix: '/api/me' })
    .use(auth(deps))
    .get('/', async ({ caller }) => success(await accountView(deps, caller)), { ...GET_ACCOUNT })
    .put(
      '/',
      async ({ caller, body }) => success(await accountView(deps, await changeAccount(deps, caller, body))),
      { ...CHANGE_ACCOUNT },
    )
    .put('/password', ({ caller, body }) => done(changePassword(deps, caller, body)), { ...CHANGE_PASSWORD })
    .get('/usage', async ({ caller }) => success(await deps.store.quotas.of(caller.user.id)), {
      ...GET_USAGE,
    })
    .get(
      '/sessions',
      async ({ caller }) => {
        const sessions = await listSessions(deps, caller)
        return success({ sessions: sessions.map((session) => sessionView(session, sessionOf(caller))) })
      },
      { ...LIST_SESSIONS },
    )
    .get(
      '/security',
      async ({ caller: { user }, query: { before, types } }) => {
        const part = { ...readFilter({ user: user.id, types }), before }
        return success({ activities: (await listSecurityEvents(deps, part)).map(securityView) })
      },
      { ...LIST_OWN_SECURITY },
    )
    .delete(
      '/sessions',
      async ({ caller, body: { id, others } }) => {
        if (id !== undefined) await endSession(deps, caller, id)
        else if (others) await endOtherSessions(deps, caller)
        else throw refuseInvalid('"id" or "others": true is required')
        return success(null)
      },
      { ...END_SESSIONS },
    )
}

/**
 * Changes the caller's name, e-mail and language, and returns the changed caller.
 *
 * @throws {Refusal} `invalid`; `conflict` when another account uses the e-mail; `unauthorized` when the
 *   session has ended meanwhile, like every change here.
 */
async function changeAccount(deps: Context, caller: LocatedCaller, sent: ChangeAccount): Promise<Caller> {
  const { store, clock, securityLog } = deps
  if (sent.name === undefined && sent.email === undefined && sent.language === undefined)
    throw refuseInvalid('"name" or "email" is required')
  const name = sent.name === undefined ? undefined : readName(sent.name)
  const email = sent.email === undefined ? undefined : readEmail(sent.email)
  if (email !== undefined && email !== caller.user.email) assertConfirmedIfAsked(deps, caller)
  const [before, after] = await store.transact(function* () {
    yield* assertStillAllowed(deps, caller)
    const holder = email === undefined ? undefined : yield* store.users.byEmail(email)
    if (holder && holder.id !== caller.user.id) throw new Refusal('email-taken', undefined, { status: 409 })
    const known = (yield* store.users.byId(caller.user.id)) ?? caller.user
    if (email !== undefined && email !== known.email && known.role !== 'admin') assertMayNameEmail(deps)
    const changes = { name, email, language: sent.language, updatedAt: clock.now() }
    const user = yield* store.users.update(caller.user.id, changes)
    return [known, user ?? known]
  })
  if (before.email !== after.email) {
    const detail = `${before.email} to ${after.email}`
    securityLog.record({ type: 'email.changed', account: after, device: caller.device, detail })
  }
  return { ...caller, user: after }
}

/**
 * Changes the caller's password; with `revokeOtherSessions` it signs out every other device.
 *
 * @throws {Refusal} `invalid` when `currentPassword` is wrong; `rate-limited` after ten such in a minute.
 */
async function changePassword(deps: Context, caller: LocatedCaller, sent: ChangePassword): Promise<void> {
  const { store, clock, passwords, securityLog } = deps
  await assertAcceptable(sent.newPassword, 'newPassword')
  const { id, passwordHash } = caller.user
  const proof = { bucket: `password of ${id}`, passwordHash }
  const event = { account: caller.user, device: caller.device }
  if (!(await isPassword(deps, sent.currentPassword, proof))) {
    securityLog.record({ type: 'password.change-failed', ...event })
    throw new Refusal('current-password-wrong')
  }
  const newHash = await passwords.hash(sent.newPassword)
  await store.transact(function* () {
    yield* assertStillAllowed(deps, caller)
    // Hashing took a while, so the current password may have changed.
    if ((yield* store.users.byId(id))?.passwordHash !== passwordHash)
      throw new Refusal('current-password-wrong')
    yield* store.users.update(id, { passwordHash: newHash, updatedAt: clock.now() })
    if (sent.revokeOtherSessions) yield* store.sessions.removeOfUser(id, sessionOf(caller).id)
  })
  securityLog.record({ type: 'password.changed', ...event })
}

/** Returns the caller's sessions: the current one, then the others by their last use. */
async function listSessions(deps: Context, caller: Caller): Promise<SessionRow[]> {
  await deps.sessionUses.flush()
  const current = sessionOf(caller)
  const sessions = await deps.store.sessions.ofUser(caller.user.id, deps.clock.now())
  return [
    sessions.find(({ id }) => id === current.id) ?? current,
    ...sessions.filter(({ id }) => id !== current.id),
  ]
}

/**
 * Ends one of the caller's sessions.
 *
 * @throws {Refusal} `invalid` for the current one; `not-found` when it is not the caller's or has expired.
 */
async function endSession(deps: Context, caller: LocatedCaller, id: string): Promise<void> {
  const { store, clock } = deps
  if (id === sessionOf(caller).id)
    throw refuseInvalid('"id" is the session you are using: sign out to end it')
  await store.transact(function* () {
    yield* assertStillAllowed(deps, caller)
    if (!(yield* store.sessions.own(caller.user.id, id, clock.now()))) throw new Refusal('session-not-found')
    yield* store.sessions.remove(id)
  })
  recordEnded(deps, caller)
}

/** Ends all of the caller's sessions but the current one, in slices. */
async function endOtherSessions(deps: Context, caller: LocatedCaller): Promise<void> {
  const { store } = deps
  await store.removeInSlices(function* (limit) {
    yield* assertStillAllowed(deps, caller)
    return yield* store.sessions.removeOthers(caller.user.id, sessionOf(caller).id, limit)
  })
  recordEnded(deps, caller)
}

const recordEnded = ({ securityLog }: Context, { user, device }: LocatedCaller) =>
  securityLog.record({ type: 'session.ended', account: user, device })
