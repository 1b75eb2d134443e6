import { expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import type { Page } from 'playwright-core'
import { encodePng } from '../../src/commands/demo/png.ts'
import { browseTexts } from '../../src/dashboard/texts/browse.ts'
import { texts } from '../../src/dashboard/texts.ts'
import { eventually } from '../support/eventually.ts'
import { makePng } from './png.ts'
import { openSite, pick } from './site.ts'
import { textFile } from './visitor.ts'

const site = openSite()

/** Returns lines of a PNG that no compression makes small. */
function randomLines(width: number, height: number): Buffer {
  const lines = randomBytes(height * (1 + width * 3))
  for (let line = 0; line < height; line += 1) lines[line * (1 + width * 3)] = 0
  return lines
}

const put = site.putFiles

/** Opens a folder in the grid layout. */
async function openGrid(folder: string, prepare: (page: Page) => Promise<unknown> = async () => undefined) {
  const visitor = await site.open('/files')
  await visitor.page.getByRole('button', { name: texts.files.grid }).click()
  await prepare(visitor.page)
  await visitor.page.goto(`http://holdfast.test/files?folder=${folder}`)
  return visitor
}

/** Waits until this many pictures are drawn. */
const loaded = (page: Page, count: number) =>
  eventually(async () => (await page.locator('.tile img:not([hidden])').count()) === count)

test('folders show what is in them, in both layouts, and after a change', async () => {
  await put('sizes/full/deep', { 'a.txt': 'x'.repeat(1500) })
  await site.admin.api.createFolder('sizes/bare')
  const { page } = await openGrid('sizes')
  await page.getByText('1 file · 1.5 KiB').waitFor()
  await page.getByText(browseTexts.emptyFolder, { exact: true }).waitFor()
  await page.locator('.page-status', { hasText: '2 folders · 1.5 KiB' }).waitFor()

  await page.getByRole('button', { name: texts.files.list }).click()
  await page.getByRole('row', { name: /full.*1\.5 KiB/ }).dblclick()
  await page.getByRole('row', { name: /deep/ }).waitFor()
  await pick(page, textFile('b.txt', Buffer.alloc(1024)))
  await page.getByText(texts.uploads.done('1 file')).waitFor()
  await page.goBack()

  await page.getByTitle('1 folder, 2 files').waitFor()
  await page.getByRole('row', { name: /full.*2\.5 KiB/ }).waitFor()
  await page.locator('.page-status', { hasText: '2 folders · 2.5 KiB' }).waitFor()
})

test('tiles of a grid do not overlap with pictures of any shape', async () => {
  const shapes = [makePng(900, 400), makePng(600, 600), makePng(400, 900)]
  const files = Array.from({ length: 15 }, (_, n) => [`${n}.png`, shapes[n % 3] ?? makePng(1, 1)] as const)
  await put('shapes', Object.fromEntries(files))
  const { page } = await openGrid('shapes')
  await loaded(page, 15)

  const heights = await page.locator('.tile').evaluateAll((tiles) => tiles.map((tile) => tile.clientHeight))

  expect(heights).toHaveLength(15)
  expect(Math.max(...heights)).toBeLessThan(204)
})

test('a picture of any shape does not cover the name below it', async () => {
  const shapes = {
    'wide.png': makePng(900, 400),
    'square.png': makePng(600, 600),
    'tall.png': makePng(400, 900),
  }
  await put('names', shapes)
  const { page } = await openGrid('names')
  await loaded(page, 3)

  for (const name of Object.keys(shapes)) {
    const tile = page.locator('.tile', { hasText: name })
    const picture = await tile.locator('img').boundingBox()
    const text = await tile.locator('.tile-text').boundingBox()
    expect((picture?.y ?? 0) + (picture?.height ?? 0)).toBeLessThanOrEqual(text?.y ?? 0)
  }
})

test('pictures that the server refuses for now load when it accepts requests again', async () => {
  const picture = makePng(40, 30)
  await put('refused', Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`${n}.png`, picture])))
  let [underWay, most, asked] = [0, 0, 0]
  const visitor = await openGrid('refused', (page) =>
    page.route('**/api/files/thumbnail/**', async (route) => {
      asked += 1
      underWay += 1
      most = Math.max(most, underWay)
      // The fifth request exceeds the limit.
      const isRefused = asked > 4 && asked < 18
      await (isRefused
        ? route.fulfill({ status: 429, headers: { 'Retry-After': '1' }, body: '' })
        : route.continue())
      underWay -= 1
    }),
  )

  await loaded(visitor.page, 20)

  expect(most).toBeLessThanOrEqual(6)
})

