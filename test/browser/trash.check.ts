import { expect, test } from 'bun:test'
import { accountTexts } from '../../src/dashboard/texts/account.ts'
import { dialogTexts } from '../../src/dashboard/texts/dialogs.ts'
import { texts } from '../../src/dashboard/texts.ts'
import { eventually } from '../support/eventually.ts'
import { BASE_URL } from '../support/holdfast.ts'
import { choose, openSite } from './site.ts'
import { holdAll, seriousFindings, watchChanges } from './visitor.ts'

const site = openSite()

const namesIn = async (key: string) => {
  const { folders, files } = await site.admin.api.browse({ key, orderBy: 'name', orderDirection: 'ASC' })
  return [...folders, ...files].map(({ name }) => name)
}

const { open, put } = site

/** Waits until a value is the expected one. */
async function expectSoon<Value>(read: () => Promise<Value>, expected: Value): Promise<void> {
  await eventually(async () => Bun.deepEquals(await read(), expected))
}

test('a deleted file is in the trash at once, and Undo restores it', async () => {
  await put('undo', 'a.txt', 'b.txt')
  const { page, complaints } = await open('/files?folder=undo')

  await page.getByRole('row', { name: /a\.txt/ }).press('Delete')
  await page.getByText(texts.trash.moved('“a.txt”')).waitFor()
  expect(await namesIn('undo')).toEqual(['b.txt'])
  await page.getByRole('button', { name: texts.trash.undo }).click()
  await page.getByText(texts.trash.restored('“a.txt”')).waitFor()
  await page.getByRole('row', { name: /a\.txt/ }).waitFor()

  expect(await namesIn('undo')).toEqual(['a.txt', 'b.txt'])
  expect(complaints).toEqual([])
})

test('a deletion and its undo show before the server answers, and what it refuses comes back', async () => {
  await put('swift', 'a.txt', 'b.txt')
  await put('swift/inner', 'c.txt')
  const { page } = await open('/files?folder=swift')
  const row = (name: string) => page.getByRole('row', { name: new RegExp(name) })

  const release = await holdAll(page, /\/api\/trash$/)
  await row('inner').press('Delete')
  await row('inner').waitFor({ state: 'detached' })
  await page.keyboard.press('ControlOrMeta+z')
  expect(await namesIn('swift')).toEqual(['inner', 'a.txt', 'b.txt'])
  release()
  await page.getByText(texts.trash.restored('“inner”')).waitFor()
  await page.unroute(/\/api\/trash$/)

  await row('a.txt').press('Delete')
  await page.getByText(texts.trash.moved('“a.txt”')).waitFor()
  const undo = await holdAll(page, /\/api\/trash\/restore/)
  await page.getByRole('button', { name: texts.trash.undo }).click()
  await row('a.txt').waitFor()
  expect(await namesIn('swift')).toEqual(['inner', 'b.txt'])
  undo()
  await page.getByText(texts.trash.restored('“a.txt”')).waitFor()

  await page.route(/\/api\/trash$/, (route) =>
    route.request().method() === 'POST'
      ? route.fulfill({ status: 500, json: { data: null, error: { message: 'No room' } } })
      : route.continue(),
  )
  await page.getByRole('checkbox', { name: texts.files.selectAll }).check()
  await page.getByRole('button', { name: texts.files.delete }).click()
  await page.getByRole('alert').getByText('3 items').waitFor()
  for (const name of ['inner', 'a.txt', 'b.txt']) await row(name).waitFor()

  expect(await namesIn('swift')).toEqual(['inner', 'a.txt', 'b.txt'])
})

test('folders and files move to the trash in one request and return together', async () => {
  await put('many/one', 'x.txt')
  await put('many/two', 'y.txt')
  await put('many', 'a.txt', 'b.txt')
  const { page } = await open('/files?folder=many')
  const changes = watchChanges(page)

  await page.getByRole('checkbox', { name: texts.files.selectAll }).check()
  await page.getByRole('button', { name: texts.files.delete }).click()
  await page.getByText(texts.trash.moved('2 folders, 2 files')).waitFor()
  expect(await namesIn('many')).toEqual([])
  await page.getByRole('button', { name: texts.trash.undo }).click()
  await page.getByText(texts.trash.restored('2 folders, 2 files')).waitFor()

  expect(await namesIn('many')).toEqual(['one', 'two', 'a.txt', 'b.txt'])
  expect(await namesIn('many/one')).toEqual(['x.txt'])
  expect(changes).toEqual(['/api/trash', '/api/trash/restore'])
})

