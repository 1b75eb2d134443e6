import { afterAll, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page, Request } from 'playwright-core'
import { registerAdmin } from '../support/accounts.ts'
import { apiOf } from '../support/api.ts'
import { eventually } from '../support/eventually.ts'
import { upload } from '../support/holdfast.ts'
import { hold, openStage, type Stage, seriousFindings, textFiles, visit } from './visitor.ts'

/** Pause and Resume in the panel of uploads. */

const MiB = 1024 ** 2
const PIECE = 16 * MiB

const folder = mkdtempSync(join(tmpdir(), 'holdfast-pause-'))
const film = join(folder, 'film.iso')
const content = Buffer.alloc(60 * MiB)
for (let position = 0; position < content.length; position += 4096) content.writeUInt32LE(position, position)
const sha256 = createHash('sha256').update(content).digest('hex')
writeFileSync(film, content)
afterAll(() => rmSync(folder, { recursive: true }))

async function open(stage: Stage) {
  const { cookie } = await registerAdmin(stage.holdfast)
  const visitor = await visit(stage, '/files', { cookie })
  const api = apiOf(stage.holdfast, { withKey: { Cookie: cookie } })
  const names = async () =>
    (await api.browse({ key: '', orderBy: 'name', orderDirection: 'ASC' })).files.map(({ name }) => name)
  return { ...visitor, cookie, names }
}

const choose = (page: Page, files: string | string[] | ReturnType<typeof textFiles>) =>
  page.getByLabel('Upload', { exact: true }).first().setInputFiles(files)

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

/** Collects the offsets of the chunks that a page sends. */
function watchOffsets(page: Page): number[] {
  const offsets: number[] = []
  page.on('request', (request) => {
    const offset = request.headers()['upload-offset']
    if (request.method() === 'PATCH') offsets.push(Number(offset))
  })
  return offsets
}

/** Returns a function that limits what a page sends, to bytes per second; -1 ends the limit. */
async function limitOf(page: Page) {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Network.enable')
  return (uploadThroughput: number) =>
    devtools.send('Network.emulateNetworkConditions', {
      ...{ offline: false, latency: 0, downloadThroughput: -1 },
      uploadThroughput,
    })
}

const isPiece = (request: Request) => request.method() === 'PATCH'

/**
 * Holds the pieces of an upload back after the first one, which is slow until then: each piece that is held costs many
 * seconds on its way through the tools.
 */
async function holdAfterFirst(page: Page, path: string, begin: () => Promise<void>) {
  const limit = await limitOf(page)
  await limit(4 * MiB)
  const first = page.waitForRequest(isPiece)
  await begin()
  await first
  const held = await hold(page, path)
  await limit(-1)
  return held
}

/** Begins an upload that takes minutes. */
async function beginSlowUpload(page: Page): Promise<void> {
  const limit = await limitOf(page)
  await limit(MiB / 16)
  const piece = page.waitForRequest(isPiece)
  await choose(page, film)
  await piece
}

test('a large upload that is paused by the keyboard continues where it stopped', async () => {
  await using stage = await openStage()
  const { page, complaints, cookie } = await open(stage)
  const offsets = watchOffsets(page)
  const held = await holdAfterFirst(page, '**/api/uploads/*', () => choose(page, film))
  await eventually(async () => held.count === 1)

  await button(page, 'Pause film.iso').press('Enter')
  await page.getByRole('heading', { name: '1 file paused' }).waitFor()
  await page.getByText('Paused · 16 MB of 60 MB').waitFor()
  expect(await page.title()).toMatch(/^Paused at 2\d% · Files/)
  expect(await seriousFindings(page)).toEqual([])
  held.release()
  const focused = page.locator(':focus')
  expect(await focused.getAttribute('aria-label')).toBe('Resume film.iso')
  await focused.press('Enter')
  await page.getByText('1 file uploaded').waitFor()

  expect(offsets).toEqual([0, PIECE, PIECE, 2 * PIECE, 3 * PIECE])
  const sums = await stage.holdfast.fetch('/api/folders/checksums?key=', { headers: { Cookie: cookie } })
  expect(await sums.text()).toContain(sha256)
  expect(complaints).toEqual([])
})

