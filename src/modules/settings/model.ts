import * as T from 'typebox'
import { envelope, jsonBody, named } from '../../api/schema.ts'
import { MAX_DAYS, MAX_SECONDS } from '../../platform/environment.ts'
import type { InstanceSettings } from '../../store/settings.ts'
import { VisibilitySchema } from '../../views/files.ts'

const whole = (unit: string, minimum: number, maximum: number = Number.MAX_SAFE_INTEGER) =>
  T.Integer({ minimum, maximum, description: `In ${unit}.` })

/** Schema of the instance's limits. */
const Limits = T.Object({
  maxUploadSize: whole('bytes', 1),
  defaultPresignTtl: whole('seconds', 1, MAX_SECONDS),
  maxPresignTtl: whole('seconds', 1, MAX_SECONDS),
  hostingCacheMaxAge: whole('seconds', 0),
  activityRetentionDays: whole('days', 1, MAX_DAYS),
  apiRequestRetentionDays: whole('days', 1, MAX_DAYS),
})

/** Schema of the days for which deleted files stay. */
const TrashDays = T.Integer({
  minimum: 0,
  maximum: MAX_DAYS,
  description: 'Days that deleted files stay in the trash; 0 removes them at once.',
})

/** Schema of the days for which replaced bytes are kept. */
const VersionDays = T.Integer({
  minimum: 0,
  maximum: MAX_DAYS,
  description: 'Days for which replaced versions of files are kept; 0 for not at all.',
})

const VisibilityCounts = T.Object({ public: T.Integer(), private: T.Integer() })

/** Schema of the settings. */
export const SettingsView = named(
  'Settings',
  T.Object({
    defaultVisibility: VisibilitySchema,
    visibilityCounts: VisibilityCounts,
    limits: Limits,
    trashDays: TrashDays,
    versionDays: VersionDays,
  }),
  {
    defaultVisibility: 'public',
    visibilityCounts: { public: 120, private: 34 },
    limits: {
      maxUploadSize: 5_368_709_120,
      defaultPresignTtl: 3600,
      maxPresignTtl: 604_800,
      hostingCacheMaxAge: 0,
      activityRetentionDays: 90,
      apiRequestRetentionDays: 90,
    },
    trashDays: 30,
    versionDays: 30,
  },
)

export const SettingsAnswer = envelope(SettingsView)
export const UpdatedAnswer = envelope(T.Object({ updated: T.Integer({ examples: [120] }) }))

export const ChangeBody = jsonBody(
  T.Object({
    defaultVisibility: T.Optional(VisibilitySchema),
    limits: T.Optional(T.Partial(Limits)),
    trashDays: T.Optional(TrashDays),
    versionDays: T.Optional(VersionDays),
  }),
)
export type ChangeRequest = T.Static<typeof ChangeBody.schema>

export const ApplyBody = jsonBody(T.Object({ visibility: VisibilitySchema }))

/** Returns the settings as the API shows them. */
export const settingsView = (
  settings: InstanceSettings,
  visibilityCounts: T.Static<typeof VisibilityCounts>,
): T.Static<typeof SettingsView> => ({
  defaultVisibility: settings.defaultVisibility,
  visibilityCounts,
  limits: {
    maxUploadSize: settings.maxUploadBytes,
    defaultPresignTtl: settings.defaultPresignSeconds,
    maxPresignTtl: settings.maxPresignSeconds,
    hostingCacheMaxAge: settings.hostingCacheSeconds,
    activityRetentionDays: settings.activityRetentionDays,
    apiRequestRetentionDays: settings.apiRequestRetentionDays,
  },
  trashDays: settings.trashDays,
  versionDays: settings.versionDays,
})

/** Returns the settings that a request changes; the others are `undefined`. */
export const toSettings = ({ defaultVisibility, limits, trashDays, versionDays }: ChangeRequest) => ({
  defaultVisibility,
  trashDays,
  versionDays,
  maxUploadBytes: limits?.maxUploadSize,
  defaultPresignSeconds: limits?.defaultPresignTtl,
  maxPresignSeconds: limits?.maxPresignTtl,
  hostingCacheSeconds: limits?.hostingCacheMaxAge,
  activityRetentionDays: limits?.activityRetentionDays,
  apiRequestRetentionDays: limits?.apiRequestRetentionDays,
})
