import { documented } from '../../api/openapi/described.ts'
import { EXAMPLE_ID } from '../../api/openapi/samples.ts'

/** `GET /api/keys` */
export const listKeys = documented('API keys', {
  id: 'listKeys',
  summary: 'List the caller’s API keys',
  returns: 'Newest first.',
})

/** `POST /api/keys` */
export const createKey = documented('API keys', {
  id: 'createKey',
  summary: 'Create an API key',
  description:
    'The secret is shown only in this response. Without `expiresAt`, or with null, the key never expires.',
  body: { name: 'backup script', scopes: ['files:read', 'files:write'], expiresAt: null },
  returns: 'The API key, with its secret as `key`.',
  refusals: {
    400: ['"expiresAt" must be a date, or a date and time with its zone, in the future'],
    409: ['You have an API key named "backup script" already'],
  },
})

/** `PUT /api/keys` */
export const renameKey = documented('API keys', {
  id: 'renameKey',
  summary: 'Rename an API key',
  body: { id: EXAMPLE_ID, name: 'nightly backup' },
  returns: 'The key was renamed.',
  refusals: {
    404: ['API key not found'],
    409: ['You have an API key named "nightly backup" already'],
  },
})

/** `DELETE /api/keys` */
export const deleteKey = documented('API keys', {
  id: 'deleteKey',
  summary: 'Delete an API key',
  description: 'The next request with it is refused.',
  returns: 'Deleted.',
  refusals: { 404: ['API key not found'] },
})
