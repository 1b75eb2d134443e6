import type { Page } from 'playwright-core'
import { createClient } from '../../src/client/index.ts'
import { uploadSamples } from '../../src/commands/demo/samples.ts'
import { addAccount, bySession } from '../support/accounts.ts'
import { register } from '../support/holdfast.ts'
import { fillRichly } from './rich.ts'
import { openStage, type Stage, type Visitor, visit } from './visitor.ts'

/** Pages, dialogs, menus and the preview on a phone, for tests that check all of them. */

export interface PhoneStage extends Stage {
  cookie: string
}

const LONG = `Minutes of the meeting about the roof, ${'second draft '.repeat(4)}2026.txt`

/** Opens a stage with files, shares, keys, accounts, an invitation, webhooks and a month of use. */
export async function openPhoneStage(): Promise<PhoneStage> {
  const stage = await openStage()
  const { cookie, userId, key } = await register(stage.holdfast)
  const client = createClient({ url: stage.holdfast.url, key })
  await uploadSamples(client)
  const papers = await client.files.upload([
    { name: LONG, content: 'x' },
    { name: 'code.ts', content: `export const answer = ${'40 + 2 '.repeat(30)}\n` },
  ])
  await client.shares.create({
    items: papers.map(({ id }) => ({ fileId: id })),
    title: 'Papers for the roof',
  })
  await client.shares.create({
    items: papers.slice(0, 1).map(({ id }) => ({ fileId: id })),
    password: 'low tide at noon',
    maxDownloads: 3,
  })
  await fillRichly(stage.holdfast, userId)
  await addAccount(stage.holdfast, { role: 'editor' })
  await addAccount(stage.holdfast, { role: 'custom', customScopes: ['files:read'] })
  const note = 'new photographer for the roof'
  await bySession(stage.holdfast, cookie).data('POST', '/invitations', { role: 'editor', note })
  return { ...stage, cookie, [Symbol.asyncDispose]: () => stage[Symbol.asyncDispose]() }
}

interface Scene {
  path: string
  /** Element that shows that the page is there. */
  ready: string
  /** Steps from the page to the scene, and the element that they show. */
  steps?: (page: Page) => Promise<unknown>
  shows?: string
}

const DIALOG = '[role=dialog]:not(:has(.loading))'
const MENU = '[role=menu]'
const FILES = { path: '/files', ready: '.file-row .item-name' }
const ROW = '.table tbody tr'

const click = (name: string | RegExp) => (page: Page) =>
  page.getByRole('button', { name, exact: true }).first().tap()

const chooseIn = (menu: string | RegExp, item: string) => async (page: Page) => {
  await click(menu)(page)
  await page.getByRole('menuitem', { name: item }).tap()
}

/** Creates an invitation, and opens its link as the invited person. */
async function openInvitation(page: Page): Promise<void> {
  await click('Invite')(page)
  await click('Create link')(page)
  const link = await page.getByLabel('Invitation link').inputValue()
  // The page of users would report that its session has ended.
  await page.goto('about:blank')
  await page.context().clearCookies()
  await page.goto(link)
}

const FILE_MENU = 'Actions for welcome.md'
/** Shows one file, which is in view in the smallest window. */
const FILE = { ...FILES, path: '/files?q=welcome' }
const ofFile = (item: string) => ({ ...FILE, steps: chooseIn(FILE_MENU, item), shows: DIALOG })
const preview = (path: string, name: string, shows: string): Scene => ({
  path,
  ready: '.item-name',
  steps: click(name),
  shows,
})

