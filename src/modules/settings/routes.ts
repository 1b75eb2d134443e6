import { Elysia } from 'elysia'
import { assertStillAllowed } from '../../access/caller.ts'
import type { Context } from '../../access/context.ts'
import { type Access, auth } from '../../access/plugin.ts'
import { takes } from '../../api/body.ts'
import { documented } from '../../api/openapi/described.ts'
import { success } from '../../api/schema.ts'
import { leavingOf } from '../../http/exchange.ts'
import { readTree } from '../../views/tree.ts'
import { ApplyBody, ChangeBody, SettingsAnswer, settingsView, toSettings, UpdatedAnswer } from './model.ts'
import { changeSettings } from './service.ts'

const MANAGE: Access = { scope: 'settings:manage', by: 'session' }

/** Builds `/api/settings`: settings of the whole instance. */
export function settingsRoutes(deps: Context) {
  const { store } = deps
  const view = (request: Request) =>
    readTree(deps, leavingOf(request), function* ({ totals, settings }) {
      const { public: shown, private: hidden } = yield* totals.byVisibility()
      return settingsView(settings, { public: shown.count, private: hidden.count })
    })
  return new Elysia({ prefix: '/api/settings' })
    .use(auth(deps))
    .get('/', async ({ request }) => success(await view(request)), {
      ...documented('Instance', {
        id: 'getSettings',
        summary: 'Get the settings',
        returns: 'The settings.',
      }),
      access: MANAGE,
      response: { 200: SettingsAnswer },
    })
    .put(
      '/',
      async ({ caller, body, request }) => {
        await changeSettings(deps, caller, toSettings(body))
        return success(await view(request))
      },
      {
        ...documented('Instance', {
          id: 'changeSettings',
          summary: 'Change the settings',
          description: 'Omitted settings stay. Changes take effect at once.',
          body: { defaultVisibility: 'private', limits: { activityRetentionDays: 30 } },
          returns: {
            description: 'The changed settings.',
            data: { defaultVisibility: 'private', limits: { activityRetentionDays: 30 } },
          },
          refusals: {
            400: ['"defaultVisibility", "trashDays", "versionDays" or at least one of "limits" is required'],
          },
        }),
        access: MANAGE,
        ...takes(ChangeBody),
        response: { 200: SettingsAnswer },
      },
    )
    .post(
      '/apply-visibility',
      async ({ caller, body: { visibility } }) => {
        const authorize = () => assertStillAllowed(deps, caller, 'settings:manage')
        const change = { folderId: await store.folders.root(), visibility, updatedAt: deps.clock.now() }
        const updated = await store.setVisibilityBelow(change, authorize)
        return success({ updated })
      },
      {
        ...documented('Instance', {
          id: 'applyVisibility',
          summary: 'Set the visibility of every file',
          returns: 'Number of changed files.',
        }),
        access: MANAGE,
        ...takes(ApplyBody),
        response: { 200: UpdatedAnswer },
      },
    )
}
