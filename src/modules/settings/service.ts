import * as T from 'typebox'
import Value from 'typebox/value'
import { assertStillAllowed, type Caller } from '../../access/caller.ts'
import type { Deps } from '../../deps.ts'
import type { StartingSettings } from '../../platform/config.ts'
import { refuseInvalid } from '../../platform/errors.ts'
import type { Store } from '../../store/store.ts'
import { pruneHistory } from './history.ts'

const positive = T.Integer({ minimum: 1 })

/** The instance's settings as the database keeps them, one row each. */
const InstanceSettings = T.Object({
  defaultVisibility: T.Union([T.Literal('public'), T.Literal('private')]),
  maxUploadBytes: positive,
  defaultPresignSeconds: positive,
  maxPresignSeconds: positive,
  hostingCacheSeconds: T.Integer({ minimum: 0 }),
  activityRetentionDays: positive,
  apiRequestRetentionDays: positive,
})

export type InstanceSettings = T.Static<typeof InstanceSettings>
export type Settings = Awaited<ReturnType<typeof openSettings>>

/** New values for some settings; `undefined` leaves one as it is. */
type SettingChanges = { [Name in keyof InstanceSettings]?: InstanceSettings[Name] | undefined }

/**
 * The settings in force. The starting values fill only what the database has no row for: on the first
 * start all of them, after an upgrade the new ones.
 */
export async function openSettings(store: Store, starting: StartingSettings) {
  await store.transact(() => store.settings.fill({ ...starting }))
  const read = (): InstanceSettings => Value.Parse(InstanceSettings, store.settings.all())
  let known = read()

  /**
   * The settings as they were last committed: a change is in force for everyone from its commit on, and
   * one that was not committed never is.
   */
  const current = (): Readonly<InstanceSettings> => known

  /**
   * The one way to change settings: nothing else writes them.
   *
   * @param authorize Called in the transaction; a refusal undoes the change.
   * @throws {Refusal} `invalid` when a link's default lifetime would be longer than the maximum.
   */
  async function change(changes: SettingChanges, authorize: () => void): Promise<void> {
    known = await store.transact(() => {
      authorize()
      store.settings.set(changes)
      const changed = read()
      const { defaultPresignSeconds, maxPresignSeconds } = changed
      if (defaultPresignSeconds > maxPresignSeconds) {
        throw refuseInvalid(
          `"limits.defaultPresignTtl" (${defaultPresignSeconds}) must not be greater than "limits.maxPresignTtl" (${maxPresignSeconds})`,
        )
      }
      return changed
    })
  }

  return { current, change }
}

/**
 * Changes some settings, for everyone at once. A shorter retention removes older history before this
 * resolves.
 *
 * @throws {Refusal} `invalid` when there is nothing to change, or values do not go together.
 */
export async function changeSettings(deps: Deps, caller: Caller, changes: SettingChanges): Promise<void> {
  if (Object.values(changes).every((value) => value === undefined))
    throw refuseInvalid('"defaultVisibility" or at least one of "limits" is required')
  await deps.settings.change(changes, () => assertStillAllowed(deps, caller, 'settings:manage'))
  // The change is in force already: what cannot be removed now is removed later.
  await pruneHistory(deps).catch((error) => deps.log.error('Older history could not be removed', error))
}
