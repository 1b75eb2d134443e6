import type { Context } from '../../access/context.ts'

/** Bytes of answers that are kept. */
const MAX_BYTES = 4 * 1024 ** 2

export type Pages = ReturnType<typeof createPages>

/**
 * Keeps short lists as they were answered: apps ask for the same ones again and again. They are given again
 * as long as nothing in the catalog has changed.
 */
export function createPages({ store }: Pick<Context, 'store'>) {
  const kept = new Map<string, Uint8Array<ArrayBuffer>>()
  const encoder = new TextEncoder()
  let version = store.version()
  let keptBytes = 0

  /** The text of `page` in UTF-8, by `make` unless it is known. */
  return (page: string, make: () => string): Uint8Array<ArrayBuffer> => {
    if (version !== store.version()) {
      version = store.version()
      kept.clear()
      keptBytes = 0
    }
    const known = kept.get(page)
    if (known) return known
    const made = encoder.encode(make())
    if (keptBytes + made.length <= MAX_BYTES) {
      kept.set(page, made)
      keptBytes += made.length
    }
    return made
  }
}
