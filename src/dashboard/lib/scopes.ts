import type { KeyScope, Scope } from '../../client/index.ts'
import { keyScopeTexts } from '../texts/scopes.ts'
import { texts } from '../texts.ts'

// Each scope has texts, so the texts list them.
export const SCOPES = Object.keys(texts.scopes) as Scope[]
/** Scopes that an API key can have. */
export const KEY_SCOPES = Object.keys(keyScopeTexts) as KeyScope[]

const textsOf = (scopes: readonly string[]) =>
  SCOPES.filter((scope) => scopes.includes(scope)).map((scope) => texts.scopes[scope])

/** Returns the names of scopes, such as `Read files, API keys`. */
export const describeScopes = (scopes: readonly string[]): string =>
  textsOf(scopes)
    .map(({ label }) => label)
    .join(', ')

const list = new Intl.ListFormat('en', { type: 'conjunction' })

/** Returns scopes as part of a sentence, such as `read files and manage API keys`. */
export const sayScopes = (scopes: readonly string[]): string =>
  list.format(textsOf(scopes).map(({ can }) => can))
