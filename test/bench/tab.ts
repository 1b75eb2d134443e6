import type { Page } from 'playwright-core'
import { launchChromium } from '../browser/chromium.ts'
import { ADMIN, cookieOf } from '../support/holdfast.ts'
import type { Bench } from './bench.ts'
import { type Limit, percentile, showMB, showMs } from './report.ts'

/** Signed-in tab of a real browser, which measures what its user waits for. */
export interface Tab extends AsyncDisposable {
  page: Page
  /** Requests that the page has sent. */
  requests: string[]
  /** Opens a path. Returns the milliseconds until a condition of the page holds. */
  open: (path: string, condition: string) => Promise<number>
  /** Returns the milliseconds from an input to the frame in which a condition of the page holds. */
  timed: (input: () => Promise<unknown>, condition: string) => Promise<number>
  /** Runs work. Returns the times between its frames, in milliseconds. */
  framesDuring: (work: () => Promise<unknown>) => Promise<number[]>
  /** Returns the milliseconds of each long task so far (W3C Long Tasks: more than 50 ms), and forgets them. */
  takeLongTasks: () => Promise<number[]>
  /** Returns the bytes of the script's heap, without garbage. */
  heap: () => Promise<number>
}

const VIEWPORT = { width: 1440, height: 900 }
const LIMIT_MS = 60_000
/** Pause between two pages, in milliseconds. */
const LOOK_MS = 250

/** Script that runs in the page before its own. */
const MEASURES = `
  window.longTasks = []
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) longTasks.push(duration)
  }).observe({ type: 'longtask', buffered: true })
  window.inputAt = 0
  for (const type of ['keydown', 'pointerdown', 'input'])
    addEventListener(type, ({ timeStamp }) => { inputAt = timeStamp }, true)
  const frame = () => new Promise(requestAnimationFrame)
  window.holds = async (condition, sinceInput) => {
    while (!((inputAt > 0 || !sinceInput) && condition())) await frame()
    return await frame() - inputAt
  }
  window.frames = []
  window.watchFrames = async () => {
    frames.length = 0
    window.isWatching = true
    for (let before = await frame(); isWatching; ) {
      const now = await frame()
      frames.push(now - before)
      before = now
    }
  }
`

export async function openTab({ holdfast }: Pick<Bench, 'holdfast'>): Promise<Tab> {
  const browser = await launchChromium()
  const context = await browser.newContext({ locale: 'en-GB', viewport: VIEWPORT })
  context.setDefaultTimeout(LIMIT_MS)
  const origin = `http://localhost:${holdfast.port}`
  const [name = '', value = ''] = (await signIn(holdfast.url)).split(/=(.*)/s)
  await context.addCookies([{ name, value, url: origin }])
  const page = await context.newPage()
  await page.addInitScript(MEASURES)
  const requests: string[] = []
  page.on('request', (request) => requests.push(`${request.method()} ${new URL(request.url()).pathname}`))
  const session = await context.newCDPSession(page)
  return {
    page,
    requests,
    open: async (path, condition) => {
      await page.goto(`${origin}${path}`, { waitUntil: 'commit' })
      return page.evaluate<number>(`holds(() => ${condition}, false)`)
    },
    timed: async (input, condition) => {
      await page.evaluate('void (inputAt = 0)')
      const shown = page.evaluate<number>(`holds(() => ${condition}, true)`)
      await input()
      return shown
    },
    framesDuring: async (work) => {
      await page.evaluate('void watchFrames()')
      await work()
      return page.evaluate<number[]>('(isWatching = false, frames)')
    },
    takeLongTasks: () => page.evaluate<number[]>('longTasks.splice(0)'),
    heap: async () => {
      await session.send('HeapProfiler.collectGarbage')
      return (await session.send('Runtime.getHeapUsage')).usedSize
    },
    [Symbol.asyncDispose]: () => browser.close(),
  }
}

async function signIn(url: string): Promise<string> {
  const body = JSON.stringify({ email: ADMIN.email, password: ADMIN.password })
  return cookieOf(await fetch(`${url}/api/auth/sign-in/email`, { method: 'POST', body }))
}

/** Returns what a walk has cost: pages, long tasks, memory and requests. */
export async function restOf(tab: Tab, walk: string): Promise<Limit[]> {
  const tasks = await tab.takeLongTasks()
  const changes = await changePages(tab)
  const count = String
  return [
    {
      ...{ what: `${walk}: p75 of a change of page`, value: percentile(changes, 0.75) },
      ...{ limit: 100, isTime: true, show: showMs },
    },
    { what: `${walk}: long tasks`, value: tasks.length, isTime: true, show: count },
    { what: `${walk}: longest task`, value: Math.max(0, ...tasks), isTime: true, show: showMs },
    { what: `${walk}: heap of the tab afterwards`, value: await tab.heap(), show: showMB },
    { what: `${walk}: requests of the page`, value: tab.requests.length, show: count },
  ]
}

const PAGES = ['Shares', 'Trash', 'Overview', 'Users', 'Activity', 'Files']
const ROUNDS = 4

/** Opens other pages and returns to the list. Returns the milliseconds of each change. */
async function changePages({ page, timed }: Tab): Promise<number[]> {
  const times: number[] = []
  for (const name of Array.from({ length: ROUNDS }, () => PAGES).flat()) {
    const link = page.getByRole('link', { name, exact: true })
    const hasContent = name === 'Files' ? "document.querySelector('.collection-item')" : 'true'
    times.push(
      await timed(
        () => link.click(),
        `${hasContent} && document.querySelector('#content h1')?.textContent === '${name}'`,
      ),
    )
    await Bun.sleep(LOOK_MS)
  }
  return times
}
