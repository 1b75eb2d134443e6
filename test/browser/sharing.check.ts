import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import type { Share } from '../../src/client/types.ts'
import { registerAdmin, type User } from '../support/accounts.ts'
import { BASE_URL, sendUpload } from '../support/holdfast.ts'
import { openStage, type Stage, seriousFindings, visit } from './visitor.ts'

/** Shares as their owner makes, finds, changes and ends them. */

const PASSWORD = 'low tide at noon'

let stage: Stage
let admin: User
beforeAll(async () => {
  stage = await openStage()
  admin = await registerAdmin(stage.holdfast)
  const headers = { Cookie: admin.cookie }
  const files = { 'a.txt': 'the letter a', 'b.txt': 'the letter b' }
  await sendUpload(stage.holdfast, headers, { files, folder: 'letters', visibility: 'private' })
  await sendUpload(stage.holdfast, headers, { files, folder: 'inbox' })
})
afterAll(() => stage[Symbol.asyncDispose]())

const open = (path: string, viewport = { width: 1440, height: 900 }) =>
  visit(stage, path, { cookie: admin.cookie, viewport })
const fromMenu = async (page: Page, item: string, action: string) => {
  await page.getByRole('button', { name: `Actions for ${item}` }).click()
  await page.getByRole('menuitem', { name: action }).click()
}
const visitorsPage = async (link: string) => {
  const { pathname } = new URL(link)
  return await (await stage.holdfast.fetch(pathname)).text()
}
const shares = async () => {
  const response = await stage.holdfast.fetch('/api/shares', { headers: { Cookie: admin.cookie } })
  return ((await response.json()) as { data: { shares: Share[] } }).data.shares
}
const linkOf = (page: Page) => page.getByLabel('Link of the share').inputValue()

test('a file is shared in one dialog, and its link copied by one click', async () => {
  await using visitor = await open('/files?folder=letters')
  const { page, complaints } = visitor
  await fromMenu(page, 'a.txt', 'Share')
  await page.getByLabel('Title').fill('For Ada')
  await page.getByRole('figure', { name: 'What visitors see' }).getByText('For Ada').waitFor()
  await page.getByRole('button', { name: 'Create share' }).click()
  await page.getByRole('img', { name: 'QR code of the link' }).waitFor()
  await page.evaluate("addEventListener('copy', () => { window.copied = document.activeElement.value })")
  await page.getByRole('button', { name: 'Copy', exact: true }).click()
  await page.getByText('Copied').waitFor()

  const copied = String(await page.evaluate('copied'))
  expect(copied).toBe(await linkOf(page))
  expect(await visitorsPage(copied)).toContain('<h1>For Ada</h1>')
  expect(await visitorsPage(copied)).toContain('a.txt')
  expect(complaints).toEqual([])
})

test('a selection is shared with a password, an expiry, a limit and a link of its own', async () => {
  await using visitor = await open('/files?folder=letters', { width: 390, height: 844 })
  const { page } = visitor
  await page.getByRole('checkbox', { name: 'Select a.txt' }).check()
  await page.getByRole('checkbox', { name: 'Select b.txt' }).check()
  await page.getByRole('button', { name: 'Share' }).click()
  await page.getByLabel('Expires').selectOption('In 7 days')
  await page.getByLabel('Ask for a password').check()
  await page.getByLabel('Password for visitors').fill(PASSWORD)
  await page.getByText('More options').click()
  await page.getByLabel('Message to visitors').fill('Two letters')
  await page.getByText('Opening a file counts as a download.').waitFor()
  await page.getByLabel('Maximum downloads').fill('0')
  await page.getByLabel('Custom link').fill('no spaces please')
  await page.getByRole('button', { name: 'Create share' }).click()
  await page.getByText('Use 3 to 64 letters, digits and hyphens.').waitFor()
  await page.getByText('Enter a whole number, 1 or more.').waitFor()
  await page.getByLabel('Custom link').fill('two-letters')
  await page.getByLabel('Maximum downloads').fill('5')
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
  await page.getByRole('button', { name: 'Create share' }).click()
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
  await using visitor = await open('/files')
  const { page } = visitor
  await fromMenu(page, 'inbox', 'Request files')
  await page.getByRole('heading', { name: 'Request files for “inbox”' }).waitFor()
  await page.getByRole('figure').getByText('Send files').waitFor()
  expect(await page.getByLabel('Visitors can').inputValue()).toBe('write')
  await page.getByText('More options').click()
  await page.getByLabel('Accepted types').fill('image/*, .pdf')
  await page.getByRole('textbox', { name: 'Maximum size of all received files' }).fill('2')
  await page.getByRole('button', { name: 'Create share' }).click()

  const shown = await visitorsPage(await linkOf(page))
  expect(shown).toContain('accept="image/*,.pdf"')
  expect(shown).not.toContain('a.txt')
  await page.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('link', { name: 'Shares' }).click()
  await page.getByRole('row', { name: /Drop box: inbox/ }).waitFor()
})

