import { Elysia } from 'elysia'
import { sessionOf } from '../../access/caller.ts'
import type { Context } from '../../access/context.ts'
import { type Access, auth } from '../../access/plugin.ts'
import { listSecurityEvents, readFilter } from '../../access/security-log.ts'
import { takes } from '../../api/body.ts'
import { emptyEnvelope, success } from '../../api/schema.ts'
import { refuseInvalid } from '../../platform/errors.ts'
import { SecurityAnswer, SecurityQuery, securityView } from '../../views/history.ts'
import * as docs from './docs.ts'
import {
  AccountAnswer,
  accountView,
  ChangeAccountBody,
  ChangePasswordBody,
  EndSessionsBody,
  SessionsAnswer,
  StorageAnswer,
  sessionView,
} from './model.ts'
import { changeAccount, changePassword, endOtherSessions, endSession, listSessions } from './service.ts'

const SESSION: Access = { by: 'session' }

/** Builds `/api/me`: the caller's own account, its password and its sessions. */
export function accountRoutes(deps: Context) {
  return new Elysia({ prefix: '/api/me' })
    .use(auth(deps))
    .get('/', ({ caller }) => success(accountView(caller)), {
      ...docs.getAccount,
      access: { by: 'key or session' },
      response: { 200: AccountAnswer },
    })
    .put('/', async ({ caller, body }) => success(accountView(await changeAccount(deps, caller, body))), {
      ...docs.changeAccount,
      access: SESSION,
      ...takes(ChangeAccountBody),
      response: { 200: AccountAnswer },
    })
    .put(
      '/password',
      async ({ caller, body }) => {
        await changePassword(deps, caller, body)
        return success(null)
      },
      {
        ...docs.changePassword,
        access: SESSION,
        ...takes(ChangePasswordBody),
        response: { 200: emptyEnvelope },
      },
    )
    .get('/usage', async ({ caller }) => success(await deps.store.quotas.of(caller.user.id)), {
      ...docs.getUsage,
      access: { by: 'key or session' },
      response: { 200: StorageAnswer },
    })
    .get(
      '/sessions',
      async ({ caller }) => {
        const sessions = await listSessions(deps, caller)
        return success({ sessions: sessions.map((session) => sessionView(session, sessionOf(caller))) })
      },
      { ...docs.listSessions, access: SESSION, response: { 200: SessionsAnswer } },
    )
    .get(
      '/security',
      async ({ caller: { user }, query: { before, types } }) => {
        const part = { ...readFilter({ user: user.id, types }), before }
        return success({ activities: (await listSecurityEvents(deps, part)).map(securityView) })
      },
      { ...docs.listOwnSecurity, access: SESSION, query: SecurityQuery, response: { 200: SecurityAnswer } },
    )
    .delete(
      '/sessions',
      async ({ caller, body: { id, others } }) => {
        if (id !== undefined) await endSession(deps, caller, id)
        else if (others) await endOtherSessions(deps, caller)
        else throw refuseInvalid('"id" or "others": true is required')
        return success(null)
      },
      { ...docs.endSessions, access: SESSION, ...takes(EndSessionsBody), response: { 200: emptyEnvelope } },
    )
}
