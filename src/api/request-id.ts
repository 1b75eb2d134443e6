import type { Random } from '../platform/random.ts'

/** Returns the id that a proxy in front gave the request, if it is a plain one, or a new one. */
export const requestIdOf = (random: Random, given: string | null | undefined): string =>
  /^[\w-]{8,64}$/.test(given ?? '') ? String(given) : random.id()
