import { assertStillAllowed, type Caller } from '../../access/caller.ts'
import type { Context } from '../../access/context.ts'
import { refuseInvalid } from '../../platform/errors.ts'
import type { SettingChanges } from '../../store/settings.ts'
import { pruneHistory } from './history.ts'

/**
 * Changes settings at once for all accounts. A shorter retention prunes older history before this resolves.
 *
 * @throws {Refusal} `invalid` when there is nothing to change, or values contradict each other.
 */
export async function changeSettings(deps: Context, caller: Caller, changes: SettingChanges): Promise<void> {
  if (Object.values(changes).every((value) => value === undefined))
    throw refuseInvalid(
      '"defaultVisibility", "trashDays", "versionDays" or at least one of "limits" is required',
    )
  await deps.store.settings.change(changes, () => assertStillAllowed(deps, caller, 'settings:manage'))
  // The change is in force already; leftover history is pruned later.
  await pruneHistory(deps).catch((error) => deps.log.error('Older history could not be removed', error))
}
