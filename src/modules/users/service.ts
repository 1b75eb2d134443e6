import { newAccount, readCustomScopes } from '../../access/accounts.ts'
import { assertStillAllowed, type Caller, type LocatedCaller } from '../../access/caller.ts'
import type { Context, TreeContext } from '../../access/context.ts'
import {
  assertLimitable,
  describeFolders,
  describeOther,
  foldersOf,
  type GrantView,
  PROXY,
  readFolders,
  setFolders,
  withFolders,
} from '../../access/grants.ts'
import { type Activity, insertActivity } from '../../access/history.ts'
import { assertAcceptable } from '../../access/passwords.ts'
import { readEmail, readName } from '../../access/profile.ts'
import type { SecurityEventType } from '../../access/security-log.ts'
import { Refusal, refuseInvalid } from '../../platform/errors.ts'
import { formatBytes } from '../../platform/size.ts'
import type { Storage, UserRow, Work } from '../../store/rows.ts'
import { announceEnded, announceEndedOf } from '../../views/events.ts'
import type { ChangeUser, CreateUser } from './model.ts'

/**
 * Authorizes an admin again inside the transaction of each change. Of two admins that demote, disable or
 * delete each other at once only the first succeeds, so an instance always has one.
 */
const assertStillAdmin = (deps: Context, caller: Caller) => assertStillAllowed(deps, caller, 'users:manage')

/**
 * Adds an account, with the folders that it is limited to.
 *
 * @throws {Refusal} `invalid`, also for an e-mail that another account uses; `not-found` for a folder.
 */
export async function createUser(
  deps: TreeContext,
  caller: LocatedCaller,
  sent: CreateUser,
): Promise<UserRow> {
  const { store, passwords } = deps
  const wanted = sent.folders && readFolders(sent.folders)
  const profile = { name: readName(sent.name), email: readEmail(sent.email), limited: wanted != null }
  const access = { role: sent.role, customScopes: readCustomScopes(sent.role, sent.scopes) }
  if (profile.limited) assertLimitable(access)
  await assertAcceptable(sent.password, 'password')
  const passwordHash = await passwords.hash(sent.password)
  const user = newAccount(deps, { ...profile, ...access, passwordHash })
  const authorize = () => assertStillAdmin(deps, caller)
  const folders = await withFolders(deps, authorize, wanted ?? [], function* (granted) {
    if (yield* store.users.byEmail(user.email)) throw new Refusal('email-taken')
    yield* store.users.insert(user)
    if (wanted) yield* setFolders(deps, granted, { userId: user.id, createdBy: caller.user.id })
    yield* record(deps, caller, user, { type: 'user.created', detail: null })
    return yield* foldersOf(deps, user)
  })
  recordSecurity(deps, caller, user, 'account.created', `as ${user.role}`)
  if (folders) recordSecurity(deps, caller, user, 'folders.changed', describeFolders(folders))
  return user
}

/**
 * Changes an account's role, password or status. A new password and disabling sign it out everywhere; its API keys
 * are deleted, and its shares end, on request only.
 *
 * @throws {Refusal} `invalid`, also for the caller's own account; `not-found`.
 */
