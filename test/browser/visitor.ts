import { readFileSync } from 'node:fs'
import type { AxeResults } from 'axe-core'
import type { Browser, BrowserContext, BrowserContextOptions, Page, Request, Route } from 'playwright-core'
import { builtAssets } from '../../src/modules/web/built.ts'
import { eventually } from '../support/eventually.ts'
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
import { startProxy, type TestProxy } from '../support/proxy.ts'
import { launchChromium } from './chromium.ts'

export interface StageOptions extends InsideOptions {
  /** Path of the browser. By default `CHROMIUM`. */
  browserPath?: string
  /** True for a proxy between browser and server, which holds requests back or cuts connections. */
  isProxied?: boolean
}

/** Server with the built dashboard, and a browser that resolves its base URL. */
export interface Stage extends AsyncDisposable {
  holdfast: Inside
  browser: Browser
  proxy: TestProxy | undefined
}

export async function openStage({ browserPath, isProxied, ...options }: StageOptions = {}): Promise<Stage> {
  const dashboard = builtAssets()
  if (dashboard.size === 0) throw new Error('Build the dashboard first: bun run build:dashboard')
  await using opened = new AsyncDisposableStack()
  const holdfast = opened.use(await startInside({ runsJobs: true, ...options, dashboard }))
  const proxy = isProxied ? opened.use(await startProxy(holdfast.port)) : undefined
  const browser = opened.adopt(await launchChromium(proxy?.port ?? holdfast.port, browserPath), (it) =>
    it.close(),
  )
  const whole = opened.move()
  return { holdfast, browser, proxy, [Symbol.asyncDispose]: () => whole.disposeAsync() }
}

/** Page of a browser without traces of earlier tests. Its test need not close it. */
export interface Visitor {
  page: Page
  /** Script errors and violations of the page's policy. */
  complaints: string[]
  /** Waits until the page has no request under way, and begins none. Its stream of changes has no end. */
  settled: () => Promise<void>
}

/** Options of a page. Tests that share a browser share its contexts, unless they ask for one of their own. */
export interface Look extends BrowserContextOptions {
  cookie?: string
  /** True for a context that no other test has: for a clock, scripts, lost connections or an empty cache. */
  isAlone?: boolean
  /** Origin of the server. By default the base URL. */
  origin?: string
}

interface Preparation {
  /** Prepares the page before it loads. The visit does not wait until all of it is there. */
  prepare?: (page: Page) => Promise<unknown>
}

/** Time limit of a step, in milliseconds. Only what hangs takes as long, on any machine. */
export const STEP_MS = 240_000

/** Script that ends when two frames are drawn. What follows an input or a response is requested by then. */
const TWO_FRAMES = 'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))'

/** Returns a function that waits until a page has settled. */
function watchRequests(page: Page): () => Promise<void> {
  const underWay = new Set<Request>()
  let begun = 0
  page.on('request', (request) => {
    begun += 1
    if (new URL(request.url()).pathname !== '/api/changes') underWay.add(request)
  })
  page.on('requestfinished', (request) => underWay.delete(request))
  page.on('requestfailed', (request) => underWay.delete(request))
  return async () => {
    for (let seen = -1; underWay.size > 0 || seen !== begun; ) {
      seen = begun
      await page.evaluate(TWO_FRAMES)
    }
  }
}

/** Page that tests use in turn. A page that loads again in its process costs half of one in a new context. */
interface Tab {
  page: Page
  /** Options of its context. */
  kind: string
}

const idle = new WeakMap<Browser, Tab[]>()

/** Events to which tests listen. */
const EVENTS = [
  'console',
  'dialog',
  'download',
  'filechooser',
  'framenavigated',
  'load',
  'pageerror',
  'popup',
]
const REQUEST_EVENTS = ['request', 'requestfailed', 'requestfinished', 'response']

