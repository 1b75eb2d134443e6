import { documented } from '../../api/openapi/described.ts'
import { FILE, OTHER_ID } from '../../api/openapi/samples.ts'
import { success } from '../../api/schema.ts'

/** `GET /api/activity` */
export const listActivity = documented('Account', {
  id: 'listActivity',
  summary: 'List the caller’s activity, or the security log',
  description:
    'With `security=1` (requires `users:manage`) it lists the security log of the instance, or of one `user`: ' +
    'sign-ins, failed sign-ins, and changes of passwords, e-mails, roles and API keys.',
  returns: {
    description: 'The 200 most recent entries, newest first.',
    examples: {
      'an upload': success({
        activities: [
          {
            id: OTHER_ID,
            type: 'upload.succeeded',
            target: FILE.name,
            detail: null,
            createdAt: FILE.createdAt,
          },
        ],
      }),
    },
  },
})

/** `DELETE /api/activity` */
export const deleteActivity = documented('Account', {
  id: 'deleteActivity',
  summary: 'Delete entries of the caller’s history',
  description: 'Deletes the entries in `ids`, or with `all` every one. Nothing else changes.',
  body: { ids: [OTHER_ID] },
  returns: { description: 'Number of deleted entries.', examples: { one: success({ deleted: 1 }) } },
  refusals: { 400: ['Either "ids" or "all": true is required'] },
})
