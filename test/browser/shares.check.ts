import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import type { Share } from '../../src/client/types.ts'
import { apiOf } from '../support/api.ts'
import { eventually } from '../support/eventually.ts'
import { registerWith, spawnHoldfast } from '../support/process.ts'
import { makePng } from './png.ts'
import { openSite } from './site.ts'
import { holdAll, seriousFindings, visit, watchOffsets } from './visitor.ts'

const MiB = 1024 ** 2
const PHONE = { width: 375, height: 700 }

const folder = mkdtempSync(join(tmpdir(), 'holdfast-visitor-'))
const site = openSite({ isProxied: true })
beforeAll(() => {
  writeFileSync(join(folder, 'letter.txt'), 'a letter')
  writeFileSync(join(folder, 'film.bin'), Buffer.alloc(24 * MiB, 'film'))
})
afterAll(() => rmSync(folder, { recursive: true }))

const shareOf = (body: object) => site.admin.api.data<{ share: Share }>('POST', '/shares', body)

async function dropBox(key: string, rules: object = {}) {
  const target = await site.admin.api.createFolder(key)
  const body = { canRead: false, canWrite: true, folderId: target.id, ...rules }
  return (await shareOf(body)).share
}
const received = async (key: string) =>
  (await site.admin.api.browse({ key })).files.map(({ name, size }) => `${name}: ${size}`).toSorted()
/** Opens a share, or a folder in it, as a visitor. Only this address and https let a page hash files. */
const open = (
  { slug }: Share,
  { folder = '', ...look }: Parameters<typeof visit>[2] & { folder?: string | undefined } = {},
) =>
  visit(site.stage, `/s/${slug}${folder && `?folder=${folder}`}`, {
    origin: site.proxy.url,
    viewport: PHONE,
    ...look,
  })
/** Chooses files and sends them. */
async function send(page: Page, ...names: string[]): Promise<void> {
  await page
    .getByLabel('Choose files, or drop them here')
    .setInputFiles(names.map((name) => join(folder, name)))
  await page.getByRole('button', { name: 'Send', exact: true }).click()
}
const arrived = (page: Page) => page.getByRole('heading', { name: /^Ada has your/ }).waitFor()

test.each([true, false])('a drop box takes files on a phone (script: %p)', async (javaScriptEnabled) => {
  const key = `box ${javaScriptEnabled}`
  const { page, complaints } = await open(await dropBox(key), { javaScriptEnabled })
  // Browsers take what is dropped on the field.
  expect((await page.getByLabel('Choose files, or drop them here').boundingBox())?.height).toBeGreaterThan(
    120,
  )
  await send(page, 'letter.txt', 'film.bin')
  await arrived(page)

  expect(await received(key)).toEqual([`film.bin: ${24 * MiB}`, 'letter.txt: 8'])
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(PHONE.width)
  if (javaScriptEnabled) expect(await seriousFindings(page)).toEqual([])
  expect(complaints).toEqual([])
})

test('a file continues after its connection broke', async () => {
  const { page } = await open(await dropBox('broken'))
  const cut = site.proxy.cutAfter(8 * MiB)
  const offsets = watchOffsets(page)
  await send(page, 'film.bin')
  await cut
  await arrived(page)

  expect(await received('broken')).toEqual([`film.bin: ${24 * MiB}`])
  expect(offsets[1]).toBeGreaterThan(0)
})

test('a kill of the server loses one piece of a file at most', async () => {
  await using cleanup = new AsyncDisposableStack()
  const dataPath = mkdtempSync(join(folder, 'killed-'))
  let server = await spawnHoldfast({ dataPath })
  cleanup.defer(() => server[Symbol.asyncDispose]())
  cleanup.defer(() => {
    site.proxy.target = site.holdfast.port
  })
  site.proxy.target = server.port
  const owner = await registerWith(server)
  const killed = apiOf(server, owner)
  const { id: folderId } = await killed.createFolder('killed')
  const body = { canRead: false, canWrite: true, folderId }
  const { share } = await killed.data<{ share: Share }>('POST', '/shares', body)
  // Connections of other pages still lead to the other server.
  const { page } = await open(share, { isAlone: true })
  const offsets = watchOffsets(page)
  writeFileSync(join(folder, 'long.bin'), Buffer.alloc(40 * MiB, 'long'))

  // It cuts within the second piece, which begins when the first one is durable.
  const cut = site.proxy.cutAfter(24 * MiB)
  await send(page, 'long.bin')
  await cut
  server.child.kill('SIGKILL')
  await server.child.exited
  const before = offsets.length
  server = await spawnHoldfast({ dataPath })
  site.proxy.target = server.port
  await arrived(page)

  expect(offsets[before]).toBeGreaterThanOrEqual(16 * MiB)
  const { files } = await apiOf(server, owner).browse({ key: 'killed' })
  expect(files.map(({ name, size }) => [name, size])).toEqual([['long.bin', 40 * MiB]])
})

