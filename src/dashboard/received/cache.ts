/** Start of the names of caches with files that other apps have shared with the dashboard, until they are uploaded. */
const CACHE = 'received '
/** Header of a cache's entries that has the name of the file, percent-encoded. */
export const NAME = 'X-Name'
/** Name of the form's field, and of the search parameter with the id of a batch. */
export const FIELD = 'shared'
const DAY_MS = 86_400_000

/** Returns a new id of a batch, which begins with its time. */
export const newBatch = (): string => `${Date.now()}-${crypto.randomUUID()}`

/** Returns the name of the cache of a batch. Each has its own, so that none replaces another. */
export const cacheOf = (batch: string): string => `${CACHE}${batch}`

/** Returns true for the cache of a batch that was left without an answer for a day. */
export const isStale = (name: string): boolean =>
  name.startsWith(CACHE) && Number.parseInt(name.slice(CACHE.length), 10) < Date.now() - DAY_MS
