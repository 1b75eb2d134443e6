import { cacheOf, NAME } from './cache.ts'

/** Begins to receive what other apps share, where the browser can install the dashboard. */
export async function receiveFiles(): Promise<void> {
  if ('serviceWorker' in navigator) await navigator.serviceWorker.register('/assets/received.js')
}

/** Reads the files of a batch that was shared; none of an unknown one. */
export async function readReceived(batch: string): Promise<File[]> {
  if (!(await caches.has(cacheOf(batch)))) return []
  const cache = await caches.open(cacheOf(batch))
  return Promise.all(
    (await cache.keys()).map(async (key) => {
      const response = await cache.match(key)
      const blob = (await response?.blob()) ?? new Blob()
      return new File([blob], decodeURIComponent(response?.headers.get(NAME) ?? ''), { type: blob.type })
    }),
  )
}

export const dropReceived = (batch: string): Promise<boolean> => caches.delete(cacheOf(batch))
