import { Elysia } from 'elysia'
import { sessionOf } from '../../access/caller.ts'
import type { Context } from '../../access/context.ts'
import { type Access, auth } from '../../access/plugin.ts'
import { listSecurityEvents, readFilter } from '../../access/security-log.ts'
import { takes } from '../../api/body.ts'
import { documented } from '../../api/openapi/described.ts'
import { emptyEnvelope, success } from '../../api/schema.ts'
import { refuseInvalid } from '../../platform/errors.ts'
import { SecurityAnswer, SecurityQuery, securityView } from '../../views/history.ts'
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
      ...documented('Account', {
        id: 'getAccount',
        summary: 'Get the caller’s account',
        returns: 'The account with the scopes of this caller; with an API key, only those of the key.',
      }),
      access: { by: 'key or session' },
      response: { 200: AccountAnswer },
    })
    .put('/', async ({ caller, body }) => success(accountView(await changeAccount(deps, caller, body))), {
      ...documented('Account', {
        id: 'changeAccount',
        summary: 'Change the caller’s name or e-mail',
        description: 'From then on the account signs in with the new e-mail.',
        body: { name: 'Ada' },
        returns: 'The changed account.',
        refusals: {
          400: ['"name" or "email" is required'],
          409: ['Another account uses this "email" already'],
        },
      }),
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
        ...documented('Account', {
          id: 'changePassword',
          summary: 'Change the caller’s password',
          description: '`revokeOtherSessions` signs out every other device.',
          returns: 'The password was changed.',
          refusals: {
            400: ['"currentPassword" is not your current password'],
            429: ['Too many requests', 'Too many wrong passwords, try again later'],
          },
        }),
        access: SESSION,
        ...takes(ChangePasswordBody),
        response: { 200: emptyEnvelope },
      },
    )
    .get('/usage', async ({ caller }) => success(await deps.store.quotas.of(caller.user.id)), {
      ...documented('Account', {
        id: 'getUsage',
        summary: 'Get the storage that the account uses',
        returns: 'The storage, and its limit.',
      }),
      access: { by: 'key or session' },
      response: { 200: StorageAnswer },
    })
    .get(
      '/sessions',
      async ({ caller }) => {
        const sessions = await listSessions(deps, caller)
        return success({ sessions: sessions.map((session) => sessionView(session, sessionOf(caller))) })
      },
      {
        ...documented('Account', {
          id: 'listSessions',
          summary: 'List the devices that the caller is signed in on',
          returns: 'The current session, then the others, most recently used first.',
        }),
        access: SESSION,
        response: { 200: SessionsAnswer },
      },
    )
    .get(
      '/security',
      async ({ caller: { user }, query: { before, types } }) => {
        const part = { ...readFilter({ user: user.id, types }), before }
        return success({ activities: (await listSecurityEvents(deps, part)).map(securityView) })
      },
      {
        ...documented('Account', {
          id: 'listOwnSecurity',
          summary: 'List sign-ins and changes of the caller’s account',
          description:
            'The 200 most recent entries, newest first. They cannot be deleted, and are kept for 90 days or longer.',
          returns: 'The account’s entries of the security log.',
          refusals: { 400: ['"before" is not an entry of this list'] },
        }),
        access: SESSION,
        query: SecurityQuery,
        response: { 200: SecurityAnswer },
      },
    )
    .delete(
      '/sessions',
      async ({ caller, body: { id, others } }) => {
        if (id !== undefined) await endSession(deps, caller, id)
        else if (others) await endOtherSessions(deps, caller)
        else throw refuseInvalid('"id" or "others": true is required')
        return success(null)
      },
      {
        ...documented('Account', {
          id: 'endSessions',
          summary: 'Sign out one device, or every other one',
          description: 'Ends the session `id`, or with `others` all except the current one.',
          body: { others: true },
          returns: 'The sessions have ended.',
          refusals: {
            400: [
              '"id" or "others": true is required',
              '"id" is the session you are using: sign out to end it',
            ],
            404: ['Session not found'],
          },
        }),
        access: SESSION,
        ...takes(EndSessionsBody),
        response: { 200: emptyEnvelope },
      },
    )
}
