import { Elysia } from 'elysia'
import type { Context } from '../../access/context.ts'
import { type Access, auth } from '../../access/plugin.ts'
import { takes } from '../../api/body.ts'
import { documented } from '../../api/openapi/described.ts'
import { EXAMPLE_ID } from '../../api/openapi/samples.ts'
import { emptyEnvelope, success } from '../../api/schema.ts'
import {
  CreateKeyBody,
  DeleteKeyBody,
  KeysAnswer,
  keyView,
  NewKeyAnswer,
  newKeyView,
  RenameKeyBody,
} from './model.ts'
import { createKey, deleteKey, listKeys, renameKey } from './service.ts'

const MANAGE: Access = { scope: 'api-keys:manage', by: 'session' }

/** Builds `/api/keys`: the caller's own API keys. */
export function keyRoutes(deps: Context) {
  return new Elysia({ prefix: '/api/keys' })
    .use(auth(deps))
    .get('/', async ({ caller }) => success({ keys: (await listKeys(deps, caller)).map(keyView) }), {
      ...documented('API keys', {
        id: 'listKeys',
        summary: 'List the caller’s API keys',
        returns: 'Newest first.',
      }),
      access: MANAGE,
      response: { 200: KeysAnswer },
    })
    .post(
      '/',
      async ({ caller, body }) => {
        const { key, secret } = await createKey(deps, caller, body)
        return success({ key: newKeyView(key, secret) })
      },
      {
        ...documented('API keys', {
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
        }),
        access: MANAGE,
        ...takes(CreateKeyBody),
        response: { 200: NewKeyAnswer },
      },
    )
    .put(
      '/',
      async ({ caller, body }) => {
        await renameKey(deps, caller, body)
        return success(null)
      },
      {
        ...documented('API keys', {
          id: 'renameKey',
          summary: 'Rename an API key',
          body: { id: EXAMPLE_ID, name: 'nightly backup' },
          returns: 'The key was renamed.',
          refusals: {
            404: ['API key not found'],
            409: ['You have an API key named "nightly backup" already'],
          },
        }),
        access: MANAGE,
        ...takes(RenameKeyBody),
        response: { 200: emptyEnvelope },
      },
    )
    .delete(
      '/',
      async ({ caller, body }) => {
        await deleteKey(deps, caller, body.id)
        return success(null)
      },
      {
        ...documented('API keys', {
          id: 'deleteKey',
          summary: 'Delete an API key',
          description: 'The next request with it is refused.',
          returns: 'Deleted.',
          refusals: { 404: ['API key not found'] },
        }),
        access: MANAGE,
        ...takes(DeleteKeyBody),
        response: { 200: emptyEnvelope },
      },
    )
}
