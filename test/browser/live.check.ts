import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { texts } from '../../src/dashboard/texts.ts'
import { bySession, registerAdmin } from '../support/accounts.ts'
import { eventually } from '../support/eventually.ts'
import { BASE_URL, type Holdfast } from '../support/holdfast.ts'
import { item, openSite, sendFiles } from './site.ts'
import { holdAll, openPage, openStage, type Stage, signIn, visit } from './visitor.ts'

const site = openSite()
const { put, openFolder } = site

const names = (count: number) =>
  Array.from({ length: count }, (_, n) => `file ${String(n).padStart(5, '0')}.txt`)

/** Returns the addresses that a page reads from here on. */
function readingsOf(page: Page): string[] {
  const readings: string[] = []
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url())
    if (request.method() === 'GET' && pathname.startsWith('/api/')) readings.push(pathname + search)
  })
  return readings
}

/** Waits until the only page watches changes, which it does after it has been drawn. */
const untilLive = () => eventually(() => site.holdfast.server.modules.changes.feed.places.taken === 1)

/** Uploads small files. */
const send = (
  holdfast: Holdfast,
  cookie: string,
  { folder, names }: { folder: string; names: readonly string[] },
) => sendFiles(holdfast, { cookie }, { folder, files: Object.fromEntries(names.map((name) => [name, 'x'])) })

const position = (page: Page) => page.evaluate("document.querySelector('.collection').scrollTop")

test('changes made elsewhere appear, and selection and scroll position stay', async () => {
  await put('seen', ...names(150))
  const { page, complaints } = await openFolder('seen')
  await untilLive()
  const { api } = site.admin

  await item(page, 'file 00003.txt').click()
  await page.evaluate("document.querySelector('.collection').scrollTo(0, 60)")
  await put('seen', 'file 00004 a.txt')
  await item(page, 'file 00004 a.txt').waitFor()
  const [{ id } = { id: '' }] = await api.list({ name: 'file 00004 a.txt' })
  await api.data('PUT', '/files', { id, name: 'file 00004 b.txt' })
  await item(page, 'file 00004 b.txt').waitFor()
  await item(page, 'file 00004 a.txt').waitFor({ state: 'detached' })
  await api.data('POST', '/files/move', { id, folder: 'elsewhere' })
  await item(page, 'file 00004 b.txt').waitFor({ state: 'detached' })
  await api.createFolder('seen/folder')
  await item(page, 'folder').waitFor({ state: 'attached' })
  await api.data('POST', '/trash', {
    fileIds: (await api.list({ name: 'file 00005.txt' })).map(({ id }) => id),
  })
  await item(page, 'file 00005.txt').waitFor({ state: 'detached' })

  expect(await position(page)).toBe(60)
  expect(await page.getByRole('row', { name: /file 00003/ }).getAttribute('aria-selected')).toBe('true')
  expect(complaints).toEqual([])
})

test('a change between the first list and the first stream appears', async () => {
  await using stage = await openStage()
  const admin = await registerAdmin(stage.holdfast)
  await send(stage.holdfast, admin.cookie, { folder: '', names: ['listed.txt'] })
  const { page } = await openPage(stage, { cookie: admin.cookie })
  const release = await holdAll(page, /\/assets\/live-\w+\.js$/)
  await page.goto(`${BASE_URL}/files`)
  await item(page, 'listed.txt').waitFor()

  await send(stage.holdfast, admin.cookie, { folder: '', names: ['between.txt'] })
  expect(await item(page, 'between.txt').count()).toBe(0)
  release()

  await item(page, 'between.txt').waitFor()
})

test('the size of a folder follows what happens far below it', async () => {
  await site.putFiles('sized/below/deep', { 'one.txt': 'x'.repeat(1024) })
  const { page } = await openFolder('sized')
  const row = page.getByRole('row', { name: /below/ })
  await row.getByText('1 KiB').waitFor()
  await untilLive()

  await site.putFiles('sized/below/deep', { 'two.txt': 'x'.repeat(2048) })

  await row.getByText('3 KiB').waitFor()
  expect(await page.getByRole('status').first().textContent()).toContain('3 KiB')
})

test('a dialog in which a name is edited stays as it is', async () => {
  await put('edited', 'one.txt')
  const { page } = await openFolder('edited')
  await untilLive()
  await item(page, 'one.txt').click()
  await page.keyboard.press('F2')
  await page.keyboard.type('half a na')
  await put('edited', 'two.txt')
  await item(page, 'two.txt').waitFor()
  await page.keyboard.type('me')

  expect(await page.getByRole('textbox', { name: /name/i }).last().inputValue()).toContain('half a name')
})

