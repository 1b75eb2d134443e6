import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { texts } from '../../src/dashboard/texts.ts'
import { builtAssets } from '../../src/modules/web/built.ts'
import { type Inside, register, sendUpload, startInside } from '../support/holdfast.ts'
import { startProxy, type TestProxy } from '../support/proxy.ts'
import { launchChromium } from './chromium.ts'
import { pick } from './site.ts'
import { leaveAll, seriousFindings, visit } from './visitor.ts'

const MiB = 1024 ** 2
const SIZE = 96 * MiB

/** Folder of the server's data and the file to upload. */
const folder = mkdtempSync(join(tmpdir(), 'holdfast-uploads-'))
const film = join(folder, 'film.mp4')
const content = Buffer.alloc(SIZE)
for (let position = 0; position < SIZE; position += 4096) content.writeUInt32LE(position, position)
const sha256 = createHash('sha256').update(content).digest('hex')

let holdfast: Inside
let proxy: TestProxy
let browser: Browser
let cookie: string
const start = () => startInside({ dataPath: join(folder, 'data'), dashboard: builtAssets() })
beforeAll(async () => {
  writeFileSync(film, content)
  holdfast = await start()
  ;({ cookie } = await register(holdfast))
  // The page uses one address, although the server's port changes on a restart.
  proxy = await startProxy(holdfast.port)
  browser = await launchChromium(Number(new URL(proxy.url).port))
})
afterEach(async () => {
  await leaveAll()
  proxy.target = holdfast.port
})
afterAll(async () => {
  await browser.close()
  await proxy[Symbol.asyncDispose]()
  await holdfast[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true })
})

/** Opens the page of a folder and creates the folder if it is missing. */
async function open(key: string) {
  await holdfast.fetch('/api/folders', {
    method: 'POST',
    headers: { Cookie: cookie },
    body: JSON.stringify({ folder: key }),
  })
  return visit({ browser }, `/files?folder=${key}`, { cookie })
}
/** Chooses the film with the toolbar's button, because an empty folder has a second one. */
const chooseFilm = (page: Page) => pick(page, film)

/** Starts to upload the film and reloads the page in the middle of it. */
async function breakOff(page: Page): Promise<void> {
  const cut = proxy.cutAfter(60 * MiB)
  await chooseFilm(page)
  await cut
  await comeBack(page)
}

async function comeBack(page: Page): Promise<void> {
  // A reload in two steps, so that no more bytes arrive in between.
  proxy.target = 1
  const address = page.url()
  await page.goto('about:blank')
  proxy.target = holdfast.port
  proxy.passed = 0
  await page.goto(address)
}

async function sumsIn(key: string): Promise<string[]> {
  const answer = await holdfast.fetch(`/api/folders/checksums?key=${key}`, { headers: { Cookie: cookie } })
  const { data } = (await answer.json()) as { data: { files: { sha256: string }[] } | null }
  return (data?.files ?? []).map((file) => file.sha256)
}

test('a large upload completes across a restart of the server', async () => {
  const visitor = await open('restarted')
  const cut = proxy.cutAfter(60 * MiB)
  await chooseFilm(visitor.page)
  await cut
  proxy.target = 1
  await holdfast.stop()
  await visitor.page.getByText('Resuming automatically').waitFor()
  holdfast = await start()
  proxy.target = holdfast.port

  await visitor.page.getByText(texts.uploads.done('1 file')).waitFor()

  expect(await sumsIn('restarted')).toEqual([sha256])
  expect(proxy.passed).toBeLessThan(1.5 * SIZE)
})

test('a large upload resumes after a reload when its file is chosen again', async () => {
  const { page } = await open('reloaded')
  await breakOff(page)
  await page.getByText(texts.uploads.unfinished.headline('1 file')).waitFor()
  await page.getByText('Choose the same file again').waitFor()
  const findings = await seriousFindings(page)

  await page.getByLabel(texts.uploads.unfinished.chooseFor('film.mp4')).last().setInputFiles(film)
  await page.getByText(texts.uploads.done('1 file')).waitFor()
  await page.getByRole('button', { name: texts.actions.close }).click()

  expect(findings).toEqual([])
  expect(await sumsIn('reloaded')).toEqual([sha256])
  expect(proxy.passed).toBeLessThan(SIZE - 40 * MiB)
  expect(await page.getByText(texts.uploads.unfinished.headline('1 file')).count()).toBe(0)
})

test('a large replacement resumes after a reload', async () => {
  const sent = await sendUpload(
    holdfast,
    { Cookie: cookie },
    { files: { 'old.mp4': 'old' }, folder: 'replaced' },
  )
  expect(sent.status).toBe(200)
  const { page } = await open('replaced')
  const cut = proxy.cutAfter(60 * MiB)
  await page.getByRole('button', { name: texts.files.actionsOf('old.mp4') }).click()
  const chooser = page.waitForEvent('filechooser')
  await page.getByRole('menuitem', { name: texts.files.replace }).click()
  await (await chooser).setFiles(film)
  await cut
  await comeBack(page)

  await page.getByLabel(texts.uploads.unfinished.chooseFor('old.mp4')).last().setInputFiles(film)
  await page.getByText(texts.uploads.done('1 file')).waitFor()

  expect(await sumsIn('replaced')).toEqual([sha256])
  expect(proxy.passed).toBeLessThan(SIZE - 40 * MiB)
})

test('another file does not resume the interrupted upload, which can be discarded', async () => {
  const { page } = await open('discarded')
  await breakOff(page)
  utimesSync(film, 1, 1)

  await page.getByLabel(texts.uploads.unfinished.chooseFor('film.mp4')).last().setInputFiles(film)
  await page.getByText('That’s a different file').waitFor()
  await page.getByRole('button', { name: texts.uploads.unfinished.discard('film.mp4') }).click()
  await page.getByText(texts.uploads.unfinished.headline('1 file')).waitFor({ state: 'detached' })

  expect(await sumsIn('discarded')).toEqual([])
  expect(holdfast.catalog.resumables.unfinishedIds()).toEqual([])
})
