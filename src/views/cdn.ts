import { createHash } from 'node:crypto'
import type { CdnConfig } from '../platform/cdn.ts'

/**
 * Hexadecimal digits of a cache key: those of two paths are the same once in 10^19 pairs, and then too much is purged.
 * Letters of one case, because Cloudflare does not tell them apart.
 */
const TAG_DIGITS = 16
/** Maximum cache keys of a file: Bunny reads 1,024 bytes of them. A file below more folders is not kept. */
const MAX_TAGS = 60

/** Returns true for the path of a folder, which ends with a slash; the empty one is the root's. */
export const isFolderPath = (path: string): boolean => path === '' || path.endsWith('/')

/** Returns the cache key of a path: an object key, or that of a folder with a slash at its end. */
export const tagOf = (path: string): string =>
  createHash('sha256').update(`/${path}`).digest('hex').slice(0, TAG_DIGITS)

/**
 * Returns the cache keys of a file: its own, and those of all folders above it. A change of a folder is then one purge,
 * however many files are below it. The keys are made of names, because a cache stores responses by names, not by ids.
 */
function tagsOf(key: string, others: readonly string[] = []): string[] | undefined {
  const folders = ['', ...[...key.matchAll(/\//g)].map(({ index }) => key.slice(0, index + 1))]
  const paths = [...folders, key, ...others]
  return paths.length <= MAX_TAGS ? paths.map(tagOf) : undefined
}

/**
 * Returns true for a file that a shared cache may keep, because it can be purged. NGINX takes an asterisk at the end of a
 * purge for everything below, and there is no way to escape it.
 */
export const isPurgeable = ({ tagHeader }: CdnConfig, key: string): boolean =>
  tagHeader === undefined ? !key.endsWith('*') : key.split('/').length < MAX_TAGS

/** Returns the `Cache-Control` of a public file: any cache may store it for `seconds`, then revalidates it. */
export function publicCaching(seconds: number, cdn: CdnConfig | undefined, key: string): string {
  const own = `public, max-age=${seconds}, must-revalidate`
  if (!cdn) return own
  return `${own}, s-maxage=${isPurgeable(cdn, key) ? cdn.maxAgeSeconds : 0}`
}

/**
 * Returns the header with the cache keys of a file, for every response that a shared cache may keep; none without a cache
 * in front. Commas separate the keys, but Fastly reads spaces.
 *
 * @param others Other paths on which the response depends.
 */
export function tagHeaders(
  cdn: CdnConfig | undefined,
  key: string,
  others?: readonly string[],
): Record<string, string> {
  if (cdn?.tagHeader === undefined) return {}
  const tags = tagsOf(key, others)
  return tags ? { [cdn.tagHeader.toLowerCase()]: tags.join(cdn.kind === 'fastly' ? ' ' : ',') } : {}
}
