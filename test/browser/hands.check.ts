import { beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { browseTexts } from '../../src/dashboard/texts/browse.ts'
import { dialogTexts } from '../../src/dashboard/texts/dialogs.ts'
import { texts } from '../../src/dashboard/texts.ts'
import { eventually } from '../support/eventually.ts'
import { clickBeside, item, openSite, pick } from './site.ts'
import { becomesTrue, HAND, hold, seriousFindings, textFile } from './visitor.ts'

/** Selecting and opening with the mouse and with a finger. */

const site = openSite()
beforeAll(async () => {
  await put('few', 'a.txt', 'b.txt', 'c.txt')
  await put('few/deep', 'inner.txt')
  await put('many', ...Array.from({ length: 90 }, (_, n) => `${String(n).padStart(2, '0')}.txt`))
})

const { put } = site

const open = site.openFolder

/** Returns the names of the selected items that are rendered. */
const selected = (page: Page): Promise<string[]> =>
  page.evaluate(
    `[...document.querySelectorAll('[data-index][aria-selected=true] .item-name')].map((name) => name.textContent)`,
  )

/** Waits for a selection that follows the pointer in the page's own time. */
const selects = (page: Page, names: string[]) =>
  eventually(async () => JSON.stringify(await selected(page)) === JSON.stringify(names))

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor()

test.each(['List', 'Grid'])(
  'a click selects one item in the %s, modifiers add, a double click opens',
  async (layout) => {
    const { page } = await open('few')
    await page.getByRole('button', { name: layout, exact: true }).click()

    await item(page, 'a.txt').click()
    expect(await selected(page)).toEqual(['a.txt'])
    await item(page, 'b.txt').click()
    expect(await selected(page)).toEqual(['b.txt'])
    await item(page, 'deep').click({ modifiers: ['ControlOrMeta'] })
    expect(await selected(page)).toEqual(['deep', 'b.txt'])
    await item(page, 'c.txt').click({ modifiers: ['Shift'] })
    expect(await selected(page)).toEqual(['deep', 'a.txt', 'b.txt', 'c.txt'])
    await item(page, 'deep').dblclick()

    await heading(page, 'deep')
  },
)

test('the arrow keys move the selection of a click, Enter opens it, a click beside it clears it', async () => {
  const { page } = await open('few')

  await item(page, 'a.txt').click()
  await page.keyboard.press('ArrowUp')
  expect(await selected(page)).toEqual(['deep'])
  // The key arrives before the next frame, which may take long.
  await page.evaluate('window.frames0 = requestAnimationFrame; window.requestAnimationFrame = () => 0')
  await clickBeside(page)
  expect(await selected(page)).toEqual([])
  await page.keyboard.press('Enter')
  await page.evaluate('window.requestAnimationFrame = window.frames0')

  await heading(page, 'deep')
})

test('the box that selects all shows that only some are selected', async () => {
  const { page } = await open('few')
  const isMixed = () => page.evaluate('document.querySelector("[aria-label=\'Select all\']").indeterminate')

  await item(page, 'a.txt').click()
  expect(await isMixed()).toBe(true)
  await page.getByRole('checkbox', { name: texts.files.selectAll }).check()

  expect(await isMixed()).toBe(false)
  expect(await selected(page)).toEqual(['deep', 'a.txt', 'b.txt', 'c.txt'])
})

test('a click on a box with Shift selects everything up to it', async () => {
  const { page } = await open('few')
  const box = (name: string) => page.getByRole('checkbox', { name: texts.files.select(name) })

  await box('a.txt').click()
  expect(await selected(page)).toEqual(['a.txt'])
  await box('c.txt').click({ modifiers: ['Shift'] })

  expect(await selected(page)).toEqual(['a.txt', 'b.txt', 'c.txt'])
  expect(await box('b.txt').isChecked()).toBe(true)
})

test.each(['List', 'Grid'])(
  'a rubber band in the %s selects what it touches, also out of view',
  async (layout) => {
    const { page } = await open('many', { viewport: { width: 1280, height: 700 } })
    await page.getByRole('button', { name: layout, exact: true }).click()
    await item(page, '00.txt').waitFor()
    const first = await page.locator('[data-index="0"]').boundingBox()
    const second = await page.locator('[data-index="1"]').boundingBox()
    const [x, y] = [(first?.x ?? 0) + (first?.width ?? 0), first?.y ?? 0]
    const start = layout === 'List' ? { x: x - 250, y: y + 8 } : { x: x + 4, y: y + 30 }
    const target = { x: (second?.x ?? 0) + 40, y: (second?.y ?? 0) + 30 }

    await page.mouse.move(start.x, start.y)
    await page.mouse.down()
    await page.mouse.move(target.x, target.y, { steps: 4 })
    await selects(page, layout === 'List' ? ['00.txt', '01.txt'] : ['01.txt'])
    await page.locator('.rubber-band').waitFor()
    // At the lower edge the list scrolls.
    await page.mouse.move(1270, 695, { steps: 4 })
    await eventually(async () => (await selected(page)).includes('89.txt'))
    await page.mouse.up()

    const counted = layout === 'List' ? '90 files selected' : / files selected/
    await page.getByText(counted).waitFor()
    expect(await page.locator('.rubber-band').count()).toBe(0)
  },
)

test('Escape during a rubber band restores the selection before it', async () => {
  const { page } = await open('few')
  await item(page, 'c.txt').click()
  const list = await page.getByRole('grid').boundingBox()
  const [x, bottom] = [(list?.x ?? 0) + 300, (list?.y ?? 0) + (list?.height ?? 0)]

  await page.mouse.move(x, bottom + 40)
  await page.mouse.down()
  await page.mouse.move(x + 20, bottom - 60, { steps: 3 })
  await selects(page, ['b.txt', 'c.txt'])
  await page.keyboard.press('Escape')
  await page.mouse.up()

  expect(await selected(page)).toEqual(['c.txt'])
})

test('a tap opens, a long press selects, and taps add to the selection', async () => {
  const { page } = await open('few', HAND)
  const devtools = await page.context().newCDPSession(page)
  const box = await item(page, 'a.txt').boundingBox()
  const [x, y] = [(box?.x ?? 0) + 5, (box?.y ?? 0) + 5]

  await devtools.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [{ x, y }] })
  await eventually(async () => (await selected(page)).length === 1)
  await devtools.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
  await item(page, 'b.txt').tap()
  expect(await selected(page)).toEqual(['a.txt', 'b.txt'])
  await page.getByRole('button', { name: texts.files.clearSelection }).tap()
  await item(page, 'deep').tap()

  await heading(page, 'deep')
})

