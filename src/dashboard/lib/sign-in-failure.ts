import { providerTexts } from '../texts/providers.ts'

/** Returns the sentence for a code in an address; undefined when there is none. */
export function sayFailure(code: string | undefined, name: string): string | undefined {
  const known = Object.entries(providerTexts.failures).find(([known]) => known === code)
  return known?.[1](name)
}
