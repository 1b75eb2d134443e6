import { texts } from '../texts.ts'

/** Scopes in words, such as `Read files, API keys`. */
export const describeScopes = (scopes: readonly string[]): string =>
  Object.entries(texts.scopes)
    .filter(([scope]) => scopes.includes(scope))
    .map(([, { label }]) => label)
    .join(', ')
