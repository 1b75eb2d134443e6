import type { ListOptions } from './types.ts'

const PAGE = 200

/**
 * Goes through a list page by page, so that no list is ever held as a whole. What is added or removed
 * meanwhile may move a page's border.
 */
export async function* pages<Item>(
  { limit = Number.POSITIVE_INFINITY, offset = 0, ...options }: ListOptions & { [name: string]: unknown },
  read: (query: Record<string, string | number | undefined>) => Promise<Item[]>,
): AsyncGenerator<Item> {
  let [left, next] = [limit, offset]
  while (left > 0) {
    const size = Math.min(PAGE, left)
    const items = await read({ ...options, limit: size, offset: next })
    yield* items
    if (items.length < size) return
    left -= size
    next += size
  }
}
