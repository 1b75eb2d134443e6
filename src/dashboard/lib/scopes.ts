import type { KeyScope, Scope } from '../../client/index.ts'
import { formatList } from '../language.ts'
import { keyScopeTexts, scopeListTexts, scopeTexts } from '../texts/scopes.ts'

// Each scope has texts, so the texts list them.
export const SCOPES = Object.keys(scopeTexts) as Scope[]
/** Scopes that an API key can have. */
export const KEY_SCOPES = Object.keys(keyScopeTexts) as KeyScope[]

const textsOf = (scopes: readonly string[]) =>
  SCOPES.filter((scope) => scopes.includes(scope)).map((scope) => scopeTexts[scope])

/** Returns the names of scopes, such as `Read files, API keys`. */
export const describeScopes = (scopes: readonly string[]): string =>
  textsOf(scopes)
    .map(({ label }) => label)
    .join(', ')

/** Returns scopes as part of a sentence, such as `read and write files, and manage API keys`. */
export function sayScopes(scopes: readonly string[]): string {
  const ofFiles = textsOf(KEY_SCOPES.filter((scope) => scopes.includes(scope)))
  const others = textsOf(scopes.filter((scope) => !KEY_SCOPES.some((of) => of === scope)))
  const say = (some: typeof others) => formatList(some.map(({ can }) => can))
  return scopeListTexts.say(say(ofFiles), say(others), ofFiles.length + others.length > 2)
}
