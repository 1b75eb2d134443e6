import { documented } from '../../api/openapi/described.ts'
import { API_KEY, KEY } from '../../api/openapi/samples.ts'
import { success } from '../../api/schema.ts'

const DONE = { done: success(null) }

/** `GET /api/keys` */
export const listKeys = documented('API keys', {
  id: 'listKeys',
  summary: 'List the caller’s API keys',
  returns: { description: 'Newest first.', examples: { 'one key': success({ keys: [KEY] }) } },
})

/** `POST /api/keys` */
export const createKey = documented('API keys', {
  id: 'createKey',
  summary: 'Create an API key',
  description:
    'The secret is shown only in this response. Without `expiresAt`, or with null, the key never expires.',
  body: { name: KEY.name, scopes: KEY.scopes, expiresAt: null },
  returns: {
    description: 'The API key, with its secret as `key`.',
    examples: { 'a new key': success({ key: { ...KEY, lastUsed: null, key: API_KEY } }) },
  },
  refusals: {
    400: ['"expiresAt" must be a date, or a date and time with its zone, in the future'],
    409: [`You have an API key named "${KEY.name}" already`],
  },
})

/** `PUT /api/keys` */
export const renameKey = documented('API keys', {
  id: 'renameKey',
  summary: 'Rename an API key',
  body: { id: KEY.id, name: 'nightly backup' },
  returns: { description: 'The key was renamed.', examples: DONE },
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
  body: { id: KEY.id },
  returns: { description: 'Deleted.', examples: DONE },
  refusals: { 404: ['API key not found'] },
})