export const SCENES: Record<string, Scene> = {
  files: FILES,
  'empty folder': { path: '/files?q=nothing', ready: '.empty' },
  grid: { ...FILES, path: '/files?folder=photos', steps: click('Grid'), shows: '.tile' },
  selection: {
    ...FILES,
    steps: (page) => page.getByLabel('Select photos', { exact: true }).check(),
    shows: '.selection-bar',
  },
  'menu of a file': { ...FILE, steps: click(FILE_MENU), shows: MENU },
  'menu of the order': { ...FILES, steps: click(/^Order/), shows: MENU },
  navigation: { ...FILES, steps: click('Menu'), shows: DIALOG },
  'menu of the account': {
    ...FILES,
    steps: async (page) => {
      await click('Menu')(page)
      await page.getByRole('button', { name: /ada@example\.com/ }).tap()
    },
    shows: MENU,
  },
  rename: { ...FILE, steps: chooseIn(FILE_MENU, 'Rename'), shows: '.rename-field' },
  details: ofFile('Details'),
  share: ofFile('Share'),
  'direct link': {
    ...FILE,
    steps: async (page) => {
      await chooseIn(FILE_MENU, 'Share')(page)
      await click('Direct link')(page)
    },
    shows: '.direct-links',
  },
  move: ofFile('Move'),
  'new folder': { ...FILES, steps: click('New folder'), shows: DIALOG },
  search: {
    ...FILES,
    steps: async (page) => {
      await page.keyboard.press('ControlOrMeta+k')
      await page.locator('.palette input').fill('o')
    },
    shows: '[role=option]',
  },
  'preview of a picture': preview('/files?folder=photos', 'noon.png', '.zoom'),
  'preview of code': preview('/files', 'code.ts', '.text-tools'),
  'preview of Markdown': preview('/files?q=welcome', 'welcome.md', '.markdown'),
  'preview of a table': preview('/files?folder=notes/2026', 'walks.csv', '.sheet'),
  'preview with details': {
    ...preview('/files?folder=photos', 'noon.png', '.viewer-details'),
    steps: async (page) => {
      await click('noon.png')(page)
      await page.locator('.viewer').getByRole('button', { name: 'Details' }).tap()
    },
  },
  shares: { path: '/shares', ready: ROW },
  'menu of a share': { path: '/shares', ready: ROW, steps: click(/^Actions for/), shows: MENU },
  'link of a share': {
    path: '/shares',
    ready: ROW,
    steps: chooseIn(/^Actions for/, 'Link and QR code'),
    shows: '.qr-code',
  },
  trash: { path: '/trash', ready: ROW },
  'selection in the trash': {
    path: '/trash',
    ready: ROW,
    steps: (page) => page.getByRole('checkbox').nth(1).check(),
    shows: '.trash-selection',
  },
  overview: { path: '/overview', ready: '.overview svg' },
  activity: { path: '/activity', ready: '.activity-entry' },
  'security log': { path: '/security', ready: '.activity-entry' },
  keys: { path: '/keys', ready: ROW },
  'new key': { path: '/keys', ready: ROW, steps: click('New key'), shows: DIALOG },
  users: { path: '/users', ready: ROW },
  'new user': { path: '/users', ready: ROW, steps: click('Add user'), shows: DIALOG },
  invite: { path: '/users', ready: ROW, steps: click('Invite'), shows: DIALOG },
  'revoke an invitation': {
    path: '/users',
    ready: '.invitations tbody tr',
    steps: click(/^Revoke the invitation/),
    shows: DIALOG,
  },
  invitation: { path: '/users', ready: ROW, steps: openInvitation, shows: '.way-in form' },
  settings: { path: '/settings', ready: '.settings-section' },
  'changed settings': {
    path: '/settings',
    ready: '.settings-section',
    steps: (page) => page.getByLabel('Activity', { exact: true }).fill('9'),
    shows: '.save-bar',
  },
  account: { path: '/account', ready: '.device' },
}

export const PHONE = { width: 390, height: 844 }

type Look = Parameters<typeof visit>[2]

/** Opens a scene on a screen that is touched. */
export async function openScene(stage: PhoneStage, name: string, look: Look = {}): Promise<Visitor> {
  const scene = SCENES[name]
  if (!scene) throw new Error(`There is no scene "${name}"`)
  const { path, ready, steps, shows } = scene
  const touch = {
    viewport: PHONE,
    hasTouch: true,
    isMobile: true,
    deviceScaleFactor: 2,
    cookie: stage.cookie,
  }
  const visitor = await visit(stage, path, { ...touch, ...look })
  const { page } = visitor
  await page.locator(ready).first().waitFor()
  await steps?.(page)
  if (shows) await page.locator(shows).first().waitFor()
  // What slides in is not yet at its place.
  await page.evaluate(`Promise.allSettled(document.getAnimations()
    .filter((animation) => Number.isFinite(animation.effect.getComputedTiming().endTime))
    .map((animation) => animation.finished))`)
  return visitor
}