async function takeTab(browser: Browser, options: BrowserContextOptions, isAlone: boolean): Promise<Tab> {
  const kind = JSON.stringify(options)
  const tabs = idle.get(browser) ?? []
  const index = isAlone ? -1 : tabs.findIndex((tab) => tab.kind === kind)
  const [tab] = index < 0 ? [] : tabs.splice(index, 1)
  if (tab) return tab
  const context = await browser.newContext({ locale: 'en-GB', ...options })
  context.setDefaultTimeout(STEP_MS)
  return { kind, page: await context.newPage() }
}

/** Removes all that a test left in a page and its context. Fails when the page is closed or elsewhere. */
async function clean(page: Page): Promise<void> {
  const context = page.context()
  for (const event of [...EVENTS, ...REQUEST_EVENTS]) await page.removeAllListeners(event)
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await context.unrouteAll({ behavior: 'ignoreErrors' })
  await context.setOffline(false)
  for (const other of context.pages()) if (other !== page) await other.close()
  await page.evaluate('sessionStorage.clear()')
  const { origin } = new URL(page.url())
  await page.goto('about:blank')
  await page.mouse.move(0, 0)
  const devtools = await context.newCDPSession(page)
  await devtools.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' })
  await devtools.send('Page.resetNavigationHistory')
  await devtools.detach()
  await context.clearCookies()
}

async function giveBack(browser: Browser, tab: Tab, isAlone: boolean): Promise<void> {
  const context = tab.page.context()
  if (!browser.isConnected()) return
  if (isAlone) return context.close()
  try {
    await clean(tab.page)
    idle.set(browser, [...(idle.get(browser) ?? []), tab])
  } catch {
    await context.close()
  }
}

let visits: (() => Promise<void>)[] = []

/** Ends all visits, after each test. */
export async function leaveAll(): Promise<void> {
  const ended = visits
  visits = []
  await Promise.all(ended.map((leave) => leave()))
}

const DESK = { width: 1280, height: 720 }
export const PHONE = { width: 390, height: 844 }
/** Phone that is touched. */
export const HAND = { viewport: PHONE, hasTouch: true, isMobile: true }

/** Opens an empty page. Two visitors at a time have different contexts, as two people have. */
export async function openPage({ browser }: Pick<Stage, 'browser'>, look: Look = {}): Promise<Visitor> {
  const { cookie, origin = BASE_URL, isAlone = false, viewport, ...others } = look
  // Without motion, nothing is there any more that has left, and nothing is half-way.
  const { colorScheme = null, reducedMotion = 'reduce', forcedColors = null, ...options } = others
  const tab = await takeTab(browser, options, isAlone)
  visits.push(() => giveBack(browser, tab, isAlone))
  const { page } = tab
  await page.setViewportSize(viewport ?? DESK)
  await page.emulateMedia({ colorScheme, reducedMotion, forcedColors })
  const [name = '', value = ''] = cookie?.split(/=(.*)/s) ?? []
  if (cookie !== undefined) await page.context().addCookies([{ name, value, url: origin }])
  const settled = watchRequests(page)
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    // The browser reports the 401 by which a page learns that it is not signed in.
    if (message.type() === 'error' && !message.text().includes('401'))
      complaints.push(`${message.text()} ${message.location().url}`)
  })
  return { page, complaints, settled }
}

/** Opens a path. */
export async function visit(
  stage: Pick<Stage, 'browser'>,
  path: string,
  { prepare, ...look }: Look & Preparation = {},
): Promise<Visitor> {
  const visitor = await openPage(stage, look)
  const { page } = visitor
  await prepare?.(page)
  await page.goto(new URL(path, look.origin ?? BASE_URL).href, { waitUntil: prepare ? 'commit' : 'load' })
  // Not by its role: a preview in the address hides the page behind it from the accessibility tree.
  await page.locator('h1').first().waitFor()
  return visitor
}

/**
 * Opens a path in a page whose stream of changes never starts, and waits until it has settled. Nothing but a later action
 * of the test notices that the session ended.
 */
