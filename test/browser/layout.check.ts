import { afterAll, beforeAll, expect, test } from 'bun:test'
import { addUser, bySession, registerAdmin, type User } from '../support/accounts.ts'
import { sendUpload, upload } from '../support/holdfast.ts'
import { PHONE } from './phone.ts'
import { openStage, type Stage, visit } from './visitor.ts'

/** Legibility of pages and names in small windows. */

let stage: Stage
let admin: User
beforeAll(async () => {
  stage = await openStage()
  admin = await registerAdmin(stage.holdfast)
  const files = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`${n}.txt`, 'x']))
  await sendUpload(stage.holdfast, { Cookie: admin.cookie }, { files, folder: 'some' })
})
afterAll(() => stage[Symbol.asyncDispose]())

test.each(['list', 'grid'])('at 400 % zoom the %s has room for several files', async (layout) => {
  const viewport = { width: 360, height: 225 }
  await using visitor = await visit(stage, '/files?folder=some', { cookie: admin.cookie, viewport })
  const { page } = visitor
  await page.getByRole('button', { name: layout === 'list' ? 'List' : 'Grid' }).click()
  const grid = page.getByRole('grid', { name: 'Files and folders' })
  await grid.scrollIntoViewIfNeeded()

  expect((await grid.boundingBox())?.height).toBeGreaterThanOrEqual(200)
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
})

test('on a phone in landscape the account menu is reachable', async () => {
  const viewport = { width: 844, height: 390 }
  await using visitor = await visit(stage, '/files', { cookie: admin.cookie, viewport })
  const { page } = visitor

  await page.getByRole('button', { name: new RegExp(admin.email) }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).waitFor()

  const button = await page
    .getByRole('button', { name: new RegExp(admin.email), includeHidden: true })
    .boundingBox()
  expect(Math.floor((button?.y ?? 0) + (button?.height ?? 0))).toBeLessThanOrEqual(390)
})

test('a bidirectional control character in a name is shown as a mark', async () => {
  const name = 'invoice\u202efdp.exe'
  await upload(stage.holdfast, { Cookie: admin.cookie }, { name, content: 'x', folder: 'marks' })
  await using visitor = await visit(stage, '/files?folder=marks', { cookie: admin.cookie })
  const { page } = visitor

  await page.getByRole('button', { name: 'invoice[U+202E]fdp.exe', exact: true }).waitFor()

  expect(await page.locator('body').textContent()).not.toContain('\u202e')
})

test('without the chart of API keys the overview has no gap beside the added files', async () => {
  const viewer = await addUser(stage.holdfast, { role: 'viewer' })
  const viewport = { width: 1440, height: 900 }
  await using visitor = await visit(stage, '/overview', { cookie: viewer.cookie, viewport })
  const { page } = visitor
  const half = page.locator('.overview > .overview-half')
  await half.waitFor()

  const [own, whole] = [await half.boundingBox(), await page.locator('.overview').boundingBox()]

  expect(own?.width).toBe(whole?.width ?? 0)
})

test('the lifetimes offered for a link respect the limit of the instance', async () => {
  await using visitor = await visit(stage, '/files?folder=some', { cookie: admin.cookie })
  const { page } = visitor
  await page.getByRole('button', { name: 'Actions for 0.txt' }).click()
  await page.getByRole('menuitem', { name: 'Share' }).click()
  await page.getByRole('button', { name: 'Direct link' }).click()
  await page.getByRole('option', { name: '7 days' }).waitFor({ state: 'attached' })

  expect(await page.getByRole('option').allTextContents()).toEqual([
    '15 minutes',
    '1 hour',
    '1 day',
    '3 days',
    '7 days',
  ])
})

/** Pages inside the frame. */
const PAGES = [
  'files',
  'shares',
  'trash',
  'overview',
  'activity',
  'security',
  'settings',
  'keys',
  'users',
  'account',
]

test.each(PAGES)('the page %s scrolls within the frame, on a desk and on a phone', async (name) => {
  for (const viewport of [{ width: 1440, height: 600 }, PHONE]) {
    await using visitor = await visit(stage, `/${name}`, { cookie: admin.cookie, viewport })
    const { page, settled } = visitor
    await settled()

    expect(await page.evaluate('document.documentElement.scrollHeight - innerHeight')).toBe(0)
  }
})

test('the command of an empty folder with a long name fits on a phone', async () => {
  const folder = `Minutes of the meetings about the roof, ${'second draft '.repeat(6)}2026`
  await bySession(stage.holdfast, admin.cookie).createFolder(folder)
  const path = `/files?folder=${encodeURIComponent(folder)}`
  await using visitor = await visit(stage, path, { cookie: admin.cookie, viewport: PHONE })
  const { page } = visitor

  for (const shown of [
    page.getByRole('link', { name: 'Create a key' }),
    page.getByRole('figure').getByRole('button', { name: 'Copy' }),
  ]) {
    const box = await shown.boundingBox()
    expect(box?.x).toBeGreaterThanOrEqual(0)
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(PHONE.width)
  }
})
