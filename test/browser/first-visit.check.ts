import { beforeAll, expect, test } from 'bun:test'
import type { Page, Route } from 'playwright-core'
import { texts } from '../../src/dashboard/texts.ts'
import { eventually } from '../support/eventually.ts'
import { ADMIN, BASE_URL } from '../support/holdfast.ts'
import { item, openSite, pick } from './site.ts'
import { holdAll, openPage, textFile, visit } from './visitor.ts'

/** Loads of a browser with an empty cache until it shows a folder's list. */

const site = openSite()
beforeAll(() => site.put('first', ...Array.from({ length: 20 }, (_, n) => `note ${n}.txt`)))

/** Maximum bytes until the list is shown, with headers and brotli. */
const MAX_BYTES = 112 * 1024
/** Maximum steps of which each needs an answer to the one before: the page, its files, the API. */
const MAX_STEPS = 3
/** Milliseconds without a request or an answer after which all requests of a step are there. */
const STEP_MS = 1000

const ADDRESS = '/files?folder=first'

/** Opens an empty page. Chromium accepts brotli only from the address of the socket, or through https. */
const openEmpty = (origin = site.holdfast.url) =>
  openPage(site.stage, { cookie: site.admin.cookie, origin, isAlone: true })

const firstItem = (page: Page) => page.locator('.item-name').first()

/** Script that notes when the first item is there: what loads afterwards is not waited for. */
const NOTE_LIST = `new MutationObserver((_, observer) => {
  if (!document.querySelector('.item-name')) return
  window.listedAt = performance.now()
  observer.disconnect()
}).observe(document, { childList: true, subtree: true })`
const LOADED_BEFORE_LIST = `performance.getEntries()
  .filter(({ responseEnd }) => responseEnd <= window.listedAt)
  .map(({ name }) => name)`

test('the list of a folder needs at most 112 KiB', async () => {
  const { page } = await openEmpty()
  const network = await page.context().newCDPSession(page)
  await network.send('Network.enable')
  const urls = new Map<string, string>()
  const bytesOf = new Map<string | undefined, number>()
  network.on('Network.requestWillBeSent', ({ requestId, request }) => urls.set(requestId, request.url))
  network.on('Network.loadingFinished', ({ requestId, encodedDataLength }) =>
    bytesOf.set(urls.get(requestId), encodedDataLength),
  )
  const encodings = new Set<string | undefined>()
  page.on('response', (response) => {
    if (response.url().endsWith('.js')) encodings.add(response.headers()['content-encoding'])
  })
  await page.addInitScript(NOTE_LIST)

  await page.goto(site.holdfast.url + ADDRESS, { waitUntil: 'commit' })
  await firstItem(page).waitFor()
  const before = new Set(await page.evaluate<string[]>(LOADED_BEFORE_LIST))
  const bytes = [...bytesOf].reduce((sum, [url = '', size]) => sum + (before.has(url) ? size : 0), 0)

  console.log(`${(bytes / 1024).toFixed(1)} KiB until the list`)
  expect([...encodings]).toContain('br')
  expect(before).toContain(site.holdfast.url + ADDRESS)
  expect(bytes).toBeGreaterThan(MAX_BYTES / 2)
  expect(bytes).toBeLessThan(MAX_BYTES)
})

test.each(['/', ADDRESS])('the list at %p needs at most 3 round trips', async (address) => {
  const { page } = await openEmpty()
  const held: Route[] = []
  let latest = performance.now()
  await page.route('**/*', (route) => {
    held.push(route)
    latest = performance.now()
  })
  let unanswered = 0
  const answer = () => {
    unanswered -= 1
    latest = performance.now()
  }
  page.on('requestfinished', answer)
  page.on('requestfailed', answer)
  let isListed = false
  const listed = firstItem(page)
    .waitFor()
    .then(() => {
      isListed = true
    })

  void page.goto(site.holdfast.url + address, { waitUntil: 'commit' }).catch(() => undefined)
  const steps: string[][] = []
  // Requests after the last step are never answered: the list must do without.
  while (!isListed && steps.length < MAX_STEPS) {
    const isStep = () => held.length > 0 && unanswered === 0 && performance.now() - latest > STEP_MS
    await eventually(() => isListed || isStep())
    if (isListed) break
    const step = held.splice(0)
    unanswered += step.length
    steps.push(step.map((route) => new URL(route.request().url()).pathname))
    await Promise.all(step.map((route) => route.continue()))
  }

  await listed
  expect(steps.at(-1)).toContain('/api/folders')
})

