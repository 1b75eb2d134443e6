import { Elysia } from 'elysia'
import { assertStillAllowed } from '../../access/caller.ts'
import type { Context } from '../../access/context.ts'
import { type Access, auth } from '../../access/plugin.ts'
import { takes } from '../../api/body.ts'
import { success } from '../../api/schema.ts'
import { leavingOf } from '../../http/exchange.ts'
import { readTree } from '../../views/tree.ts'
import * as docs from './docs.ts'
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
      ...docs.getSettings,
      access: MANAGE,
      response: { 200: SettingsAnswer },
    })
    .put(
      '/',
      async ({ caller, body, request }) => {
        await changeSettings(deps, caller, toSettings(body))
        return success(await view(request))
      },
      { ...docs.changeSettings, access: MANAGE, ...takes(ChangeBody), response: { 200: SettingsAnswer } },
    )
    .post(
      '/apply-visibility',
      async ({ caller, body: { visibility } }) => {
        const authorize = () => assertStillAllowed(deps, caller, 'settings:manage')
        const change = { folderId: await store.folders.root(), visibility, updatedAt: deps.clock.now() }
        const updated = await store.setVisibilityBelow(change, authorize)
        return success({ updated })
      },
      { ...docs.applyVisibility, access: MANAGE, ...takes(ApplyBody), response: { 200: UpdatedAnswer } },
    )
}
