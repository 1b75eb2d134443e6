import { texts } from '../texts.ts'

const textsOf = (scopes: readonly string[]) =>
  Object.entries(texts.scopes)
    .filter(([scope]) => scopes.includes(scope))
    .map(([, text]) => text)

/** Scopes in words, such as `Read files, API keys`. */
export const describeScopes = (scopes: readonly string[]): string =>
  textsOf(scopes)
    .map(({ label }) => label)
    .join(', ')

const list = new Intl.ListFormat('en', { type: 'conjunction' })

/** Scopes as part of a sentence, such as `read files and manage API keys`. */
export const sayScopes = (scopes: readonly string[]): string =>
  list.format(textsOf(scopes).map(({ can }) => can))