test('a folder that is renamed elsewhere is not there any more', async () => {
  await put('old name/below', 'one.txt')
  const { page } = await openFolder('old name/below')
  await untilLive()
  const { api } = site.admin
  const { folders } = await api.browse({ key: '' })
  await api.data('PUT', '/folders', {
    id: folders.find(({ name }) => name === 'old name')?.id,
    name: 'new name',
  })

  await item(page, 'one.txt').waitFor({ state: 'detached' })
})

test('a folder of thousands of files is not read again for new ones', async () => {
  await using stage = await openStage()
  const { cookie } = await registerAdmin(stage.holdfast)
  await send(stage.holdfast, cookie, { folder: 'long', names: names(6000) })
  const { page } = await visit(stage, '/files?folder=long', { cookie })
  await page.getByText('6,000 files').waitFor()
  await eventually(() => stage.holdfast.server.modules.changes.feed.places.taken === 1)
  const readings = readingsOf(page)
  await send(stage.holdfast, cookie, {
    folder: 'long',
    names: Array.from({ length: 100 }, (_, n) => `new ${n}.txt`),
  })
  await page.getByText('6,100 files').waitFor()

  expect(readings.filter((path) => path.startsWith('/api/folders'))).toEqual([])
  const few = readings.filter((path) => path.startsWith('/api/changes/files'))
  expect(few.length).toBeGreaterThan(0)
  expect(few.length).toBeLessThanOrEqual(4)

  // Nor when the window is focused again later.
  await page.evaluate('const { now } = Date; Date.now = () => now() + 60_000')
  await page.evaluate("window.dispatchEvent(new Event('visibilitychange'))")
  await send(stage.holdfast, cookie, { folder: 'long', names: ['later.txt'] })
  await page.getByText('6,101 files').waitFor()
  expect(readings.filter((path) => path.startsWith('/api/folders'))).toEqual([])
})

test('tabs share one connection, and the next one takes it over', async () => {
  await using stage = await openStage({ environment: { BASE_URL: '' } })
  const admin = await registerAdmin(stage.holdfast)
  const url = `http://localhost:${stage.holdfast.port}`
  const { page: one } = await openPage(stage, { cookie: admin.cookie, origin: url })
  const { places } = stage.holdfast.server.modules.changes.feed
  const add = (name: string) => send(stage.holdfast, admin.cookie, { folder: '', names: [name] })
  const two = await one.context().newPage()
  for (const page of [one, two]) await page.goto(`${url}/files`)
  await eventually(() => places.taken === 1)
  await add('first.txt')
  for (const page of [one, two]) await item(page, 'first.txt').waitFor()
  expect(places.taken).toBe(1)

  await one.close()
  await add('second.txt')
  await item(two, 'second.txt').waitFor()
  // The server may notice the end of the first connection after the start of the second.
  await eventually(() => places.taken === 1)
})

/** Opens two tabs of one browser at an address with a session, and waits until they watch changes. */
async function openTabs(
  stage: Stage,
  { url, cookie, streams }: { url: string; cookie: string; streams: number },
) {
  const { page: one } = await openPage(stage, { cookie, origin: url })
  const tabs = [one, await one.context().newPage()] as const
  for (const page of tabs) {
    await page.goto(`${url}/files`)
    await item(page, 'secret.txt').waitFor()
  }
  await eventually(() => stage.holdfast.server.modules.changes.feed.places.taken === streams)
  return tabs
}

/** Waits until a tab shows the sign-in page and no file. */
async function leadsToSignIn(page: Page): Promise<void> {
  await page.getByLabel(texts.account.email).waitFor()
  expect(await item(page, 'secret.txt').count()).toBe(0)
}

test('a sign-out in one tab leads the other ones to the sign-in page', async () => {
  await using stage = await openStage()
  const { cookie } = await registerAdmin(stage.holdfast)
  await send(stage.holdfast, cookie, { folder: '', names: ['secret.txt'] })
  // Without https, each tab has a stream.
  const [one, two] = await openTabs(stage, { url: BASE_URL, cookie, streams: 2 })

  await one.getByRole('button', { name: /ada@example\.com/ }).click()
  await one.getByRole('menuitem', { name: texts.signOut }).click()

  await leadsToSignIn(two)
})

test('a device that is signed out elsewhere shows no files in any tab', async () => {
  await using stage = await openStage({ environment: { BASE_URL: '' } })
  const admin = await registerAdmin(stage.holdfast)
  await send(stage.holdfast, admin.cookie, { folder: '', names: ['secret.txt'] })
  const url = `http://localhost:${stage.holdfast.port}`
  const cookie = await signIn(stage.holdfast)
  const tabs = await openTabs(stage, { url, cookie, streams: 1 })

  await bySession(stage.holdfast, admin.cookie).data('DELETE', '/me/sessions', { others: true })

  for (const page of tabs) await leadsToSignIn(page)
})
