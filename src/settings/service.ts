import * as T from 'typebox'
import Value from 'typebox/value'
import type { Catalog } from '../catalog/open.ts'
import type { StartingSettings } from '../config.ts'

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

/**
 * The settings in force. The starting values fill only what the database has no row for: on the first
 * start all of them, after an upgrade the new ones.
 */
export async function openSettings(catalog: Catalog, starting: StartingSettings) {
  await catalog.transact(() => catalog.settings.fill({ ...starting }))
  const current: InstanceSettings = Value.Parse(InstanceSettings, catalog.settings.all())
  return {
    current: (): Readonly<InstanceSettings> => current,
  }
}
