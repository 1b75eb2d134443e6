import { documented } from '../../api/openapi/described.ts'

/** `GET /api/settings` */
export const getSettings = documented('Instance', {
  id: 'getSettings',
  summary: 'Get the settings',
  returns: 'The settings.',
})

/** `PUT /api/settings` */
export const changeSettings = documented('Instance', {
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
})

/** `POST /api/settings/apply-visibility` */
export const applyVisibility = documented('Instance', {
  id: 'applyVisibility',
  summary: 'Set the visibility of every file',
  returns: 'Number of changed files.',
})