test('the colours of a picture stand where its thumbnail is still loading', async () => {
  await put('slow', { 'first.png': makePng(60, 40), 'second.png': makePng(61, 40) })
  const seen = await openGrid('slow')
  await loaded(seen.page, 2)
  const held = Promise.withResolvers<void>()
  const { page } = await openGrid('slow', (page) =>
    page.route('**/api/files/thumbnail/**', async (route) => {
      await held.promise
      await route.continue()
    }),
  )

  const places = page.locator('.tile .placeholder')
  await eventually(async () => (await places.count()) === 2)
  const drawn = await page.evaluate(`(async () => {
    const image = new Image()
    const { backgroundImage } = getComputedStyle(document.querySelector('.tile .placeholder'))
    image.src = backgroundImage.slice('url("'.length, -'")'.length)
    await image.decode()
    return [image.naturalWidth, image.naturalHeight]
  })()`)
  held.resolve()
  await loaded(page, 2)

  expect(drawn).toEqual([16, 11])
  expect(await places.count()).toBe(0)
})

test('a picture of many bytes is shown by a small one from the server', async () => {
  const noise = encodePng({ width: 1600, height: 1200, channels: 3 }, randomLines(1600, 1200))
  expect(noise.length).toBeGreaterThan(4 * 1024 ** 2)
  await put('large', { 'large.png': noise })
  let bytes = 0
  const visitor = await openGrid('large', (page) =>
    page.route('**/api/files/thumbnail/**', async (route) => {
      // The browser drops the body of a picture before it can be read from there.
      const { pathname, search } = new URL(route.request().url())
      const response = await route.fetch({ url: `${site.holdfast.url}${pathname}${search}` })
      bytes = (await response.body()).length
      await route.fulfill({ response })
    }),
  )
  await loaded(visitor.page, 1)

  expect(await visitor.page.evaluate("document.querySelector('.tile img').naturalWidth")).toBe(400)
  await eventually(() => bytes > 0)
  expect(bytes).toBeLessThan(noise.length / 10)
})

test('a picture that the browser cannot decode appears as the icon of its kind', async () => {
  await put('broken', { 'broken.png': new Uint8Array([1, 2, 3]), 'good.png': makePng(4, 4) })
  const { page } = await openGrid('broken')
  await loaded(page, 1)

  const broken = page.locator('.tile', { hasText: 'broken.png' }).locator('.thumbnail')
  await broken.locator('img').waitFor({ state: 'detached' })

  expect(await broken.locator('svg').count()).toBe(1)
  expect(await page.locator('.tile img').count()).toBe(1)
})

test('a picture that the server cannot decode is requested once', async () => {
  await put('damaged', { 'damaged.png': new Uint8Array([1, 2, 3]), 'good.png': makePng(4, 4) })
  const asked: string[] = []
  const { page } = await openGrid('damaged', async (page) =>
    page.on('response', (response) => {
      if (response.url().includes('thumbnail'))
        asked.push(`${response.request().method()} ${response.status()}`)
    }),
  )
  await eventually(() => asked.includes('HEAD 404'))

  await page.getByRole('button', { name: texts.files.list }).click()
  await page.locator('.row-thumbnail img:not([hidden])').waitFor()
  await page.getByRole('button', { name: texts.files.grid }).click()
  await loaded(page, 1)

  expect(asked.filter((one) => one.endsWith('404'))).toEqual(['GET 404', 'HEAD 404'])
})
