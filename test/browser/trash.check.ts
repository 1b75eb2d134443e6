import { expect, test } from 'bun:test'
import { eventually } from '../support/eventually.ts'
import { BASE_URL } from '../support/holdfast.ts'
import { openSite } from './site.ts'
import { seriousFindings } from './visitor.ts'

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
  await using visitor = await open('/files?folder=undo')
  const { page, complaints } = visitor

  await page.getByRole('row', { name: /a\.txt/ }).press('Delete')
  await page.getByText('Moved “a.txt” to the trash').waitFor()
  expect(await namesIn('undo')).toEqual(['b.txt'])
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('Restored “a.txt”').waitFor()
  await page.getByRole('row', { name: /a\.txt/ }).waitFor()

  expect(await namesIn('undo')).toEqual(['a.txt', 'b.txt'])
  expect(complaints).toEqual([])
})

test('folders and files move to the trash in one request and return together', async () => {
  await put('many/one', 'x.txt')
  await put('many/two', 'y.txt')
  await put('many', 'a.txt', 'b.txt')
  await using visitor = await open('/files?folder=many')
  const { page } = visitor
  const changes: string[] = []
  page.on('request', (request) => {
    if (request.method() !== 'GET') changes.push(new URL(request.url()).pathname)
  })

  await page.getByRole('checkbox', { name: 'Select all' }).check()
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByText('Moved 2 folders, 2 files to the trash').waitFor()
  expect(await namesIn('many')).toEqual([])
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('Restored 2 folders, 2 files').waitFor()

  expect(await namesIn('many')).toEqual(['one', 'two', 'a.txt', 'b.txt'])
  expect(await namesIn('many/one')).toEqual(['x.txt'])
  expect(changes).toEqual(['/api/trash', '/api/trash/restore'])
})

test('a restored file whose name is taken gets another, which the message names', async () => {
  await put('taken', 'a.txt')
  await using visitor = await open('/files?folder=taken')
  const { page } = visitor

  await page.getByRole('row', { name: /a\.txt/ }).press('Delete')
  await page.getByRole('button', { name: 'Undo' }).waitFor()
  await put('taken', 'a.txt')
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('Restored “a.txt” as “a (2).txt”, because its name is taken').waitFor()

  expect(await namesIn('taken')).toEqual(['a (2).txt', 'a.txt'])
})

test('the trash lists deleted items, restores them and deletes them for good', async () => {
  await put('bin/album', 'x.txt', 'y.txt')
  await put('bin', 'a.txt', 'b.txt', 'c.txt')
  await using visitor = await open('/files?folder=bin')
  const { page, complaints } = visitor
  await page.getByRole('checkbox', { name: 'Select all' }).check()
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByText('Moved 1 folder, 3 files to the trash').waitFor()

  await page.getByRole('link', { name: 'Trash' }).click()
  const row = (name: string) => page.getByRole('row', { name: new RegExp(`Select ${name}`) })
  await row('album').getByText('2 files').waitFor()
  expect(await row('a.txt').textContent()).toContain('bin')
  expect(await row('a.txt').textContent()).toContain('30 days left')
  expect(await seriousFindings(page)).toEqual([])
  await page.getByRole('button', { name: 'Restore album' }).click()
  await row('album').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Delete a.txt for good' }).click()
  await page.getByText('Delete “a.txt” for good?').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete for good' }).click()
  await page.getByText('Deleted “a.txt” for good').waitFor()
  await page.getByRole('checkbox', { name: 'Select b.txt' }).check()
  await page.getByRole('region', { name: 'Selection' }).getByRole('button', { name: 'Restore' }).click()
  await row('b.txt').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Empty trash' }).click()
  await page.getByText('This deletes 1 item for good').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Empty trash' }).click()
  await page.getByRole('heading', { name: 'The trash is empty' }).waitFor()

  expect(await namesIn('bin')).toEqual(['album', 'b.txt'])
  expect(complaints).toEqual([])
})

test('the trash is searched and ordered, with an icon for each kind', async () => {
  await put('sought', 'photo.png', 'song.mp3', 'notes.txt')
  const { files } = await site.admin.api.browse({ key: 'sought' })
  for (const name of ['photo.png', 'song.mp3', 'notes.txt'])
    await site.admin.api.data('POST', '/trash', { fileIds: [files.find((file) => file.name === name)?.id] })
  await using visitor = await open('/trash')
  const { page, complaints } = visitor
  const names = async () => (await page.getByRole('rowheader').allTextContents()).map((text) => text.trim())
  const rows = page.getByRole('row', { name: /Select/ })

  await rows.nth(2).waitFor()
  expect(await names()).toEqual(['notes.txt', 'song.mp3', 'photo.png'])
  const icons = await page.locator('.trash-name svg').evaluateAll((all) => all.map((icon) => icon.innerHTML))
  expect(new Set(icons).size).toBe(3)
  await page.getByRole('button', { name: 'Order: Recently deleted first' }).click()
  await page.getByRole('menuitemradio', { name: 'Name, Z to A' }).click()
  await page.getByRole('rowheader', { name: 'song.mp3' }).waitFor()
  await expectSoon(names, ['song.mp3', 'photo.png', 'notes.txt'])
  await page.getByRole('searchbox', { name: 'Search the trash' }).fill('PHOTO')
  await expectSoon(names, ['photo.png'])
  expect(await page.getByRole('button', { name: 'Empty trash' }).count()).toBe(0)
  expect(await seriousFindings(page)).toEqual([])
  await page.getByRole('searchbox', { name: 'Search the trash' }).fill('no such name')
  await page.getByRole('heading', { name: 'Nothing in the trash matches' }).waitFor()
  await page.getByRole('searchbox', { name: 'Search the trash' }).fill('')
  await rows.nth(2).waitFor()

  await site.admin.api.data('DELETE', '/trash', { all: true })
  expect(complaints).toEqual([])
})

