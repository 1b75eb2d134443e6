import type { Page } from 'playwright-core'
import { createClient } from '../../src/client/index.ts'
import { uploadSamples } from '../../src/commands/demo/samples.ts'
import { invitationTexts } from '../../src/dashboard/texts/invitations.ts'
import { keyTexts } from '../../src/dashboard/texts/keys.ts'
import { roleTexts } from '../../src/dashboard/texts/scopes.ts'
import { settingsTexts } from '../../src/dashboard/texts/settings.ts'
import { shareTexts } from '../../src/dashboard/texts/shares.ts'
import { userTexts } from '../../src/dashboard/texts/users.ts'
import { texts } from '../../src/dashboard/texts.ts'
import { addAccount, addKey } from '../support/accounts.ts'
import { BASE_URL, createKey } from '../support/holdfast.ts'
import { fillRichly } from './rich.ts'
import type { Site } from './site.ts'
import { endMotion, HAND, type Look, type Visitor, visit } from './visitor.ts'

/** Pages, dialogs, menus and the preview on a phone, for tests that check all of them. */

const LONG = `Minutes of the meeting about the roof, ${'second draft '.repeat(4)}2026.txt`

/** Fills a site with files, shares, keys, accounts, an invitation, webhooks and a month of use. */
export async function fillSite({ holdfast, admin }: Site): Promise<void> {
  const scopes = ['files:read', 'files:write', 'files:delete']
  const key = await createKey(holdfast, admin.cookie, { name: 'test', scopes })
  const client = createClient({ url: holdfast.url, key })
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
  await fillRichly(holdfast, admin.id)
  await addAccount(holdfast, { role: 'editor' })
  await addAccount(holdfast, { role: 'custom', customScopes: ['files:read'] })
  const day = 86_400_000
  for (const expiresAt of [Date.now() + day, Date.now() - day])
    await addKey(holdfast, { userId: admin.id, scopes: ['files:read'], expiresAt })
  const note = 'new photographer for the roof'
  await admin.api.data('POST', '/invitations', { role: 'editor', note })
}

