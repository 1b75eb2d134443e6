import type { ListOptions } from './types.ts'

const PAGE = 200

/**
 * Yields the items of a list page by page. Items that are added or removed meanwhile may appear twice or be
 * skipped.
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
