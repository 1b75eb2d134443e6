import { refuseInvalid } from '../platform/errors.ts'
import { DAY_MS } from '../platform/time.ts'
import type { ActivityRow, Work } from '../store/rows.ts'
import type { Context } from './context.ts'

/** Maximum entries of a history. */
const MAX_LISTED = 200
/** Maximum ids of one transaction, so that nothing else waits long. */
const SLICE_IDS = 250

/** Types of entries in a history. */
const ACTIVITY_TYPES = [
  'upload.succeeded',
  'upload.failed',
  'upload.canceled',
  'file.replaced',
  'version.restored',
  'version.deleted',
  'file.deleted',
  'file.delete-failed',
  'folder.deleted',
  'folder.delete-failed',
  'file.trashed',
  'folder.trashed',
  'file.restored',
  'folder.restored',
  'folder.replaced',
  'trash.emptied',
  'file.copied',
  'folder.copied',
  'share.created',
  'share.changed',
  'share.ended',
  'api-key.created',
  'user.created',
  'user.access-changed',
  'user.password-reset',
  'user.disabled',
  'user.enabled',
  'user.quota-changed',
  'user.deleted',
  'api-key.renamed',
  'api-key.deleted',
] as const
export type ActivityType = (typeof ACTIVITY_TYPES)[number]

export interface Activity {
  userId: string
  type: ActivityType
  target: string | null
  detail: string | null
}

type ActivityDeps = Pick<Context, 'store' | 'clock' | 'random'>

/** Builds an entry of an account's history. */
export const entryOf = (
  { clock, random }: Pick<Context, 'clock' | 'random'>,
  activity: Activity,
): ActivityRow => ({
  id: random.id(),
  createdAt: clock.now(),
  ...activity,
})

/**
 * Adds an entry to an account's history inside the caller's transaction. An account deleted while its request
 * ran has no history any more.
 */
export function* insertActivity(deps: ActivityDeps, activity: Activity): Work<void> {
  const { store } = deps
  if (yield* store.users.byId(activity.userId)) yield* store.activities.insert(entryOf(deps, activity))
}

/** Adds an entry to an account's history: all that its request changes. */
export function recordActivity(deps: ActivityDeps, activity: Activity): Promise<void> {
  return deps.store.transact(() => insertActivity(deps, activity))
}

type OutcomeDeps = ActivityDeps & Pick<Context, 'log'>

/** Records the outcome of a request, which stands without its entry: a failure to write that is logged. */
export function recordOutcome(deps: OutcomeDeps, activity: Activity): Promise<void> {
  return orLogged(deps, recordActivity(deps, activity))
}

/** Like `recordOutcome`, for a deletion: works on a full volume, too. */
export function recordDelete(deps: OutcomeDeps, activity: Activity): Promise<void> {
  return orLogged(
    deps,
    deps.store.transactToFree(() => insertActivity(deps, activity)),
  )
}

const orLogged = ({ log }: OutcomeDeps, entry: Promise<void>): Promise<void> =>
  entry.catch((error) => log.error('An entry of the history could not be written', error))

/**
 * Returns an account's latest entries, newest first.
 *
 * @throws {Refusal} `invalid` when the entry to continue from is not the account's, or is gone.
 */
export async function listActivities(
  { store }: Pick<Context, 'store'>,
  userId: string,
  { before, types }: { before?: string | undefined; types?: string[] | undefined } = {},
): Promise<ActivityRow[]> {
  const last = before === undefined ? undefined : await store.activities.own(userId, before)
  if (before !== undefined && !last) throw refuseInvalid('"before" is not an entry of yours')
  const known = types && ACTIVITY_TYPES.filter((type) => types.includes(type))
  return store.activities.newest(userId, MAX_LISTED, { before: last, types: known })
}

/** Deletes the given entries that belong to the account and returns how many. */
export async function deleteActivities(
  { store }: Pick<Context, 'store'>,
  userId: string,
  ids: readonly string[],
): Promise<number> {
  let deleted = 0
  for (let start = 0; start < ids.length; start += SLICE_IDS) {
    const slice = ids.slice(start, start + SLICE_IDS)
    deleted += await store.transact(() => store.activities.removeOwn(userId, slice))
  }
  return deleted
}

/** Deletes an account's whole history and returns the number of its entries. */
export function clearActivity({ store }: Pick<Context, 'store'>, userId: string): Promise<number> {
  return store.removeInSlices((limit) => store.activities.removeAllOwn(userId, limit))
}

/** Prunes entries past the retention in the settings. */
export async function pruneActivity({ store, clock }: Pick<Context, 'store' | 'clock'>): Promise<void> {
  const before = clock.now() - store.settings.current().activityRetentionDays * DAY_MS
  await store.removeInSlices((limit) => store.activities.removeBefore(before, limit))
}
