import { beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { wordsIn } from '../../src/api/pages/texts.ts'
import type { Share } from '../../src/client/types.ts'
import { accountTexts } from '../../src/dashboard/texts/account.ts'
import { accountTexts as german } from '../../src/dashboard/texts/de/account.ts'
import type { texts as English } from '../../src/dashboard/texts.ts'
import { isLanguage, LANGUAGES } from '../../src/platform/languages.ts'
import { fillSite } from './phone.ts'
import { makePng } from './png.ts'
import { openSite } from './site.ts'
import { HAND, seriousFindings, visit } from './visitor.ts'

/** The pages in each language, on a phone. */

const site = openSite()
beforeAll(() => fillSite(site))

type Name = keyof typeof English.pages

/** Pages by their paths, with the element that shows that they are there. */
const PAGES: Record<Name, string> = {
  files: '.file-row',
  recent: '.table tbody tr',
  favorites: '#content h1',
  shares: '.table tbody tr',
  trash: '#content h1',
  overview: '.overview svg',
  activity: '.log-entry',
  security: '.log-entry',
  settings: '.section',
  keys: '.table tbody tr',
  users: '.table tbody tr',
  account: '.device',
}

/** Script that returns what is wider than its place: buttons, links that look so, choices, headings, and the page. */
const TOO_WIDE = `[document.documentElement, ...document.querySelectorAll('#content, button, .button, select, h1, h2, [role=dialog]')]
  .filter((it) => it.checkVisibility() && it.clientWidth > 1 && it.scrollWidth > it.clientWidth + 1)
  .filter((it) => getComputedStyle(it).textOverflow !== 'ellipsis')
  .map((it) => it.tagName + '.' + it.className + ' ' + it.innerText.slice(0, 40) + ' ' + (it.scrollWidth - it.clientWidth))`

const textsIn = async (tag: string): Promise<Pick<typeof English, 'pages' | 'signIn'>> =>
  (await import(tag === 'en' ? '../../src/dashboard/texts.ts' : `../../src/dashboard/texts/${tag}/first.ts`))
    .texts

test.each(Object.keys(LANGUAGES))('every page fits a phone in %s', async (tag) => {
  const { pages, signIn } = await textsIn(tag)
  const guest = await visit(site.stage, '/', { ...HAND, locale: tag })
  const found: Record<string, string[]> = {}
  await guest.page.getByRole('button', { name: signIn.submit, exact: true }).waitFor()
  found['sign-in'] = await guest.page.evaluate<string[]>(TOO_WIDE)

  const { page, complaints } = await site.open('/files', { ...HAND, locale: tag })
  // The pictures of the list are rows without bytes.
  const thumbnail = { body: Buffer.from(makePng(8, 8)), contentType: 'image/png' }
  await page.route('**/api/files/thumbnail/**', (route) => route.fulfill(thumbnail))
  expect(await page.locator('html').getAttribute('lang')).toBe(tag)
  for (const [name, ready] of Object.entries(PAGES)) {
    await page.goto(new URL(`/${name}`, page.url()).href)
    await page.locator(ready).first().waitFor()
    expect(await page.title()).toContain(pages[name as Name])
    found[name] = await page.evaluate<string[]>(TOO_WIDE)
  }

  expect(Object.entries(found).filter(([, wide]) => wide.length > 0)).toEqual([])
  expect(complaints).toEqual([])
})

test.each(Object.keys(LANGUAGES).filter(isLanguage))(
  'the pages for visitors fit a phone in %s',
  async (tag) => {
    const shareOf = async (body: object) =>
      `/s/${(await site.admin.api.data<{ share: Share }>('POST', '/shares', body)).share.slug}`
    const { folderId } = await site.admin.api.upload('a.txt', 'a', `pages ${tag}`)
    const { id } = await site.admin.api.upload('long.bin', '\0', `pages ${tag}`)
    const words = wordsIn(tag)
    const pages = {
      [await shareOf({ items: [{ folderId }] })]: words.downloadAll,
      [await shareOf({ items: [{ fileId: id }] })]: words.downloadOne(1),
      [await shareOf({ items: [{ folderId }], password: 'low tide at noon' })]: words.password.open,
      [await shareOf({ canRead: false, canWrite: true, folderId, maxFiles: 3, maxBytes: 5e9 })]:
        words.box.send,
      '/s/AAAAAAAAAAAA': words.closed.heading,
    }
    const found: Record<string, unknown[]> = {}
    for (const [path, said] of Object.entries(pages)) {
      const { page, complaints } = await visit(site.stage, path, { ...HAND, locale: tag })
      await page.getByText(said, { exact: true }).waitFor()
      expect(await page.locator('html').getAttribute('lang')).toBe(tag)
      const wide = await page.evaluate<string[]>(TOO_WIDE)
      const wrong = complaints.filter((line) => !line.includes('404'))
      found[said] = [...wide, ...(await seriousFindings(page)), ...wrong]
    }

    expect(Object.entries(found).filter(([, wrong]) => wrong.length > 0)).toEqual([])
  },
)

test('the language of an account goes before that of the browser, wherever it signs in', async () => {
  const { page } = await site.open('/account', { isAlone: true, locale: 'en-GB' })
  const lang = (shown: Page) => shown.locator('html').getAttribute('lang')
  await page.getByRole('combobox', { name: accountTexts.language }).selectOption('de')
  await page.getByRole('heading', { name: german.language, exact: true }).waitFor()
  expect(await lang(page)).toBe('de')

  const other = await site.open('/account', { isAlone: true, locale: 'en-US' })
  await other.page.getByRole('heading', { name: german.language, exact: true }).waitFor()
  await other.page.getByRole('combobox', { name: german.language }).selectOption('browser')
  await other.page.getByRole('heading', { name: accountTexts.language, exact: true }).waitFor()
  expect(await lang(other.page)).toBe('en')
})
