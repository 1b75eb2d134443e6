import { Elysia } from 'elysia'
import * as T from 'typebox'
import { assertStillAllowed, type Caller, mayShare, pruneApiRequests } from '../access/caller.ts'
import type { Context } from '../access/context.ts'
import { pruneActivity } from '../access/history.ts'
import { auth, MANAGE } from '../access/plugin.ts'
import { sharesSomewhere, whole as wholeTree } from '../access/reach.ts'
import { route } from '../access/route.ts'
import { envelope, jsonBody, named, success } from '../api/schema.ts'
import { leavingOf } from '../http/exchange.ts'
import { MAX_DAYS, MAX_SECONDS } from '../platform/environment.ts'
import { refuseInvalid } from '../platform/errors.ts'
import type { InstanceSettings, SettingChanges } from '../store/settings.ts'
import { VisibilitySchema } from '../views/files.ts'
import { readTree } from '../views/tree.ts'

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

/** Schema of the accounts that may share. */
const Sharing = T.Union([T.Literal('readers'), T.Literal('writers'), T.Literal('nobody')], {
  description:
    'Accounts that may share: those with files:read, those that have files:write, too, or none. What is shared stays.',
})

/** Schema of the accounts that must have a second factor. */
const RequireSecondFactor = T.Union([T.Literal('no'), T.Literal('admins'), T.Literal('all')], {
  description:
    'Accounts that must have a second factor. One without is refused everything but its own account, until it adds one.',
})

const VisibilityCounts = T.Object({ public: T.Integer(), private: T.Integer() })

/** Schema of the settings. */
const SettingsView = named(
  'Settings',
  T.Object({
    defaultVisibility: VisibilitySchema,
    visibilityCounts: VisibilityCounts,
    limits: Limits,
    trashDays: TrashDays,
    versionDays: VersionDays,
    sharing: Sharing,
    requireSecondFactor: RequireSecondFactor,
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
    sharing: 'writers',
    requireSecondFactor: 'no',
  },
)

export const SettingsAnswer = envelope(SettingsView)
export const FileSettingsAnswer = envelope(
  T.Object({
    defaultVisibility: VisibilitySchema,
    versionDays: VersionDays,
    mayShare: T.Boolean({ description: 'True if `sharing` includes the account.' }),
    shareDays: T.Optional(
      T.Integer({ description: 'Days of a share for which no time is chosen. Missing for no end.' }),
    ),
    maxShareDays: T.Optional(
      T.Integer({ description: 'Days that a share may have at most. Missing for no limit.' }),
    ),
    hasSites: T.Optional(T.Boolean({ description: 'True if folders can be websites; missing if not.' })),
  }),
)
const UpdatedAnswer = envelope(T.Object({ updated: T.Integer({ examples: [120] }) }))

const ChangeBody = jsonBody(
  T.Object({
    defaultVisibility: T.Optional(VisibilitySchema),
    limits: T.Optional(T.Partial(Limits)),
    trashDays: T.Optional(TrashDays),
    versionDays: T.Optional(VersionDays),
    sharing: T.Optional(Sharing),
    requireSecondFactor: T.Optional(RequireSecondFactor),
  }),
)
export type ChangeRequest = T.Static<typeof ChangeBody.schema>

const ApplyBody = jsonBody(T.Object({ visibility: VisibilitySchema }))

/** Returns the settings as the API shows them. */
const settingsView = (
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
  sharing: settings.sharing,
  requireSecondFactor: settings.requireSecondFactor,
})

/** Returns the settings that a request changes; the others are `undefined`. */
const toSettings = ({ limits, ...settings }: ChangeRequest) => ({
  ...settings,
  maxUploadBytes: limits?.maxUploadSize,
  defaultPresignSeconds: limits?.defaultPresignTtl,
  maxPresignSeconds: limits?.maxPresignTtl,
  hostingCacheSeconds: limits?.hostingCacheMaxAge,
  activityRetentionDays: limits?.activityRetentionDays,
  apiRequestRetentionDays: limits?.apiRequestRetentionDays,
})

const GET_SETTINGS = route('Instance', MANAGE, {
  id: 'getSettings',
  summary: 'Get the settings',
  answer: SettingsAnswer,
  returns: 'The settings.',
})

