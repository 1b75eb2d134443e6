import * as T from 'typebox'
import { StartError } from './errors.ts'

/** Variables of the ways to sign in. */
export const SignInVariables = {
  PASSWORD_SIGN_IN: T.Union([T.Literal('yes'), T.Literal('admins'), T.Literal('no')], {
    default: 'yes',
    title: 'Accounts that may sign in with a password. `no` needs another way to sign in.',
    description: 'yes, admins or no',
  }),
}

type Variables = T.Static<T.TObject<typeof SignInVariables>>

/** Ways to sign in. */
export interface SignInConfig {
  /** Accounts that may sign in with a password. */
  password: Variables['PASSWORD_SIGN_IN']
}

/** Ways of an instance with none but passwords. */
export const PASSWORDS_ONLY: SignInConfig = { password: 'yes' }

/**
 * Reads the ways to sign in.
 *
 * @throws {StartError} when there would be no way in.
 */
export function readSignIn({ PASSWORD_SIGN_IN: password }: Variables): SignInConfig {
  if (password === 'no')
    throw new StartError(
      'PASSWORD_SIGN_IN is no, but there is no other way to sign in: set PASSWORD_SIGN_IN=admins',
    )
  return { password }
}
