import * as T from 'typebox'
import { attemptsOf } from './attempts.ts'

/** Time for which a link of the operator signs in, in milliseconds. */
const LINK_MS = 600_000

/** Links that sign an account in once, made by the operator. The token is the fragment of the address. */
export const signInLinks = (deps: Parameters<typeof attemptsOf>[0]) =>
  attemptsOf(deps, { kind: 'link', facts: T.Object({}), lifetimeMs: LINK_MS })

/** Path of the page that a link opens. */
export const LINK_PATH = '/sign-in-link'
