import { newAccount, type SignedIn } from '../../../access/accounts.ts'
import type { Context } from '../../../access/context.ts'
import { enter } from '../../../access/entrance.ts'
import type { Forwarded } from '../../../access/forward-auth.ts'
import { PROXY } from '../../../access/grants.ts'
import { readEmail } from '../../../access/profile.ts'
import { deviceOf } from '../../../http/exchange.ts'
import { Refusal } from '../../../platform/errors.ts'
import { type ForwardAuthConfig, roleOfGroups } from '../../../platform/sign-in.ts'
import { done, type Work } from '../../../store/rows.ts'
import { isMadeLimited, recordVouched, type Vouched, withGroups } from '../groups.ts'

/**
 * Signs in the person that a trusted proxy names. The session holds while each request names the same person.
 *
 * @throws {Refusal} `provider-not-found` on an instance without such a proxy; `not-forwarded`; `account-missing`, `not-in-group`, `account-disabled`.
 */
export async function signInForwarded(deps: Context, request: Request): Promise<SignedIn> {
  const { forwardAuth, config, store } = deps
  const { forwardAuth: options } = config.signIn
  if (!forwardAuth || !options) throw new Refusal('provider-not-found')
  const person = forwardAuth.read(request)
  const device = deviceOf(request)
  const found = await store.transact(() => accountOf(deps, options, person))
  recordVouched(deps, found, device)
  const entry = { device, remembered: true, way: 'forwarded', voucher: person.email } as const
  return await enter(deps, found.user.id, entry, () => done(undefined))
}

/** Returns the account of a person, which it may make, with what its groups give. */
function* accountOf(deps: Context, options: ForwardAuthConfig, { email, groups }: Forwarded): Work<Vouched> {
  const { store } = deps
  const role = roleOfGroups(options.roles, groups)
  if (options.roles.length > 0 && !role) throw new Refusal('not-in-group')
  const user = yield* store.users.byEmail(email)
  const given = { role, folders: options.folders, groups, by: PROXY }
  if (user) return yield* withGroups(deps, { user, events: [] }, given)
  // The first account is made on the setup page: the first person to come must not own the instance.
  if (options.newAccounts === 'no' || (yield* store.users.count()) === 0) throw new Refusal('account-missing')
  const name = email.replace(/@.*/, '')
  const as = role ?? options.newAccounts
  const access = { role: as, limited: isMadeLimited(options, as) }
  const made = newAccount(deps, { name, email: readEmail(email), passwordHash: '', ...access })
  yield* store.users.insert(made)
  const event = { type: 'account.provisioned' as const, detail: `${PROXY}, as ${as}` }
  return yield* withGroups(deps, { user: made, events: [event] }, given)
}