const menuItem = (page: Page, name: string) => page.getByRole('menuitem', { name, exact: true })

async function menuEntries(page: Page): Promise<string[]> {
  await page.getByRole('menuitem').first().waitFor()
  return page.evaluate(
    `[...document.querySelectorAll('[role=menuitem]')].map((entry) => entry.childNodes[1].textContent)`,
  )
}

test('a right click shows the commands of the menu button, and acts on the item', async () => {
  await put('menus', 'one.txt')
  const { page } = await open('menus')
  await page.getByRole('button', { name: texts.files.actionsOf('one.txt') }).click()
  const ofButton = await menuEntries(page)
  await page.keyboard.press('Escape')
  await page.getByRole('menu').waitFor({ state: 'detached' })

  await item(page, 'one.txt').click({ button: 'right' })
  expect(await selected(page)).toEqual(['one.txt'])
  expect(await menuEntries(page)).toEqual(ofButton)
  await menuItem(page, texts.files.rename).click()
  await page.getByLabel(texts.files.newName('one.txt')).fill('two.txt')
  await page.keyboard.press('Enter')

  await item(page, 'two.txt').waitFor()
})

test('a right click in the selection acts on all of it, one beside the items on the folder', async () => {
  await put('several', 'a.txt', 'b.txt', 'c.txt')
  const { page } = await open('several')
  await item(page, 'a.txt').click()
  await item(page, 'b.txt').click({ modifiers: ['ControlOrMeta'] })

  await item(page, 'b.txt').click({ button: 'right' })
  expect(await seriousFindings(page)).toEqual([])
  await menuItem(page, texts.files.delete).click()
  await page.getByText(texts.trash.moved('2 files')).waitFor()
  await clickBeside(page, 'right')
  expect(await menuEntries(page)).toEqual([
    'New folder',
    'New text file',
    'Upload files',
    'Upload folder',
    'Select all',
  ])
  await menuItem(page, texts.files.newFolder).click()
  await page.getByLabel(dialogTexts.folderName).fill('made')
  await page.keyboard.press('Enter')

  await item(page, 'made').waitFor()
})

