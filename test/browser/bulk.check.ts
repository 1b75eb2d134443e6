import { expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { browseTexts } from '../../src/dashboard/texts/browse.ts'
import { dialogTexts } from '../../src/dashboard/texts/dialogs.ts'
import { keyTexts } from '../../src/dashboard/texts/keys.ts'
import { texts } from '../../src/dashboard/texts.ts'
import { eventually } from '../support/eventually.ts'
import { choose, openSite, pickFolder } from './site.ts'
import { refuseFirst, watchChanges } from './visitor.ts'

/** Deletes, moves and changes of visibility of many items at once, near the rate limit. */

const site = openSite({ environment: { RATE_LIMIT_API: '300' } })
const { namesIn, openFolder, putMany: put } = site

const visibilitiesIn = async (key: string) =>
  (await site.admin.api.browse({ key })).files.map(({ visibility }) => visibility)

async function confirmDelete(page: Page): Promise<void> {
  await page.getByRole('dialog').getByRole('button', { name: texts.files.deleteForGood }).click()
  await page.getByText(/^Deleted /).waitFor()
}

/** Presses keys in the row of an item. */
const press = (page: Page, name: string, keys: string) =>
  page.getByRole('row', { name: new RegExp(name) }).press(keys)

const selectAll = (page: Page) => page.getByRole('checkbox', { name: texts.files.selectAll }).check()

test('a folder that is uploaded again after its delete retains the new files', async () => {
  await put('again/site', 2)
  const source = mkdtempSync(join(tmpdir(), 'holdfast-again-'))
  mkdirSync(join(source, 'site'))
  writeFileSync(join(source, 'site/new.html'), 'new')
  const { page } = await openFolder('again')

  await choose(page, 'site', texts.files.deleteForGood)
  await page
    .getByText('This deletes the folder and its 2 files (2 B). Links to them will stop working.')
    .waitFor()
  await confirmDelete(page)
  expect(await namesIn('again')).toEqual([])
  await pickFolder(page, join(source, 'site'))
  await page.getByText(texts.uploads.done('1 file')).waitFor()
  rmSync(source, { recursive: true })
  await page.goto('about:blank')

  expect(await namesIn('again/site')).toEqual(['new.html'])
})

test('deleted folders and files are gone before the page reports it', async () => {
  for (const name of ['one', 'two', 'three']) await put(`mixed/${name}`, 1)
  await put('mixed', 1)
  const { page } = await openFolder('mixed')
  await selectAll(page)
  await press(page, 'one', 'Shift+Delete')
  await page.getByText('This deletes 3 folders, 4 files (4 B), counting everything in the folders.').waitFor()
  await confirmDelete(page)

  expect(await namesIn('mixed')).toEqual([])
})

test('four hundred files become private in one request', async () => {
  await put('private', 400)
  const { page } = await openFolder('private')
  await page.getByText('400 files').waitFor()
  const changes = watchChanges(page)

  await selectAll(page)
  await page.getByRole('button', { name: texts.files.makePrivate }).click()
  await page.getByText(texts.files.visibilitySet('400 files', 'private')).waitFor()

  expect(changes).toEqual(['/api/items/visibility'])
  expect(await visibilitiesIn('private')).toEqual(Array(400).fill('private'))
})

test('a job that the server refuses for now continues after the Retry-After time', async () => {
  await put('patient', 2)
  const { page } = await openFolder('patient')
  await refuseFirst(page, '**/api/items/visibility', 2)

  await selectAll(page)
  await page.getByRole('button', { name: texts.files.makePrivate }).click()
  await page.getByText(/Resuming in \d seconds?\./).waitFor()
  await page.getByText(texts.files.visibilitySet('2 files', 'private')).waitFor()

  expect(await visibilitiesIn('patient')).toEqual(['private', 'private'])
})

test('a job that is canceled while it waits reports that nothing changed', async () => {
  await put('canceled', 2)
  const { page } = await openFolder('canceled')
  await refuseFirst(page, '**/api/items', 60)

  await selectAll(page)
  await press(page, '0.txt', 'Shift+Delete')
  await page.getByRole('dialog').getByRole('button', { name: texts.files.deleteForGood }).click()
  await page.getByText(texts.files.deleting('2 files')).waitFor()
  await page
    .getByRole('region', { name: texts.notifications })
    .getByRole('button', { name: texts.actions.cancel })
    .click()
  await page.getByText('Canceled. Nothing changed.').waitFor()

  expect(await namesIn('canceled')).toHaveLength(2)
})

test('a canceled job ends its request, and says what was done and what was not', async () => {
  await put('halfway', 5100)
  const { page } = await openFolder('halfway')
  await page.getByText('5,100 files').waitFor()
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  await page.route('**/api/items/visibility', async (route) => {
    await released
    await route.continue()
  })
  const changes = watchChanges(page)
  const notices = page.getByRole('region', { name: texts.notifications })

  await selectAll(page)
  await page.getByRole('button', { name: texts.files.makePrivate }).click()
  await notices.getByText(texts.bulk.progress(0, 5100)).waitFor()
  await notices.getByRole('button', { name: texts.actions.cancel }).click()
  await notices.getByText(texts.bulk.ending('0 of 5,100')).waitFor()
  expect(await notices.getByRole('button', { name: texts.actions.cancel }).isDisabled()).toBe(true)
  release()
  const stayed = 'private. Canceled: the other 100 items stay as they were.'
  await notices.getByText(texts.files.visibilitySet('5,000 items', stayed)).waitFor()

  expect(changes).toEqual(['/api/items/visibility'])
})

test('a copy of more than 500 files is one request', async () => {
  await put('copied', 600)
  const { page } = await openFolder('copied')
  await page.getByText('600 files').waitFor()
  const changes = watchChanges(page)

  await selectAll(page)
  const row = page.getByRole('row', { name: /\d\.txt/ }).first()
  await row.press('ControlOrMeta+c')
  await row.press('ControlOrMeta+v')
  await page.getByText(browseTexts.copied('600 files', 'copied')).waitFor()

  expect(changes).toEqual(['/api/items/copy'])
  expect(await namesIn('copied')).toHaveLength(1200)
})

test('a move of more than 500 files is one request, and so is its Undo', async () => {
  await put('many', 600)
  await put('chosen/inner', 1)
  const { page } = await openFolder('many')
  await page.getByText('600 files').waitFor()
  const changes = watchChanges(page)

  await selectAll(page)
  await page.getByRole('button', { name: texts.files.move, exact: true }).click()
  await page.getByRole('combobox', { name: browseTexts.findFolder }).fill('chosen')
  await page.getByRole('option', { name: 'chosen' }).click()
  await page.getByRole('button', { name: dialogTexts.moveTo('chosen') }).click()
  await page.getByText(texts.files.moved('600 files', 'chosen')).waitFor()
  expect(await namesIn('chosen')).toHaveLength(601)
  await page.getByRole('button', { name: texts.trash.undo }).click()
  await page.getByText(browseTexts.movedBack('600 files')).waitFor()

  expect(await namesIn('many')).toHaveLength(600)
  expect(changes).toEqual(['/api/items/move', '/api/items/move'])
})

test('a job with failures says also what was done', async () => {
  await put('partly', 3)
  const { page } = await openFolder('partly')
  await page.getByText('3 files').waitFor()
  const [first] = (await site.admin.api.browse({ key: 'partly' })).files
  // Another client deletes one of them.
  await page.route('**/api/items/visibility', async (route) => {
    await site.admin.api.data('DELETE', '/files', { id: first?.id })
    await route.continue()
  })

  await selectAll(page)
  await page.getByRole('button', { name: texts.files.makePrivate }).click()
  await page.getByText(texts.files.visibilitySet('2 items', 'private')).waitFor()
  await page.getByText(texts.files.visibilityFailed('1 item', texts.errors.gone)).waitFor()

  expect(await visibilitiesIn('partly')).toEqual(['private', 'private'])
})

test('a page that the server refuses for now shows its navigation, counts down and loads by itself', async () => {
  const { page } = await site.open('/files')
  await refuseFirst(page, '**/api/keys', 2)

  await page.getByRole('link', { name: texts.pages.keys }).click()
  await page.getByText(/loads again in \d seconds?\./).waitFor()
  expect(await page.getByRole('link', { name: texts.pages.files }).count()).toBe(1)
  await page.getByRole('heading', { name: keyTexts.title }).waitFor()
  await eventually(async () => (await page.getByText(/loads again in/).count()) === 0)

  expect(await page.getByText(texts.errors.title).count()).toBe(0)
})
