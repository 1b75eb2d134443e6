import { CACHE, NAME } from './cache.ts'

/** Begins to receive what other apps share, where the browser can install the dashboard. */
export async function receiveFiles(): Promise<void> {
  if ('serviceWorker' in navigator) await navigator.serviceWorker.register('/assets/received.js')
}

/** Reads the files that were shared. */
export async function readReceived(): Promise<File[]> {
  const cache = await caches.open(CACHE)
  return Promise.all(
    (await cache.keys()).map(async (key) => {
      const response = await cache.match(key)
      const blob = (await response?.blob()) ?? new Blob()
      return new File([blob], decodeURIComponent(response?.headers.get(NAME) ?? ''), { type: blob.type })
    }),
  )
}

export const dropReceived = (): Promise<boolean> => caches.delete(CACHE)
