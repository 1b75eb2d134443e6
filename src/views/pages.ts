import type { Core } from '../store/store.ts'

/** Maximum bytes of cached responses. */
const MAX_BYTES = 4 * 1024 ** 2

interface Page {
  /** Name of the response in the cache. */
  name: string
  /** Returns a number that is another one once the response may be another one. */
  version: () => number
  /** Makes its text; `undefined` when there is none now. */
  make: () => Promise<string | undefined>
}

export type Pages = ReturnType<typeof createPages>

/**
 * Caches responses with short lists, which apps request again and again. An entry is valid while its version is the same,
 * which a server knows only when no other shares the database.
 *
 * @returns A function that returns the text of a page in UTF-8, from the cache or made now.
 */
export function createPages({ store }: Pick<Core, 'store'>) {
  const kept = new Map<string, { version: number; bytes: Uint8Array<ArrayBuffer> }>()
  const encoder = new TextEncoder()
  let keptBytes = 0
  const remove = (name: string) => {
    keptBytes -= kept.get(name)?.bytes.length ?? 0
    kept.delete(name)
  }
  return async ({ name, version, make }: Page): Promise<Uint8Array<ArrayBuffer> | undefined> => {
    const madeAt = version()
    const known = kept.get(name)
    if (known?.version === madeAt) return known.bytes
    remove(name)
    const text = await make()
    if (text === undefined) return undefined
    const bytes = encoder.encode(text)
    // Versions do not grow with the files that other servers add.
    if (store.isShared || madeAt !== version()) return bytes
    for (const oldest of kept.keys()) {
      if (keptBytes + bytes.length <= MAX_BYTES) break
      remove(oldest)
    }
    if (bytes.length <= MAX_BYTES) {
      remove(name)
      kept.set(name, { version: madeAt, bytes })
      keptBytes += bytes.length
    }
    return bytes
  }
}
