import { documented } from '../../api/openapi/described.ts'

/** `GET /api/stats` */
export const getStats = documented('Instance', {
  id: 'getStats',
  summary: 'Get counts, traffic and alerts',
  description:
    'A section is null when the caller may not see it. Days are in UTC, oldest first. New types of alerts may be ' +
    'added: skip unknown ones.',
  returns: 'Stored files, traffic, and alerts.',
})
