import { readFileSync } from 'node:fs'
import type { AxeResults } from 'axe-core'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
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

/** A server with the dashboard as it was built, and a browser that finds it at its base URL. */
export interface Stage extends AsyncDisposable {
  holdfast: Inside
  browser: Browser
}

export async function openStage(options: InsideOptions = {}): Promise<Stage> {
  const dashboard = builtAssets()
  if (dashboard.size === 0) throw new Error('Build the dashboard first: bun run build:dashboard')
  const holdfast = await startInside({ ...options, dashboard })
  const browser = await launchChromium(holdfast.port)
  return {
    holdfast,
    browser,
    [Symbol.asyncDispose]: async () => {
      await browser.close()
      await holdfast[Symbol.asyncDispose]()
    },
  }
}

/** A page in a browser of its own. */
export interface Visitor extends AsyncDisposable {
  page: Page
  /** What the page complained about: script errors, and what its policy forbade. */
  complaints: string[]
}

export async function visit(
  { browser }: Pick<Stage, 'browser'>,
  path: string,
  { cookie, ...options }: BrowserContextOptions & { cookie?: string } = {},
): Promise<Visitor> {
  const context = await browser.newContext({ locale: 'en-GB', ...options })
  // Shorter than a test's, which would end the browser for all that follow.
  context.setDefaultTimeout(20_000)
  const [name = '', value = ''] = cookie?.split(/=(.*)/s) ?? []
  if (cookie !== undefined) await context.addCookies([{ name, value, url: BASE_URL }])
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    // That it is not signed in, a page learns from a 401, which the browser reports.
    if (message.type() === 'error' && !message.text().includes('401')) complaints.push(message.text())
  })
  await page.goto(`${BASE_URL}${path}`)
  await page.getByRole('heading', { level: 1 }).waitFor()
  return { page, complaints, [Symbol.asyncDispose]: () => context.close() }
}

/** Small files to choose, called `note 0.txt` and so on. */
export const textFiles = (count: number) =>
  Array.from({ length: count }, (_, n) => ({
    name: `note ${n}.txt`,
    mimeType: 'text/plain',
    buffer: Buffer.from(`note ${n}`),
  }))

/** The cookie of a new session. */
export async function signIn(holdfast: Holdfast, { email, password } = ADMIN): Promise<string> {
  return cookieOf(await postJson(holdfast, '/api/auth/sign-in/email', { email, password }))
}

const AXE = readFileSync(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

/** What axe finds serious or critical in what is shown, as `rule: element`. */
export async function seriousFindings(page: Page): Promise<string[]> {
  // What is still fading in has colours of its own.
  await page.evaluate(`Promise.allSettled(
    document.getAnimations()
      .filter((animation) => Number.isFinite(animation.effect.getComputedTiming().endTime))
      .map((animation) => animation.finished))`)
  await page.evaluate(AXE)
  const { violations } = (await page.evaluate('axe.run()')) as AxeResults
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`))
}
