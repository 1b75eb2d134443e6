import { afterAll, beforeAll, expect, test } from 'bun:test'
import { registerAdmin, type User } from '../support/accounts.ts'
import { apiOf } from '../support/api.ts'
import { BASE_URL, sendUpload } from '../support/holdfast.ts'
import { openStage, type Stage, seriousFindings, visit } from './visitor.ts'

let stage: Stage
let admin: User
beforeAll(async () => {
  stage = await openStage()
  admin = await registerAdmin(stage.holdfast)
})
afterAll(() => stage[Symbol.asyncDispose]())

const asAdmin = () => apiOf(stage.holdfast, { withKey: { Cookie: admin.cookie } })

const namesIn = async (key: string) => {
  const { folders, files } = await asAdmin().browse({ key, orderBy: 'name', orderDirection: 'ASC' })
  return [...folders, ...files].map(({ name }) => name)
}

async function put(folder: string, ...names: string[]): Promise<void> {
  const files = Object.fromEntries(names.map((name) => [name, 'x']))
  const sent = await sendUpload(stage.holdfast, { Cookie: admin.cookie }, { files, folder })
  expect(sent.status).toBe(200)
}

const open = (path: string) => visit(stage, path, { cookie: admin.cookie })

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

test('folders and files go to the trash in one request and return together', async () => {
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

test('a file whose name was taken meanwhile returns under another, which the message names', async () => {
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

test('the trash lists what was deleted, restores it and deletes it for good', async () => {
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

test('without a trash, a deletion asks first', async () => {
  await put('off', 'a.txt')
  const set = await stage.holdfast.fetch('/api/settings', {
    method: 'PUT',
    headers: { Cookie: admin.cookie, 'Content-Type': 'application/json', Origin: BASE_URL },
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

  await page.getByText('The trash is turned off: deleted files and folders are gone at once.').waitFor()
})
