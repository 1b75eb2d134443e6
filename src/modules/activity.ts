import { Elysia } from 'elysia'
import * as T from 'typebox'
import { assertScope } from '../access/caller.ts'
import type { Context } from '../access/context.ts'
import { clearActivity, deleteActivities, listActivities, pruneActivity } from '../access/history.ts'
import { type Access, ADMIN, auth } from '../access/plugin.ts'
import { route } from '../access/route.ts'
import {
  listSecurityEvents,
  pruneSecurityLog,
  readFilter,
  readLimit,
  type SecurityFilter,
  securityEvents,
} from '../access/security-log.ts'
import { attachment } from '../api/openapi/bytes.ts'
import { ACCOUNT, EXAMPLE_ID, OTHER_ID } from '../api/openapi/samples.ts'
import { envelope, jsonBody, oneOf, queryParameters, success } from '../api/schema.ts'
import { timeParameter } from '../api/time.ts'
import { contentDisposition } from '../http/file-response.ts'
import { refuseInvalid } from '../platform/errors.ts'
import { alsoAtStart } from '../platform/jobs.ts'
import { iso } from '../platform/time.ts'
import type { SecurityEventRow } from '../store/rows.ts'
import { ActivityView, activityView, part, SecurityEntryView, securityView } from '../views/history.ts'

/** Schema of entries of an activity history or of the security log. */
const HistoryAnswer = envelope(T.Object({ activities: T.Array(T.Union([ActivityView, SecurityEntryView])) }))

export const ActivitiesAnswer = envelope(T.Object({ activities: T.Array(ActivityView) }))
const DeletedAnswer = envelope(T.Object({ deleted: T.Integer() }))

/** Parameters that filter the security log. */
const filter = {
  user: T.Optional(T.String({ description: 'Id of the account concerned.', examples: [EXAMPLE_ID] })),
  address: T.Optional(
    T.String({ description: 'Only events from this IP address.', examples: ['203.0.113.7'] }),
  ),
  after: T.Optional(timeParameter('a date or a time with its zone: only what happened then or later')),
  until: T.Optional(timeParameter('a date or a time with its zone: only what happened earlier')),
}

/** Schema of a query for an export of the security log. */
const ExportQuery = queryParameters(T.Object({ types: part.types, ...filter }))

/** Schema of a query for a part of a history (before an entry, or of some types), or for the security log. */
const HistoryQuery = queryParameters(
  T.Object({
    ...part,
    security: T.Optional(
      oneOf(['1'], {
        description:
          '`1` for the security log of the instance; requires `users:manage`. ' +
          '`user`, `address`, `after`, `until` and `limit` take effect with it alone.',
        examples: ['1'],
      }),
    ),
    ...filter,
    limit: T.Optional(
      T.String({
        description: 'Maximum number of entries, from 1 to 200.',
        examples: ['50'],
      }),
    ),
  }),
)

/** Schema of a deletion of entries: some by their ids, or all. */
const DeleteBody = jsonBody(
  T.Object({ ids: T.Optional(T.Array(T.String(), { minItems: 1 })), all: T.Optional(T.Boolean()) }),
)

const OWN: Access = { by: 'session' }

const LIST_ACTIVITY = route('Account', OWN, {
  id: 'listActivity',
  summary: 'List the caller’s activity, or the security log',
  description:
    'With `security=1` (requires `users:manage`) it lists the security log of the instance, or of one `user`: ' +
    'sign-ins, failed sign-ins, and changes of passwords, e-mails, roles and API keys. `address`, `after` and `until` ' +
    'restrict it further.',
  query: HistoryQuery,
  answer: HistoryAnswer,
  returns: 'The 200 most recent entries, newest first.',
})

const EXPORT_SECURITY_LOG = route('Account', ADMIN, {
  id: 'exportSecurityLog',
  summary: 'Export the security log as CSV',
  description:
    'Has a line of headings, then the entries, newest first (RFC 4180). A field that a spreadsheet would take for a ' +
    'formula begins with an apostrophe.',
  query: ExportQuery,
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
})

const DELETE_ACTIVITY = route('Account', OWN, {
  id: 'deleteActivity',
  summary: 'Delete entries of the caller’s history',
  description: 'Deletes the entries in `ids`, or with `all` every one. Nothing else changes.',
  example: { ids: [OTHER_ID] },
  takes: DeleteBody,
  answer: DeletedAnswer,
  returns: 'Number of deleted entries.',
  refusals: { 400: ['Either "ids" or "all": true is required'] },
})

/** Builds `/api/activity`: the caller's own history, and for admins the security log of the instance. */
function activityRoutes(deps: Context) {
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
      { ...LIST_ACTIVITY },
    )
    .get('/security.csv', ({ query }) => exportSecurityLog(deps, query), { ...EXPORT_SECURITY_LOG })
    .delete(
      '/',
      async ({ caller, body: { ids, all = false } }) => {
        if ((ids !== undefined) === all) throw refuseInvalid('Either "ids" or "all": true is required')
        const deleted = ids
          ? await deleteActivities(deps, caller.user.id, ids)
          : await clearActivity(deps, caller.user.id)
        return success({ deleted })
      },
      { ...DELETE_ACTIVITY },
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

/** Creates the module of the accounts' history and the security log. */
export const createActivity = (context: Context) => ({
  routes: activityRoutes(context),
  jobs: [
    alsoAtStart('29 * * * *', 'Removing old activity', () => pruneActivity(context)),
    alsoAtStart('29 * * * *', 'Removing old entries of the security log', () => pruneSecurityLog(context)),
  ],
})

/** Columns of the export. */
const COLUMNS: Record<string, (entry: SecurityEventRow) => string | null> = {
  time: ({ createdAt }) => iso(createdAt),
  type: ({ type }) => type,
  account: ({ email }) => email,
  account_id: ({ userId }) => userId,
  changed_by: ({ actorId }) => actorId,
  address: ({ ipAddress }) => ipAddress,
  user_agent: ({ userAgent }) => userAgent,
  detail: ({ detail }) => detail,
}

/** Characters at which a spreadsheet takes a cell for a formula; East Asian ones also take the wide forms. */
const IS_FORMULA = /^[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/

/** Writes a value as a field of CSV (RFC 4180). Text that begins like a formula gets an apostrophe before it. */
export function field(value: string): string {
  const text = IS_FORMULA.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

const lineOf = (values: readonly string[]) => `${values.map(field).join(',')}\r\n`

/** Yields the security log as CSV: a line of headings, then a text for each page. */
async function* csvOf(pages: AsyncIterable<SecurityEventRow[]>): AsyncGenerator<string> {
  yield lineOf(Object.keys(COLUMNS))
  const columns = Object.values(COLUMNS)
  for await (const page of pages)
    yield page.map((entry) => lineOf(columns.map((column) => column(entry) ?? ''))).join('')
}
