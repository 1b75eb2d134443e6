import { success } from '../../api/envelope.ts'
import { documented } from '../../api/openapi/described.ts'
import { API_KEY, KEY } from '../../api/openapi/samples.ts'

const DONE = { done: success(null) }

/** `GET /api/keys` */
export const listKeys = documented('API keys', {
  id: 'listKeys',
  summary: 'List the caller’s keys',
  returns: { description: 'The newest first.', examples: { 'one key': success({ keys: [KEY] }) } },
})

/** `POST /api/keys` */
export const createKey = documented('API keys', {
  id: 'createKey',
  summary: 'Create a key',
  description:
    'The answer is the only time that its secret can be read. Without `expiresAt`, or with null, it never expires.',
  body: { name: KEY.name, scopes: KEY.scopes, expiresAt: null },
  returns: {
    description: 'The key, with the secret as `key`.',
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
  summary: 'Rename a key',
  body: { id: KEY.id, name: 'nightly backup' },
  returns: { description: 'It has the new name.', examples: DONE },
  refusals: {
    404: ['API key not found'],
    409: ['You have an API key named "nightly backup" already'],
  },
})

/** `DELETE /api/keys` */
export const deleteKey = documented('API keys', {
  id: 'deleteKey',
  summary: 'Delete a key',
  description: 'The next request made with it is refused.',
  body: { id: KEY.id },
  returns: { description: 'It is gone.', examples: DONE },
  refusals: { 404: ['API key not found'] },
})