const GET_FILE_SETTINGS = route(
  'Instance',
  { scope: 'files:read', by: 'session' },
  {
    id: 'getFileSettings',
    summary: 'Get the settings that apply to the caller’s files',
    answer: FileSettingsAnswer,
    returns:
      'The visibility of new files, the days for which replaced versions are kept, and whether and how long the caller may share.',
  },
)

const CHANGE_SETTINGS = route('Instance', MANAGE, {
  id: 'changeSettings',
  summary: 'Change the settings',
  description: 'Omitted settings stay. Changes take effect at once.',
  example: { defaultVisibility: 'private', limits: { activityRetentionDays: 30 } },
  takes: ChangeBody,
  answer: SettingsAnswer,
  returns: {
    description: 'The changed settings.',
    data: { defaultVisibility: 'private', limits: { activityRetentionDays: 30 } },
  },
  refusals: {
    400: [
      '"defaultVisibility", "trashDays", "versionDays", "sharing" or at least one of "limits" is required',
    ],
  },
})

const APPLY_VISIBILITY = route('Instance', MANAGE, {
  id: 'applyVisibility',
  summary: 'Set the visibility of every file',
  takes: ApplyBody,
  answer: UpdatedAnswer,
  returns: 'Number of changed files.',
})

/** Builds `/api/settings`: settings of the whole instance. */
export function settingsRoutes(deps: Context) {
  const { store } = wholeTree(deps)
  const view = (request: Request) =>
    readTree(wholeTree(deps), leavingOf(request), function* ({ totals, settings }) {
      const { public: shown, private: hidden } = yield* totals.byVisibility()
      return settingsView(settings, { public: shown.count, private: hidden.count })
    })
  return new Elysia({ prefix: '/api/settings' })
    .use(auth(deps))
    .get('/', async ({ request }) => success(await view(request)), { ...GET_SETTINGS })
    .get(
      '/files',
      async ({ caller }) => {
        const { defaultVisibility, versionDays, sharing } = store.settings.current()
        const isAllowed = mayShare(sharing, caller.user) && (await sharesSomewhere(deps, caller))
        const { shareDays, maxShareDays, sitesDomain } = deps.config
        return success({
          ...{ defaultVisibility, versionDays, mayShare: isAllowed },
          ...(shareDays > 0 && { shareDays }),
          ...(maxShareDays > 0 && { maxShareDays }),
          ...(sitesDomain !== undefined && { hasSites: true }),
        })
      },
      { ...GET_FILE_SETTINGS },
    )
    .put(
      '/',
      async ({ caller, body, request }) => {
        await changeSettings(deps, caller, toSettings(body))
        return success(await view(request))
      },
      { ...CHANGE_SETTINGS },
    )
    .post(
      '/apply-visibility',
      async ({ caller, body: { visibility } }) => {
        const authorize = () => assertStillAllowed(deps, caller, 'settings:manage')
        const change = { folderId: await store.folders.root(), visibility, updatedAt: deps.clock.now() }
        const updated = await store.setVisibilityBelow(change, authorize)
        return success({ updated })
      },
      { ...APPLY_VISIBILITY },
    )
}

/**
 * Changes settings at once for all accounts. A shorter retention prunes older history before this resolves.
 *
 * @throws {Refusal} `invalid` when there is nothing to change, or values contradict each other.
 */
async function changeSettings(deps: Context, caller: Caller, changes: SettingChanges): Promise<void> {
  if (Object.values(changes).every((value) => value === undefined))
    throw refuseInvalid(
      '"defaultVisibility", "trashDays", "versionDays", "sharing" or at least one of "limits" is required',
    )
  await deps.store.settings.change(changes, () => assertStillAllowed(deps, caller, 'settings:manage'))
  // The change is in force already; leftover history is pruned later.
  await pruneHistory(deps).catch((error) => deps.log.error('Older history could not be removed', error))
}

/** Prunes the activity and the API request records past their retention. */
async function pruneHistory(deps: Pick<Context, 'store' | 'clock'>): Promise<void> {
  await pruneActivity(deps)
  await pruneApiRequests(deps)
}
