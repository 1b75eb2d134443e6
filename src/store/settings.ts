import * as T from 'typebox'
import Value from 'typebox/value'
import type { Catalog } from '../catalog/catalog.ts'
import type { Steps, Work } from '../catalog/engine/query.ts'
import type { StartingSettings } from '../platform/config.ts'
import { refuseInvalid } from '../platform/errors.ts'
import type { ChangeListener } from './database.ts'

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
  /** Days that deleted files stay in the trash; 0 removes them at once. */
  trashDays: T.Integer({ minimum: 0 }),
  /** Days for which replaced bytes are kept; 0 for not at all. */
  versionDays: T.Integer({ minimum: 0 }),
  /** Accounts that may share: those that read files, those that also write files, or none. */
  sharing: T.Union([T.Literal('readers'), T.Literal('writers'), T.Literal('nobody')]),
  /** Accounts that must have a second factor. */
  requireSecondFactor: T.Union([T.Literal('no'), T.Literal('admins'), T.Literal('all')]),
})

export type InstanceSettings = T.Static<typeof InstanceSettings>

/** New values for some settings; `undefined` leaves one as it is. */
export type SettingChanges = { [Name in keyof InstanceSettings]?: InstanceSettings[Name] | undefined }

/** Settings in force. Nothing else writes their rows. */
export class Settings {
  readonly #catalog: Catalog
  #current: InstanceSettings

  private constructor(catalog: Catalog, current: InstanceSettings) {
    this.#catalog = catalog
    this.#current = current
  }

  /** Opens the settings. The starting values fill only rows that are missing: after an upgrade, the new ones. */
  static async open(catalog: Catalog, starting: StartingSettings): Promise<Settings> {
    const current = await catalog.transact(function* () {
      const known = yield* catalog.settings.all()
      // In an instance that is older than this setting, all readers could share.
      const sharing = Object.keys(known).length === 0 ? 'writers' : 'readers'
      yield* catalog.settings.fill({ ...starting, sharing })
      return yield* read(catalog)
    })
    return new Settings(catalog, current)
  }

  /** Returns the settings within a transaction, also when another server has just changed them. */
  *inTransaction(): Work<Readonly<InstanceSettings>> {
    return this.#catalog.isShared ? yield* read(this.#catalog) : this.#current
  }

  /** Returns the settings as last committed. */
  readonly current = (): Readonly<InstanceSettings> => this.#current

  /** Reads the settings again when another server has changed them. */
  async follow(changes: Parameters<ChangeListener>[0]): Promise<void> {
    if (changes === 'missed' || changes.some(({ kind }) => kind === 'settings'))
      this.#current = await this.#catalog.read(() => read(this.#catalog))
  }

  /**
   * Changes some settings, in force from the commit on.
   *
   * @param authorize Called in the transaction; a refusal rolls it back.
   * @throws {Refusal} `invalid` when a link's default lifetime would exceed the maximum.
   */
  async change(changes: SettingChanges, authorize: () => Steps<void>): Promise<void> {
    const catalog = this.#catalog
    const change = function* (): Work<InstanceSettings> {
      yield* authorize()
      yield* catalog.settings.set(changes)
      const changed = yield* read(catalog)
      const { defaultPresignSeconds, maxPresignSeconds } = changed
      if (defaultPresignSeconds > maxPresignSeconds) {
        throw refuseInvalid(
          `"limits.defaultPresignTtl" (${defaultPresignSeconds}) must not be greater than "limits.maxPresignTtl" (${maxPresignSeconds})`,
        )
      }
      return changed
    }
    const changed = await catalog.transact(change, { stopsUploads: true })
    // With several servers, the fence reads them in the order of the commits.
    if (catalog.isShared) await catalog.fence()
    else this.#current = changed
  }
}

function* read({ settings }: Pick<Catalog, 'settings'>): Work<InstanceSettings> {
  return Value.Parse(InstanceSettings, yield* settings.all())
}
