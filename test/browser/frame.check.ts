import { expect, test } from 'bun:test'
import { texts } from '../../src/dashboard/texts.ts'
import { openSite } from './site.ts'

/** Frame of the pages: the theme, the logo, and addresses without a page. */

const site = openSite()

test('the chosen theme applies before the app runs', async () => {
  const { page, complaints } = await site.open('/files', { colorScheme: 'light' })
  await page.evaluate("localStorage.setItem('holdfast:theme', 'dark')")
  expect(complaints).toEqual([])
  // The app's module never arrives.
  await page.route(/\/assets\/index-.*\.js/, (route) => route.abort())
  await page.reload()

  expect(await page.evaluate('getComputedStyle(document.documentElement).backgroundColor')).toBe(
    'rgb(20, 25, 26)',
  )
})

test('the bars of a browser have the color of the chosen theme', async () => {
  const { page } = await site.open('/files', { colorScheme: 'light' })
  const color = () =>
    page.evaluate<string>(
      "[...document.querySelectorAll('[name=theme-color]')].find(({ media }) => matchMedia(media).matches).content",
    )
  expect(await color()).toBe('#efede6')

  await page.evaluate("localStorage.setItem('holdfast:theme', 'dark')")
  await page.reload()
  await page.getByRole('heading', { level: 1 }).waitFor()

  expect(await color()).toBe('#0f1314')
})

test('the logo leads to the first page', async () => {
  const { page } = await site.open('/account')

  await page.getByRole('link', { name: 'Holdfast' }).click()
  await page.getByRole('heading', { level: 1, name: texts.pages.files }).waitFor()

  expect(new URL(page.url()).pathname).toBe('/files')
})

test('a missing folder is reported, accepts no uploads, and links back', async () => {
  const { page } = await site.open('/files?folder=no/such')
  await page.getByRole('heading', { name: texts.notFound.folder }).waitFor()
  expect(await page.getByRole('button', { name: texts.files.new, exact: true }).count()).toBe(0)

  await page.getByRole('link', { name: texts.notFound.files }).click()

  await page.getByRole('heading', { level: 1, name: texts.pages.files }).waitFor()
})

test('an address without a page links back', async () => {
  const { page } = await site.open('/no-such-page')

  await page.getByRole('link', { name: texts.notFound.home }).click()

  await page.getByRole('heading', { level: 1, name: texts.pages.files }).waitFor()
})