interface Scene {
  path: string
  /** Element that shows that the page is there. */
  ready: string
  /** Steps from the page to the scene, and the element that they show. */
  steps?: (page: Page) => Promise<unknown>
  shows?: string
  /** True for a page without an account. */
  isGuest?: boolean
  /** True for steps that a desk does not have. */
  isForPhone?: boolean
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

async function invite(page: Page): Promise<void> {
  await click(invitationTexts.invite)(page)
  await click(invitationTexts.create)(page)
  await page.getByLabel(invitationTexts.link).waitFor()
}

/** Creates an invitation, and opens its link as the invited person. */
async function openInvitation(page: Page): Promise<void> {
  await invite(page)
  const link = await page.getByLabel(invitationTexts.link).inputValue()
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
  grid: { ...FILES, path: '/files?folder=photos', steps: click(texts.files.grid), shows: '.tile' },
  selection: {
    ...FILES,
    steps: (page) => page.getByLabel(texts.files.select('photos'), { exact: true }).check(),
    shows: '.selection-bar',
  },
  'menu of a file': { ...FILE, steps: click(FILE_MENU), shows: MENU },
  'menu of the order': { ...FILES, steps: click(/^Order/), shows: MENU, isForPhone: true },
  navigation: { ...FILES, steps: click(texts.frame.menu), shows: DIALOG, isForPhone: true },
  'menu of the account': {
    ...FILES,
    isForPhone: true,
    steps: async (page) => {
      await click(texts.frame.menu)(page)
      await page.getByRole('button', { name: /ada@example\.com/ }).tap()
    },
    shows: MENU,
  },
  rename: { ...FILE, steps: chooseIn(FILE_MENU, texts.files.rename), shows: '.rename-field' },
  details: ofFile(texts.files.details),
  share: ofFile(texts.files.share),
  'direct link': {
    ...FILE,
    steps: async (page) => {
      await chooseIn(FILE_MENU, texts.files.share)(page)
      await click(shareTexts.ways.direct)(page)
    },
    shows: '.direct-links',
  },
  'options of a share': {
    ...FILE,
    steps: async (page) => {
      await chooseIn(FILE_MENU, texts.files.share)(page)
      await page.getByText(shareTexts.more).tap()
    },
    shows: 'details[open]',
  },
  move: ofFile(texts.files.move),
  'new folder': { ...FILES, steps: chooseIn(texts.files.new, texts.files.newFolder), shows: DIALOG },
  search: {
    ...FILES,
    steps: async (page) => {
      await page.keyboard.press('ControlOrMeta+k')
      await page.locator('.palette input').fill('o')
    },
    shows: '[role=option]',
  },
  'preview of a picture': preview('/files?folder=photos', 'noon.png', '.zoom'),
  'preview of a text': preview('/files?q=minutes', LONG, '.line'),
  'preview of code': preview('/files', 'code.ts', '.text-tools'),
  'preview of Markdown': preview('/files?q=welcome', 'welcome.md', '.markdown'),
  'preview of a table': preview('/files?folder=notes/2026', 'walks.csv', '.sheet'),
  'preview with details': {
    ...preview('/files?folder=photos', 'noon.png', '.viewer-details'),
    steps: async (page) => {
      await click('noon.png')(page)
      await page.locator('.viewer').getByRole('button', { name: texts.files.details }).tap()
    },
  },
  shares: { path: '/shares', ready: ROW },
  'menu of a share': { path: '/shares', ready: ROW, steps: click(/^Actions for/), shows: MENU },
  'link of a share': {
    path: '/shares',
    ready: ROW,
    steps: chooseIn(/^Actions for/, shareTexts.showLink),
    shows: '.qr-code',
  },
  'visits of a share': {
    path: '/shares',
    ready: ROW,
    steps: chooseIn(/^Actions for/, shareTexts.visits),
    shows: DIALOG,
  },
  trash: { path: '/trash', ready: ROW },
  'selection in the trash': {
    path: '/trash',
    ready: ROW,
    steps: (page) => page.getByRole('checkbox').nth(1).check(),
    shows: '.trash-selection',
  },
  overview: { path: '/overview', ready: '.overview svg' },
  activity: { path: '/activity', ready: '.log-entry' },
  'security log': { path: '/security', ready: '.log-entry' },
  keys: { path: '/keys', ready: ROW },
  'new key': { path: '/keys', ready: ROW, steps: click(keyTexts.new), shows: DIALOG },
  users: { path: '/users', ready: ROW },
  'menu of a user': {
    path: '/users',
    ready: ROW,
    steps: click(userTexts.actionsOf('A custom')),
    shows: MENU,
  },
  'new user': { path: '/users', ready: ROW, steps: click(userTexts.add), shows: DIALOG },
  'new user with a custom role': {
    path: '/users',
    ready: ROW,
    steps: async (page) => {
      await click(userTexts.add)(page)
      await page.getByRole('radio', { name: roleTexts.custom.label }).check()
    },
    shows: DIALOG,
  },
  invite: { path: '/users', ready: ROW, steps: click(invitationTexts.invite), shows: DIALOG },
  'revoke an invitation': {
    path: '/users',
    ready: '.invitations tbody tr',
    steps: click(/^Revoke the invitation/),
    shows: DIALOG,
  },
  'link of an invitation': { path: '/users', ready: ROW, steps: invite, shows: DIALOG },
  invitation: { path: '/users', ready: ROW, steps: openInvitation, shows: '.way-in form' },
  settings: { path: '/settings', ready: '.section' },
  'changed settings': {
    path: '/settings',
    ready: '.section',
    steps: (page) =>
      page.getByLabel(settingsTexts.limits.activityRetentionDays.label, { exact: true }).fill('9'),
    shows: '.save-bar',
  },
  'refused settings': {
    path: '/settings',
    ready: '.section',
    steps: async (page) => {
      await page.getByLabel(settingsTexts.limits.activityRetentionDays.label, { exact: true }).fill('0')
      await page.getByText(settingsTexts.atLeast('1 day')).waitFor()
    },
  },
  'files made private': {
    path: '/settings',
    ready: '.section',
    steps: click(settingsTexts.makeAll.private),
    shows: DIALOG,
  },
  account: { path: '/account', ready: '.device' },
  'sign-in': { path: '/', ready: 'form', isGuest: true },
}

/** True for a page as it opens, without steps. */
export const isPage = (name: string) => SCENES[name]?.steps === undefined

/** Leads a page that has its scene's address to the scene. */
async function show(page: Page, { ready, steps, shows }: Scene): Promise<void> {
  await page.locator(ready).first().waitFor()
  await steps?.(page)
  if (shows) await page.locator(shows).first().waitFor()
  await endMotion(page)
}

function sceneOf(name: string): Scene {
  const scene = SCENES[name]
  if (!scene) throw new Error(`There is no scene "${name}"`)
  return scene
}

/** Opens a scene on a screen that is touched. */
export async function openScene(site: Site, name: string, look: Look = {}): Promise<Visitor> {
  const scene = sceneOf(name)
  const how = { ...HAND, deviceScaleFactor: 2, ...look }
  const visitor = await (scene.isGuest ? visit(site.stage, scene.path, how) : site.open(scene.path, how))
  await show(visitor.page, scene)
  return visitor
}

/** Changes the size of a scene's window. A menu closes with it, and is opened again. */
export async function resize(
  page: Page,
  name: string,
  size: { width: number; height: number },
): Promise<void> {
  await page.setViewportSize(size)
  const scene = sceneOf(name)
  if (scene.shows !== MENU) return endMotion(page)
  await page.goto(BASE_URL + scene.path)
  await show(page, scene)
}
