import type { Context, TreeContext } from '../../access/context.ts'
import { describeFolders, describeOther, foldersOf, isLimitable } from '../../access/grants.ts'
import { whole } from '../../access/reach.ts'
import type { SecurityEventType } from '../../access/security-log.ts'
import type { Device } from '../../http/exchange.ts'
import { type GivenRole, type GroupRules, rulesOfGroups } from '../../platform/sign-in.ts'
import type { GrantRow, UserRow, Work } from '../../store/rows.ts'
import { RIGHTS, type Right } from '../../store/store.ts'

/** Account of a person that a provider or a proxy vouches for, and what happened to it. */
export interface Vouched {
  user: UserRow
  events: { type: SecurityEventType; detail: string }[]
}

/** Role and rights that groups give a person. */
export interface Given extends Pick<GroupRules, 'folders'> {
  /** `undefined` keeps the account's own. */
  role: GivenRole | undefined
  /** Groups of the person. */
  groups: readonly string[]
  /** Name of the provider or the proxy. */
  by: string
}

/**
 * Gives an account the role and the rights in folders of its groups, in place of those that groups gave it before. The last
 * admin stays one, and a disabled account, whose sign-in is refused, what it is.
 */
export function* withGroups<Found extends Vouched>(
  context: Context,
  found: Found,
  given: Given,
): Work<Found> {
  const deps = whole(context)
  if (found.user.disabled) return found
  const before = yield* foldersOf(deps, found.user)
  const changed = yield* withRole(deps, found, given)
  yield* giveFolders(deps, changed.user, given)
  const after = yield* foldersOf(deps, changed.user)
  if (describeOther(before, after) === undefined) return changed
  const event = { type: 'folders.changed' as const, detail: `${describeFolders(after)}, by ${given.by}` }
  return { ...changed, events: [...changed.events, event] }
}

/** Sets the role of an account, and limits it to folders when it reached everything by the role before. */
function* withRole<Found extends Vouched>(
  deps: TreeContext,
  found: Found,
  { role, folders, by }: Given,
): Work<Found> {
  const { store, clock } = deps
  const { user } = found
  if (role === undefined || role === user.role) return found
  const access = { role, customScopes: [] }
  const [wasLimitable, isToBe] = [isLimitable(user), isLimitable(access)]
  const why = isToBe ? yield* whyNotLess(deps, user) : yield* whyNotEverything(deps, user, folders)
  if (why !== undefined) {
    deps.log.info(`${user.email} stays ${user.role} although ${by} says ${role}: ${why}`)
    return found
  }
  const limited = isToBe ? user.limited || (!wasLimitable && folders.length > 0) : false
  const changed = yield* store.users.update(user.id, { ...access, limited, updatedAt: clock.now() })
  const event = { type: 'role.changed' as const, detail: `${user.role} to ${role}, by ${by}` }
  return { ...found, user: changed ?? user, events: [...found.events, event] }
}

/** Returns why an account keeps the role of an admin; `undefined` when it need not. */
function* whyNotLess({ store }: TreeContext, user: UserRow): Work<string | undefined> {
  if (user.role !== 'admin') return undefined
  const all = yield* store.users.all()
  const isSpare = all.some(({ id, role, disabled }) => id !== user.id && role === 'admin' && !disabled)
  return isSpare ? undefined : 'there is no other admin'
}

/** Returns why an account does not become an admin, which reaches everything: groups end only limits that they set. */
function* whyNotEverything(
  { store }: TreeContext,
  user: UserRow,
  folders: Given['folders'],
): Work<string | undefined> {
  const isOwn = (grant: GrantRow) => grant.userId === user.id && !grant.byGroups
  const byHand = folders.length === 0 || (yield* store.grants.of(user.id)).some(isOwn)
  return user.limited && byHand ? 'it is limited to folders' : undefined
}

/** Replaces the rights that groups gave a limited account. To any other they mean nothing. */
function* giveFolders(deps: TreeContext, user: UserRow, given: Given): Work<void> {
  const { store, clock } = deps
  const now = user.limited ? yield* rightsByGroups(deps, given) : new Map<string, Right[]>()
  const own = (yield* store.grants.of(user.id)).filter(({ userId }) => userId === user.id)
  const before = new Map(own.filter(({ byGroups }) => byGroups).map((row) => [row.folderId, row.rights]))
  for (const folderId of before.keys())
    if (!now.has(folderId)) yield* store.grants.remove(folderId, user.id, true)
  for (const [folderId, rights] of now)
    if (before.get(folderId)?.join() !== rights.join())
      yield* store.grants.set({
        ...{ folderId, userId: user.id, rights, byGroups: true },
        ...{ createdAt: clock.now(), createdBy: null },
      })
}

/** Returns the rights of a person by the ids of folders. A folder that does not exist is logged. */
function* rightsByGroups(
  { store, log }: TreeContext,
  { folders, groups }: Given,
): Work<Map<string, Right[]>> {
  const found = new Map<string, Right[]>()
  for (const { key, rights } of rulesOfGroups(folders, groups)) {
    const folderId = yield* store.folders.idAt(key.split('/'))
    if (folderId === undefined)
      log.info(`OIDC_FOLDERS names the folder "${key}", which does not exist: it gives no rights`)
    else {
      const before = found.get(folderId) ?? []
      found.set(
        folderId,
        RIGHTS.filter((right) => rights.includes(right) || before.includes(right)),
      )
    }
  }
  return found
}

/** Returns true when the accounts that are made for people are limited to folders. */
export const isMadeLimited = ({ folders }: Pick<GroupRules, 'folders'>, role: GivenRole): boolean =>
  folders.length > 0 && isLimitable({ role, customScopes: [] })

/** Records what happened to an account. */
export function recordVouched({ securityLog }: Context, { user, events }: Vouched, device: Device): void {
  for (const event of events) securityLog.record({ ...event, account: user, device })
}
