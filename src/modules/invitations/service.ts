import { assertMayNameEmail, newAccount, readCustomScopes, type SignedIn } from '../../access/accounts.ts'
import { assertStillAllowed, type LocatedCaller } from '../../access/caller.ts'
import type { Context, TreeContext } from '../../access/context.ts'
import { assertLimitable, readFolders, setFolders, viewRights, withFolders } from '../../access/grants.ts'
import { assertAcceptable } from '../../access/passwords.ts'
import { readEmail, readName } from '../../access/profile.ts'
import { hashToken, newSession } from '../../access/sessions.ts'
import type { Device } from '../../http/exchange.ts'
import { Refusal, refuseConflict, refuseInvalid, refuseTooMany } from '../../platform/errors.ts'
import { newToken } from '../../platform/random.ts'
import { rateLimitBucket } from '../../platform/rate-limit.ts'
import { DAY_MS } from '../../platform/time.ts'
import { type InvitationRow, numberOf, rightsOf, type Work } from '../../store/rows.ts'
import {
  type Accept,
  type CreateInvitation,
  describeAccess,
  type Known,
  lifetimeOf,
  type Open,
} from './model.ts'

/** Maximum unused invitations of an instance. */
const MAX_UNUSED = 500
/** Time in the list after expiry, in milliseconds. */
const LISTED_MS = 7 * DAY_MS

const invitationNotFound = () => new Refusal('invitation-not-found')

/** Returns all invitations with their creators and the accounts that they became, newest first. */
export const listInvitations = (deps: TreeContext): Promise<Known[]> =>
  deps.store.read(function* () {
    const users = new Map((yield* deps.store.users.all()).map((user) => [user.id, user]))
    const known: Known[] = []
    for (const invitation of yield* deps.store.invitations.all())
      known.push({
        invitation,
        creator: users.get(invitation.userId),
        folders: yield* foldersOf(deps, invitation),
        user: users.get(invitation.usedBy ?? ''),
      })
    return known
  })

function* foldersOf(deps: TreeContext, { grants }: InvitationRow): Work<Open['folders']> {
  const rights = grants?.map(({ folderId, rights }) => ({ folderId, rights: rightsOf(rights) }))
  return rights ? yield* viewRights(deps, rights) : null
}

/**
 * Creates an invitation. Only this result has its token.
 *
 * @throws {Refusal} `invalid`, also for the e-mail of an account; `conflict` past the maximum of unused ones.
 */
export async function createInvitation(
  deps: TreeContext,
  caller: LocatedCaller,
  sent: CreateInvitation,
): Promise<Known & { token: string }> {
  const { store, clock, random } = deps
  const wanted = sent.folders && readFolders(sent.folders)
  if (sent.email === undefined) assertMayNameEmail(deps)
  const now = clock.now()
  const token = newToken(random)
  const invited: InvitationRow = {
    id: random.id(),
    userId: caller.user.id,
    tokenHash: hashToken(token),
    email: sent.email === undefined ? null : readEmail(sent.email),
    role: sent.role,
    customScopes: readCustomScopes(sent.role, sent.scopes),
    grants: null,
    note: readNote(sent.note),
    createdAt: now,
    expiresAt: now + lifetimeOf(sent),
    usedAt: null,
    usedBy: null,
  }
  if (wanted) assertLimitable(invited)
  const authorize = () => assertStillAllowed(deps, caller, 'users:manage')
  const created = await withFolders(deps, authorize, wanted ?? [], function* (granted) {
    const grants = wanted
      ? granted.map(({ folderId, rights }) => ({ folderId, rights: numberOf(rights) }))
      : null
    const invitation = { ...invited, grants }
    if ((yield* store.invitations.countUnused()) >= MAX_UNUSED)
      throw new Refusal(
        'limit-reached',
        `There are ${MAX_UNUSED} unused invitations already: revoke some first`,
      )
    if (invitation.email !== null) yield* assertEmailFree(deps, invitation.email)
    yield* store.invitations.insert(invitation)
    return { invitation, folders: yield* foldersOf(deps, invitation) }
  })
  record(deps, caller, 'invitation.created', created)
  return { ...created, creator: caller.user, user: undefined, token }
}

/**
 * Revokes an invitation that was not used.
 *
 * @throws {Refusal} `not-found`; `conflict` when it was used.
 */
