import { success } from '../../api/envelope.ts'
import { documented } from '../../api/openapi/described.ts'
import { SETTINGS } from '../../api/openapi/samples.ts'

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
  description: 'What is left out stays. Changes hold at once.',
  body: { defaultVisibility: 'private', limits: { activityRetentionDays: 30 } },
  returns: {
    description: 'The settings as they are now.',
    examples: { 'the settings': success({ ...SETTINGS, defaultVisibility: 'private' }) },
  },
  refusals: { 400: ['"defaultVisibility" or at least one of "limits" is required'] },
})

/** `POST /api/settings/apply-visibility` */
export const applyVisibility = documented('Instance', {
  id: 'applyVisibility',
  summary: 'Make every file public, or private',
  body: { visibility: 'private' },
  returns: { description: 'How many were changed.', examples: { some: success({ updated: 120 }) } },
})