export async function changeUser(
  deps: TreeContext,
  caller: LocatedCaller,
  sent: ChangeUser,
): Promise<UserRow> {
  const { store, clock, passwords } = deps
  const { id, role, password, disabled, deleteKeys = false, endShares = false, keepLinked = false } = sent
  const wanted = sent.folders && readFolders(sent.folders)
  if ([role, password, disabled, wanted].every((change) => change === undefined))
    throw refuseInvalid('"role", "password" or "disabled" is required')
  if (id === caller.user.id)
    throw refuseInvalid('"id" is your own account: another admin must change its role, password or status')
  const customScopes = role && readCustomScopes(role, sent.scopes)
  if (password !== undefined) await assertAcceptable(password, 'password')
  const passwordHash = password === undefined ? undefined : await passwords.hash(password)
  const limited = wanted === undefined ? undefined : wanted !== null
  const authorize = () => assertStillAdmin(deps, caller)
  const changed = await withFolders(
    deps,
    authorize,
    wanted ?? [],
    function* (granted) {
      const before = yield* withItsFolders(deps, yield* requireUser(deps, id))
      if (role !== undefined && role !== before.user.role) yield* assertRoleIsHere(deps, before.user)
      const changes = { role, customScopes, passwordHash, disabled, limited, updatedAt: clock.now() }
      const user = (yield* store.users.update(id, changes)) ?? before.user
      if (user.limited) assertLimitable(user)
      if (wanted !== undefined)
        yield* setFolders(deps, wanted && granted, { userId: id, createdBy: caller.user.id })
      const after = yield* withItsFolders(deps, user)
      if (password !== undefined || disabled) yield* store.sessions.removeOfUser(id)
      const isUnlinking = password !== undefined && !keepLinked
      const unlinked = isUnlinking ? yield* store.identities.removeOfUser(id) : 0
      yield* announceEndedOf(deps, id, { endShares, deleteKeys })
      // First, because deleting keys ends what they shared.
      const endedShares = endShares ? yield* store.shares.removeOfUser(id) : 0
      const deletedKeys = deleteKeys ? yield* store.keys.removeOfUser(id) : 0
      const entry = describeChange(before, after)
      if (entry) yield* record(deps, caller, user, entry)
      return { user, securityChanges: securityChanges(before, after), unlinked, deletedKeys, endedShares }
    },
    id,
  )
  const { user, unlinked, deletedKeys, endedShares } = changed
  for (const { type, detail } of changed.securityChanges) recordSecurity(deps, caller, user, type, detail)
  if (unlinked > 0) recordSecurity(deps, caller, user, 'identity.unlinked')
  if (deletedKeys > 0) recordSecurity(deps, caller, user, 'api-key.deleted', `all ${deletedKeys}`)
  if (endedShares > 0) recordSecurity(deps, caller, user, 'share.ended', `all ${endedShares}`)
  return user
}

/** @throws {Refusal} `invalid` for an account whose role comes from its groups, at a provider or a proxy. */
function* assertRoleIsHere(deps: Context, user: UserRow): Work<void> {
  const { oidc, forwardAuth } = deps.config.signIn
  const isLinked = oidc && oidc.roles.length > 0 && (yield* deps.store.identities.ofUser(user.id)).length > 0
  const isByProxy = forwardAuth && forwardAuth.roles.length > 0 && (yield* comesByProxy(deps, user))
  const giver = isLinked ? oidc.name : isByProxy ? PROXY : undefined
  if (giver !== undefined) throw refuseInvalid(`"role" comes from ${giver}: change the groups there`)
}

/** Returns true for an account that has no password of its own, or a session that a proxy vouches for. */
function* comesByProxy({ store, clock }: Context, { id, passwordHash }: UserRow): Work<boolean> {
  const isVouched = ({ voucher }: { voucher: string | null }) => voucher !== null
  return passwordHash === '' || (yield* store.sessions.ofUser(id, clock.now())).some(isVouched)
}

/** Account with the folders that it is limited to. */
interface Limited {
  user: UserRow
  folders: GrantView[] | null
}

function* withItsFolders(deps: TreeContext, user: UserRow): Work<Limited> {
  return { user, folders: yield* foldersOf(deps, user) }
}

/**
 * Sets the quota of an account, null for none, and returns its storage. What it has already stays.
 *
 * @throws {Refusal} `not-found`.
 */
export async function setQuota(
  deps: Context,
  caller: LocatedCaller,
  { id, quota }: { id: string; quota: number | null },
): Promise<Storage> {
  const { store } = deps
  const detail = quota === null ? 'no limit' : formatBytes(quota)
  const { user, storage } = await store.transact(function* () {
    yield* assertStillAdmin(deps, caller)
    const user = yield* requireUser(deps, id)
    yield* store.quotas.set(id, quota)
    yield* record(deps, caller, user, { type: 'user.quota-changed', detail })
    return { user, storage: yield* store.quotas.of(id) }
  })
  recordSecurity(deps, caller, user, 'quota.changed', detail)
  return storage
}

/**
 * Takes codes, recovery codes, passkeys and trusted browsers off another account, and signs it out everywhere.
 *
 * @throws {Refusal} `invalid` for the caller's own account; `not-found`.
 */
export async function resetSecondFactor(deps: Context, caller: LocatedCaller, id: string): Promise<void> {
  const { store, clock } = deps
  if (id === caller.user.id) throw refuseInvalid('"id" is your own account: turn codes off under Account')
  const user = await store.transact(function* () {
    yield* assertStillAdmin(deps, caller)
    const user = yield* requireUser(deps, id)
    yield* store.users.removeFactors(id, { at: clock.now(), withPasskeys: true })
    yield* store.sessions.removeOfUser(id)
    return user
  })
  recordSecurity(deps, caller, user, 'second-factor.reset')
}