export async function revokeInvitation(deps: TreeContext, caller: LocatedCaller, id: string): Promise<void> {
  const { store } = deps
  const revoked = await store.transact(function* () {
    yield* assertStillAllowed(deps, caller, 'users:manage')
    const invitation = yield* store.invitations.byId(id)
    if (!invitation) throw invitationNotFound()
    if (invitation.usedAt !== null)
      throw refuseConflict('The invitation was used: disable or delete its account instead')
    yield* store.invitations.remove(id)
    return { invitation, folders: yield* foldersOf(deps, invitation) }
  })
  record(deps, caller, 'invitation.revoked', revoked)
}

/**
 * Finds the open invitation with a token. The refusal is the same for an unknown, expired, used, revoked or suspended
 * one. Wrong tokens are limited like wrong passwords.
 *
 * @throws {Refusal} `not-found`; `rate-limited` after ten failures in a minute for one address.
 */
export async function openInvitation(deps: TreeContext, token: string, device: Device): Promise<Open> {
  const { store, signInLimiter } = deps
  const bucket = `${rateLimitBucket(device.ipAddress)} invitation`
  const wait = await signInLimiter.take(bucket)
  if (wait > 0) throw refuseTooMany(wait)
  const open = await store.read(() => findOpen(deps, token))
  await signInLimiter.forget(bucket)
  return open
}

function* findOpen(deps: TreeContext, token: string): Work<Open> {
  const { store, clock } = deps
  const found = yield* store.invitations.openWith(hashToken(token), clock.now())
  if (!found) throw invitationNotFound()
  return { ...found, folders: yield* foldersOf(deps, found.invitation) }
}

/**
 * Creates the account of an invitation, and signs it in.
 *
 * @throws {Refusal} `not-found` and `rate-limited` as `openInvitation`; `invalid`, also for an e-mail that another
 *   account uses.
 */
export async function acceptInvitation(deps: TreeContext, sent: Accept, device: Device): Promise<SignedIn> {
  const { store, passwords } = deps
  const { invitation } = await openInvitation(deps, sent.token, device)
  const profile = { name: readName(sent.name), email: emailFor(deps, invitation, sent.email) }
  await assertAcceptable(sent.password, 'password')
  const passwordHash = await passwords.hash(sent.password)

  const { role, customScopes, grants } = invitation
  const user = newAccount(deps, { ...profile, passwordHash, role, customScopes, limited: grants !== null })
  const { token, row } = newSession(deps, user.id, { ...device, remembered: true, way: 'password' })
  const open = await store.transact(function* () {
    // Hashing took a while: the invitation may have been used or revoked, and its folders be gone.
    const open = yield* findOpen(deps, sent.token)
    yield* assertEmailFree(deps, user.email)
    yield* store.users.insert(user)
    if (open.folders) yield* setFolders(deps, open.folders, { userId: user.id, createdBy: invitation.userId })
    yield* store.invitations.use(invitation.id, { usedAt: user.createdAt, usedBy: user.id })
    yield* store.sessions.insert(row)
    return open
  })
  const detail = `${describeAccess(open)}, invited by ${open.creator.email}`
  deps.securityLog.record({ type: 'invitation.used', account: user, device, detail })
  return { token, user }
}

/** Removes invitations that are past their time in the list. */
export const removeExpired = async ({ store, clock }: Pick<Context, 'store' | 'clock'>): Promise<void> => {
  await store.removeInSlices((limit) => store.invitations.removeExpired(clock.now() - LISTED_MS, limit))
}

/** Returns the e-mail of the account: that of the invitation, or the one that was sent. */
function emailFor(deps: TreeContext, { email: invited }: InvitationRow, sent: string | undefined): string {
  if (invited === null) assertMayNameEmail(deps)
  if (sent === undefined && invited === null) throw refuseInvalid('"email" is required')
  const email = sent === undefined ? invited : readEmail(sent)
  if (email === null || (invited !== null && email !== invited))
    throw refuseInvalid('"email" must be the one that the invitation is for')
  return email
}

function* assertEmailFree({ store }: Pick<Context, 'store'>, email: string): Work<void> {
  if (yield* store.users.byEmail(email)) throw new Refusal('email-taken')
}

function readNote(sent: string | undefined): string | null {
  const note = sent?.trim() ?? ''
  if (/[\p{Cc}\p{Cs}]/u.test(note)) throw refuseInvalid('"note" must not contain control characters')
  return note === '' ? null : note
}

function record(
  { securityLog }: Context,
  { user, device }: LocatedCaller,
  type: 'invitation.created' | 'invitation.revoked',
  access: Pick<Open, 'invitation' | 'folders'>,
): void {
  const { email } = access.invitation
  const detail = `${describeAccess(access)}${email ? `, for ${email}` : ''}`
  securityLog.record({ type, account: user, device, detail })
}