export async function visitWithoutStream(
  stage: Pick<Stage, 'browser'>,
  path: string,
  look: Look,
): Promise<Visitor> {
  const { promise: isRequested, resolve } = Promise.withResolvers<void>()
  const prepare = (page: Page) => page.route('**/api/changes', () => resolve())
  const visitor = await visit(stage, path, { ...look, prepare })
  await isRequested
  await visitor.settled()
  return visitor
}

/** Returns a file to choose. */
export const textFile = (name: string, content: string | Buffer = name) => ({
  ...{ name, mimeType: 'text/plain' },
  buffer: Buffer.from(content),
})

/** Returns small files to choose, with the names `note 0.txt` and so on. */
export const textFiles = (count: number) =>
  Array.from({ length: count }, (_, n) => textFile(`note ${n}.txt`, `note ${n}`))

/** Collects the paths of a page's unsafe requests. */
export function watchChanges(page: Page): string[] {
  const changes: string[] = []
  page.on('request', (request) => {
    if (request.method() !== 'GET') changes.push(new URL(request.url()).pathname)
  })
  return changes
}

/** Collects the offsets of the pieces that a page sends. */
export function watchOffsets(page: Page): number[] {
  const offsets: number[] = []
  page.on('request', (request) => {
    if (request.method() === 'PATCH') offsets.push(Number(request.headers()['upload-offset']))
  })
  return offsets
}

/** Refuses the first requests to a path, as a server that has received too many. */
export async function refuseFirst(page: Page, path: string, seconds: number, method?: string): Promise<void> {
  let isRefused = false
  await page.route(path, (route) => {
    if (isRefused || (method !== undefined && route.request().method() !== method)) return route.continue()
    isRefused = true
    const json = { data: null, error: { message: 'Too many requests' } }
    return route.fulfill({ status: 429, headers: { 'Retry-After': String(seconds) }, json })
  })
}

/** Holds requests back until the returned function is called. */
export async function holdAll(
  place: Pick<Page, 'route'> | Pick<BrowserContext, 'route'>,
  url: string | RegExp,
): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  await place.route(url, async (route) => {
    await promise
    await route.continue()
  })
  return resolve
}

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
/** Rules of axe whose outcome depends on the theme. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block']

/** Ends what slides or fades in, because elements have other places and colours meanwhile. */
export const endMotion = (page: Page): Promise<void> =>
  page.evaluate(`for (const animation of document.getAnimations())
    if (Number.isFinite(animation.effect.getComputedTiming().endTime)) animation.finish()`)

/** Returns the serious and critical violations that axe finds in the page, of some rules or all, as `rule: element`. */
export async function seriousFindings(page: Page, rules?: readonly string[]): Promise<string[]> {
  await endMotion(page)
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(AXE)
  // What passes is neither collected nor sent, which takes most of the time.
  const options = JSON.stringify({ resultTypes: ['violations'], ...(rules && { runOnly: rules }) })
  const script = `axe.run(${options}).then(({ violations }) => violations)`
  const violations = (await page.evaluate(script)) as AxeResults['violations']
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`))
}

/** Returns what axe finds in both themes. Their content is the same, so only colours are judged twice. */
export async function findingsInThemes(page: Page): Promise<string[]> {
  await page.emulateMedia({ colorScheme: 'dark' })
  const dark = await seriousFindings(page)
  await page.emulateMedia({ colorScheme: 'light' })
  const light = await seriousFindings(page, COLOUR_RULES)
  return [...dark.map((finding) => `dark: ${finding}`), ...light.map((finding) => `light: ${finding}`)]
}

/**
 * Waits until a script of a page has a true result. The page's policy forbids the function that the browser's driver asks
 * again and again.
 */
export const becomesTrue = (page: Pick<Page, 'evaluate'>, script: string): Promise<void> =>
  eventually(async () => (await page.evaluate<unknown>(script)) === true)
