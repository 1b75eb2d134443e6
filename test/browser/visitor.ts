import { readFileSync } from 'node:fs'
import type { AxeResults } from 'axe-core'
import type { Browser, BrowserContextOptions, Page, Request, Route } from 'playwright-core'
import { builtAssets } from '../../src/modules/web/built.ts'
import {
  ADMIN,
  BASE_URL,
  cookieOf,
  type Holdfast,
  type Inside,
  type InsideOptions,
  postJson,
  startInside,
} from '../support/holdfast.ts'
import { launchChromium } from './chromium.ts'

/** Server with the built dashboard, and a browser that resolves its base URL. */
export interface Stage extends AsyncDisposable {
  holdfast: Inside
  browser: Browser
}

export async function openStage(options: InsideOptions = {}, browserPath?: string): Promise<Stage> {
  const dashboard = builtAssets()
  if (dashboard.size === 0) throw new Error('Build the dashboard first: bun run build:dashboard')
  const holdfast = await startInside({ ...options, dashboard })
  const browser = await launchChromium(holdfast.port, browserPath)
  return {
    holdfast,
    browser,
    [Symbol.asyncDispose]: async () => {
      await browser.close()
      await holdfast[Symbol.asyncDispose]()
    },
  }
}

/** Page in a new browser context. */
export interface Visitor extends AsyncDisposable {
  page: Page
  /** Script errors and violations of the page's policy. */
  complaints: string[]
  /** Waits until the page has requested nothing for half a second. Its stream of changes has no end. */
  settled: () => Promise<void>
}

/** Time without a request after which a page has settled, in milliseconds. */
const QUIET_MS = 500

/** Returns a function that waits until a page has settled. */
function watchRequests(page: Page): () => Promise<void> {
  const underWay = new Set<Request>()
  page.on('request', (request) => {
    if (new URL(request.url()).pathname !== '/api/changes') underWay.add(request)
  })
  page.on('requestfinished', (request) => underWay.delete(request))
  page.on('requestfailed', (request) => underWay.delete(request))
  return async () => {
    for (let since = performance.now(); performance.now() - since < QUIET_MS; ) {
      if (underWay.size > 0) since = performance.now()
      await Bun.sleep(20)
    }
  }
}

export async function visit(
  { browser }: Pick<Stage, 'browser'>,
  path: string,
  { cookie, ...options }: BrowserContextOptions & { cookie?: string } = {},
): Promise<Visitor> {
  const context = await browser.newContext({ locale: 'en-GB', ...options })
  // Shorter than a test's timeout, which would end the browser for all later tests.
  context.setDefaultTimeout(20_000)
  const [name = '', value = ''] = cookie?.split(/=(.*)/s) ?? []
  if (cookie !== undefined) await context.addCookies([{ name, value, url: BASE_URL }])
  const page = await context.newPage()
  const settled = watchRequests(page)
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    // The browser reports the 401 by which a page learns that it is not signed in.
    if (message.type() === 'error' && !message.text().includes('401')) complaints.push(message.text())
  })
  await page.goto(`${BASE_URL}${path}`)
  // Not by its role: a preview in the address hides the page behind it from the accessibility tree.
  await page.locator('h1').first().waitFor()
  return { page, complaints, settled, [Symbol.asyncDispose]: () => context.close() }
}

/** Returns small files to choose, with the names `note 0.txt` and so on. */
export const textFiles = (count: number) =>
  Array.from({ length: count }, (_, n) => ({
    name: `note ${n}.txt`,
    mimeType: 'text/plain',
    buffer: Buffer.from(`note ${n}`),
  }))

/** Holds the unsafe requests to a path back until `release` is called. The first `free` ones pass. */
export async function hold(page: Page, path: string, free = 0) {
  const { promise, resolve } = Promise.withResolvers<void>()
  let passed = 0
  const handle = async (route: Route) => {
    if (route.request().method() === 'GET' || route.request().method() === 'HEAD') return route.continue()
    passed += 1
    if (passed > free) {
      held.count += 1
      await promise
    }
    // The page may have aborted the request meanwhile.
    return route.continue().catch(() => {})
  }
  const release = () => {
    resolve()
    // Large bodies take seconds on their way through the tools.
    void page.unroute(path, handle)
  }
  const held = { count: 0, release }
  await page.route(path, handle)
  return held
}

/** Opens a session and returns its cookie. */
export async function signIn(holdfast: Holdfast, { email, password } = ADMIN): Promise<string> {
  return cookieOf(await postJson(holdfast, '/api/auth/sign-in/email', { email, password }))
}

const AXE = readFileSync(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8')
/** Runs axe in a page. What passes is neither collected nor sent, which takes most of the time. */
const RUN_AXE = "axe.run({ resultTypes: ['violations'] }).then(({ violations }) => violations)"

/** Returns the serious and critical violations that axe finds in the page, as `rule: element`. */
export async function seriousFindings(page: Page): Promise<string[]> {
  // Elements that fade in have other colours meanwhile.
  await page.evaluate(`Promise.allSettled(
    document.getAnimations()
      .filter((animation) => Number.isFinite(animation.effect.getComputedTiming().endTime))
      .map((animation) => animation.finished))`)
  await page.evaluate(AXE)
  const violations = (await page.evaluate(RUN_AXE)) as AxeResults['violations']
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`))
}