test('the list shows shares with their counts, changes them and ends them', async () => {
  await using visitor = await open('/files?folder=letters')
  const { page, complaints } = visitor
  await fromMenu(page, 'b.txt', 'Share')
  await page.getByLabel('Title').fill('Passing')
  await page.getByRole('button', { name: 'Create share' }).click()
  const link = await linkOf(page)
  const shown = await visitorsPage(link)
  const [, file = ''] = /href="([^"]*)\?download=1"/.exec(shown) ?? []
  expect(await (await stage.holdfast.fetch(file)).text()).toBe('the letter b')
  await page.getByRole('button', { name: 'Done' }).click()

  await page.getByRole('link', { name: 'Shares' }).click()
  await page.getByRole('heading', { level: 1, name: 'Shares' }).waitFor()
  const row = page.getByRole('row', { name: /Passing/ })
  await row.getByRole('cell', { name: '1', exact: true }).waitFor()
  await fromMenu(page, 'Passing', 'Visits')
  await page.getByText('Downloaded b.txt').waitFor()
  await page.getByText('Opened the share').waitFor()
  await page.keyboard.press('Escape')
  await fromMenu(page, 'Passing', 'Edit')
  await page.getByLabel('Title').fill('Passing on')
  await page.getByLabel('Maximum downloads').fill('1')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('row', { name: /Passing on.*Limit reached/ }).waitFor()
  await fromMenu(page, 'Passing on', 'End share')
  await page.getByRole('dialog').getByRole('button', { name: 'End share' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await row.waitFor({ state: 'detached' })

  expect((await stage.holdfast.fetch(new URL(link).pathname)).status).toBe(404)
  expect(complaints).toEqual([])
})

test('a share names a webhook where the server offers one', async () => {
  const webhook = {
    name: 'team chat',
    url: 'https://hooks.example.com/x',
    events: ['share.downloaded'],
    forShares: true,
  }
  const headers = { Cookie: admin.cookie, 'Content-Type': 'application/json', Origin: BASE_URL }
  const body = JSON.stringify(webhook)
  const made = await stage.holdfast.fetch('/api/webhooks', { method: 'POST', headers, body })
  const { data } = (await made.json()) as { data: { webhook: { id: string } } }
  await using visitor = await open('/files?folder=letters')
  const { page } = visitor
  await fromMenu(page, 'a.txt', 'Share')
  await page.getByText('More options').click()
  await page.getByLabel('Notify a webhook').selectOption('team chat')
  await page.getByLabel('Custom link').fill('notifying')
  await page.getByRole('button', { name: 'Create share' }).click()
  await linkOf(page)

  expect((await shares()).find(({ slug }) => slug === 'notifying')?.notify).toBe(data.webhook.id)
})

test.each([
  ['light', 1440],
  ['dark', 390],
] as const)('axe finds nothing serious in shares (%s, %i pixels)', async (colorScheme, width) => {
  await using visitor = await visit(stage, '/files', {
    cookie: admin.cookie,
    colorScheme,
    viewport: { width, height: 844 },
  })
  const { page } = visitor
  await fromMenu(page, 'letters', 'Share')
  await page.getByText('More options').click()
  const found = [await seriousFindings(page)]
  await page.getByRole('button', { name: 'Create share' }).click()
  await page.getByRole('img', { name: 'QR code of the link' }).waitFor()
  found.push(await seriousFindings(page))
  await page.goto(page.url().replace('/files', '/shares'))
  await page.getByRole('table', { name: 'Shares' }).waitFor()
  found.push(await seriousFindings(page))
  await page
    .getByRole('button', { name: /^Actions for/ })
    .first()
    .click()
  await page.getByRole('menuitem', { name: 'Visits' }).click()
  await page.getByText('No visits yet').waitFor()
  found.push(await seriousFindings(page))

  expect(found).toEqual([[], [], [], []])
})
