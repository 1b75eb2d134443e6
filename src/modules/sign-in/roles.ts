import type { Context } from '../../access/context.ts'
import { isLimitable } from '../../access/grants.ts'
import type { SecurityEventType } from '../../access/security-log.ts'
import type { Device } from '../../http/exchange.ts'
import type { GivenRole } from '../../platform/sign-in.ts'
import type { UserRow, Work } from '../../store/rows.ts'

/** Account of a person that a provider or a proxy vouches for, and what happened to it. */
export interface Vouched {
  user: UserRow
  events: { type: SecurityEventType; detail: string }[]
}

/**
 * Gives an account the role of its groups; `undefined` keeps its own. The last admin stays one, and a disabled account,
 * whose sign-in is refused, what it is.
 *
 * @param by Name of the provider or the proxy.
 */
export function* withRole<Found extends Vouched>(
  deps: Context,
  found: Found,
  { role, by }: { role: GivenRole | undefined; by: string },
): Work<Found> {
  const { store, clock } = deps
  const { user } = found
  if (role === undefined || role === user.role || user.disabled) return found
  // An account that is limited to folders cannot be an admin.
  const isPossible =
    role === 'admin' ? !user.limited || isLimitable({ role, customScopes: [] }) : yield* isSpare(deps, user)
  if (!isPossible) {
    const why = role === 'admin' ? 'it is limited to folders' : 'there is no other admin'
    deps.log.info(`${user.email} stays ${user.role} although ${by} says ${role}: ${why}`)
    return found
  }
  const changed = yield* store.users.update(user.id, { role, customScopes: [], updatedAt: clock.now() })
  const event = { type: 'role.changed' as const, detail: `${user.role} to ${role}, by ${by}` }
  return { ...found, user: changed ?? user, events: [...found.events, event] }
}

/** Records what happened to an account. */
export function recordVouched({ securityLog }: Context, { user, events }: Vouched, device: Device): void {
  for (const event of events) securityLog.record({ ...event, account: user, device })
}

/** Returns true if the instance has an admin beside the account. */
function* isSpare({ store }: Context, user: UserRow): Work<boolean> {
  if (user.role !== 'admin') return true
  const all = yield* store.users.all()
  return all.some(({ id, role, disabled }) => id !== user.id && role === 'admin' && !disabled)
}
