import { Elysia } from 'elysia'
import { assertScope } from '../../access/caller.ts'
import type { Context } from '../../access/context.ts'
import { clearActivity, deleteActivities, listActivities } from '../../access/history.ts'
import { type Access, auth } from '../../access/plugin.ts'
import {
  listSecurityEvents,
  readFilter,
  readLimit,
  type SecurityFilter,
  securityEvents,
} from '../../access/security-log.ts'
import { takes } from '../../api/body.ts'
import { attachment } from '../../api/openapi/bytes.ts'
import { documented } from '../../api/openapi/described.ts'
import { ACCOUNT, OTHER_ID } from '../../api/openapi/samples.ts'
import { success } from '../../api/schema.ts'
import { contentDisposition } from '../../http/file-response.ts'
import { refuseInvalid } from '../../platform/errors.ts'
import { activityView, securityView } from '../../views/history.ts'
import { csvOf } from './csv.ts'
import { DeleteBody, DeletedAnswer, ExportQuery, HistoryAnswer, HistoryQuery } from './model.ts'

const OWN: Access = { by: 'session' }

/** Builds `/api/activity`: the caller's own history, and for admins the security log of the instance. */
export function activityRoutes(deps: Context) {
  return new Elysia({ prefix: '/api/activity' })
    .use(auth(deps))
    .get(
      '/',
      async ({ caller, query: { before, types, security, limit, ...filter } }) => {
        const part = { before, types: types?.split(',') }
        if (security !== '1')
          return success({
            activities: (await listActivities(deps, caller.user.id, part)).map(activityView),
          })
        assertScope(caller, 'users:manage')
        const found = await listSecurityEvents(deps, {
          ...readFilter({ ...filter, types }),
          before,
          limit: readLimit(limit),
        })
        return success({ activities: found.map(securityView) })
      },
      {
        ...documented('Account', {
          id: 'listActivity',
          summary: 'List the caller’s activity, or the security log',
          description:
            'With `security=1` (requires `users:manage`) it lists the security log of the instance, or of one `user`: ' +
            'sign-ins, failed sign-ins, and changes of passwords, e-mails, roles and API keys. `address`, `after` and `until` ' +
            'restrict it further.',
          returns: 'The 200 most recent entries, newest first.',
        }),
        access: OWN,
        query: HistoryQuery,
        response: { 200: HistoryAnswer },
      },
    )
    .get('/security.csv', ({ query }) => exportSecurityLog(deps, query), {
      ...documented('Account', {
        id: 'exportSecurityLog',
        summary: 'Export the security log as CSV',
        description:
          'Has a line of headings, then the entries, newest first (RFC 4180). A field that a spreadsheet would take for a ' +
          'formula begins with an apostrophe.',
        responses: {
          200: {
            description: 'The entries.',
            headers: {
              'Content-Disposition': attachment('security-log-2026-11-21.csv'),
            },
            content: {
              'text/csv': {
                schema: { type: 'string' },
                example:
                  'time,type,account,account_id,changed_by,address,user_agent,detail\r\n' +
                  `2026-11-21T08:00:00.000Z,sign-in.failed,${ACCOUNT.user.email},${ACCOUNT.user.id},,203.0.113.7,curl/8.5.0,\r\n`,
              },
            },
          },
        },
      }),
      access: { scope: 'users:manage', by: 'session' },
      query: ExportQuery,
    })
    .delete(
      '/',
      async ({ caller, body: { ids, all = false } }) => {
        if ((ids !== undefined) === all) throw refuseInvalid('Either "ids" or "all": true is required')
        const deleted = ids
          ? await deleteActivities(deps, caller.user.id, ids)
          : await clearActivity(deps, caller.user.id)
        return success({ deleted })
      },
      {
        ...documented('Account', {
          id: 'deleteActivity',
          summary: 'Delete entries of the caller’s history',
          description: 'Deletes the entries in `ids`, or with `all` every one. Nothing else changes.',
          body: { ids: [OTHER_ID] },
          returns: 'Number of deleted entries.',
          refusals: { 400: ['Either "ids" or "all": true is required'] },
        }),
        access: OWN,
        ...takes(DeleteBody),
        response: { 200: DeletedAnswer },
      },
    )
}

/** Responds with a part of the security log as CSV, which is read as the client takes it. */
function exportSecurityLog(deps: Context, filter: SecurityFilter): Response {
  const texts = csvOf(securityEvents(deps, readFilter(filter)))
  const encoder = new TextEncoder()
  const stream = new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const { value, done } = await texts.next()
        if (done) controller.close()
        else controller.enqueue(encoder.encode(value))
      },
      cancel: async () => void (await texts.return(undefined)),
    },
    { highWaterMark: 0 },
  )
  const name = `security-log-${new Date(deps.clock.now()).toISOString().slice(0, 10)}.csv`
  return new Response(stream, {
    headers: {
      'Content-Type': 'text/csv; charset=utf-8',
      'Content-Disposition': contentDisposition('attachment', name),
      'Cache-Control': 'private, no-store',
    },
  })
}
