import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { registerAdmin, type User } from '../support/accounts.ts'
import { apiOf } from '../support/api.ts'
import { eventually } from '../support/eventually.ts'
import { sendUpload } from '../support/holdfast.ts'
import { openStage, type Stage, seriousFindings, visit } from './visitor.ts'

/** The dialog that chooses where items move: by name, and folder by folder. */

let stage: Stage
let admin: User
beforeAll(async () => {
  stage = await openStage()
  admin = await registerAdmin(stage.holdfast)
})
afterAll(() => stage[Symbol.asyncDispose]())

async function put(folder: string, ...names: string[]): Promise<void> {
  const files = Object.fromEntries(names.map((name) => [name, name]))
  expect((await sendUpload(stage.holdfast, { Cookie: admin.cookie }, { files, folder })).status).toBe(200)
}

const namesIn = async (key: string) => {
  const { folders, files } = await apiOf(stage.holdfast, { withKey: { Cookie: admin.cookie } }).browse({
    key,
  })
  return [...folders, ...files].map(({ name }) => name).sort()
}

/** Opens a folder's page and the dialog for one of its items. */
async function openDialog(folder: string, name: string) {
  const visitor = await visit(stage, `/files?folder=${folder}`, { cookie: admin.cookie })
  await visitor.page.getByRole('button', { name, exact: true }).click({ button: 'right' })
  await visitor.page.getByRole('menuitem', { name: 'Move', exact: true }).click()
  await visitor.page.getByRole('dialog').waitFor()
  return visitor
}

const field = (page: Page) => page.getByRole('combobox', { name: 'Search all folders' })

const found = (page: Page) => page.getByRole('option').allInnerTexts()

test('a target far away is found by its name and chosen by the keyboard', async () => {
  await put('find/photos/raw photos', 'inside.txt')
  await put('find/old photos', 'old.txt')
  await put('archive/2024/photos', 'kept.txt')
  await using visitor = await openDialog('find', 'photos')
  const { page, complaints } = visitor

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
  await page.getByRole('button', { name: 'Move to photos' }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByText('Moved 1 folder to photos').waitFor()

  expect(await namesIn('find')).toEqual(['old photos'])
  expect(await namesIn('archive/2024/photos')).toEqual(['kept.txt', 'photos'])
  expect(complaints).toEqual([])
})

test('arrow keys walk from the field through the folders, and Enter opens one', async () => {
  await put('walk', 'a.txt')
  await put('walk/one/deep', 'b.txt')
  await put('walk/two', 'c.txt')
  await using visitor = await openDialog('walk', 'a.txt')
  const { page } = visitor
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
  await dialog.getByText('No folders in here.').waitFor()
  await dialog.getByRole('button', { name: 'Move to deep' }).click()
  await page.getByText('Moved 1 file to deep').waitFor()

  expect(await namesIn('walk/one/deep')).toEqual(['a.txt', 'b.txt'])
})

test('Escape empties the search before it closes the dialog', async () => {
  await put('escape', 'a.txt')
  await using visitor = await openDialog('escape', 'a.txt')
  const { page } = visitor

  await field(page).fill('no such folder')
  await page.getByText('No folder matches').waitFor()
  await page.keyboard.press('Escape')
  await page.getByText('No folders in here.').waitFor()
  expect(await field(page).inputValue()).toBe('')
  await page.keyboard.press('Escape')

  await page.getByRole('dialog').waitFor({ state: 'detached' })
})

test('a new folder takes the focus to the button that moves into it', async () => {
  await put('fresh', 'a.txt')
  await using visitor = await openDialog('fresh', 'a.txt')
  const { page } = visitor

  await page.getByRole('dialog').getByRole('button', { name: 'New folder' }).click()
  await page.getByRole('dialog').getByLabel('Name', { exact: true }).fill('made')
  await page.keyboard.press('Enter')
  await page.locator(':focus', { hasText: 'Move to made' }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByText('Moved 1 file to made').waitFor()

  expect(await namesIn('fresh/made')).toEqual(['a.txt'])
})