test('a restored file whose name is taken gets another, which the message names', async () => {
  await put('taken', 'a.txt')
  const { page } = await open('/files?folder=taken')

  await page.getByRole('row', { name: /a\.txt/ }).press('Delete')
  await page.getByRole('button', { name: texts.trash.undo }).waitFor()
  await put('taken', 'a.txt')
  await page.getByRole('button', { name: texts.trash.undo }).click()
  await page.getByText(texts.trash.restoredAs('“a.txt”', '“a (2).txt”')).waitFor()

  expect(await namesIn('taken')).toEqual(['a (2).txt', 'a.txt'])
})

test('the trash lists deleted items, restores them and deletes them for good', async () => {
  await put('bin/album', 'x.txt', 'y.txt')
  await put('bin', 'a.txt', 'b.txt', 'c.txt')
  const { page, complaints } = await open('/files?folder=bin')
  await page.getByRole('checkbox', { name: texts.files.selectAll }).check()
  await page.getByRole('button', { name: texts.files.delete }).click()
  await page.getByText(texts.trash.moved('1 folder, 3 files')).waitFor()

  await page.getByRole('link', { name: texts.pages.trash }).click()
  const row = (name: string) => page.getByRole('row', { name: new RegExp(`Select ${name}`) })
  await row('album').getByText('2 files').waitFor()
  expect(await row('a.txt').textContent()).toContain('bin')
  expect(await row('a.txt').textContent()).toContain('30 days left')
  expect(await seriousFindings(page)).toEqual([])
  await page.getByRole('button', { name: texts.trash.restoreOf('album') }).click()
  await row('album').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: texts.trash.deleteForGoodOf('a.txt') }).click()
  await page.getByText(texts.trash.deleteTitle('“a.txt”')).waitFor()
  await page.getByRole('dialog').getByRole('button', { name: texts.trash.deleteForGood }).click()
  await page.getByText(texts.trash.deleted('“a.txt”')).waitFor()
  await page.getByRole('checkbox', { name: texts.files.select('b.txt') }).check()
  await page
    .getByRole('region', { name: texts.files.selection })
    .getByRole('button', { name: texts.trash.restore })
    .click()
  await row('b.txt').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: texts.trash.empty }).click()
  await page.getByText('This deletes 1 item for good').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: texts.trash.empty }).click()
  await page.getByRole('heading', { name: texts.trash.nothing }).waitFor()

  expect(await namesIn('bin')).toEqual(['album', 'b.txt'])
  expect(complaints).toEqual([])
})

test('the trash is searched and ordered, with an icon for each kind', async () => {
  await put('sought', 'photo.png', 'song.mp3', 'notes.txt')
  const { files } = await site.admin.api.browse({ key: 'sought' })
  for (const name of ['photo.png', 'song.mp3', 'notes.txt'])
    await site.admin.api.data('POST', '/trash', { fileIds: [files.find((file) => file.name === name)?.id] })
  const { page, complaints } = await open('/trash')
  const names = async () => (await page.getByRole('rowheader').allTextContents()).map((text) => text.trim())
  const rows = page.getByRole('row', { name: /Select/ })

  await rows.nth(2).waitFor()
  expect(await names()).toEqual(['notes.txt', 'song.mp3', 'photo.png'])
  const icons = await page.locator('.trash th svg').evaluateAll((all) => all.map((icon) => icon.innerHTML))
  expect(new Set(icons).size).toBe(3)
  await page.getByRole('button', { name: 'Order: Recently deleted first' }).click()
  await page.getByRole('menuitemradio', { name: texts.files.orders['name-DESC'] }).click()
  await page.getByRole('rowheader', { name: 'song.mp3' }).waitFor()
  await expectSoon(names, ['song.mp3', 'photo.png', 'notes.txt'])
  await page.getByRole('searchbox', { name: texts.trash.search }).fill('PHOTO')
  await expectSoon(names, ['photo.png'])
  expect(await page.getByRole('button', { name: texts.trash.empty }).count()).toBe(0)
  expect(await seriousFindings(page)).toEqual([])
  await page.getByRole('searchbox', { name: texts.trash.search }).fill('no such name')
  await page.getByRole('heading', { name: texts.trash.noMatch }).waitFor()
  await page.getByRole('searchbox', { name: texts.trash.search }).fill('')
  await rows.nth(2).waitFor()

  await site.admin.api.data('DELETE', '/trash', { all: true })
  expect(complaints).toEqual([])
})

