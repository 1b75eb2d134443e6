import * as T from 'typebox'
import Value from 'typebox/value'
import type { Catalog } from '../catalog/open.ts'
import type { StartingSettings } from '../platform/config.ts'
import { refuseInvalid } from '../platform/errors.ts'

const positive = T.Integer({ minimum: 1 })

/** Settings of the instance as the catalog stores them, one row each. */
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

/** New values for some settings; `undefined` leaves one as it is. */
export type SettingChanges = { [Name in keyof InstanceSettings]?: InstanceSettings[Name] | undefined }

/** Settings in force. Nothing else writes their rows. */
export class Settings {
  readonly #catalog: Catalog
  #current: InstanceSettings

  private constructor(catalog: Catalog) {
    this.#catalog = catalog
    this.#current = this.#read()
  }

  /** Opens the settings. The starting values fill only rows that are missing: after an upgrade, the new ones. */
  static async open(catalog: Catalog, starting: StartingSettings): Promise<Settings> {
    await catalog.transact(() => catalog.settings.fill({ ...starting }))
    return new Settings(catalog)
  }

  /** Returns the settings as last committed. */
  readonly current = (): Readonly<InstanceSettings> => this.#current

  /**
   * Changes some settings, in force from the commit on.
   *
   * @param authorize Called in the transaction; a refusal rolls it back.
   * @throws {Refusal} `invalid` when a link's default lifetime would exceed the maximum.
   */
  async change(changes: SettingChanges, authorize: () => void): Promise<void> {
    this.#current = await this.#catalog.transact(() => {
      authorize()
      this.#catalog.settings.set(changes)
      const changed = this.#read()
      const { defaultPresignSeconds, maxPresignSeconds } = changed
      if (defaultPresignSeconds > maxPresignSeconds) {
        throw refuseInvalid(
          `"limits.defaultPresignTtl" (${defaultPresignSeconds}) must not be greater than "limits.maxPresignTtl" (${maxPresignSeconds})`,
        )
      }
      return changed
    })
  }

  #read(): InstanceSettings {
    return Value.Parse(InstanceSettings, this.#catalog.settings.all())
  }
}
