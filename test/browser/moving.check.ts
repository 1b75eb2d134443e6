import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Locator, Page } from 'playwright-core'
import { browseTexts } from '../../src/dashboard/texts/browse.ts'
import { dialogTexts } from '../../src/dashboard/texts/dialogs.ts'
import { texts } from '../../src/dashboard/texts.ts'
import { eventually } from '../support/eventually.ts'
import { chooseNew, clickBeside, item, openSite, pick } from './site.ts'
import { HAND, textFile } from './visitor.ts'

/** Moves and uploads by dropping and pasting, and their undo. */

const site = openSite()
const source = mkdtempSync(join(tmpdir(), 'holdfast-moving-'))
afterAll(() => rmSync(source, { recursive: true }))

const { put, namesIn, openFolder: open } = site

const notice = (page: Page, text: string) =>
  page.getByRole('region', { name: texts.notifications }).getByText(text).waitFor()

/** Drops a file of the desktop onto an element. */
async function dropFile(page: Page, name: string, onto: Locator): Promise<void> {
  writeFileSync(join(source, name), name)
  const devtools = await page.context().newCDPSession(page)
  const box = await onto.boundingBox()
  const at = { x: (box?.x ?? 0) + 8, y: (box?.y ?? 0) + 8 }
  const data = { items: [], files: [join(source, name)], dragOperationsMask: 1 }
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
    await devtools.send('Input.dispatchDragEvent', { type, ...at, data })
}

test.each(['List', 'Grid'])('a file dropped onto a folder of the %s goes into it', async (layout) => {
  const top = `onto-${layout}`
  await put(`${top}/box`, 'old.txt')
  const { page } = await open(top)
  await page.getByRole('button', { name: layout, exact: true }).click()

  await dropFile(page, 'new.txt', item(page, 'box'))

  await eventually(async () => (await namesIn(`${top}/box`)).length === 2)
  expect(await namesIn(top)).toEqual(['box'])
})

test('a file dropped onto the path or the navigation goes into that folder', async () => {
  await put('path/deep', 'old.txt')
  const { page } = await open('path/deep')

  await dropFile(page, 'up.txt', page.getByRole('link', { name: 'path', exact: true }))
  await eventually(async () => (await namesIn('path')).length === 2)
  await dropFile(page, 'top.txt', page.getByRole('link', { name: texts.pages.files, exact: true }).first())

  await eventually(async () => (await namesIn('')).includes('top.txt'))
  expect(await namesIn('path')).toEqual(['deep', 'up.txt'])
})

test('items dragged onto the path move there, and Ctrl+Z moves them back', async () => {
  await put('drag/deep', 'a.txt', 'b.txt', 'c.txt')
  const { page } = await open('drag/deep')
  await item(page, 'a.txt').click()
  await item(page, 'b.txt').click({ modifiers: ['ControlOrMeta'] })

  await item(page, 'b.txt').dragTo(page.getByRole('link', { name: 'drag', exact: true }))
  await notice(page, texts.files.moved('2 files', 'drag'))
  expect(await namesIn('drag')).toEqual(['a.txt', 'b.txt', 'deep'])
  await page.keyboard.press('ControlOrMeta+z')
  await notice(page, browseTexts.movedBack('2 files'))

  expect(await namesIn('drag/deep')).toEqual(['a.txt', 'b.txt', 'c.txt'])
})

test('items dragged onto the trash go there', async () => {
  await put('to-trash', 'a.txt', 'b.txt')
  const { page } = await open('to-trash')

  await item(page, 'a.txt').dragTo(page.getByRole('link', { name: texts.pages.trash, exact: true }))
  await notice(page, texts.trash.moved('“a.txt”'))

  expect(await namesIn('to-trash')).toEqual(['b.txt'])
})

