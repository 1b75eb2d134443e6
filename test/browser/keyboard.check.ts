import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { browseTexts } from '../../src/dashboard/texts/browse.ts'
import { texts } from '../../src/dashboard/texts.ts'
import { openSite } from './site.ts'
import { PHONE } from './visitor.ts'

/** Focus of the keyboard across dialogs, menus and deletes. */

const site = openSite()

const open = site.openFolder
const { put } = site

const row = (page: Page, name: string) => page.getByRole('row', { name: new RegExp(name) })

/** Waits until the element of the selector has the focus. */
const focused = (page: Page, selector: string) => page.locator(`${selector}:focus`).waitFor()

test('a dialog returns the focus to the menu that opened it', async () => {
  await put('menu', 'a.txt')
  const { page } = await open('menu')

  for (const action of ['Details', 'Share']) {
    await page.getByRole('button', { name: texts.files.actionsOf('a.txt') }).press('Enter')
    await page.getByRole('menuitem', { name: action }).press('Enter')
    await page.getByRole('dialog').waitFor()
    await page.keyboard.press('Escape')
    await focused(page, '[aria-label="Actions for a.txt"]')
  }
})

test('a completed or canceled rename returns the focus to the item', async () => {
  await put('names', 'a.txt', 'b.txt')
  const { page } = await open('names')
  await row(page, 'b.txt').focus()

  await page.keyboard.press('F2')
  await page.getByLabel(texts.files.newName('b.txt')).press('Escape')
  await focused(page, '[data-index="1"]')
  await page.keyboard.press('F2')
  await page.getByLabel(texts.files.newName('b.txt')).fill('c.txt')
  await page.keyboard.press('Enter')
  await row(page, 'c.txt').waitFor()

  await focused(page, '[data-index="1"]')
})

/** Confirms the open dialog once its folders are counted: Enter has no effect on a disabled button. */
const confirmDelete = (page: Page) =>
  page
    .getByRole('dialog')
    .getByRole('button', { name: texts.files.deleteForGood, disabled: false })
    .press('Enter')

test('the dialog that deletes a file for good can be confirmed as soon as it opens', async () => {
  await put('quick', 'a.txt')
  const { page } = await open('quick')
  await row(page, 'a.txt').focus()
  await page.evaluate(`
    new MutationObserver((_, observer) => {
      const button = document.querySelector('[role=dialog] .button-danger')
      if (!button) return
      observer.disconnect()
      document.documentElement.dataset.opened = button.disabled ? 'disabled' : 'ready'
    }).observe(document.body, { childList: true, subtree: true })`)

  await page.keyboard.press('Shift+Delete')
  await confirmDelete(page)

  expect(await page.evaluate('document.documentElement.dataset.opened')).toBe('ready')
})

test('the delete of an item moves the focus to the one in its place', async () => {
  await put('going', 'a.txt', 'b.txt')
  await put('going/deep', 'c.txt')
  const { page } = await open('going')

  await row(page, 'a.txt').focus()
  await page.keyboard.press('Delete')
  await row(page, 'a.txt').waitFor({ state: 'detached' })
  await focused(page, '[data-index="1"]')
  await row(page, 'deep').focus()
  await page.keyboard.press('Shift+Delete')
  await confirmDelete(page)
  await row(page, 'deep').waitFor({ state: 'detached' })

  await focused(page, '[data-index="0"]')
})

test('an opened folder has the focus and does not lose it on scroll', async () => {
  await put('top/many', ...Array.from({ length: 60 }, (_, n) => `${n}.txt`))
  const { page } = await open('top')

  await row(page, 'many').press('Enter')
  await focused(page, '[data-index="0"][aria-rowindex="2"]')
  await page.evaluate("document.querySelector('.collection').scrollTo(0, 1e6)")
  await page.locator('[data-index="59"]').waitFor()
  await page.keyboard.press('ArrowDown')

  await focused(page, '[data-index="1"]')
  expect(await page.locator('[data-index][tabindex="0"]').count()).toBe(1)
})

test('Caps Lock changes no shortcut of the page', async () => {
  await put('capitals', 'a.txt', 'b.txt')
  const { page } = await open('capitals')
  await row(page, 'a.txt').waitFor()

  await page.keyboard.press('ControlOrMeta+A')

  await page.getByText(texts.files.selected('2 files')).waitFor()
})

test('on a phone the menu opens pages, and closes when it opens the account', async () => {
  const { page } = await site.open('/keys', { viewport: PHONE })
  const menu = page.getByRole('button', { name: texts.frame.menu, exact: true })

  await menu.click()
  await page.getByRole('dialog').getByRole('link', { name: texts.pages.files }).click()
  await page.getByRole('heading', { level: 1, name: texts.pages.files }).waitFor()
  await menu.click()
  await page.getByRole('button', { name: new RegExp(site.admin.email) }).click()
  await page.getByRole('menuitem', { name: texts.pages.account }).click()
  await page.getByRole('heading', { level: 1, name: texts.pages.account }).waitFor()

  await page.getByRole('dialog').waitFor({ state: 'detached' })
})

test('a refused name stays in its field, with the reason', async () => {
  await put('refused', 'a.txt', 'b.txt')
  const { page } = await open('refused')
  const field = page.getByLabel(texts.files.newName('a.txt'))
  await row(page, 'a.txt').press('F2')

  await field.fill('b.txt')
  await field.press('Enter')
  await page.getByText(texts.errors.names.taken('b.txt')).waitFor()
  expect(await field.inputValue()).toBe('b.txt')
  await field.fill('x/y.txt')
  await field.press('Enter')
  await page.getByText('A name can’t contain “/”, “\\” or line breaks.').waitFor()
  expect(await field.inputValue()).toBe('x/y.txt')
  await field.fill('c.txt')
  await field.press('Enter')

  await row(page, 'c.txt').waitFor()
})

test('Delete takes the selection, and F2 renames it, wherever the focus is', async () => {
  await put('anywhere', 'a.txt', 'b.txt', 'c.txt')
  const { page } = await open('anywhere')

  await page.getByRole('checkbox', { name: texts.files.select('a.txt') }).focus()
  await page.keyboard.press('Space')
  await page.keyboard.press('Delete')
  await page.getByText(texts.trash.moved('“a.txt”')).waitFor()
  await row(page, 'b.txt').click()
  await page.getByRole('button', { name: texts.files.clearSelection }).focus()
  await page.keyboard.press('F2')
  await page.getByLabel(texts.files.newName('b.txt')).press('Escape')
  await page.getByRole('checkbox', { name: texts.files.selectAll }).click()
  await page.keyboard.press('Delete')

  await page.getByText(texts.files.emptyFolder).waitFor()
})

test('the account menu shows the keyboard shortcuts on any page', async () => {
  const { page, complaints } = await site.open('/account')
  const button = page.getByRole('button', { name: new RegExp(site.admin.email) })

  await button.click()
  await page.getByRole('menuitem', { name: browseTexts.help.title }).click()
  await page.getByRole('dialog', { name: browseTexts.help.title }).getByText('Jump to a name').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })

  expect(await button.evaluate((it) => it === it.ownerDocument.activeElement)).toBe(true)
  expect(complaints).toEqual([])
})
