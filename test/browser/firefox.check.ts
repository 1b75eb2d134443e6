import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import puppeteer, { type Browser, type ElementHandle, type KeyInput, type Page } from 'puppeteer-core'
import { eventually } from '../support/eventually.ts'
import { ADMIN } from '../support/holdfast.ts'
import { type HoldfastProcess, spawnHoldfast } from '../support/process.ts'
import { USED, useFromElsewhere } from './far-page.ts'
import { FIREFOX } from './firefox.ts'
import { makePng } from './png.ts'
import { STEP_MS } from './visitor.ts'

/**
 * The flows of a first day in Firefox, which Chromium's tests cannot show. Puppeteer drives the Firefox that systems
 * package; Playwright needs one of its own. Without a screen, Firefox takes no drags.
 */

let holdfast: HoldfastProcess
let browser: Browser
let page: Page
let folder: string
/** Script errors and messages of the console. */
const complaints: string[] = []
beforeAll(async () => {
  holdfast = await spawnHoldfast()
  browser = await puppeteer.launch({
    browser: 'firefox',
    executablePath: FIREFOX,
    defaultViewport: { width: 1280, height: 850 },
  })
  page = await browser.newPage()
  page.setDefaultTimeout(STEP_MS)
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text())
  })
  folder = mkdtempSync(join(tmpdir(), 'holdfast-firefox-'))
})
afterAll(async () => {
  await browser?.close()
  await holdfast?.[Symbol.asyncDispose]()
  if (folder) rmSync(folder, { recursive: true })
})

const found = async (selector: string): Promise<ElementHandle> => {
  const element = await page.waitForSelector(selector)
  if (!element) throw new Error(`There is no ${selector}`)
  return element
}
const named = (name: string, role = 'button') => found(`aria/${name}[role="${role}"]`)
const click = async (name: string, role?: string) => (await named(name, role)).click()
const texts = (selector: string) =>
  page.$$eval(selector, (elements) => elements.map((element) => element.textContent?.trim() ?? ''))
const names = () => texts('.item-name')
const item = (name: string) => found(`.item-name[aria-label="${name}"]`)
/** Presses a key with Control. */
async function chord(key: KeyInput): Promise<void> {
  await page.keyboard.down('Control')
  await page.keyboard.press(key)
  await page.keyboard.up('Control')
}
const isText = async (text: string) => ((await texts('body'))[0] ?? '').includes(text)
const path = () => `${new URL(page.url()).pathname}${new URL(page.url()).search}`

test('the first visit makes an administrator and opens the files', async () => {
  await page.goto(holdfast.url)
  await (await found('aria/Name')).type(ADMIN.name)
  await (await found('aria/E-mail')).type(ADMIN.email)
  await (await found('input[type=password]')).type(ADMIN.password)
  await page.keyboard.press('Enter')

  await eventually(async () => (await texts('h1')).includes('Files'))
  expect(path()).toBe('/files')
})

test('files and a folder appear as they are added', async () => {
  const files = { 'notes.txt': 'Words in Firefox', 'photo.png': makePng(80, 60) }
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content)
  const input = await page.waitForSelector('input[type=file]:not([webkitdirectory])')
  await input?.uploadFile(...Object.keys(files).map((name) => join(folder, name)))
  await eventually(async () => (await names()).length === 2)

  await click('New folder')
  await (await found('[role=dialog] input')).type('album')
  await page.keyboard.press('Enter')

  await eventually(async () => (await names()).join() === 'album,notes.txt,photo.png')
})

test('a file is cut and pasted into a folder, and Undo brings it back', async () => {
  await (await item('photo.png')).click()
  await chord('x')
  await (await item('album')).click({ count: 2 })
  await eventually(() => path() === '/files?folder=album')
  await chord('v')
  await eventually(async () => (await names()).join() === 'photo.png')
  await click('Undo')
  await eventually(async () => (await names()).length === 0)
  await page.goBack()

  await eventually(async () => (await names()).join() === 'album,notes.txt,photo.png')
})

test('a preview opens by the keyboard, shows its neighbour, and Back closes it', async () => {
  await (await item('notes.txt')).click()
  await page.keyboard.press('Enter')
  await eventually(() => isText('Words in Firefox'))
  await page.keyboard.press('ArrowRight')
  await page.waitForFunction('[...document.images].some(({ naturalWidth }) => naturalWidth === 80)')
  await page.goBack()

  await eventually(async () => (await page.$('[role=dialog]')) === null)
  expect(path()).toBe('/files')
})

test('a file is renamed from the menu of the right button', async () => {
  await (await item('notes.txt')).click({ button: 'right' })
  await (await found('aria/Rename[role="menuitem"]')).click()
  const field = await found('.rename-field')
  await field.type('letters')
  await page.keyboard.press('Enter')

  await eventually(async () => (await names()).includes('letters.txt'))
})

test('the search finds a file anywhere and opens it', async () => {
  await chord('k')
  await (await found('[role=combobox]')).type('LETT')
  // The newest files are listed before it ends, and Enter chooses none of them.
  await eventually(async () => (await texts('[role=option] mark')).join() === 'lett')
  await page.keyboard.press('Enter')
  await eventually(() => isText('Words in Firefox'))
  await page.keyboard.press('Escape')

  await eventually(async () => (await page.$('[role=dialog]')) === null)
})

test('every page opens without a complaint', async () => {
  const links = await page.$$eval('nav a', (all) => all.map((link) => link.getAttribute('href') ?? ''))
  expect(links.length).toBeGreaterThan(7)
  for (const link of links) {
    await page.goto(`${holdfast.url}${link}`)
    await found('h1')
    await eventually(async () => (await page.$('[aria-busy=true], .skeleton')) === null)
  }

  expect(complaints).toEqual([])
})

test('a page of an origin in CORS_ORIGINS uses the API with a key', async () => {
  const far = await browser.newPage()

  expect(await useFromElsewhere(far)).toEqual(USED)
})
