import { success } from '../../api/envelope.ts'
import { documented } from '../../api/openapi/described.ts'

/** `GET /api/health` */
export const getHealth = documented(
  'System',
  {
    id: 'getHealth',
    summary: 'Tell whether the server runs',
    returns: {
      description: 'It runs.',
      examples: { running: success({ message: 'Holdfast is running' }) },
    },
    refusals: { 503: [] },
  },
  { limit: 'none' },
)

/** `GET /api/setup` */
export const getSetup = documented('System', {
  id: 'getSetup',
  summary: 'Get what a page must know before sign-in',
  returns: {
    description: 'The state of the instance, and if it accepts changes from the page that asks.',
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