test('a move back that a new file prevents says why', async () => {
  await put('taken', 'a.txt')
  await put('taken/deep', 'other.txt')
  const { page } = await open('taken')

  await item(page, 'a.txt').dragTo(item(page, 'deep'))
  await notice(page, texts.files.moved('1 file', 'deep'))
  await put('taken', 'a.txt')
  await page.getByRole('button', { name: texts.trash.undo }).click()
  await page.getByText(/1 item couldn’t be moved: .*a\.txt/).waitFor()

  expect(await namesIn('taken/deep')).toEqual(['a.txt', 'other.txt'])
})

test('a rename is undone by the button of its message', async () => {
  await put('names', 'old.txt')
  const { page } = await open('names')

  await page.getByRole('row', { name: /old\.txt/ }).press('F2')
  await page.getByLabel(texts.files.newName('old.txt')).fill('new.txt')
  await page.keyboard.press('Enter')
  await notice(page, browseTexts.renamed('new.txt'))
  await page.getByRole('button', { name: texts.trash.undo }).click()
  await notice(page, browseTexts.renamedBack('old.txt'))

  expect(await namesIn('names')).toEqual(['old.txt'])
})

test('cut items move to where they are pasted, copied ones stay', async () => {
  await put('clip', 'moved.txt', 'copied.txt')
  await put('clip/deep', 'old.txt')
  const { page } = await open('clip')

  await item(page, 'copied.txt').click()
  await page.keyboard.press('ControlOrMeta+c')
  await item(page, 'deep').dblclick()
  await item(page, 'old.txt').click()
  await page.keyboard.press('ControlOrMeta+v')
  await notice(page, browseTexts.copied('1 file', 'deep'))
  await page.keyboard.press('Backspace')
  await item(page, 'moved.txt').click()
  await page.keyboard.press('ControlOrMeta+x')
  await page.locator('.is-cut', { hasText: 'moved.txt' }).waitFor()
  // In its own folder it stays cut.
  await page.keyboard.press('ControlOrMeta+v')
  await item(page, 'deep').dblclick()
  await item(page, 'copied.txt').click({ button: 'right' })
  await page.keyboard.press('Escape')
  await page.getByRole('menu').waitFor({ state: 'detached' })
  await page.keyboard.press('ControlOrMeta+v')
  await notice(page, texts.files.moved('1 file', 'deep'))

  expect(await namesIn('clip')).toEqual(['copied.txt', 'deep'])
  expect(await namesIn('clip/deep')).toEqual(['copied.txt', 'moved.txt', 'old.txt'])
})

test('cut items move where the system changes the line ends of their names', async () => {
  await put('lines', 'a.txt', 'b.txt')
  await put('lines/deep', 'old.txt')
  const { page } = await open('lines')
  await item(page, 'a.txt').click()
  await item(page, 'b.txt').click({ modifiers: ['ControlOrMeta'] })
  const cut = await page.evaluate(`(() => {
    const clipboardData = new DataTransfer()
    document.body.dispatchEvent(new ClipboardEvent('cut', { clipboardData, bubbles: true, cancelable: true }))
    return clipboardData.getData('text/plain')
  })()`)
  await item(page, 'deep').dblclick()
  await item(page, 'old.txt').waitFor()

  await page.evaluate(`(() => {
    const clipboardData = new DataTransfer()
    clipboardData.setData('text/plain', ${JSON.stringify(cut)}.replaceAll('\\n', '\\r\\n'))
    document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
  })()`)
  await notice(page, texts.files.moved('2 files', 'deep'))

  expect(await namesIn('lines')).toEqual(['deep'])
})

test('a pasted picture is uploaded under a name with the time', async () => {
  await put('pictures', 'old.txt')
  const { page } = await open('pictures')
  await item(page, 'old.txt').waitFor()

  await page.evaluate(`(() => {
    const clipboardData = new DataTransfer()
    clipboardData.items.add(new File(['x'], 'image.png', { type: 'image/png' }))
    document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
  })()`)
  await page.getByText(texts.uploads.done('1 file')).waitFor()

  expect(await namesIn('pictures')).toEqual([expect.stringMatching(/^Pasted 20.*\.png$/), 'old.txt'])
})

