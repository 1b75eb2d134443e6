import { prefetchFolder } from './api/files.ts'
import { queryClient } from './api/query.ts'
import { prefetchLatestEvent, prefetchSession } from './api/session.ts'
import { sleep } from './bulk/pace.ts'
import { orderIn } from './pages/files/view.ts'
import { PAGES } from './pages.ts'

/** Page of a folder, to which the root leads most accounts. */
const FILES = '/files'
/** Milliseconds after which a first page that is still loading holds nothing else up. */
const MAX_WAIT_MS = 8000
/** Milliseconds until a browser without `requestIdleCallback` has drawn its first page. */
const IDLE_MS = 2000

/** Chunk of the page that the address names. */
let firstChunk: Promise<unknown> = Promise.resolve()

/**
 * Starts to load what the address shows: the page's chunk, the account, and a folder's list. All are asked for at
 * once, because each step of a chain of requests costs a round trip. Without a session the list is refused, and is
 * read anew after sign-in.
 */
export function startFirstView({ pathname, search }: Location): void {
  if (pathname === '/invite' || pathname === '/device') return
  void prefetchLatestEvent()
  void prefetchSession()
  const path = pathname.replace(/\/$/, '') || FILES
  firstChunk = PAGES.find((page) => page.path === path)?.load?.() ?? firstChunk
  // The page itself shows a failure, and retries.
  firstChunk = firstChunk.catch(() => undefined)
  if (path !== FILES) return
  const asked = new URLSearchParams(search)
  void prefetchFolder(asked.get('folder') ?? '', orderIn(asked.get('order')))
}

let shown: Promise<void> | undefined

/** Resolves when the first page has rendered what it asked for, and the browser is idle. */
export function untilFirstView(): Promise<void> {
  shown ??= waitForView()
  return shown
}

async function waitForView(): Promise<void> {
  const limit = performance.now() + MAX_WAIT_MS
  await Promise.race([firstChunk, sleep(MAX_WAIT_MS)])
  await idle()
  while (queryClient.isFetching() > 0 && performance.now() < limit) {
    await Promise.race([untilFetched(), sleep(limit - performance.now())])
    // The page may ask for more now.
    await idle()
  }
}

/** Resolves when the browser is idle. */
const idle = () =>
  'requestIdleCallback' in window
    ? new Promise<void>((resolve) => requestIdleCallback(() => resolve()))
    : sleep(IDLE_MS)

const untilFetched = () =>
  new Promise<void>((resolve) => {
    const unsubscribe = queryClient.getQueryCache().subscribe(() => {
      if (queryClient.isFetching() > 0) return
      unsubscribe()
      resolve()
    })
  })