/** Script that adds up how far what is seen moves. */
const NOTE_SHIFTS = `window.shift = 0
new PerformanceObserver((list) => {
  for (const { value } of list.getEntries()) window.shift += value
}).observe({ type: 'layout-shift', buffered: true })`

test.each([
  ['of the navigation with a session', true, '.shell', '.item-name'],
  ['of the form without one', false, '.way-in', 'form'],
])('a frame %s is seen before any code of the app, which takes its place', async (_, isIn, frame, shown) => {
  const { page } = await openPage(site.stage, { isAlone: true, ...(isIn && { cookie: site.admin.cookie }) })
  const release = await holdAll(page.context(), chunk('index'))
  await page.addInitScript(NOTE_SHIFTS)

  const response = await page.goto(BASE_URL + ADDRESS, { waitUntil: 'commit' })
  await page.locator(`#frame > ${frame}`).waitFor()
  const seen = await page.locator('#frame > :visible').count()
  release()
  await page.locator(`#app ${shown}`).first().waitFor()

  expect(seen).toBe(1)
  expect(response?.headers()['vary']).toContain('Cookie')
  expect(await page.locator('#frame').count()).toBe(0)
  expect(await page.evaluate('window.shift')).toBe(0)
})

test('the chunk of another page is requested before the account is known', async () => {
  const { page } = await openEmpty()
  const release = await holdAll(page, '**/api/me')
  const chunk = page.waitForRequest(/\/assets\/page-\w+\.js$/)

  await page.goto(`${site.holdfast.url}/trash`, { waitUntil: 'commit' })
  await chunk
  release()

  await page.getByRole('heading', { name: texts.pages.trash, exact: true }).waitFor()
})

test('a list that was refused before sign-in is there after it', async () => {
  const { page } = await visit(site.stage, ADDRESS)
  await page.getByLabel(texts.account.email).fill(ADMIN.email)
  await page.getByLabel(texts.account.password, { exact: true }).fill(ADMIN.password)
  expect(await page.locator('.toast').count()).toBe(0)

  await page.getByRole('button', { name: texts.signIn.submit }).click()

  await firstItem(page).waitFor()
})

test('a menu that is opened before its code is there appears with it', async () => {
  const { page } = await openEmpty(BASE_URL)
  const release = await holdAll(page.context(), chunk('menu-content'))
  await page.goto(BASE_URL + ADDRESS)

  await page.getByRole('button', { name: texts.files.actionsOf('note 0.txt') }).click()
  release()
  await page.getByRole('menuitem', { name: texts.files.details }).waitFor()
  await page.keyboard.press('Escape')

  await page.locator('[aria-label="Actions for note 0.txt"]:focus').waitFor()
})

test('a menu that a key opens before its code is there focuses its first entry', async () => {
  const { page } = await openEmpty(BASE_URL)
  const release = await holdAll(page.context(), chunk('menu-content'))
  await page.goto(BASE_URL + ADDRESS)

  await page.locator('.account-button').press('Enter')
  release()

  await page.locator('[role=menuitemradio]:focus').first().waitFor()
})

test('files that are picked before the code of uploads is there are uploaded', async () => {
  const { page } = await openEmpty(BASE_URL)
  const release = await holdAll(page.context(), chunk('add|uploads'))
  await page.goto(BASE_URL + ADDRESS)

  await pick(page, textFile('early.txt'))
  release()

  await item(page, 'early.txt').waitFor()
})

test('files that are picked when the code of uploads cannot be loaded are refused, and taken later', async () => {
  const { page } = await openEmpty(BASE_URL)
  await page.context().route(chunk('add|uploads'), (route) => route.abort())
  await page.goto(BASE_URL + ADDRESS)
  const input = page.getByLabel(texts.files.upload, { exact: true }).first()

  await input.setInputFiles(textFile('late.txt'))
  await page.locator('.toast', { hasText: 'can’t be reached' }).waitFor()
  await page.context().unroute(chunk('add|uploads'))
  await input.setInputFiles(textFile('late.txt'))

  await item(page, 'late.txt').waitFor()
})

/** Returns a pattern for the URL of chunks by their names. */
const chunk = (names: string) => new RegExp(`/assets/(${names})-\\w+\\.js$`)
