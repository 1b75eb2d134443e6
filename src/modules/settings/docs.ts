import { documented } from '../../api/openapi/described.ts'
import { SETTINGS } from '../../api/openapi/samples.ts'
import { success } from '../../api/schema.ts'

/** `GET /api/settings` */
export const getSettings = documented('Instance', {
  id: 'getSettings',
  summary: 'Get the settings',
  returns: { description: 'The settings.', examples: { 'the settings': success(SETTINGS) } },
})

/** `PUT /api/settings` */
export const changeSettings = documented('Instance', {
  id: 'changeSettings',
  summary: 'Change the settings',
  description: 'Omitted settings stay. Changes take effect at once.',
  body: { defaultVisibility: 'private', limits: { activityRetentionDays: 30 } },
  returns: {
    description: 'The changed settings.',
    examples: { 'the settings': success({ ...SETTINGS, defaultVisibility: 'private' }) },
  },
  refusals: {
    400: ['"defaultVisibility", "trashDays", "versionDays" or at least one of "limits" is required'],
  },
})

/** `POST /api/settings/apply-visibility` */
export const applyVisibility = documented('Instance', {
  id: 'applyVisibility',
  summary: 'Set the visibility of every file',
  body: { visibility: 'private' },
  returns: { description: 'Number of changed files.', examples: { some: success({ updated: 120 }) } },
})
