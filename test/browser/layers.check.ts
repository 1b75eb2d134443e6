import { beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { browseTexts } from '../../src/dashboard/texts/browse.ts'
import { texts } from '../../src/dashboard/texts.ts'
import { chooseNew, item, openSite } from './site.ts'
import { becomesTrue } from './visitor.ts'

/** Escape with several layers above each other: previews, dialogs, menus, panels and fields. */

const site = openSite()
beforeAll(async () => {
  await site.put('layers', 'a.txt', 'b.txt')
})

const open = () => site.openFolder('layers')

const row = (page: Page, name: string) => page.getByRole('row', { name: new RegExp(name) })

/** Presses Escape as soon as an element is added, before any later task of the page. */
const escapeOnceAdded = (page: Page, selector: string) =>
  page.evaluate(`new MutationObserver((_, observer) => {
    if (!document.querySelector(${JSON.stringify(selector)})) return
    observer.disconnect()
    document.activeElement.dispatchEvent(
      new KeyboardEvent('keydown', { key: 'Escape', bubbles: true, cancelable: true }))
    document.body.dataset.escaped = 'true'
  }).observe(document.body, { childList: true, subtree: true })`)

const wasEscaped = (page: Page) => page.locator('[data-escaped]').waitFor()

test('Escape in the moment a dialog appears closes it, not the preview below', async () => {
  const { page } = await open()
  await row(page, 'a.txt').press('Enter')
  const preview = page.getByRole('dialog', { name: 'a.txt', exact: true })
  await preview.waitFor()
  await escapeOnceAdded(page, '.dialog')

  await page.getByRole('button', { name: texts.files.share }).click()
  await wasEscaped(page)
  await page.locator('.dialog').waitFor({ state: 'detached' })

  await page.locator('[aria-label="Share"]:focus').waitFor()
  expect(await preview.isVisible()).toBe(true)
})

test('Escape in the moment a menu appears closes it', async () => {
  const { page } = await open()
  await escapeOnceAdded(page, '[role=menu]')

  await row(page, 'a.txt').press('Shift+F10')
  await wasEscaped(page)

  await page.getByRole('menu').waitFor({ state: 'detached' })
  await page.locator('[role=row][data-index="0"]:focus').waitFor()
})

test('a menu that closes as it appears is gone in the next frame, and leaves the focus where a key put it', async () => {
  const { page } = await open()
  const field = page.getByRole('textbox', { name: texts.files.newName('a.txt') })
  await escapeOnceAdded(page, '[role=menu]')
  await page.evaluate(`new MutationObserver((_, observer) => {
    if (!document.body.dataset.escaped) return
    requestAnimationFrame(() => { window.isGone = document.querySelector('[role=menu]') === null })
    if (document.querySelector('[role=menu]')) return
    observer.disconnect()
    const row = document.querySelector('[role=row][data-index="0"]')
    row.focus()
    row.dispatchEvent(new KeyboardEvent('keydown', { key: 'F2', bubbles: true, cancelable: true }))
    // Radix returns the focus in a task of its own.
    setTimeout(() => { document.body.dataset.renamed = 'true' })
  }).observe(document.body, { childList: true, subtree: true })`)

  await page.getByRole('button', { name: texts.files.actionsOf('a.txt') }).click()
  await page.locator('[data-renamed]').waitFor()

  expect(await page.evaluate('window.isGone')).toBe(true)
  expect(await field.count()).toBe(1)
  await field.press('Escape')
  await page.keyboard.press('ControlOrMeta+a')
  await page.getByRole('region', { name: texts.files.selection }).waitFor()
})

test('Escape in a name being typed ends the rename, and the details stay', async () => {
  const { page } = await open()
  await row(page, 'a.txt').press('Shift+F10')
  await page.getByRole('menuitem', { name: texts.files.details }).click()
  const details = page.getByRole('dialog', { name: 'a.txt' })
  await details.waitFor()
  await row(page, 'b.txt').press('F2')
  const field = page.getByRole('textbox', { name: texts.files.newName('b.txt') })
  await field.fill('c.txt')

  await field.press('Escape')
  await field.waitFor({ state: 'detached' })

  await page.locator('[role=row][data-index="1"]:focus').waitFor()
  expect(await details.isVisible()).toBe(true)
  await page.keyboard.press('Escape')
  await details.waitFor({ state: 'detached' })
  expect(await row(page, 'b.txt').count()).toBe(1)
})

test('a menu lies above a message and takes its clicks', async () => {
  const { page } = await open()
  await item(page, 'a.txt').click()
  await page.keyboard.press('ControlOrMeta+c')
  const toast = page.getByText('1 file copied')
  await toast.waitFor()
  const menu = page.getByRole('menu')
  const openAt = async (x: number, y: number) => {
    await page.mouse.click(x, y, { button: 'right' })
    await menu.waitFor()
    await page.getByRole('menuitem', { name: browseTexts.paste }).waitFor()
    return menu.boundingBox()
  }
  const [around, height] = [await toast.boundingBox(), page.viewportSize()?.height ?? 0]
  const x = around?.x ?? 0
  const first = await openAt(x, 400)
  await page.keyboard.press('Escape')
  await menu.waitFor({ state: 'detached' })
  // As low as it opens downward, which is over the message.
  const lowest = await openAt(x, height - (first?.height ?? 0) - 12)
  expect((lowest?.y ?? 0) + (lowest?.height ?? 0)).toBeGreaterThan(around?.y ?? height)

  const isCovered = await page.evaluate(`[...document.querySelectorAll('[role=menuitem]')].some((entry) => {
    const { left, top, width, height } = entry.getBoundingClientRect()
    return !entry.contains(document.elementFromPoint(left + width / 2, top + height / 2))
  })`)

  expect(isCovered).toBe(false)
})

/** Script that notes each element that comes back to fade: whether it is hidden, and whether it has roles. */
const WATCH = `(async () => {
  const { name } = performance.getEntriesByType('resource').find(({ name }) => name.includes('/leaving-'))
  await import(name)
  window.leaving = []
  new MutationObserver((records) => {
    for (const node of records.flatMap(({ addedNodes }) => [...addedNodes]))
      if (node.inert) leaving.push([node.classList[0], node.ariaHidden, node.innerHTML.includes('role=')])
  }).observe(document.body, { childList: true, subtree: true })
})()`

/** Opens a folder in a page that moves. */
async function openMoving(folder: string): Promise<Page> {
  const { page } = await site.openFolder(folder, { reducedMotion: 'no-preference' })
  await becomesTrue(
    page,
    "performance.getEntriesByType('resource').some(({ name }) => name.includes('/leaving-'))",
  )
  return page
}

test('a dialog fades after it has left, and is no part of the page meanwhile', async () => {
  const page = await openMoving('layers')
  await chooseNew(page, texts.files.newFolder)
  await page.getByRole('dialog', { name: texts.files.newFolder }).waitFor()
  await page.evaluate(WATCH)

  await page.keyboard.press('Escape')

  expect(await page.getByRole('dialog').count()).toBe(0)
  await page.locator('.dialog').waitFor({ state: 'detached' })
  expect(await page.evaluate('leaving')).toEqual([
    ['dialog-backdrop', 'true', false],
    ['dialog', 'true', false],
  ])
})

test('a row that is deleted fades, and one that is scrolled away does not', async () => {
  await site.putMany('rows', 60)
  const page = await openMoving('rows')
  await page.evaluate(WATCH)
  await page.getByRole('grid').evaluate((list) => list.scrollTo(0, list.scrollHeight))
  await item(page, '59.txt').waitFor()
  await item(page, '5.txt').waitFor({ state: 'detached' })
  expect(await page.evaluate('leaving')).toEqual([])

  await row(page, '59.txt').press('Delete')
  await item(page, '59.txt').waitFor({ state: 'detached' })

  await becomesTrue(page, "document.querySelector('.collection-item[inert]') === null")
  expect(await page.evaluate('leaving')).toEqual([['collection-item', 'true', false]])
})