test('a file waits for the connection, and says so', async () => {
  const { page } = await open(await dropBox('waiting'))
  await page.context().setOffline(true)
  await send(page, 'letter.txt')
  await page.getByText('Waiting for the connection…').waitFor()
  await page.context().setOffline(false)
  await arrived(page)
})

test('a refused file says why, and the others arrive', async () => {
  const { page } = await open(await dropBox('refusing', { types: ['.txt'], maxFiles: 3 }))
  await send(page, 'letter.txt', 'film.bin')
  await page.getByText('Files of this type are not accepted here.').waitFor()
  await page.getByText('Arrived').waitFor()
  await page.getByText('Send up to 2 more files').waitFor()
  const name = await page.locator('#sending span').getByText('film.bin', { exact: true }).boundingBox()
  expect(name?.width).toBeGreaterThan(PHONE.width / 2)
  expect(await received('refusing')).toEqual(['letter.txt: 8'])
})

test('chosen files have thumbnails, and each can be taken out again', async () => {
  writeFileSync(join(folder, 'cat.png'), makePng(600, 400))
  const { page, complaints } = await open(await dropBox('chosen'))
  const field = page.getByLabel('Choose files, or drop them here')
  for (const name of ['letter.txt', 'cat.png', 'film.bin', 'cat.png'])
    await field.setInputFiles(join(folder, name))
  await page.locator('#sending canvas').waitFor()
  await page.getByText('3 files · 24 MiB', { exact: true }).waitFor()
  expect(await seriousFindings(page)).toEqual([])
  await page.getByRole('button', { name: 'Remove film.bin' }).click()

  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await page.getByRole('heading', { name: 'Ada has your 2 files' }).waitFor()
  expect((await received('chosen')).map((file) => file.split(':')[0])).toEqual(['cat.png', 'letter.txt'])
  expect(complaints).toEqual([])
})

test('of hundreds of chosen files the first sixty are shown', async () => {
  const files = Array.from({ length: 300 }, (_, n) => ({
    ...{ name: `${n}.txt`, mimeType: 'text/plain' },
    buffer: Buffer.from('x'),
  }))
  const { page } = await open(await dropBox('hundreds'))
  await page.getByLabel('Choose files, or drop them here').setInputFiles(files)
  await page.getByText('300 files · 300 B', { exact: true }).waitFor()
  expect(await page.locator('#sending li button').count()).toBe(60)
})

test('the page shows thumbnails of pictures, and nothing wider than a phone', async () => {
  const name = `${'a long name '.repeat(12)}.png`
  const { folderId } = await site.admin.api.upload(name, makePng(600, 400), 'gallery')
  await site.admin.api.upload('notes.txt', 'notes', 'gallery')
  const { share } = await shareOf({ items: [{ folderId }] })
  const { page, complaints } = await open(share, { folder: folderId })
  await page.locator('img').waitFor()

  await page.waitForLoadState('networkidle')
  expect(await page.evaluate('document.images[0].naturalWidth')).toBe(200)
  expect(await page.locator('img').count()).toBe(1)
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(PHONE.width)
  expect(await seriousFindings(page)).toEqual([])
  expect(complaints).toEqual([])
})

test.each([
  ['film.webm', 'color=green:s=64x36:d=2'],
  ['sound.ogg', 'sine=d=2'],
])('%s plays on the page of its share', async (name, source) => {
  const path = join(folder, name)
  Bun.spawnSync(['ffmpeg', '-v', 'error', '-f', 'lavfi', '-i', source, path])
  const { id } = await site.admin.api.upload(name, new Uint8Array(readFileSync(path)))
  const { share } = await shareOf({ items: [{ fileId: id }] })
  const { page, complaints } = await open(share)
  const player = `document.querySelector('${name.startsWith('film') ? 'video' : 'audio'}')`
  const hasPlayed = `${player}.currentTime > 0.2`
  await page.evaluate(`${player}.play()`)
  await eventually(async () => (await page.evaluate(hasPlayed)) === true)
  expect(complaints).toEqual([])
})

