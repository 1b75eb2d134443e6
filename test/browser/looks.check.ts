import { beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { accountTexts } from '../../src/dashboard/texts/account.ts'
import { texts } from '../../src/dashboard/texts.ts'
import { eventually } from '../support/eventually.ts'
import { openSite } from './site.ts'
import { HAND } from './visitor.ts'

/** Appearance of the list of files: no jumps, and in view what tells one file from another. */

const LONG = `Minutes of the meeting about the roof, ${'second draft '.repeat(6)}2026.pdf`

const site = openSite()
beforeAll(async () => {
  await site.put('some/deep', 'open.txt')
  await site.putFiles('some/deep', { 'closed.txt': 'x', [LONG]: 'x' }, 'private')
})

const { open } = site

const opacityOf = (page: Page, label: string) =>
  page.evaluate(`getComputedStyle(document.querySelector('[aria-label="${label}"]')).opacity`)

test('a list shows which files are public and which are private', async () => {
  const { page } = await open('/files?folder=some/deep')

  await page.getByRole('row', { name: /open\.txt.*Public/ }).waitFor()
  await page.getByRole('row', { name: /closed\.txt.*Private/ }).waitFor()
})

test('rows are as high as the account page says', async () => {
  const { page } = await open('/account')
  await page.getByRole('button', { name: accountTexts.densities.compact }).click()

  await page.goto(new URL('/files?folder=some/deep', page.url()).href)
  const row = page.getByRole('row', { name: /open\.txt/ })
  await row.waitFor()

  expect((await row.boundingBox())?.height).toBe(34)
})

test('a list ends after its last row', async () => {
  const { page } = await open('/files?folder=some/deep')
  await page.getByRole('row', { name: /open\.txt/ }).waitFor()

  const list = await page.getByRole('grid').boundingBox()
  const last = await page.getByRole('row').last().boundingBox()

  expect((list?.y ?? 0) + (list?.height ?? 0)).toBeLessThanOrEqual((last?.y ?? 0) + (last?.height ?? 0) + 2)
})

test('the controls of a row appear with the pointer and the keyboard', async () => {
  const { page } = await open('/files?folder=some/deep')
  const row = page.getByRole('row', { name: /open\.txt/ })
  const opacity = () => opacityOf(page, 'Actions for open.txt')
  await row.waitFor()
  expect(await opacity()).toBe('0')

  await row.hover()
  await eventually(async () => (await opacity()) === '1')
  await page.mouse.move(0, 0)
  await eventually(async () => (await opacity()) === '0')
  await row.focus()

  await eventually(async () => (await opacity()) === '1')
})

test.each(['List', 'Grid'])('the end of a long name stays in view in the %s', async (layout) => {
  const { page } = await open('/files?folder=some/deep')
  await page.getByRole('button', { name: layout, exact: true }).click()
  const name = page.getByRole('button', { name: LONG, exact: true })
  const end = name.getByText('2026.pdf')
  await end.waitFor()

  const [whole, shown] = [await name.boundingBox(), await end.boundingBox()]

  expect(shown?.width).toBeGreaterThan(0)
  expect((shown?.x ?? 0) + (shown?.width ?? 0)).toBeLessThanOrEqual((whole?.x ?? 0) + (whole?.width ?? 0) + 1)
  if (layout === 'Grid') return
  const next = await page.getByRole('row').filter({ has: name }).locator('.cell-visibility > *').boundingBox()
  expect((next?.x ?? 0) - (shown?.x ?? 0) - (shown?.width ?? 0)).toBeGreaterThanOrEqual(8)
})

test.each([
  ['on a desktop', {}],
  ['on a phone', HAND],
])('%s the toolbar stays at its place when a folder opens', async (_, how) => {
  const { page } = await open('/files', how)
  const search = page.getByRole('searchbox', { name: texts.files.search })
  const before = await search.boundingBox()

  await page.locator('[data-index]', { hasText: 'some' }).press('Enter')
  await page.getByRole('heading', { level: 1, name: 'some' }).waitFor()
  await page.getByRole('button', { name: 'deep', exact: true }).waitFor()

  expect((await search.boundingBox())?.y).toBe(before?.y)
})

/** Number of fonts that the browser has loaded. */
const LOADED = "[...document.fonts].filter(({ status }) => status === 'loaded').length"

test('pages are set in the font that the server brings, and its further letters load where they are shown', async () => {
  await site.put('letters', 'žluťoučký kůň.txt')
  const { page, complaints } = await open('/files?folder=some')
  await page.getByRole('row').nth(1).waitFor()
  await eventually(async () => (await page.evaluate(LOADED)) === 1)

  await page.goto(new URL('/files?folder=letters', page.url()).href)

  await page.getByRole('row', { name: /žluťoučký kůň/ }).waitFor()
  await eventually(async () => (await page.evaluate(LOADED)) === 2)
  expect(complaints).toEqual([])
})
