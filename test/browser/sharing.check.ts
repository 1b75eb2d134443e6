import { beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import type { Share } from '../../src/client/types.ts'
import { shareTexts } from '../../src/dashboard/texts/shares.ts'
import { texts } from '../../src/dashboard/texts.ts'
import { openSite } from './site.ts'
import { PHONE } from './visitor.ts'

/** Shares as their owner makes, finds, changes and ends them. */

const PASSWORD = 'low tide at noon'

const site = openSite()
beforeAll(async () => {
  const files = { 'a.txt': 'the letter a', 'b.txt': 'the letter b' }
  await site.putFiles('letters', files, 'private')
  await site.putFiles('inbox', files)
})

const open = (path: string, viewport = { width: 1440, height: 900 }) => site.open(path, { viewport })
const fromMenu = async (page: Page, item: string, action: string) => {
  await page.getByRole('button', { name: shareTexts.actionsOf(item) }).click()
  await page.getByRole('menuitem', { name: action }).click()
}
const visitorsPage = async (link: string) => {
  const { pathname } = new URL(link)
  return await (await site.holdfast.fetch(pathname)).text()
}
const shares = async () => (await site.admin.api.data<{ shares: Share[] }>('GET', '/shares')).shares
const linkOf = (page: Page) => page.getByLabel(shareTexts.link).inputValue()

test('the preview has the title, the items and the button that the visitor sees', async () => {
  await site.put('mountains', 'peak.txt')
  const { page } = await open('/files')
  await fromMenu(page, 'mountains', shareTexts.columns.name)
  const preview = page.getByRole('figure', { name: shareTexts.preview })
  await preview.getByText('peak.txt').waitFor()
  expect(await page.getByLabel(shareTexts.title).getAttribute('placeholder')).toBe('mountains')
  const said = (await preview.locator('.visitor-page').allInnerTexts()).join().split(/\s*\n\s*/)
  await page.getByRole('button', { name: shareTexts.create }).click()

  const shown = await visitorsPage(await linkOf(page))
  expect(said).toEqual(['mountains', 'Ada shared peak.txt', 'Download (8 B)'])
  for (const line of said) expect(shown).toContain(`>${line}<`)
})

test('the preview is the gallery that visitors see, for a new share and for one that is edited', async () => {
  await site.put('shore', 'a.jpg', 'b.png', 'c.webp', 'd.txt')
  const { page } = await open('/files?folder=shore')
  await page.getByRole('checkbox', { name: texts.files.selectAll }).check()
  await page.getByRole('button', { name: texts.files.share }).click()
  const preview = page.getByRole('figure', { name: shareTexts.preview })
  const tiles = ['a.jpg', 'b.png', 'c.webp']
  expect(await preview.locator('.visitor-tiles li').allInnerTexts()).toEqual(tiles)
  expect((await preview.locator('.visitor-rows li').allInnerTexts()).join()).toContain('d.txt')
  await page.getByRole('button', { name: shareTexts.create }).click()

  const [, shown = ''] =
    /<ul class="tiles">([\s\S]*?)<\/ul>/.exec(await visitorsPage(await linkOf(page))) ?? []
  expect([...shown.matchAll(/<span id="n\d">(.*?)<\/span>/g)].map(([, name]) => name)).toEqual(tiles)

  const { page: later } = await open('/shares')
  await later
    .getByRole('button', { name: /^Actions for a\.jpg/ })
    .first()
    .click()
  await later.getByRole('menuitem', { name: shareTexts.edit }).click()
  await later.getByRole('figure', { name: shareTexts.preview }).waitFor()
  expect(await later.locator('.visitor-tiles li').allInnerTexts()).toEqual(tiles)
})

test('a file is shared in one dialog, and its link copied by one click', async () => {
  const { page, complaints } = await open('/files?folder=letters')
  await fromMenu(page, 'a.txt', shareTexts.columns.name)
  await page.getByLabel(shareTexts.title).fill('For Ada')
  await page.getByRole('figure', { name: shareTexts.preview }).getByText('For Ada').waitFor()
  await page.getByRole('button', { name: shareTexts.create }).click()
  await page.getByRole('img', { name: shareTexts.qr }).waitFor()
  await page.evaluate("addEventListener('copy', () => { window.copied = document.activeElement.value })")
  await page.getByRole('button', { name: texts.actions.copy, exact: true }).click()
  await page.getByText(texts.actions.copied).waitFor()

  const copied = String(await page.evaluate('copied'))
  expect(copied).toBe(await linkOf(page))
  expect(await visitorsPage(copied)).toContain('<h1>For Ada</h1>')
  expect(await visitorsPage(copied)).toContain('a.txt')
  expect(complaints).toEqual([])
})

test('a selection is shared with a password, an expiry, a limit and a link of its own', async () => {
  const { page } = await open('/files?folder=letters', PHONE)
  await page.getByRole('checkbox', { name: texts.files.select('a.txt') }).check()
  await page.getByRole('checkbox', { name: texts.files.select('b.txt') }).check()
  await page.getByRole('button', { name: shareTexts.columns.name }).click()
  await page.getByLabel(shareTexts.columns.expires).selectOption(texts.lifetimes[7])
  await page.getByLabel(shareTexts.askPassword).check()
  await page.getByLabel(shareTexts.password).fill(PASSWORD)
  await page.getByText(shareTexts.more).click()
  await page.getByLabel(shareTexts.note).fill('Two letters')
  await page.getByText('Opening a file counts as a download.').waitFor()
  await page.getByLabel(shareTexts.maxDownloads).fill('0')
  await page.getByLabel(shareTexts.slug).fill('no spaces please')
  await page.getByRole('button', { name: shareTexts.create }).click()
  await page.getByText(shareTexts.slugTitle).waitFor()
  await page.getByText(shareTexts.countTitle).waitFor()
  await page.getByLabel(shareTexts.slug).fill('two-letters')
  await page.getByLabel(shareTexts.maxDownloads).fill('5')
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
  await page.getByRole('button', { name: shareTexts.create }).click()
  await page.getByText('Send the password separately.').waitFor()

  const link = await linkOf(page)
  expect(new URL(link).pathname).toBe('/s/two-letters')
  expect(await visitorsPage(link)).toContain('protected this share with a password')
  const made = (await shares()).find(({ slug }) => slug === 'two-letters')
  expect(made).toMatchObject({ note: 'Two letters', maxDownloads: 5, hasPassword: true, title: null })
  expect(made?.items.map(({ name }) => name).toSorted()).toEqual(['a.txt', 'b.txt'])
  const days = (Date.parse(made?.expiresAt ?? '') - Date.now()) / 86_400_000
  expect(Math.round(days)).toBe(7)
})

test('a folder takes files of visitors, and shows them nothing of it', async () => {
  const { page } = await open('/files')
  await fromMenu(page, 'inbox', texts.files.requestFiles)
  await page.getByRole('heading', { name: shareTexts.requestTitle('“inbox”') }).waitFor()
  await page.getByRole('figure').getByText(shareTexts.sendTo('Ada')).waitFor()
  expect(await page.getByLabel(shareTexts.access).inputValue()).toBe('write')
  await page.getByText(shareTexts.more).click()
  await page.getByLabel(shareTexts.types).fill('image/*, .pdf')
  await page.getByRole('textbox', { name: shareTexts.maxBytes }).fill('2')
  await page.getByRole('button', { name: shareTexts.create }).click()

  const shown = await visitorsPage(await linkOf(page))
  expect(shown).toContain('accept="image/*,.pdf"')
  expect(shown).not.toContain('a.txt')
  await page.getByRole('button', { name: texts.actions.done }).click()
  await page.getByRole('link', { name: texts.pages.shares }).click()
  await page.getByRole('row', { name: /Drop box: inbox/ }).waitFor()
})

test('the list shows shares with their counts, changes them and ends them', async () => {
  const { page, complaints } = await open('/files?folder=letters')
  await fromMenu(page, 'b.txt', shareTexts.columns.name)
  await page.getByLabel(shareTexts.title).fill('Passing')
  await page.getByRole('button', { name: shareTexts.create }).click()
  const link = await linkOf(page)
  const shown = await visitorsPage(link)
  const [, file = ''] = /href="([^"]*)\?download=1"/.exec(shown) ?? []
  expect(await (await site.holdfast.fetch(file)).text()).toBe('the letter b')
  await page.getByRole('button', { name: texts.actions.done }).click()

  await page.getByRole('link', { name: texts.pages.shares }).click()
  await page.getByRole('heading', { level: 1, name: texts.pages.shares }).waitFor()
  const row = page.getByRole('row', { name: /Passing/ })
  await row.getByRole('cell', { name: '1', exact: true }).waitFor()
  await fromMenu(page, 'Passing', shareTexts.visits)
  await page.getByText(shareTexts.deeds.downloaded('b.txt')).waitFor()
  await page.getByText(shareTexts.deeds.opened).waitFor()
  await page.keyboard.press('Escape')
  await fromMenu(page, 'Passing', shareTexts.edit)
  await page.getByLabel(shareTexts.title).fill('Passing on')
  await page.getByLabel(shareTexts.maxDownloads).fill('1')
  await page.getByRole('button', { name: shareTexts.save }).click()
  await page.getByRole('row', { name: /Passing on.*Limit reached/ }).waitFor()
  await fromMenu(page, 'Passing on', shareTexts.end)
  await page.getByRole('dialog').getByRole('button', { name: shareTexts.end }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await row.waitFor({ state: 'detached' })

  expect((await site.holdfast.fetch(new URL(link).pathname)).status).toBe(404)
  expect(complaints).toEqual([])
})

test('a share names a webhook where the server offers one', async () => {
  const webhook = {
    name: 'team chat',
    url: 'https://hooks.example.com/x',
    events: ['share.downloaded'],
    forShares: true,
  }
  const made = await site.admin.api.data<{ webhook: { id: string } }>('POST', '/webhooks', webhook)
  const { page } = await open('/files?folder=letters')
  await fromMenu(page, 'a.txt', shareTexts.columns.name)
  await page.getByText(shareTexts.more).click()
  await page.getByLabel(shareTexts.notify).selectOption('team chat')
  await page.getByLabel(shareTexts.slug).fill('notifying')
  await page.getByRole('button', { name: shareTexts.create }).click()
  await linkOf(page)

  expect((await shares()).find(({ slug }) => slug === 'notifying')?.notify).toBe(made.webhook.id)
})