test('a page with paused uploads asks before it closes', async () => {
  await using stage = await openStage()
  const { page } = await open(stage)
  await beginSlowUpload(page)
  await button(page, 'Pause all').click()
  await page.getByRole('heading', { name: '1 file paused' }).waitFor()
  const asked: string[] = []
  page.on('dialog', (dialog) => {
    asked.push(dialog.type())
    void dialog.dismiss()
  })

  await page.close({ runBeforeUnload: true })
  await eventually(async () => asked.length > 0)

  expect(asked).toEqual(['beforeunload'])
})

test('a paused upload that is canceled leaves nothing on the server', async () => {
  await using stage = await openStage()
  const { page, names } = await open(stage)
  await beginSlowUpload(page)
  const { resumables } = stage.holdfast.catalog
  expect(resumables.unfinishedIds()).toHaveLength(1)

  await button(page, 'Pause all').click()
  await button(page, 'Cancel film.iso').click()
  await page.getByRole('heading', { name: 'Uploads canceled' }).waitFor()

  await eventually(async () => resumables.unfinishedIds().length === 0)
  expect(await names()).toEqual([])
})

test('small files under way arrive before the pause, and the others wait for Resume', async () => {
  await using stage = await openStage()
  const { page, names, complaints } = await open(stage)
  const held = await hold(page, '**/api/files')
  await choose(page, textFiles(100))
  await eventually(async () => held.count === 3)

  await button(page, 'Pause all').click()
  await page.getByText('Pausing…').waitFor()
  await page.getByText('60 files will finish first').waitFor()
  held.release()
  await page.getByRole('heading', { name: '40 files paused' }).waitFor()
  expect(await names()).toHaveLength(60)
  await button(page, 'Resume all').press('Enter')
  await page.getByText('100 files uploaded').waitFor()

  expect(await names()).toHaveLength(100)
  expect(complaints).toEqual([])
})

test('files of a refused request do not leave during a pause', async () => {
  await using stage = await openStage()
  const { page, names, cookie } = await open(stage)
  const held = await hold(page, '**/api/files')
  await choose(page, textFiles(70))
  await eventually(async () => held.count === 3)
  await upload(stage.holdfast, { Cookie: cookie }, { name: 'note 7.txt', content: 'first' })

  await button(page, 'Pause all').click()
  await button(page, 'Resume all').waitFor()
  held.release()
  await page.getByRole('heading', { name: '29 files paused' }).waitFor()
  expect(await names()).toHaveLength(41)
  await button(page, 'Resume all').click()
  await page.getByText('1 file failed').waitFor()

  expect(await names()).toHaveLength(70)
})

test('a file that waits for the rate limit pauses at once', async () => {
  await using stage = await openStage()
  const { page, names } = await open(stage)
  let sent = 0
  await page.route('**/api/files', (route) => {
    if (route.request().method() !== 'POST') return route.continue()
    sent += 1
    if (sent > 1) return route.continue()
    const json = { data: null, error: { message: 'Too many requests' } }
    return route.fulfill({ status: 429, headers: { 'Retry-After': '60' }, json })
  })
  await choose(page, textFiles(1))
  await page.getByText('Resuming automatically').waitFor()

  await button(page, 'Pause note 0.txt').click()
  await page.getByRole('heading', { name: '1 file paused' }).waitFor()
  await button(page, 'Resume note 0.txt').click()
  await page.getByText('1 file uploaded').waitFor()

  expect(await names()).toEqual(['note 0.txt'])
})

test('one file is paused while the others are uploaded', async () => {
  await using stage = await openStage()
  const { page, names } = await open(stage)
  const held = await hold(page, '**/api/files')
  // Too large to share a request, so that the fourth one waits.
  const files = textFiles(5).map(({ name }) => join(folder, name))
  for (const path of files) writeFileSync(path, Buffer.alloc(2 * MiB))
  await choose(page, files)
  await eventually(async () => held.count === 3)

  await button(page, 'Pause note 3.txt').click()
  await page.getByRole('heading', { name: 'Uploading 4 files, 1 paused' }).waitFor()
  held.release()
  await page.getByRole('heading', { name: '1 file paused' }).waitFor()
  expect(await names()).toEqual(['note 0.txt', 'note 1.txt', 'note 2.txt', 'note 4.txt'])
  await button(page, 'Resume note 3.txt').click()

  await page.getByText('5 files uploaded').waitFor()
})
