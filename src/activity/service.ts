import type { Deps } from '../deps.ts'

export type ActivityType =
  | 'upload.succeeded'
  | 'upload.failed'
  | 'upload.canceled'
  | 'file.deleted'
  | 'file.delete-failed'
  | 'folder.deleted'
  | 'folder.delete-failed'
  | 'api-key.created'
  | 'user.created'
  | 'user.access-changed'
  | 'user.password-reset'
  | 'user.disabled'
  | 'user.enabled'
  | 'user.deleted'

export interface Activity {
  userId: string
  type: ActivityType
  target: string | null
  detail: string | null
}

type ActivityDeps = Pick<Deps, 'catalog' | 'clock' | 'random'>

/**
 * Adds an entry to an account's history; part of the transaction it is called in. An account that was deleted
 * while its request ran has no history any more.
 */
export function insertActivity({ catalog, clock, random }: ActivityDeps, activity: Activity): void {
  if (!catalog.users.byId(activity.userId)) return
  catalog.activities.insert({ id: random.id(), createdAt: clock.now(), ...activity })
}

/** Records what became of a request that changed nothing else. */
export function recordActivity(deps: ActivityDeps, activity: Activity): Promise<void> {
  return deps.catalog.transact(() => insertActivity(deps, activity))
}

/** How one or several names are told in an entry (spec: open points §7). */
export function describeNames(names: readonly string[]): { target: string | null; detail: string | null } {
  const [first] = names
  if (first === undefined) return { target: null, detail: null }
  if (names.length === 1) return { target: first, detail: null }
  const shown = names.slice(0, 3).join(', ')
  const detail = names.length > 3 ? `${shown} and ${names.length - 3} more` : shown
  return { target: `${names.length} files`, detail }
}