test('the dialog that moves items creates a folder for them', async () => {
  await put('dialog', 'a.txt')
  const { page } = await open('dialog')

  await item(page, 'a.txt').click({ button: 'right' })
  await page.getByRole('menuitem', { name: texts.files.move, exact: true }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: texts.files.newFolder }).click()
  await dialog.getByLabel(dialogTexts.folderName).fill('made')
  await page.keyboard.press('Enter')
  await dialog.getByRole('button', { name: dialogTexts.moveTo('made') }).click()
  await notice(page, texts.files.moved('1 file', 'made'))

  expect(await namesIn('dialog/made')).toEqual(['a.txt'])
})

const createFolder = async (page: Page, name: string) => {
  await chooseNew(page, texts.files.newFolder)
  await page.getByLabel(dialogTexts.folderName).fill(name)
  await page.keyboard.press('Enter')
  await item(page, name).waitFor()
}

test.each([
  [
    'a change of visibility',
    async (page: Page) => {
      await item(page, 'b.txt').click({ button: 'right' })
      await page.getByRole('menuitem', { name: texts.files.makePrivate }).click()
      await notice(page, 'private')
    },
  ],
  [
    'an upload',
    async (page: Page) => {
      await pick(page, textFile('c.txt'))
      await page.getByText(texts.uploads.done('1 file')).waitFor()
    },
  ],
  ['a new folder', (page: Page) => createFolder(page, 'new')],
])('Ctrl+Z after %s does not undo the move before it', async (what, change) => {
  const top = what.replaceAll(' ', '-')
  await put(top, 'a.txt', 'b.txt')
  await put(`${top}/deep`, 'other.txt')
  const { page } = await open(top)
  await item(page, 'a.txt').dragTo(item(page, 'deep'))
  await notice(page, texts.files.moved('1 file', 'deep'))

  await change(page)
  await page.keyboard.press('ControlOrMeta+z')
  // The move back would be sent before.
  await createFolder(page, 'later')

  expect(await namesIn(`${top}/deep`)).toEqual(['a.txt', 'other.txt'])
})

test('a cut ends when one of its items moves in another way', async () => {
  await put('cut', 'a.txt', 'b.txt')
  await put('cut/deep', 'old.txt')
  const { page } = await open('cut')
  await item(page, 'a.txt').click()
  await page.keyboard.press('ControlOrMeta+x')
  await page.locator('.is-cut', { hasText: 'a.txt' }).waitFor()

  await item(page, 'a.txt').dragTo(item(page, 'deep'))
  await notice(page, texts.files.moved('1 file', 'deep'))
  await clickBeside(page, 'right')
  await page.getByRole('menuitem', { name: texts.files.selectAll }).waitFor()

  expect(await page.getByRole('menuitem', { name: browseTexts.paste }).count()).toBe(0)
})

test.each(['List', 'Grid'])(
  'a drag in the %s without an end does not continue in the next one',
  async (layout) => {
    await put(`lost-${layout}`, 'a.txt')
    await put(`lost-${layout}/deep`, 'old.txt')
    const { page } = await open(`lost-${layout}`)
    await page.getByRole('button', { name: layout, exact: true }).click()
    await item(page, 'a.txt').waitFor()
    const isTarget = (dragged: string) =>
      page.evaluate(`(() => {
      const drag = (type, selector) => document.querySelector(selector).dispatchEvent(
        new DragEvent(type, { dataTransfer: new DataTransfer(), bubbles: true, cancelable: true }))
      drag('dragstart', ${JSON.stringify(dragged)})
      drag('dragover', '[data-index="0"]')
      return document.querySelector('[data-index="0"]').classList.contains('is-drop-target')
    })()`)

    expect(await isTarget('[data-index="1"] .item-name')).toBe(true)
    expect(await isTarget('h1')).toBe(false)
  },
)