test('the keyboard opens the menu, and its end returns the focus to the item', async () => {
  const { page } = await open('few')
  await page.getByRole('row', { name: /a\.txt/ }).focus()

  for (const key of ['Shift+F10', 'ContextMenu']) {
    await page.keyboard.press(key)
    await page.getByRole('menu').waitFor()
    await page.keyboard.press('Escape')
    await page.locator('[data-index="1"]:focus').waitFor()
  }
})

test('the key of the menu opens it again as soon as the item has the focus', async () => {
  const { page } = await open('few')
  await page.getByRole('row', { name: /a\.txt/ }).focus()
  await page.keyboard.press('ContextMenu')
  await page.getByRole('menu').waitFor()
  await page.evaluate(`document.querySelector('[data-index="1"]').addEventListener('focus', ({ target }) => {
    window.isAgain = true
    target.dispatchEvent(new KeyboardEvent('keydown', { key: 'ContextMenu', bubbles: true }))
  }, { once: true })`)

  await page.keyboard.press('Escape')

  await becomesTrue(page, 'window.isAgain')
  await page.getByRole('menu').waitFor()
})

test('typing jumps to a name, Backspace and Alt+Up go to the folder above', async () => {
  await put('up/mid', 'zebra.txt', 'Ärger.txt', 'arm.txt')
  const { page } = await open('up/mid')
  const focused = (name: string) => page.locator('[data-index]:focus', { hasText: name }).waitFor()
  await page.getByRole('row', { name: /zebra/ }).focus()

  await page.keyboard.type('arg')
  await focused('Ärger.txt')
  await page.keyboard.press('Backspace')
  await heading(page, 'up')
  await page.keyboard.press('Alt+ArrowUp')

  await heading(page, 'Files')
})

test('"?" shows the shortcuts, and "/" begins a search', async () => {
  const { page, complaints } = await open('few')
  await item(page, 'a.txt').click()

  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: browseTexts.help.title }).waitFor()
  expect(await seriousFindings(page)).toEqual([])
  await page.keyboard.press('Escape')
  await page.locator('[data-index="1"]:focus').waitFor()
  await page.keyboard.press('/')
  await page.keyboard.type('b.t')

  await page.getByRole('row', { name: /a\.txt/ }).waitFor({ state: 'detached' })
  expect(complaints).toEqual([])
})

test.each([390, 760])(
  'a double click opens in a window of %d pixels, where nothing moves between its clicks',
  async (width) => {
    const { page } = await open('few', { viewport: { width, height: 844 } })
    const top = async () => (await item(page, 'b.txt').boundingBox())?.y
    await item(page, 'b.txt').waitFor()
    const before = await top()

    await item(page, 'b.txt').click()
    expect(await top()).toBe(before)
    await item(page, 'deep').dblclick()

    await heading(page, 'deep')
  },
)

test('a shorter range takes the place of a longer one, by click and by key', async () => {
  const { page } = await open('few')

  await item(page, 'deep').click()
  await item(page, 'c.txt').click({ modifiers: ['Shift'] })
  expect(await selected(page)).toEqual(['deep', 'a.txt', 'b.txt', 'c.txt'])
  await item(page, 'b.txt').click({ modifiers: ['Shift'] })
  expect(await selected(page)).toEqual(['deep', 'a.txt', 'b.txt'])
  await page.keyboard.press('Shift+ArrowUp')

  expect(await selected(page)).toEqual(['deep', 'a.txt'])
})

test.each(['List', 'Grid'])(
  'a file that arrives above in the %s leaves the name being typed',
  async (layout) => {
    const folder = `typing-${layout}`
    await put(folder, 'b.txt')
    const { page } = await open(folder)
    await page.getByRole('button', { name: layout, exact: true }).click()
    const held = await hold(page, '**/api/files')
    await pick(page, textFile('a.txt'))

    await page.locator('[data-index="0"]').press('F2')
    const field = page.getByLabel(texts.files.newName('b.txt'))
    await field.fill('renamed.txt')
    held.release()
    await item(page, 'a.txt').waitFor()
    expect(await field.inputValue()).toBe('renamed.txt')
    await page.locator('.rename-field:focus').waitFor()
    await page.keyboard.press('Enter')

    await item(page, 'renamed.txt').waitFor()
  },
)
