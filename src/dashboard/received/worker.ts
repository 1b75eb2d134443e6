import { CACHE, FIELD, NAME } from './cache.ts'

/**
 * Service worker that receives what other apps share with the installed dashboard (https://w3c.github.io/web-share-target/).
 * Its scope has no page, so it handles no other request.
 */

interface FetchEvent extends Event {
  request: Request
  respondWith: (response: Promise<Response>) => void
}

const isFetch = (event: Event): event is FetchEvent => 'respondWith' in event

addEventListener('fetch', (event) => {
  if (isFetch(event) && event.request.method === 'POST') event.respondWith(receive(event.request))
})

/** Keeps the files of a form in place of earlier ones, and leads to the page that uploads them. */
async function receive(request: Request): Promise<Response> {
  const values = (await request.formData()).getAll(FIELD)
  await caches.delete(CACHE)
  const cache = await caches.open(CACHE)
  const files = values.filter((value) => value instanceof File)
  await Promise.all(
    files.map((file, n) =>
      cache.put(`/${n}`, new Response(file, { headers: { [NAME]: encodeURIComponent(file.name) } })),
    ),
  )
  return Response.redirect(`/files?${FIELD}=${files.length}`, 303)
}