test('emptying the trash shows its progress, stops, and reports the deleted items', async () => {
  const all = Array.from({ length: 60 }, (_, index) => `${index}.txt`)
  await put('stopped', ...all)
  const { files } = await site.admin.api.browse({ key: 'stopped' })
  await site.admin.api.data('POST', '/trash', { fileIds: files.map(({ id }) => id) })
  await using visitor = await open('/trash')
  const { page } = visitor
  const asked = Promise.withResolvers<void>()
  const goOn = Promise.withResolvers<void>()
  let requests = 0
  await page.route('**/api/trash', async (route) => {
    if (route.request().method() === 'DELETE' && ++requests === 2) {
      asked.resolve()
      await goOn.promise
    }
    await route.continue()
  })

  await page.getByRole('button', { name: 'Empty trash' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Empty trash' }).click()
  await asked.promise
  await page.getByText('25 of 60').waitFor()
  await page.getByRole('button', { name: 'Stop' }).click()
  goOn.resolve()
  await page.getByText('Stopped. 50 items deleted for good, 10 items stay in the trash.').waitFor()

  expect((await site.admin.api.data<{ total: number }>('GET', '/trash')).total).toBe(10)
  await page.getByRole('button', { name: 'Empty trash' }).click()
  await page.getByText('This deletes 10 items for good').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Empty trash' }).click()
  await page.getByText('Deleted 10 items for good').waitFor()
  await page.getByRole('heading', { name: 'The trash is empty' }).waitFor()
})

test('earlier versions of a file are restored, downloaded and deleted from its details', async () => {
  await put('versions', 'a.txt')
  const [file] = (await site.admin.api.browse({ key: 'versions' })).files
  for (const content of ['second', 'third one']) {
    const replaced = await site.holdfast.fetch(`/api/files/content?id=${file?.id}`, {
      method: 'PUT',
      headers: { Cookie: site.admin.cookie, Origin: BASE_URL },
      body: content,
    })
    expect(replaced.status).toBe(200)
  }
  await using visitor = await open('/files?folder=versions')
  const { page, complaints } = visitor
  const contentNow = async () => (await site.holdfast.fetch('/api/hosting/versions/a.txt')).text()

  await page.getByRole('button', { name: 'Actions for a.txt' }).click()
  await page.getByRole('menuitem', { name: 'Details' }).click()
  await page.getByRole('heading', { name: 'Earlier versions' }).waitFor()
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
  const confirm = page.getByRole('button', { name: 'Delete for good', exact: true })
  await confirm.click()
  await confirm.waitFor({ state: 'detached' })
  await rows.nth(2).waitFor({ state: 'detached' })

  expect(await rows.count()).toBe(2)
  expect(await contentNow()).toBe('second')
  expect(complaints).toEqual([])
})

test('the overview shows the space of the trash and of earlier versions', async () => {
  await using visitor = await open('/overview')
  const { page } = visitor
  const storage = page.getByRole('region', { name: 'Storage' })

  await storage.getByText('Earlier versions').waitFor()

  expect(await storage.getByText('Trash', { exact: true }).count()).toBe(1)
})

test('the days of the trash and of versions are settings, and a shorter time warns', async () => {
  await using visitor = await open('/settings')
  const { page } = visitor

  await page.getByLabel('Trash', { exact: true }).fill('7')
  await page.getByText('Items that were deleted more than 7 days ago are deleted for good.').waitFor()
  await page.getByLabel('Earlier versions', { exact: true }).fill('0')
  await page.getByText('All earlier versions are deleted for good.').waitFor()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('Settings saved').waitFor()

  const response = await site.holdfast.fetch('/api/settings', { headers: { Cookie: site.admin.cookie } })
  const { data } = (await response.json()) as { data: { trashDays: number; versionDays: number } }
  expect([data.trashDays, data.versionDays]).toEqual([7, 0])
})

test('without a trash, a deletion asks first', async () => {
  await put('off', 'a.txt')
  const set = await site.holdfast.fetch('/api/settings', {
    method: 'PUT',
    headers: { Cookie: site.admin.cookie, 'Content-Type': 'application/json', Origin: BASE_URL },
    body: JSON.stringify({ trashDays: 0 }),
  })
  expect(set.status).toBe(200)
  await using visitor = await open('/files?folder=off')
  const { page } = visitor

  await page.getByRole('row', { name: /a\.txt/ }).press('Delete')
  await page.getByText('Delete “a.txt” for good?').waitFor()
  expect(await namesIn('off')).toEqual(['a.txt'])
  await page.getByRole('dialog').getByRole('button', { name: 'Delete for good' }).click()
  await page.getByText('This folder is empty').waitFor()
  await page.goto(`${BASE_URL}/trash`)

  await page.getByText('The trash is turned off: every deletion is permanent.').waitFor()
})
