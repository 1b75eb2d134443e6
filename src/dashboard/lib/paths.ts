/** Addresses outside the dashboard. */

export const DOCS = '/docs'
export const API_DOCS = '/api/docs'
export const BACKUP_DOCS = '/docs/backup'
export const ADDRESS_DOCS = '/docs/configuration'

/** Returns the full address of a file or a share. */
export const linkTo = ({ url }: { url: string }) => new URL(url, `${location.origin}/`).href

/** Joins keys to one: a path from the root without outer slashes. The root's key is empty. */
export const joinKey = (...parts: string[]): string => parts.filter((part) => part !== '').join('/')

export const parentKey = (key: string): string => key.slice(0, Math.max(0, key.lastIndexOf('/')))

export const lastSegment = (key: string): string => key.slice(key.lastIndexOf('/') + 1)

/** Returns each folder on the way to an object key, from the top, with itself. */
export function trailOf(key: string): { name: string; key: string }[] {
  const segments = key === '' ? [] : key.split('/')
  return segments.map((name, index) => ({ name, key: segments.slice(0, index + 1).join('/') }))
}

/** Returns true if `key` is `folder` or below it. */
export const isWithin = (key: string, folder: string): boolean =>
  folder === '' || key === folder || key.startsWith(`${folder}/`)
