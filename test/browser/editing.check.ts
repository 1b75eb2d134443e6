import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { previewTexts } from '../../src/dashboard/texts/preview.ts'
import { settingsTexts } from '../../src/dashboard/texts/settings.ts'
import { texts } from '../../src/dashboard/texts.ts'
import { addUser } from '../support/accounts.ts'
import { eventually } from '../support/eventually.ts'
import { openSite } from './site.ts'
import { findingsInThemes, holdAll, PHONE, seriousFindings } from './visitor.ts'

/** Texts that are written in the dashboard, and saved over what was read. */

const site = openSite()
const words = previewTexts.edit

let opened = 0

/** Stores a text in a folder of its own. */
async function store(name: string, content: string | Uint8Array<ArrayBuffer>) {
  opened += 1
  const folder = `written-${opened}`
  const { id, key } = await site.admin.api.upload(name, content, folder)
  const bytes = async () =>
    new Uint8Array(await (await site.holdfast.fetch(`/api/hosting/${key}`)).arrayBuffer())
  return {
    id,
    folder,
    path: `/files?folder=${folder}&preview=${id}`,
    text: async () => Buffer.from(await bytes()).toString(),
  }
}

const text = (page: Page) => page.locator('.editor-text:visible .cm-content')
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const status = (page: Page, words: string) => page.getByRole('status').getByText(words, { exact: true })

/** Types at the end of the text. */
async function write(page: Page, typed: string): Promise<void> {
  await text(page).click()
  await page.keyboard.press('Control+End')
  await page.keyboard.type(typed)
  await status(page, settingsTexts.unsaved).waitFor()
}

test('a text is saved by the keyboard with its line ends and its mark, and the one before is a version', async () => {
  const file = await store('notes.txt', '\ufeffone\r\ntwo')
  const { page, complaints } = await site.open(file.path)

  await button(page, words.start).click()
  await write(page, '\nthree')
  expect(await findingsInThemes(page)).toEqual([])
  await page.keyboard.press('Control+s')
  await status(page, words.saved).waitFor()
  expect(await file.text()).toBe('\ufeffone\r\ntwo\r\nthree')
  await write(page, '\nfour')
  await button(page, settingsTexts.save).click()
  await status(page, words.saved).waitFor()
  await button(page, texts.actions.close).click()
  await page.locator('.line', { hasText: 'four' }).waitFor()

  expect(await file.text()).toBe('\ufeffone\r\ntwo\r\nthree\r\nfour')
  const { versions } = await site.admin.api.data<{ versions: { size: number }[] }>(
    'GET',
    `/files/versions?id=${file.id}`,
  )
  expect(versions.map(({ size }) => size)).toEqual([18, 11])
  expect(complaints).toEqual([])
})

test('line ends of several kinds stay where they are', async () => {
  const file = await store('mixed.txt', 'one\r\ntwo\nthree\rfour\n')
  const { page } = await site.open(`${file.path}&edit=1`)

  await write(page, 'five')
  await page.keyboard.press('Control+s')
  await status(page, words.saved).waitFor()

  expect(await file.text()).toBe('one\r\ntwo\nthree\rfour\nfive')
})

test('unsaved changes are kept until the question about them is answered', async () => {
  const file = await store('letter.txt', 'Dear Ada')
  const { page } = await site.open(file.path)
  await button(page, words.start).click()
  await write(page, ',')

  await button(page, texts.actions.close).click()
  await button(page, texts.actions.cancel).click()
  await page.goBack()
  await button(page, texts.actions.cancel).click()
  expect(await text(page).textContent()).toBe('Dear Ada,')
  await button(page, texts.actions.close).click()
  await button(page, settingsTexts.leave).click()
  await button(page, words.start).waitFor()

  expect(await file.text()).toBe('Dear Ada')
})

/** Changes a file while a page that does not hear of it has another text of it. */
async function clash() {
  const file = await store('plan.md', 'one\ntwo\n')
  const visitor = await site.open(`${file.path}&edit=1`, {
    isAlone: true,
    prepare: (page) => holdAll(page, /api\/changes/),
  })
  await write(visitor.page, 'mine')
  await site.admin.api.replace(file.id, 'one\ntheirs\n')
  await page412(visitor.page)
  return { ...file, ...visitor }
}

async function page412(page: Page): Promise<void> {
  await page.keyboard.press('Control+s')
  await button(page, words.keepMine).waitFor()
}