test('the trash is emptied in one request, which needs no page', async () => {
  await site.putMany('emptied', 60)
  const { files } = await site.admin.api.browse({ key: 'emptied' })
  const total = async () => (await site.admin.api.data<{ total: number }>('GET', '/trash')).total
  await site.admin.api.data('POST', '/trash', { fileIds: files.map(({ id }) => id) })
  const { page } = await open('/trash')
  const changes = watchChanges(page)
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  await page.route('**/api/trash', async (route) => {
    if (route.request().method() === 'DELETE') await released
    await route.continue()
  })
  const notices = page.getByRole('region', { name: texts.notifications })

  await page.getByRole('button', { name: texts.trash.empty }).click()
  await page.getByText('This deletes 60 items for good').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: texts.trash.empty }).click()
  await notices.getByText(texts.trash.emptying).waitFor()
  expect(await notices.getByRole('button', { name: texts.actions.cancel }).count()).toBe(0)
  release()
  await page.getByText(texts.trash.deleted('60 items')).waitFor()
  await page.getByRole('heading', { name: texts.trash.nothing }).waitFor()

  expect(changes).toEqual(['/api/trash'])
  expect(await total()).toBe(0)
})

test('earlier versions of a file are restored, downloaded and deleted from its details', async () => {
  await put('versions', 'a.txt')
  const [file] = (await site.admin.api.browse({ key: 'versions' })).files
  for (const content of ['second', 'third one']) {
    const replaced = await site.admin.api.sendBody('PUT', `/files/content?id=${file?.id}`, content)
    expect(replaced.status).toBe(200)
  }
  const { page, complaints } = await open('/files?folder=versions')
  const contentNow = () => site.contentOf('versions/a.txt')

  await choose(page, 'a.txt', texts.files.details)
  await page.getByRole('heading', { name: dialogTexts.versions.title }).waitFor()
  expect(await seriousFindings(page)).toEqual([])
  const started = page.waitForEvent('download')
  await page
    .getByRole('link', { name: /^Download the version/ })
    .first()
    .click()
  expect((await started).suggestedFilename()).toBe('a.txt')
  await page
    .getByRole('button', { name: /^Restore the version/ })
    .first()
    .click()
  await page.getByText(/^Restored the version/).waitFor()
  expect(await contentNow()).toBe('second')
  const rows = page.getByRole('button', { name: /^Delete the version/ })
  await rows.nth(2).click()
  const confirm = page.getByRole('button', { name: texts.trash.deleteForGood, exact: true })
  await confirm.click()
  await confirm.waitFor({ state: 'detached' })
  await rows.nth(2).waitFor({ state: 'detached' })

  expect(await rows.count()).toBe(2)
  expect(await contentNow()).toBe('second')
  expect(complaints).toEqual([])
})

test('the overview shows the space of the trash and of earlier versions', async () => {
  const { page } = await open('/overview')
  const storage = page.getByRole('region', { name: accountTexts.storage })

  await storage.getByText(dialogTexts.versions.title).waitFor()

  expect(await storage.getByText(texts.pages.trash, { exact: true }).count()).toBe(1)
})

test('the days of the trash and of versions are settings, and a shorter time warns', async () => {
  const { page } = await open('/settings')

  await page.getByLabel(texts.pages.trash, { exact: true }).fill('7')
  await page.getByText('Items that were deleted more than 7 days ago are deleted for good.').waitFor()
  await page.getByLabel(dialogTexts.versions.title, { exact: true }).fill('0')
  await page.getByText('All earlier versions are deleted for good.').waitFor()
  await page.getByRole('button', { name: accountTexts.save, exact: true }).click()
  await page.getByText('Settings saved').waitFor()

  expect(await site.admin.api.data<object>('GET', '/settings')).toMatchObject({
    trashDays: 7,
    versionDays: 0,
  })
})

test('a selection of more than 500 files moves in one request, which needs no page', async () => {
  await site.putMany('long', 510)
  const { page } = await open('/files?folder=long')
  await page.getByText('510 files').waitFor()
  const changes = watchChanges(page)
  const asked: string[] = []
  page.on('dialog', (dialog) => {
    asked.push(dialog.type())
    void dialog.accept()
  })

  await page.getByRole('checkbox', { name: texts.files.selectAll }).check()
  await page.getByRole('button', { name: texts.files.delete }).click()
  await eventually(async () => (await namesIn('long')).length < 510)
  await page.goto('about:blank')

  await eventually(async () => (await namesIn('long')).length === 0)
  expect(changes).toEqual(['/api/trash'])
  expect(asked).toEqual([])
  await site.admin.api.data('DELETE', '/trash', { all: true })
})

test('without a trash, a deletion asks first', async () => {
  await put('off', 'a.txt')
  await site.admin.api.data('PUT', '/settings', { trashDays: 0 })
  const { page } = await open('/files?folder=off')

  await page.getByRole('row', { name: /a\.txt/ }).press('Delete')
  await page.getByText(texts.trash.deleteTitle('“a.txt”')).waitFor()
  expect(await namesIn('off')).toEqual(['a.txt'])
  await page.getByRole('dialog').getByRole('button', { name: texts.trash.deleteForGood }).click()
  await page.getByText(texts.files.emptyFolder).waitFor()
  await page.goto(`${BASE_URL}/trash`)

  await page.getByText(texts.trash.leadOff).waitFor()
})