/**
 * Deletes an account with its sessions, API keys and history. The files it uploaded stay. The account is gone
 * at once; its history is removed in slices.
 *
 * @throws {Refusal} `invalid` for the caller's own account; `not-found`.
 */
export async function deleteUser(deps: Context, caller: LocatedCaller, id: string): Promise<void> {
  const { store, log } = deps
  if (id === caller.user.id) throw refuseInvalid('"id" is your own account: another admin must delete it')
  const deleted = await store.transact(function* () {
    yield* assertStillAdmin(deps, caller)
    const user = yield* requireUser(deps, id)
    yield* announceEnded(deps, yield* store.shares.ofUser(id))
    yield* store.users.retire(id)
    yield* record(deps, caller, user, { type: 'user.deleted', detail: null })
    return user
  })
  recordSecurity(deps, caller, deleted, 'account.deleted')
  removeRetired(deps, [id]).catch((error) =>
    log.error(
      'The history of a deleted account could not be removed; that is tried again each minute',
      error,
    ),
  )
}

/** Removes the remaining rows of deleted accounts: these, or all. */
export async function removeRetired(
  { store }: Pick<Context, 'store'>,
  ids?: readonly string[],
): Promise<void> {
  for (const id of ids ?? (await store.users.retired())) {
    await store.removeInSlices((limit) => store.activities.removeAllOwn(id, limit))
    await store.removeInSlices((limit) => store.apiRequests.removeAllOwn(id, limit))
    await store.transactToFree(() => store.users.remove(id))
  }
}

function* requireUser({ store }: Context, id: string): Work<UserRow> {
  const user = yield* store.users.byId(id)
  if (!user) throw new Refusal('user-not-found')
  return user
}

type Entry = Pick<Activity, 'type' | 'detail'>

const record = (deps: Context, caller: Caller, user: UserRow, entry: Entry) =>
  insertActivity(deps, { userId: caller.user.id, target: user.email, ...entry })

/** Adds an entry about another account to the security log. */
function recordSecurity(
  { securityLog }: Context,
  { user: { id: actorId }, device }: LocatedCaller,
  account: UserRow,
  type: SecurityEventType,
  detail?: string,
): void {
  securityLog.record({ type, account, actorId, device, ...(detail !== undefined && { detail }) })
}

/** Returns each change of an account's rights or credentials, for the security log. */
function securityChanges(was: Limited, is: Limited): { type: SecurityEventType; detail?: string }[] {
  const [before, after] = [was.user, is.user]
  const [from, to] = [before, after].map((user) => [user.role, ...user.customScopes].join(' '))
  return [
    ...(from === to ? [] : [{ type: 'role.changed' as const, detail: `${from} to ${to}` }]),
    ...(describeOther(was.folders, is.folders)
      ? [{ type: 'folders.changed' as const, detail: describeFolders(is.folders) }]
      : []),
    ...(before.passwordHash === after.passwordHash ? [] : [{ type: 'password.reset' as const }]),
    ...(before.disabled || !after.disabled ? [] : [{ type: 'account.disabled' as const }]),
    ...(after.disabled || !before.disabled ? [] : [{ type: 'account.enabled' as const }]),
  ]
}

/**
 * Builds the history entry of a change; none when nothing changed. A request makes one entry, so several
 * changes share one: its type is that of the first in this order, and its detail names the others.
 */
function describeChange(was: Limited, is: Limited): Entry | undefined {
  const [before, after] = [was.user, is.user]
  const told: (Pick<Activity, 'type'> & { words: string })[] = []
  if (before.role !== after.role || before.customScopes.join() !== after.customScopes.join())
    told.push({ type: 'user.access-changed', words: `${before.role} to ${after.role}` })
  const words = describeOther(was.folders, is.folders)
  if (words) told.push({ type: 'user.access-changed', words })
  if (before.disabled !== after.disabled)
    told.push(
      after.disabled
        ? { type: 'user.disabled', words: 'disabled' }
        : { type: 'user.enabled', words: 'enabled' },
    )
  if (before.passwordHash !== after.passwordHash)
    told.push({ type: 'user.password-reset', words: 'password reset' })
  const [first, ...others] = told
  if (!first) return undefined
  const worded = first.type === 'user.access-changed' ? told : others
  return { type: first.type, detail: worded.map(({ words }) => words).join(', ') || null }
}
