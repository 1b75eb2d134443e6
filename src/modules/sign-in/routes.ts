import { Elysia } from 'elysia'
import * as T from 'typebox'
import type { Context } from '../../access/context.ts'
import { openRoute } from '../../access/route.ts'
import { both, inBothForms, oneOf } from '../../api/schema.ts'
import { PROVIDER } from './oidc/model.ts'
import { relyingPartyOf } from './passkeys/webauthn.ts'

const Provider = T.Object({
  id: oneOf([PROVIDER]),
  name: T.String({ description: 'Name for people.', examples: ['auth.example.com'] }),
})
type Methods = T.Static<T.TObject<typeof methods>>

const methods = {
  password: T.Boolean({ description: 'False when no account may sign in with a password.' }),
  passkeys: T.Boolean({ description: 'True where browsers can use passkeys.', examples: [false] }),
  forwarded: T.Boolean({ description: 'True when a proxy vouches for its visitors.', examples: [false] }),
  providers: T.Array(Provider, { description: 'Providers that vouch for people.' }),
}

export const MethodsAnswer = both(methods, {})

const GET_METHODS = openRoute('Signing in', {
  id: 'getSignInMethods',
  summary: 'Get the ways to sign in',
  answer: MethodsAnswer,
  returns: 'The ways that this instance offers.',
})

/** Builds `/api/auth/methods`, which lists the ways to sign in. */
export const methodRoutes = ({ config }: Pick<Context, 'config'>) =>
  new Elysia({ prefix: '/api/auth' }).get('/methods', () => inBothForms(methodsOf(config)), {
    ...GET_METHODS,
  })

/** Returns the ways of a configuration. */
const methodsOf = (config: Context['config']): Methods => ({
  password: config.signIn.password !== 'no',
  passkeys: relyingPartyOf(config) !== undefined,
  forwarded: config.signIn.forwardAuth !== undefined,
  providers: config.signIn.oidc ? [{ id: PROVIDER, name: config.signIn.oidc.name }] : [],
})
