import type { KeyRow, UserRow, Work } from '../store/rows.ts'
import { type Core, EVERYTHING, Reach, type TreeCore } from '../store/store.ts'

/** Returns the part of the tree that an account, or one of its API keys, reaches now. */
export function* reachOf(
  { store }: Pick<Core, 'store'>,
  { id, limited }: UserRow,
  key?: Pick<KeyRow, 'folderId'>,
): Work<Reach> {
  const boundTo = key?.folderId ?? undefined
  if (!limited && boundTo === undefined) return EVERYTHING
  return new Reach({ grants: limited ? yield* store.grants.of(id) : undefined, boundTo })
}

/** Returns true if a caller may share something: a caller that is not limited, or has the right in some folder. */
export const sharesSomewhere = async (deps: Core, caller: { reach: Reach }): Promise<boolean> =>
  caller.reach.isEverything || (await within(deps, caller).store.entries('share')).length > 0

/** Returns services with the tree as far as a caller reaches. What is outside does not exist for them. */
export const within = <Deps extends Core>(
  deps: Deps,
  { reach }: { reach: Reach },
): Deps & Pick<TreeCore, 'store'> => ({
  ...deps,
  store: deps.store.within(reach),
})

/**
 * Returns services with the whole tree: for jobs, for what was authorized in another way, such as hosting, and for routes
 * that no limited caller may use.
 */
export const whole = <Deps extends Core>(deps: Deps) => within(deps, { reach: EVERYTHING })
