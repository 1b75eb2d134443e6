import { cacheOf, FIELD, isStale, NAME, newBatch } from './cache.ts'

/**
 * Service worker that receives what other apps share with the installed dashboard (https://w3c.github.io/web-share-target/).
 * Its scope has no page, so it handles no other request.
 *
 * Any site can send a form to the same address in a tab. A worker does not see where it is shown, so it responds with a
 * page that does, and that drops the files unless it is in a window of the installed app.
 */

interface FetchEvent extends Event {
  request: Request
  respondWith: (response: Promise<Response>) => void
}

const isFetch = (event: Event): event is FetchEvent => 'respondWith' in event

addEventListener('fetch', (event) => {
  if (isFetch(event) && event.request.method === 'POST') event.respondWith(receive(event.request))
})

/** Stores the files of a form as a batch of their own, and responds with the page that drops or uploads them. */
async function receive(request: Request): Promise<Response> {
  const values = (await request.formData()).getAll(FIELD)
  const files = values.filter((value) => value instanceof File)
  for (const name of await caches.keys()) if (isStale(name)) await caches.delete(name)
  const batch = newBatch()
  const cache = await caches.open(cacheOf(batch))
  await Promise.all(
    files.map((file, n) =>
      cache.put(`/${n}`, new Response(file, { headers: { [NAME]: encodeURIComponent(file.name) } })),
    ),
  )
  return new Response(pageOf(batch), {
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': `default-src 'none'; script-src 'nonce-${batch}'; frame-ancestors 'none'`,
    },
  })
}

const pageOf = (batch: string) => `<!doctype html><script nonce="${batch}">
const isInstalled = ['standalone', 'minimal-ui', 'window-controls-overlay']
  .some((mode) => matchMedia('(display-mode: ' + mode + ')').matches)
if (isInstalled) location.replace('/files?${FIELD}=${batch}')
else caches.delete('${cacheOf(batch)}').finally(() => location.replace('/files'))
</script>`
