import { beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { previewTexts } from '../../src/dashboard/texts/preview.ts'
import { texts } from '../../src/dashboard/texts.ts'
import { eventually } from '../support/eventually.ts'
import { makePng } from './png.ts'
import { openSite } from './site.ts'
import { HAND, holdAll, watchChanges } from './visitor.ts'

/** Frame of the preview: its address, the way to the files beside it, and the zoom of pictures. */

const site = openSite()
beforeAll(async () => {
  await put('texts', 'a.txt', 'b.txt', 'c.txt')
  await putFiles('pictures', { 'one.png': makePng(800, 600), 'two.png': makePng(800, 600) })
  const heic = await Bun.file(join(import.meta.dir, '../thumbnails/photo.heic')).bytes()
  await putFiles('phone', { 'photo.heic': heic })
  await putFiles('broken', { 'broken.jpg': makePng(8, 8).slice(0, 40) })
})

const { put, putFiles } = site
const open = site.openFolder

const preview = (page: Page, name: string) => page.getByRole('dialog', { name, exact: true })

/** Opens the preview of a file in the list, and waits until keys go to it. */
async function show(page: Page, name: string): Promise<void> {
  await page.getByRole('row', { name: new RegExp(name) }).dblclick({ position: { x: 400, y: 20 } })
  await preview(page, name).waitFor()
  await page.locator('.viewer:focus').waitFor()
}

const previewedId = (page: Page) => new URL(page.url()).searchParams.get('preview')

test('a preview has an address, which Back leaves and a reload opens again', async () => {
  const { page } = await open('texts')

  await show(page, 'a.txt')
  await page.reload()
  await preview(page, 'a.txt').locator('.line', { hasText: 'a.txt' }).waitFor()
  await page.goBack()
  await preview(page, 'a.txt').waitFor({ state: 'detached' })

  expect(page.url()).toEndWith('/files?folder=texts')
})

test('the tab has the name of the file in view, and after it that of the folder', async () => {
  const { page } = await open('texts')

  await show(page, 'a.txt')
  await page.keyboard.press('ArrowRight')
  await preview(page, 'b.txt').waitFor()
  await eventually(async () => (await page.title()) === 'b.txt · Holdfast')
  await page.keyboard.press('Escape')

  await eventually(async () => (await page.title()) === 'texts · Holdfast')
})

test('the way to other files adds nothing to the history', async () => {
  const { page } = await open('texts')
  await show(page, 'a.txt')

  await page.keyboard.press('ArrowRight')
  await preview(page, 'b.txt').locator('.line', { hasText: 'b.txt' }).waitFor()
  await page.getByRole('button', { name: previewTexts.next }).click()
  await preview(page, 'c.txt').getByText(previewTexts.place(3, 3)).waitFor()
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('ArrowLeft')
  await preview(page, 'b.txt').waitFor()
  // Screen readers announce the other file.
  await page.locator('[aria-live=polite]', { hasText: 'b.txt' }).waitFor()
  await page.goBack()
  await page.getByRole('dialog').waitFor({ state: 'detached' })

  expect(page.url()).toEndWith('/files?folder=texts')
})

test('Delete after a preview takes the file that was shown last', async () => {
  await put('seen', 'first.txt', 'second.txt', 'third.txt')
  const { page } = await open('seen')
  await show(page, 'first.txt')
  await page.keyboard.press('ArrowRight')
  await preview(page, 'second.txt').waitFor()
  await page.keyboard.press('Escape')
  await page.locator('[data-index="1"]:focus').waitFor()

  await page.keyboard.press('Delete')
  await page.getByRole('row', { name: /second\.txt/ }).waitFor({ state: 'detached' })

  expect(await page.getByRole('row', { name: /first\.txt/ }).count()).toBe(1)
})

test('Delete that is held takes one file', async () => {
  await put('held', 'x.txt', 'y.txt', 'z.txt')
  const { page } = await open('held')
  const changes = watchChanges(page)
  await page.getByRole('row', { name: /x\.txt/ }).click({ position: { x: 400, y: 20 } })
  await page.keyboard.down('Delete')
  await page.getByRole('row', { name: /x\.txt/ }).waitFor({ state: 'detached' })
  await page.locator('[data-index="0"]:focus').waitFor()
  await page.keyboard.down('Delete')
  await page.keyboard.up('Delete')
  // Deletes end in their order: one of the held key would be first.
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Delete')
  await page.getByRole('row', { name: /z\.txt/ }).waitFor({ state: 'detached' })

  // The rows go before their requests.
  await eventually(() => changes.length > 1)
  expect(changes).toEqual(['/api/trash', '/api/trash'])
  expect(await page.getByRole('row', { name: /y\.txt/ }).count()).toBe(1)
})

test('a preview that was opened by its address closes to its folder', async () => {
  const first = await open('texts')
  await show(first.page, 'b.txt')
  const { pathname, search } = new URL(first.page.url())
  const { page } = await site.open(`${pathname}${search}`)
  await preview(page, 'b.txt').waitFor()

  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })

  expect(page.url()).toEndWith('/files?folder=texts')
})

