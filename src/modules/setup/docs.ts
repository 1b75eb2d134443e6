import { documented } from '../../api/openapi/described.ts'
import { success } from '../../api/schema.ts'

/** `GET /api/health` */
export const getHealth = documented(
  'System',
  {
    id: 'getHealth',
    summary: 'Check that the server runs',
    returns: 'The server is healthy.',
    refusals: { 503: [] },
  },
  { limit: 'none' },
)

/** `GET /api/setup` */
export const getSetup = documented('System', {
  id: 'getSetup',
  summary: 'Get the state of the instance',
  returns: {
    description: 'State of the instance, and whether it accepts changes from the origin of the request.',
    examples: {
      'a new instance': success({ needed: true, tokenRequired: false, originTrusted: true }),
      'a page that needs BASE_URL': success({
        needed: false,
        tokenRequired: false,
        originTrusted: false,
      }),
    },
  },
})
