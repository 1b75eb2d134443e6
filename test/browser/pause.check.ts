import { afterAll, afterEach, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { texts } from '../../src/dashboard/texts.ts'
import { eventually } from '../support/eventually.ts'
import { openSite, pick } from './site.ts'
import { hold, refuseFirst, seriousFindings, textFiles, watchOffsets } from './visitor.ts'

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

const site = openSite({ isProxied: true })
afterEach(() => site.proxy.release())

async function open(folder: string) {
  const visitor = await site.openNew(folder)
  return { ...visitor, names: () => site.namesIn(folder) }
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

/** Begins an upload that does not end: its first piece is held back. */
async function beginUpload(page: Page): Promise<void> {
  const held = site.proxy.hold('PATCH ')
  await pick(page, film)
  await held
}

test('a large upload that is paused by the keyboard continues where it stopped', async () => {
  const { page, complaints } = await open('film')
  const offsets = watchOffsets(page)
  await beginUpload(page)
  // A request under way that the tools learn of after the route is not reported.
  await eventually(() => offsets.length === 1)
  // Held before it sends a byte, because what is sent shows as progress.
  const held = await hold(page, '**/api/uploads/*')
  site.proxy.release()
  await eventually(() => held.count === 1)

  await button(page, texts.uploads.pause('film.iso')).press('Enter')
  await page.getByRole('heading', { name: texts.uploads.paused('1 file') }).waitFor()
  await page.getByText('Paused · 16 MiB of 60 MiB').waitFor()
  expect(await page.title()).toMatch(/^Paused at 2\d% · film/)
  expect(await seriousFindings(page)).toEqual([])
  held.release()
  const focused = page.locator(':focus')
  expect(await focused.getAttribute('aria-label')).toBe('Resume film.iso')
  await focused.press('Enter')
  await page.getByText(texts.uploads.done('1 file')).waitFor()

  expect(offsets).toEqual([0, PIECE, PIECE, 2 * PIECE, 3 * PIECE])
  expect(Object.values(await site.admin.api.checksums('film'))).toEqual([sha256])
  expect(complaints).toEqual([])
})

test('a page with paused uploads asks before it closes', async () => {
  const { page } = await open('asking')
  await beginUpload(page)
  await button(page, texts.uploads.pauseAll).click()
  await page.getByRole('heading', { name: texts.uploads.paused('1 file') }).waitFor()
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
  const { page, names } = await open('canceled')
  const { resumables } = site.holdfast.catalog
  const before = resumables.unfinishedIds()
  await beginUpload(page)
  expect(resumables.unfinishedIds()).toHaveLength(before.length + 1)

  await button(page, texts.uploads.pauseAll).click()
  await button(page, texts.uploads.cancel('film.iso')).click()
  await page.getByRole('heading', { name: texts.uploads.allCanceled }).waitFor()

  await eventually(() => Bun.deepEquals(resumables.unfinishedIds(), before))
  expect(await names()).toEqual([])
})

test('small files under way arrive before the pause, and the others wait for Resume', async () => {
  const { page, names, complaints } = await open('small')
  const held = await hold(page, '**/api/files')
  await pick(page, textFiles(100))
  await eventually(async () => held.count === 3)

  await button(page, texts.uploads.pauseAll).click()
  await page.getByText(texts.uploads.pausing).waitFor()
  await page.getByText(texts.uploads.pausingText('60 files')).waitFor()
  held.release()
  await page.getByRole('heading', { name: texts.uploads.paused('40 files') }).waitFor()
  expect(await names()).toHaveLength(60)
  await button(page, texts.uploads.resumeAll).press('Enter')
  await page.getByText(texts.uploads.done('100 files')).waitFor()

  expect(await names()).toHaveLength(100)
  expect(complaints).toEqual([])
})

test('files of a refused request do not leave during a pause', async () => {
  const { page, names } = await open('refused')
  const held = await hold(page, '**/api/files')
  await pick(page, textFiles(70))
  await eventually(async () => held.count === 3)
  await site.admin.api.upload('note 7.txt', 'first', 'refused')

  await button(page, texts.uploads.pauseAll).click()
  await button(page, texts.uploads.resumeAll).waitFor()
  held.release()
  await page.getByRole('heading', { name: texts.uploads.paused('29 files') }).waitFor()
  expect(await names()).toHaveLength(41)
  await button(page, texts.uploads.resumeAll).click()
  await page.getByText(texts.uploads.someFailed('1 file')).waitFor()

  expect(await names()).toHaveLength(70)
})

test('a file that waits for the rate limit pauses at once', async () => {
  const { page, names } = await open('waiting')
  await refuseFirst(page, '**/api/files', 60, 'POST')
  await pick(page, textFiles(1))
  await page.getByText('Resuming automatically').waitFor()

  await button(page, texts.uploads.pause('note 0.txt')).click()
  await page.getByRole('heading', { name: texts.uploads.paused('1 file') }).waitFor()
  await button(page, texts.uploads.resume('note 0.txt')).click()
  await page.getByText(texts.uploads.done('1 file')).waitFor()

  expect(await names()).toEqual(['note 0.txt'])
})

test('one file is paused while the others are uploaded', async () => {
  const { page, names } = await open('one')
  const held = await hold(page, '**/api/files')
  // Too large to share a request, so that the fourth one waits.
  const files = textFiles(5).map(({ name }) => join(folder, name))
  for (const path of files) writeFileSync(path, Buffer.alloc(2 * MiB))
  await pick(page, files)
  await eventually(async () => held.count === 3)

  await button(page, texts.uploads.pause('note 3.txt')).click()
  await page.getByRole('heading', { name: texts.uploads.paused('Uploading 4 files, 1') }).waitFor()
  held.release()
  await page.getByRole('heading', { name: texts.uploads.paused('1 file') }).waitFor()
  expect(await names()).toEqual(['note 0.txt', 'note 1.txt', 'note 2.txt', 'note 4.txt'])
  await button(page, texts.uploads.resume('note 3.txt')).click()

  await page.getByText(texts.uploads.done('5 files')).waitFor()
})
