import { attachment } from '../../api/openapi/bytes.ts'
import { documented } from '../../api/openapi/described.ts'
import { ACCOUNT, OTHER_ID } from '../../api/openapi/samples.ts'

/** `GET /api/activity` */
export const listActivity = documented('Account', {
  id: 'listActivity',
  summary: 'List the caller’s activity, or the security log',
  description:
    'With `security=1` (requires `users:manage`) it lists the security log of the instance, or of one `user`: ' +
    'sign-ins, failed sign-ins, and changes of passwords, e-mails, roles and API keys. `address`, `after` and `until` ' +
    'restrict it further.',
  returns: 'The 200 most recent entries, newest first.',
})

/** `GET /api/activity/security.csv` */
export const exportSecurityLog = documented('Account', {
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
})

/** `DELETE /api/activity` */
export const deleteActivity = documented('Account', {
  id: 'deleteActivity',
  summary: 'Delete entries of the caller’s history',
  description: 'Deletes the entries in `ids`, or with `all` every one. Nothing else changes.',
  body: { ids: [OTHER_ID] },
  returns: 'Number of deleted entries.',
  refusals: { 400: ['Either "ids" or "all": true is required'] },
})
