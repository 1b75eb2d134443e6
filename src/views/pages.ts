import type { Core } from '../store/store.ts'

/** Maximum bytes of cached responses. */
const MAX_BYTES = 4 * 1024 ** 2

/** Makes a text; `undefined` when there is none now. */
type Make = () => Promise<string | undefined>

export type Pages = ReturnType<typeof createPages>

/**
 * Caches responses with short lists, which apps request again and again. An entry is valid while the catalog
 * is unchanged, which a server knows only when no other shares the database.
 */
export function createPages({ store }: Pick<Core, 'store'>) {
  const kept = new Map<string, Uint8Array<ArrayBuffer>>()
  const encoder = new TextEncoder()
  let version = store.version()
  let keptBytes = 0
  // Versions do not grow with the files that other servers add.
  if (store.isShared)
    return async (_: string, make: Make) => {
      const text = await make()
      return text === undefined ? undefined : encoder.encode(text)
    }

  /** Returns the text of `page` in UTF-8, from the cache or from `make`. */
  return async (page: string, make: Make): Promise<Uint8Array<ArrayBuffer> | undefined> => {
    if (version !== store.version()) {
      version = store.version()
      kept.clear()
      keptBytes = 0
    }
    const known = kept.get(page)
    if (known) return known
    const madeAt = version
    const text = await make()
    if (text === undefined) return undefined
    const made = encoder.encode(text)
    const isValid = madeAt === version && version === store.version()
    if (isValid && keptBytes + made.length <= MAX_BYTES) {
      kept.set(page, made)
      keptBytes += made.length
    }
    return made
  }
}
