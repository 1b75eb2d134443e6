import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { browseTexts } from '../../src/dashboard/texts/browse.ts'
import { dialogTexts } from '../../src/dashboard/texts/dialogs.ts'
import { texts } from '../../src/dashboard/texts.ts'
import { eventually } from '../support/eventually.ts'
import { openSite } from './site.ts'
import { seriousFindings } from './visitor.ts'

/** The dialog that chooses where items move: by name, and folder by folder. */

const site = openSite()
const { put, namesIn } = site

/** Opens a folder's page and the dialog for one of its items. */
async function openDialog(folder: string, name: string) {
  const visitor = await site.openFolder(folder)
  await visitor.page.getByRole('button', { name, exact: true }).click({ button: 'right' })
  await visitor.page.getByRole('menuitem', { name: texts.files.move, exact: true }).click()
  await visitor.page.getByRole('dialog').waitFor()
  return visitor
}

const field = (page: Page) => page.getByRole('combobox', { name: browseTexts.findFolder })

const found = (page: Page) => page.getByRole('option').allInnerTexts()

test('a target far away is found by its name and chosen by the keyboard', async () => {
  await put('find/photos/raw photos', 'inside.txt')
  await put('find/old photos', 'old.txt')
  await put('archive/2024/photos', 'kept.txt')
  const { page, complaints } = await openDialog('find', 'photos')

  await page.locator(':focus').pressSequentially('photo')
  await eventually(async () => (await found(page)).length === 2)
  expect(await found(page)).toEqual(['photos\narchive/2024\njust now', 'old photos\nfind\njust now'])
  await page.getByText('2 found').waitFor()
  expect(await seriousFindings(page)).toEqual([])
  await field(page).press('ArrowDown')
  await page.getByRole('option', { name: /old photos/, selected: true }).waitFor()
  await field(page).press('ArrowUp')
  await page.getByRole('option', { name: /2024/, selected: true }).waitFor()
  await field(page).press('Enter')
  await page.getByRole('button', { name: dialogTexts.moveTo('photos') }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByText(texts.files.moved('1 folder', 'photos')).waitFor()

  expect(await namesIn('find')).toEqual(['old photos'])
  expect(await namesIn('archive/2024/photos')).toEqual(['kept.txt', 'photos'])
  expect(complaints).toEqual([])
})

test('arrow keys walk from the field through the folders, and Enter opens one', async () => {
  await put('walk', 'a.txt')
  await put('walk/one/deep', 'b.txt')
  await put('walk/two', 'c.txt')
  const { page } = await openDialog('walk', 'a.txt')
  const dialog = page.getByRole('dialog')
  const focused = (name: string) =>
    dialog.getByRole('button', { name, exact: true }).and(page.locator(':focus')).waitFor()
  await dialog.getByRole('button', { name: 'one', exact: true }).waitFor()

  await field(page).press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  await focused('two')
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('Enter')
  await focused('deep')
  await page.keyboard.press('Enter')
  await dialog.getByText(dialogTexts.noFolders).waitFor()
  await dialog.getByRole('button', { name: dialogTexts.moveTo('deep') }).click()
  await page.getByText(texts.files.moved('1 file', 'deep')).waitFor()

  expect(await namesIn('walk/one/deep')).toEqual(['a.txt', 'b.txt'])
})

test('Escape empties the search before it closes the dialog', async () => {
  await put('escape', 'a.txt')
  const { page } = await openDialog('escape', 'a.txt')

  await field(page).fill('no such folder')
  await page.getByText(browseTexts.noFolderMatches).waitFor()
  await page.keyboard.press('Escape')
  await page.getByText(dialogTexts.noFolders).waitFor()
  expect(await field(page).inputValue()).toBe('')
  await page.keyboard.press('Escape')

  await page.getByRole('dialog').waitFor({ state: 'detached' })
})

test('a new folder takes the focus to the button that moves into it', async () => {
  await put('fresh', 'a.txt')
  const { page } = await openDialog('fresh', 'a.txt')

  await page.getByRole('dialog').getByRole('button', { name: texts.files.newFolder }).click()
  const name = page.getByRole('dialog').getByLabel(dialogTexts.folderName, { exact: true })
  await name.and(page.locator(':focus')).waitFor()
  await page.keyboard.type('made')
  await page.keyboard.press('Enter')
  await page.locator(':focus', { hasText: dialogTexts.moveTo('made') }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByText(texts.files.moved('1 file', 'made')).waitFor()

  expect(await namesIn('fresh/made')).toEqual(['a.txt'])
})
