/** Keys are paths from the root, without a slash at either end; the root's is empty. */

export const joinKey = (...parts: string[]): string => parts.filter((part) => part !== '').join('/')

export const parentKey = (key: string): string => key.slice(0, Math.max(0, key.lastIndexOf('/')))

export const lastSegment = (key: string): string => key.slice(key.lastIndexOf('/') + 1)

/** Each folder on the way to a key, from the top, the key's own last. */
export function trailOf(key: string): { name: string; key: string }[] {
  const segments = key === '' ? [] : key.split('/')
  return segments.map((name, index) => ({ name, key: segments.slice(0, index + 1).join('/') }))
}

/** Whether `key` is `folder` or below it. */
export const isWithin = (key: string, folder: string): boolean =>
  folder === '' || key === folder || key.startsWith(`${folder}/`)
