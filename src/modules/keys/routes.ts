import { Elysia } from 'elysia'
import type { Context } from '../../access/context.ts'
import { type Access, auth } from '../../access/plugin.ts'
import { takes } from '../../api/body.ts'
import { emptyEnvelope, success } from '../../api/schema.ts'
import * as docs from './docs.ts'
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
      ...docs.listKeys,
      access: MANAGE,
      response: { 200: KeysAnswer },
    })
    .post(
      '/',
      async ({ caller, body }) => {
        const { key, secret } = await createKey(deps, caller, body)
        return success({ key: newKeyView(key, secret) })
      },
      { ...docs.createKey, access: MANAGE, ...takes(CreateKeyBody), response: { 200: NewKeyAnswer } },
    )
    .put(
      '/',
      async ({ caller, body }) => {
        await renameKey(deps, caller, body)
        return success(null)
      },
      { ...docs.renameKey, access: MANAGE, ...takes(RenameKeyBody), response: { 200: emptyEnvelope } },
    )
    .delete(
      '/',
      async ({ caller, body }) => {
        await deleteKey(deps, caller, body.id)
        return success(null)
      },
      { ...docs.deleteKey, access: MANAGE, ...takes(DeleteKeyBody), response: { 200: emptyEnvelope } },
    )
}