test('an address of a missing file says so', async () => {
  const visitor = await site.open('/files?folder=texts&preview=missing')

  await visitor.page.getByRole('dialog').getByText(previewTexts.notFound).waitFor()
})

test('the focus stays in the preview and returns to the file shown last', async () => {
  const { page } = await open('texts')
  await page.getByRole('row', { name: /a\.txt/ }).press('Enter')
  await page.locator('.viewer:focus').waitFor()
  const isInside = () => page.evaluate("document.querySelector('.viewer').contains(document.activeElement)")

  for (let n = 0; n < 12; n += 1) {
    await page.keyboard.press('Tab')
    expect(await isInside()).toBe(true)
  }
  await page.getByRole('button', { name: texts.actions.close }).focus()
  await page.keyboard.press('ArrowRight')
  await preview(page, 'b.txt').waitFor()
  await page.keyboard.press('Escape')

  await page.locator('[role=row][data-index="1"]:focus').waitFor()
})

test('a file far down that was shown last has the focus after the preview', async () => {
  const names = Array.from({ length: 60 }, (_, n) => `${n + 10}.txt`)
  await put('far', ...names)
  const { page } = await open('far')
  await page.getByRole('row', { name: /10\.txt/ }).press('Enter')
  await page.locator('.viewer:focus').waitFor()

  for (const next of names.slice(1)) {
    await page.keyboard.press('ArrowRight')
    await preview(page, next).waitFor()
  }
  await page.keyboard.press('Escape')

  await page.locator('[role=row][data-index="59"]:focus').waitFor()
})

test('the delete of a previewed file leads to the next one', async () => {
  await put('going', 'x.txt', 'y.txt')
  const { page } = await open('going')
  await show(page, 'x.txt')

  await page.keyboard.press('Delete')
  await preview(page, 'y.txt').waitFor()
  await page.keyboard.press('Delete')

  await page.getByRole('dialog').waitFor({ state: 'detached' })
  expect(previewedId(page)).toBeNull()
})

test('a dialog above the preview returns to it', async () => {
  const { page } = await open('texts')
  await show(page, 'a.txt')

  await page.getByRole('button', { name: texts.files.share }).click()
  await page.locator('.dialog:focus, .dialog :focus').waitFor()
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Escape')
  await page.getByRole('dialog', { name: /Share/ }).waitFor({ state: 'detached' })

  await page.locator('[aria-label="Share"]:focus').waitFor()
  expect(await preview(page, 'a.txt').isVisible()).toBe(true)
})

test.each(['viewer', 'text'])('what is open stays while the styles of the %s load', async (sheet) => {
  const { page } = await open('texts')
  const release = await holdAll(page, new RegExp(`/${sheet}-.*\\.css`))
  const asked = page.waitForRequest(new RegExp(`/${sheet}-.*\\.css`))

  await page.getByRole('row', { name: /a\.txt/ }).press('Enter')
  await asked
  // React hides what waits for a style sheet in a later task.
  for (let frame = 0; frame < 10; frame += 1) await page.evaluate('new Promise(requestAnimationFrame)')
  const shown = page.locator(sheet === 'viewer' ? '.file-list' : '.viewer')
  expect(await shown.isVisible()).toBe(true)
  release()
  await preview(page, 'a.txt').locator('.line', { hasText: 'a.txt' }).waitFor()
  await page.getByRole('button', { name: texts.files.share }).click()

  await page.locator('.dialog:focus, .dialog :focus').waitFor()
})