test('a text that was changed meanwhile is not overwritten: both are shown, and mine can be kept', async () => {
  const { page, text: stored, complaints } = await clash()

  expect(await page.locator('.cm-merge-b .cm-content').textContent()).toContain('mine')
  expect(await page.locator('.cm-merge-a .cm-content').textContent()).toContain('theirs')
  expect(await findingsInThemes(page)).toEqual([])
  expect(await stored()).toBe('one\ntheirs\n')
  await button(page, words.keepMine).click()
  await status(page, words.saved).waitFor()

  expect(await stored()).toBe('one\ntwo\nmine')
  expect(complaints.filter((complaint) => !complaint.includes('412'))).toEqual([])
})

test('the text that was stored meanwhile can be taken', async () => {
  const { page, text: stored } = await clash()

  await page.setViewportSize(PHONE)
  await button(page, words.takeTheirs).click()
  await text(page).getByText('theirs').waitFor()
  await page.keyboard.press('Control+s')
  await write(page, 'and more')
  await page.keyboard.press('Control+s')
  await status(page, words.saved).waitFor()

  expect(await stored()).toBe('one\ntheirs\nand more')
})

test('a text can be saved beside the one that was stored meanwhile', async () => {
  const { page, folder, text: stored } = await clash()

  await button(page, words.saveCopy).click()
  await page.getByText(words.copied('plan (2).md')).waitFor()
  await text(page).getByText('theirs').waitFor()

  expect(await stored()).toBe('one\ntheirs\n')
  expect(await site.contentOf(`${folder}/plan (2).md`)).toBe('one\ntwo\nmine')
})

test('a change elsewhere is shown at once, and beside a text that is not saved', async () => {
  const file = await store('live.txt', 'one')
  const { page } = await site.open(`${file.path}&edit=1`)
  await text(page).getByText('one').waitFor()

  await site.admin.api.replace(file.id, 'other')
  await text(page).getByText('other').waitFor()
  await write(page, ' mine')
  await site.admin.api.replace(file.id, 'a third')
  await button(page, words.keepMine).waitFor()
  expect(await page.locator('.cm-merge-a .cm-content').textContent()).toBe('a third')

  await button(page, words.takeTheirs).click()
  await text(page).getByText('a third').waitFor()
})

test('the text of a file that was deleted meanwhile is saved as another file', async () => {
  const file = await store('gone.txt', 'one')
  const { page } = await site.open(`${file.path}&edit=1`)
  await write(page, ' and mine')

  await site.admin.api.data('DELETE', '/files', { id: file.id })
  await page.keyboard.press('Control+s')
  await page.getByText(words.gone).waitFor()
  await button(page, words.saveCopy).click()
  await text(page).getByText('one and mine').waitFor()

  expect(await site.contentOf(`${file.folder}/gone.txt`)).toBe('one and mine')
})

test('bytes that are no UTF-8 are only read, and the reason is said', async () => {
  const latin = await store('latin.txt', new Uint8Array(Buffer.from('Grüße', 'latin1')))
  const cut = await store('cut.txt', new Uint8Array([...Buffer.from('x'.repeat(300_000)), 0xff]))
  const { page } = await site.open(latin.path)

  await page.getByText(words.onlyUtf8, { exact: false }).waitFor()
  expect(await button(page, words.start).count()).toBe(0)
  await page.goto(new URL(cut.path, page.url()).href)
  await button(page, words.start).click()

  await page.getByText(words.onlyUtf8, { exact: false }).waitFor()
})

test('an account that may not change files has no editor', async () => {
  const file = await store('read.txt', 'Only read')
  const viewer = await addUser(site.holdfast, { role: 'viewer' })
  const { page } = await site.open(`${file.path}&edit=1`, { cookie: viewer.cookie })

  await page.getByText('Only read', { exact: true }).waitFor()

  expect(await button(page, words.start).count()).toBe(0)
  expect(await page.locator('.editor').count()).toBe(0)
})

test('a new text file is named, written and saved by keys alone', async () => {
  const { page } = await site.openNew('new-texts')

  await button(page, texts.files.new).focus()
  await page.keyboard.press('Enter')
  await page.locator('[role=menuitem]:focus', { hasText: texts.files.newFolder }).waitFor()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.locator('dialog input:focus, [role=dialog] input:focus').waitFor()
  await page.keyboard.type('list')
  await page.keyboard.press('Enter')
  await text(page).waitFor()
  await page.getByText(words.keys).waitFor()
  await page.keyboard.type('milk')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Escape')
  await page.keyboard.press('Tab')
  await page.locator('.editor-foot button:focus').waitFor()
  await page.keyboard.press('Control+s')
  await status(page, words.saved).waitFor()

  await eventually(async () => (await site.contentOf('new-texts/list.txt')) === '  milk')
  expect(await seriousFindings(page)).toEqual([])
})
