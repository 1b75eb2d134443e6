import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { keyTexts } from '../../src/dashboard/texts/keys.ts'
import { searchTexts } from '../../src/dashboard/texts/search.ts'
import { texts } from '../../src/dashboard/texts.ts'
import { builtAssets } from '../../src/modules/web/built.ts'
import { eventually } from '../support/eventually.ts'
import { openSite } from './site.ts'

/** Dashboard without a connection to the server. */

const site = openSite()

/** Scripts of the single pages. */
const PAGES = [...builtAssets().keys()].filter((path) => /\/page-[^/]*\.js$/.test(path))
/** Expression that counts those which the browser has loaded. */
const LOADED_PAGES = `performance.getEntriesByType('resource').filter(({ name }) => /\\/page-[^/]*\\.js$/.test(name)).length`

/** Returns an expression that tells whether the browser has loaded a file. */
const isLoaded = (file: string) =>
  `performance.getEntriesByType('resource').some(({ name }) => /\\/${file}$/.test(name))`

/** Marks the document, which a reload would lose. */
const mark = (page: Page) => page.evaluate('document.documentElement.dataset.marked = "yes"')
const isMarked = (page: Page) => page.evaluate('document.documentElement.dataset.marked === "yes"')

test('a page that cannot be loaded does not break the app, and loads on retry', async () => {
  const { page } = await site.open('/account')
  await page.context().route(/\/assets\/page-/, (route) => route.abort())
  await page.reload()
  await page.getByText('This page couldn’t be loaded').waitFor()
  await mark(page)
  await page.getByRole('link', { name: texts.pages.keys }).click()
  await page.getByText('This page couldn’t be loaded').waitFor()
  await page.context().unroute(/\/assets\/page-/)

  await page.getByRole('button', { name: texts.actions.retry }).click()
  await page.getByRole('heading', { name: keyTexts.title }).waitFor()

  expect(await isMarked(page)).toBe(true)
})

test('pages open without the server after the browser was idle', async () => {
  const { page } = await site.open('/files')
  await eventually(async () => (await page.evaluate(LOADED_PAGES)) === PAGES.length)
  await page.context().setOffline(true)
  await page.getByText('Reconnecting automatically').waitFor()
  await page.getByRole('link', { name: texts.pages.keys }).click()
  await page.getByRole('heading', { name: keyTexts.title }).waitFor()

  await page.context().setOffline(false)
  await page.getByText('Reconnecting automatically').waitFor({ state: 'detached' })

  expect(await page.getByRole('heading', { name: keyTexts.title }).count()).toBe(1)
})

test('the search opens with its styles without the server', async () => {
  const { page } = await site.open('/keys')
  await eventually(() => page.evaluate(isLoaded('palette-[^/]*\\.js')))
  await page.context().setOffline(true)
  await page.getByText('Reconnecting automatically').waitFor()

  await page.keyboard.press('ControlOrMeta+k')
  await page.getByRole('combobox', { name: searchTexts.placeholder }).waitFor()

  const display = "getComputedStyle(document.querySelector('.palette-field')).display"
  expect(await page.evaluate(display)).toBe('flex')
})