/** Opens the menu of the folder over an empty list with a long press. */
async function pressLong(page: Page): Promise<void> {
  const devtools = await page.context().newCDPSession(page)
  const box = await page.locator('.empty h2').boundingBox()
  const at = { x: (box?.x ?? 0) + 5, y: (box?.y ?? 0) + 5 }
  await devtools.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [at] })
  await page.getByRole('menu').waitFor()
  await devtools.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
}

test('the menu of an empty folder pastes', async () => {
  await put('to-empty', 'a.txt', 'b.txt')
  await site.admin.api.createFolder('to-empty/right')
  await site.admin.api.createFolder('to-empty/long')
  const { page } = await open('to-empty')

  await item(page, 'a.txt').click()
  await page.keyboard.press('ControlOrMeta+x')
  await item(page, 'right').dblclick()
  await page.getByText(texts.files.emptyFolder).click({ button: 'right' })
  expect(await page.getByRole('menuitem').allInnerTexts()).toEqual([
    'New folder',
    'New text file',
    'Upload files',
    'Upload folder',
    expect.stringContaining('Paste'),
  ])
  await page.getByRole('menuitem', { name: browseTexts.paste }).click()
  await notice(page, texts.files.moved('1 file', 'right'))
  expect(await namesIn('to-empty/right')).toEqual(['a.txt'])

  const phone = await open('to-empty', HAND)
  await item(phone.page, 'Actions for b.txt').tap()
  await phone.page.getByRole('menuitem', { name: browseTexts.cut }).tap()
  await item(phone.page, 'long').tap()
  await phone.page.getByText(texts.files.emptyFolder).waitFor()
  await pressLong(phone.page)
  await phone.page.getByRole('menuitem', { name: browseTexts.paste }).tap()
  await notice(phone.page, texts.files.moved('1 file', 'long'))
  expect(await namesIn('to-empty/long')).toEqual(['b.txt'])
})

test.each([
  ['a phone', HAND],
  ['a desk', {}],
])('on %s a button pastes into another folder, for as long as something is held', async (where, how) => {
  const top = `held-${where.replace(' ', '-')}`
  await put(top, 'a.txt')
  await put(`${top}/deep`, 'old.txt')
  const { page } = await open(top, how)
  const paste = page.getByRole('button', { name: browseTexts.paste })

  await item(page, 'Actions for a.txt').click()
  await page.getByRole('menuitem', { name: browseTexts.cut }).click()
  await notice(page, '1 file cut')
  expect(await paste.count()).toBe(0)
  await page.getByRole('row', { name: /deep/ }).press('Enter')
  await item(page, 'old.txt').waitFor()
  await paste.click()
  await notice(page, texts.files.moved('1 file', 'deep'))

  expect(await paste.count()).toBe(0)
  expect(await namesIn(`${top}/deep`)).toEqual(['a.txt', 'old.txt'])
})

test('the message about what is held leaves with the paste and with the next cut', async () => {
  await put('messages', 'a.txt', 'b.txt')
  await put('messages/deep', 'old.txt')
  const { page } = await open('messages')
  const about = (what: string) => page.getByRole('region', { name: texts.notifications }).getByText(what)

  await item(page, 'a.txt').click()
  await page.keyboard.press('ControlOrMeta+c')
  await about('1 file copied').waitFor()
  await item(page, 'b.txt').click({ modifiers: ['ControlOrMeta'] })
  await page.keyboard.press('ControlOrMeta+x')
  await about('2 files cut').waitFor()
  expect(await about('1 file copied').count()).toBe(0)
  await item(page, 'deep').dblclick()
  await item(page, 'old.txt').waitFor()
  await page.keyboard.press('ControlOrMeta+v')
  await notice(page, texts.files.moved('2 files', 'deep'))

  expect(await about('2 files cut').count()).toBe(0)
})