test('a damaged picture looks like a file without a thumbnail', async () => {
  await site.admin.api.upload('empty.jpg', '', 'damaged')
  const { folderId } = await site.admin.api.upload('noise.jpg', 'no picture', 'damaged')
  const { share } = await shareOf({ items: [{ folderId }] })
  const { page } = await open(share, { folder: folderId, javaScriptEnabled: false })
  await page.waitForLoadState('networkidle')

  // The corner, where browsers draw their mark of a broken image.
  const cornerOf = async (selector: string) => {
    const { x, y } = (await page.locator(selector).boundingBox()) ?? { x: 0, y: 0 }
    return page.screenshot({ clip: { x: x + 6, y: y + 4, width: 14, height: 12 } })
  }
  expect((await cornerOf('.icon')).equals(await cornerOf('li img'))).toBe(true)
})

const LOOKS = [390, 1440].flatMap((width) =>
  (['light', 'dark'] as const).map((colorScheme) => [width, colorScheme] as const),
)

/** Shares a folder of pictures of all widths, and a text. */
async function shareGallery(key: string) {
  const pictures = Array.from({ length: 14 }, (_, n) => [
    `${n === 3 ? 'a long name '.repeat(12) : 'picture '}${n}.png`,
    makePng(300 + 40 * n, 400),
  ])
  await site.putFiles(key, { ...Object.fromEntries(pictures), 'notes.txt': 'notes' })
  const folder = (await site.admin.api.browse()).folders.find(({ name }) => name === key)?.id
  return { folder, ...(await shareOf({ items: [{ folderId: folder }] })) }
}

test('keys, swipes and a film strip lead through the pictures of a share', async () => {
  const { share, folder } = await shareGallery('film strip')
  const { files } = await site.admin.api.browse({ key: 'film strip' })
  const pictures = files
    .filter(({ mimeType }) => mimeType.startsWith('image/'))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
  const { page, complaints } = await open(share, { folder, viewport: PHONE, hasTouch: true, isMobile: true })
  await page.locator('.tiles a').first().click()
  const shows = async (name = '') => {
    await page.getByRole('heading', { name, exact: true }).waitFor()
    await eventually(async () => (await page.getByRole('status').textContent()) === name)
  }
  const names = pictures.map(({ name }) => name)
  await page.getByRole('heading', { name: names[0] ?? '', exact: true }).waitFor()
  await page.evaluate('window.isSame = true')

  await page.keyboard.press('ArrowRight')
  await shows(names[1])
  await page.keyboard.press('ArrowLeft')
  await shows(names[0])
  const devtools = await page.context().newCDPSession(page)
  const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', x: number) =>
    devtools.send('Input.dispatchTouchEvent', {
      type,
      touchPoints: type === 'touchEnd' ? [] : [{ x, y: 350 }],
    })
  await touch('touchStart', 300)
  for (const x of [250, 150]) await touch('touchMove', x)
  await touch('touchEnd', 150)
  await shows(names[1])
  await page.locator('.strip a').nth(4).click()
  await shows(names[4])
  await page.getByRole('link', { name: 'Next' }).focus()
  await page.keyboard.press('Enter')
  await shows(names[5])
  expect(await page.evaluate('document.activeElement.rel')).toBe('next')
  expect(await page.evaluate('window.isSame')).toBe(true)
  expect(page.url()).toEndWith(`file=${pictures[5]?.id}`)
  expect(await seriousFindings(page)).toEqual([])

  await page.keyboard.press('Escape')
  await page.locator('.tiles').waitFor()
  expect(complaints).toEqual([])
})

test.each(LOOKS)(
  'a gallery needs no script and does not jump, and axe finds nothing (%i pixels, %s)',
  async (width, colorScheme) => {
    const { share, folder } = await shareGallery(`gallery ${width} ${colorScheme}`)
    const look = { folder, viewport: { width, height: 900 }, colorScheme }
    let release = () => {}
    const { page } = await open(share, {
      ...look,
      javaScriptEnabled: false,
      prepare: async (page) => {
        release = await holdAll(page, '**/thumbs/**')
      },
    })
    const last = page.locator('.tiles li').last()
    await last.waitFor()
    const before = await last.boundingBox()
    release()
    const areShown = '[...document.images].slice(0, 4).every((image) => image.naturalWidth > 0)'
    await eventually(async () => (await page.evaluate(areShown)) === true)

    expect(await last.boundingBox()).toEqual(before)
    expect(await page.locator('.tiles li').count()).toBe(14)
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
    expect(await page.getByRole('link', { name: 'Download picture 0.png' }).count()).toBe(1)

    expect(await seriousFindings((await open(share, look)).page)).toEqual([])
  },
)
