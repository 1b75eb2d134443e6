import { Elysia } from 'elysia'
import { auth } from '../auth/plugin.ts'
import { takes } from '../body.ts'
import type { Deps } from '../deps.ts'
import { success } from '../envelope.ts'
import { CreateKeyBody, NewKeyAnswer, newKeyView } from './model.ts'
import { createKey } from './service.ts'

/** `/api/keys`: the caller's own API keys. */
export function keyRoutes(deps: Deps) {
  return new Elysia({ prefix: '/api/keys' }).use(auth(deps)).post(
    '/',
    async ({ caller, body }) => {
      const { key, secret } = await createKey(deps, caller, body)
      return success({ key: newKeyView(key, secret) })
    },
    {
      access: { scope: 'api-keys:manage', by: 'session' },
      ...takes(CreateKeyBody),
      response: { 200: NewKeyAnswer },
    },
  )
}