test('a picture is zoomed by keys, wheel and double click, and moved by arrows', async () => {
  const { page, complaints } = await open('pictures')
  await show(page, 'one.png')
  const level = page.locator('.zoom-level')
  const at = async (percent: string) => {
    await eventually(async () => (await level.textContent()) === percent)
  }
  const left = async () => (await page.getByRole('img', { name: 'one.png' }).boundingBox())?.x ?? 0
  await at('100%')

  await page.keyboard.press('+')
  await at('150%')
  await page.keyboard.press('-')
  await at('100%')
  await page.mouse.move(640, 400)
  await page.mouse.wheel(0, -900)
  await eventually(async () => Number.parseInt((await level.textContent()) ?? '', 10) > 300)
  const before = await left()
  await page.keyboard.press('ArrowRight')
  await eventually(async () => (await left()) < before)
  await page.keyboard.press('0')
  await at('100%')
  await page.mouse.dblclick(640, 400)
  await at('250%')
  await level.click()
  await at('100%')
  await page.keyboard.press('ArrowRight')

  await preview(page, 'two.png').waitFor()
  expect(complaints).toEqual([])
})

test('only the main button of a mouse moves a picture', async () => {
  const { page } = await open('pictures')
  await show(page, 'one.png')
  const picture = page.getByRole('img', { name: 'one.png' })
  await page.locator('.zoom').waitFor()
  await page.mouse.dblclick(640, 400)
  await page.getByText('250%').waitFor()
  const left = async () => (await picture.boundingBox())?.x ?? 0
  const drag = async (button: 'left' | 'right') => {
    await page.mouse.move(640, 400)
    await page.mouse.down({ button })
    await page.mouse.move(600, 380)
    await page.mouse.up({ button })
  }

  const before = await left()
  await drag('right')
  expect(await left()).toBe(before)

  await drag('left')
  await eventually(async () => (await left()) < before)
})

test('a picture that the browser cannot read offers its download', async () => {
  const { page } = await open('broken')

  await show(page, 'broken.jpg')
  await preview(page, 'broken.jpg').getByText(previewTexts.unshown.picture.title).waitFor()

  await preview(page, 'broken.jpg').getByText(texts.files.download, { exact: true }).waitFor()
})

test('a picture that the browser cannot decode is shown as the server decodes it', async () => {
  const { page } = await open('phone')

  await show(page, 'photo.heic')
  const picture = preview(page, 'photo.heic').getByRole('img', { name: 'photo.heic' })
  await picture.waitFor()

  expect(await picture.getAttribute('src')).toStartWith('/api/files/thumbnail/')
})

test('on a phone the preview fills the window, and a swipe leads on', async () => {
  const { page } = await open('pictures', HAND)
  await page.getByRole('button', { name: 'one.png', exact: true }).tap()
  await preview(page, 'one.png').waitFor()
  await page.locator('.zoom').waitFor()
  const touch = await page.context().newCDPSession(page)
  const send = (type: 'touchStart' | 'touchMove' | 'touchEnd', x?: number) =>
    touch.send('Input.dispatchTouchEvent', { type, touchPoints: x === undefined ? [] : [{ x, y: 400 }] })

  expect(await preview(page, 'one.png').boundingBox()).toEqual({ x: 0, y: 0, ...HAND.viewport })
  await send('touchStart', 300)
  for (const x of [260, 200, 140, 100]) await send('touchMove', x)
  await send('touchEnd')

  await preview(page, 'two.png').waitFor()
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
})

test('the picture beside the one in view loads before it is asked for', async () => {
  const { page } = await open('pictures')
  const requested: string[] = []
  page.on('request', (request) => requested.push(request.url()))
  const isRequested = (end: string) => requested.some((url) => url.endsWith(end))

  await show(page, 'one.png')

  await eventually(() => isRequested('/pictures/two.png'))
  expect(requested.filter((url) => url.endsWith('?width=1600'))).toHaveLength(2)
})

test('pictures in the list have small thumbnails', async () => {
  const visitor = await open('pictures')
  const thumbnail = visitor.page.locator('.row-thumbnail img').first()

  await thumbnail.waitFor()

  expect(await thumbnail.getAttribute('src')).toEndWith('?width=200')
  expect(await thumbnail.boundingBox()).toMatchObject({ width: 32, height: 32 })
})
