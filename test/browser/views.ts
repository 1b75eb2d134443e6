import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { wordsIn } from '../../src/api/pages/texts.ts'
import { createClient } from '../../src/client/index.ts'
import { uploadSamples } from '../../src/commands/demo/samples.ts'
import { browseTexts } from '../../src/dashboard/texts/browse.ts'
import { invitationTexts } from '../../src/dashboard/texts/invitations.ts'
import { keyTexts } from '../../src/dashboard/texts/keys.ts'
import { previewTexts } from '../../src/dashboard/texts/preview.ts'
import { settingsTexts } from '../../src/dashboard/texts/settings.ts'
import { shareTexts } from '../../src/dashboard/texts/shares.ts'
import { signInTexts } from '../../src/dashboard/texts/sign-in.ts'
import { userTexts } from '../../src/dashboard/texts/users.ts'
import { webhookTexts } from '../../src/dashboard/texts/webhooks.ts'
import { texts } from '../../src/dashboard/texts.ts'
import { LANGUAGE_TAGS } from '../../src/platform/languages.ts'
import { registerAdmin, signIn } from '../support/accounts.ts'
import { apiOf } from '../support/api.ts'
import { BASE_URL, createKey, type Inside } from '../support/holdfast.ts'
import { addHistory, fillCalmly } from './rich.ts'
import { hold, holdAll, textFile, textFiles } from './visitor.ts'

/** Pages, dialogs and panels for pictures, in the order in which an instance comes to have them. */

/** Instance that the chapters fill, one after another. */
export interface Told extends AsyncDisposable {
  holdfast: Inside
  /** Session of the admin, once registered. */
  cookie?: string
  /** Session of an account that is limited to folders. */
  limited?: string
  /** Slugs of shares. */
  slugs: Record<string, string>
  /** Path of an open invitation, with its token. */
  invitation?: string
  /** Path of the page that approves a program. */
  device?: string
  /** Folder on disk with files to upload. */
  folder: string
}

export const startTelling = (holdfast: Inside): Told => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-views-'))
  return {
    holdfast,
    slugs: {},
    folder,
    [Symbol.asyncDispose]: async () => rmSync(folder, { recursive: true }),
  }
}

export interface View {
  path: string | ((told: Told) => string)
  /** Element that shows that the page is there. */
  ready: string
  /** True for a page of an account that is limited to folders. */
  isLimited?: boolean
  /** True for a page without an account. */
  isGuest?: boolean
  /** Language of the browser, if not English. */
  locale?: string
  /** True when the picture shows the page to its end. */
  isWhole?: boolean
  /** True for a view whose photos need more colours. */
  hasPhotos?: boolean
  /** True for a view that is dark in both themes. */
  isDark?: boolean
  /** True for steps to repeat in each window, because what they open closes with a change of its size. */
  isPassing?: boolean
  /** True when requests of the page have no end. */
  isBusy?: boolean
  /** Steps from the page to the view, and the element that they show. */
  steps?: (page: Page, told: Told) => Promise<unknown>
  shows?: string
}

interface Chapter {
  /** Brings the instance to where the views show it. */
  prepare: (told: Told) => Promise<void>
  views: Record<string, View>
}

const MiB = 1024 ** 2
const DAY_MS = 86_400_000
const DIALOG = '[role=dialog]:not(:has(.loading))'
const ROW = '.table tbody tr'
const FILES = { path: '/files', ready: '.file-row .item-name' }

const NEW = new RegExp(`^${texts.files.new}$`)
const WEBHOOKS = { path: '/settings', ready: `[aria-label="${webhookTexts.list}"] li` }

const press = (name: string | RegExp) => (page: Page) =>
  page.getByRole('button', { name, exact: true }).first().click()

const chooseIn = (menu: string | RegExp, item: string) => async (page: Page) => {
  await page.getByRole('button', { name: menu }).first().click()
  await page.getByRole('menuitem', { name: item, exact: true }).click()
}

/** Opens the navigation where it is behind a button. */
async function openNavigation(page: Page): Promise<void> {
  await page.locator('.item-name').first().waitFor()
  const menu = page.getByRole('button', { name: texts.frame.menu, exact: true })
  if (await menu.isVisible()) await menu.click()
}

/** Returns the view of what an entry in the menu of an item opens. */
const chosen = (view: View, menu: string | RegExp, item: string): View => ({
  ...view,
  steps: chooseIn(menu, item),
  shows: DIALOG,
})

/** Returns the view of what a button opens. */
const pressed = (view: View, name: string | RegExp): View => ({ ...view, steps: press(name), shows: DIALOG })

const openPreview = (name: string) => (page: Page) =>
  page.locator('[data-index]', { hasText: name }).press('Enter')

/** Returns the view of a file's preview. */
const preview = (folder: string, name: string, shows: string): View => ({
  path: `/files?folder=${folder}`,
  ready: '.item-name',
  isDark: true,
  steps: openPreview(name),
  shows,
})

async function register(told: Told): Promise<void> {
  const { cookie } = await registerAdmin(told.holdfast)
  told.cookie = cookie
}

const ACCOUNTS = [
  { name: 'Grace Hopper', email: 'grace@example.com', role: 'editor' },
  { name: 'Linus Holm', email: 'linus@example.com', role: 'viewer' },
  { name: 'Margaret Okonkwo', email: 'margaret@example.com', role: 'custom', scopes: ['files:read'] },
]

const MINUTES = 'Minutes of the meeting about the roof\n\nThe second offer is the better one.\n'

const CODE = await Bun.file(new URL('../../src/commands/demo/picture.ts', import.meta.url)).text()

/** Adds the files of the demo, accounts and a month of use. */
async function fill(told: Told): Promise<void> {
  const { holdfast, cookie = '', slugs } = told
  const scopes = ['files:read', 'files:write', 'files:delete']
  const key = await createKey(holdfast, cookie, { name: 'laptop', scopes })
  const client = createClient({ url: holdfast.url, key })
  await uploadSamples(client)
  await client.files.upload([{ name: 'picture.ts', content: CODE }], { folder: 'site' })
  for (const name of ['walks.csv', 'welcome.md', 'photos', 'evening.png']) {
    const [found] = (await client.search(name)).items
    if (found?.kind === 'file') await client.favorites.add({ fileIds: [found.file.id] })
    else if (found) await client.favorites.add({ folderIds: [found.folder.id] })
  }
  const api = apiOf(holdfast, { withKey: { Cookie: cookie } })
  const { id } = await api.createFolder('clients/acme/website')
  await api.data('POST', '/keys', {
    name: 'build server',
    scopes: ['files:read', 'files:write'],
    folderId: id,
  })
  for (const account of ACCOUNTS)
    await api.data('POST', '/users', { ...account, password: 'low tide at noon' })
  await api.data('POST', '/users', {
    ...{ name: 'Iris Vandermeer', email: 'iris@example.com', role: 'editor', password: 'low tide at noon' },
    folders: [
      { folder: 'clients/acme/website', rights: ['read', 'write'] },
      { folder: 'Holidays', rights: ['read'] },
      { folder: 'photos', rights: ['read', 'write', 'delete', 'share'] },
    ],
  })
  told.limited = (await signIn(holdfast, 'iris@example.com', 'low tide at noon')).cookie
  const { user } = await api.data<{ user: { id: string } }>('GET', '/me')
  await fillCalmly(holdfast, user.id)
  const { folders } = await client.folders.page({ key: '' })
  const folderOf = (name: string) => folders.find((folder) => folder.name === name)?.id ?? ''
  const share = async (name: string, fields: Parameters<typeof client.shares.create>[0]) => {
    slugs[name] = (await client.shares.create(fields)).slug
  }
  await share('gallery', {
    items: [{ folderId: folderOf('photos') }],
    title: 'Hill walks',
    note: 'All pictures of this year, in full size.',
  })
  await share('files', { items: [{ folderId: folderOf('site') }], title: 'The website' })
  await share('locked', { items: [{ folderId: folderOf('notes') }], password: 'low tide at noon' })
  await share('box', {
    canRead: false,
    canWrite: true,
    folderId: folderOf('notes'),
    title: 'Papers for the meeting',
    note: 'Please send yours before Friday.',
    maxFiles: 20,
  })
  for (const slug of Object.values(slugs)) await holdfast.fetch(`/s/${slug}`)
  const { invitation } = await api.data<{ invitation: { url: string } }>('POST', '/invitations', {
    role: 'editor',
    note: 'new photographer',
  })
  told.invitation = `/${invitation.url}`
  await api.data('POST', '/webhooks', {
    name: 'Chat room',
    url: 'https://chat.example.com/hooks/holdfast',
    events: ['upload.completed', 'share.received'],
    forShares: true,
  })
}

/** Adds a file with versions, a website with a preview and an earlier version, and a program that asks for access. */
async function addMore(told: Told): Promise<void> {
  const { holdfast, cookie = '', slugs } = told
  const api = apiOf(holdfast, { withKey: { Cookie: cookie, Origin: BASE_URL } })
  const { id: fileId } = await api.upload('minutes.txt', MINUTES, 'notes/2026')
  for (const end of ['Accepted.', 'Accepted, with one vote against.'])
    await api.replace(fileId, MINUTES + end)
  const { share } = await api.data<{ share: { slug: string } }>('POST', '/shares', { items: [{ fileId }] })
  slugs['one'] = share.slug
  for (const folder of ['harbour', 'harbour next'])
    await api.upload('index.html', '<h1>Harbour</h1>', folder, 'public')
  await api.upload('_redirects', '/a /b 201', 'harbour next', 'public')
  await api.data('POST', '/sites', { folder: 'harbour', name: 'www', domains: ['www.example.org'] })
  const { folders } = await api.browse()
  const [id, replaces] = ['harbour next', 'harbour'].map((name) => folders.find((it) => it.name === name)?.id)
  await api.data('POST', '/folders/replace', { id, replaces })
  const expiresAt = new Date(holdfast.server.deps.clock.now() + 6 * DAY_MS).toISOString()
  await api.createFolder('harbour preview')
  await api.data('POST', '/sites', { folder: 'harbour preview', name: 'www--pr-1', expiresAt })
  const { user_code: code } = await api.data<{ user_code: string }>('POST', '/auth/device/code', {
    client_id: 'CLI on laptop',
  })
  told.device = `/device?user_code=${code}`
}

/** Uploads a large file and some small ones, and stops where the picture is taken. */
async function uploadSome(page: Page, { folder }: Told): Promise<void> {
  const film = join(folder, 'crossing the ridge.iso')
  writeFileSync(film, '')
  truncateSync(film, 60 * MiB)
  await hold(page, '**/api/uploads/*', 1)
  await hold(page, '**/api/files')
  await page.getByLabel(texts.files.upload, { exact: true }).first().setInputFiles(film)
  await page.getByText(texts.uploads.amount('16 MiB', '60 MiB')).first().waitFor()
  await page.getByLabel(texts.files.upload, { exact: true }).first().setInputFiles(textFiles(3))
  await page.getByText('note 2.txt').first().waitFor()
}

/** Changes a text while its editor, which does not hear of it, has another one. */
async function clash(page: Page, { holdfast, cookie = '' }: Told): Promise<void> {
  await holdAll(page, /api\/changes/)
  await page.reload()
  await page.locator('.item-name').first().waitFor()
  await openPreview('minutes.txt')(page)
  await press(previewTexts.edit.start)(page)
  await page.locator('.cm-content').click()
  await page.keyboard.press('Control+End')
  await page.keyboard.type(' Ada writes to the builder.')
  const api = apiOf(holdfast, { withKey: { Cookie: cookie } })
  const { files } = await api.browse({ key: 'notes/2026' })
  const { id = '' } = files.find(({ name }) => name === 'minutes.txt') ?? {}
  // Another text in each window.
  await api.replace(id, `${MINUTES}Accepted with ${page.viewportSize()?.width} votes.`)
  await page.keyboard.press('Control+s')
}

const visitor = (name: string, ready = 'h1'): View => ({
  path: ({ slugs }) => `/s/${slugs[name]}`,
  ready,
  isGuest: true,
})

export const CHAPTERS: Chapter[] = [
  {
    prepare: async () => {},
    views: { 'first-run': { path: '/', ready: 'form', isGuest: true } },
  },
  {
    prepare: register,
    views: {
      'sign-in': { path: '/files', ready: 'form', isGuest: true },
      'files-empty': { path: '/files', ready: '.empty' },
      'overview-empty': { path: '/overview', ready: '.checklist', isWhole: true },
    },
  },
  {
    prepare: fill,
    views: { overview: { path: '/overview', ready: '.overview svg', isWhole: true } },
  },
  {
    prepare: async ({ holdfast, cookie = '' }) => {
      const { user } = await apiOf(holdfast, { withKey: { Cookie: cookie } }).data<{ user: { id: string } }>(
        'GET',
        '/me',
      )
      await addHistory(holdfast, user.id)
    },
    views: {
      files: FILES,
      folder: { path: '/files?folder=Holidays', ready: '.file-row' },
      grid: {
        hasPhotos: true,
        path: '/files?folder=photos',
        ready: '.item-name',
        steps: press(texts.files.grid),
        shows: '.tile img',
      },
      selection: {
        path: '/files?folder=photos',
        ready: '.item-name',
        steps: async (page) => {
          for (const name of ['evening.png', 'night.png'])
            await page.getByLabel(texts.files.select(name), { exact: true }).check()
        },
        shows: '.selection-bar',
      },
      menu: {
        ...FILES,
        steps: async (page) => {
          // One that is still open would close.
          await page.keyboard.press('Escape')
          await page.getByRole('button', { name: texts.files.actionsOf('welcome.md') }).click()
        },
        shows: '[role=menu]',
        isPassing: true,
      },
      details: {
        path: '/files?folder=photos',
        ready: '.item-name',
        steps: chooseIn(texts.files.actionsOf('evening.png'), texts.files.details),
        shows: DIALOG,
      },
      share: {
        ...FILES,
        steps: chooseIn(texts.files.actionsOf('photos'), texts.files.share),
        shows: DIALOG,
        hasPhotos: true,
      },
      move: {
        ...FILES,
        steps: chooseIn(texts.files.actionsOf('welcome.md'), texts.files.move),
        shows: DIALOG,
      },
      conflicts: {
        path: '/files?folder=photos',
        ready: '.item-name',
        steps: (page) =>
          page
            .getByLabel(texts.files.upload, { exact: true })
            .first()
            .setInputFiles(
              ['noon.png', 'night.png', 'spring.png'].map((name) => ({
                ...{ name, mimeType: 'image/png' },
                buffer: Buffer.from(name),
              })),
            ),
        shows: DIALOG,
      },
      uploads: { ...FILES, steps: uploadSome, isBusy: true },
      search: {
        ...FILES,
        steps: async (page) => {
          await page.keyboard.press('ControlOrMeta+k')
          await page.locator('.palette input').fill('holidays-01')
        },
        shows: '[role=option]',
      },
      commands: {
        ...FILES,
        steps: async (page) => {
          await page.keyboard.press('ControlOrMeta+k')
          await page.locator('.palette input').fill('>')
        },
        shows: '[role=option]',
      },
      'keyboard-help': { ...FILES, steps: (page) => page.keyboard.press('?'), shows: DIALOG },
      'account-menu': {
        ...FILES,
        steps: async (page) => {
          await page.keyboard.press('Escape')
          await openNavigation(page)
          await page.getByRole('button', { name: /ada@example\.com/ }).click()
        },
        shows: '[role=menu]',
        isPassing: true,
      },
      'folder-tree': {
        path: '/files?folder=notes/2026',
        ready: '.item-name',
        steps: async (page) => {
          // Without the button: the navigation has none where it is a row of icons.
          await page.evaluate("localStorage.setItem('holdfast:tree', 'shown')")
          await page.reload()
          await openNavigation(page)
        },
      },
      'new-menu': {
        ...FILES,
        steps: async (page) => {
          await page.keyboard.press('Escape')
          await press(texts.files.new)(page)
        },
        shows: '[role=menu]',
        isPassing: true,
      },
      'new-folder': chosen(FILES, NEW, texts.files.newFolder),
      'new-file': chosen(FILES, NEW, browseTexts.newFile),
      rename: {
        ...FILES,
        steps: chooseIn(texts.files.actionsOf('welcome.md'), texts.files.rename),
        shows: '.rename-field',
      },
      'delete-for-good': chosen(FILES, texts.files.actionsOf('photos'), texts.files.deleteForGood),
      'share-one': chosen(FILES, texts.files.actionsOf('welcome.md'), texts.files.share),
      'share-many': {
        path: '/files?folder=photos',
        ready: '.item-name',
        hasPhotos: true,
        steps: async (page) => {
          for (const name of ['evening.png', 'night.png'])
            await page.getByLabel(texts.files.select(name), { exact: true }).check()
          await page.locator('.selection-bar').getByRole('button', { name: texts.files.share }).click()
        },
        shows: DIALOG,
      },
      'share-options': {
        ...FILES,
        steps: async (page) => {
          await chooseIn(texts.files.actionsOf('welcome.md'), texts.files.share)(page)
          await page.getByText(shareTexts.more).click()
        },
        shows: 'details[open]',
      },
      'direct-link': {
        ...FILES,
        steps: async (page) => {
          await chooseIn(texts.files.actionsOf('welcome.md'), texts.files.share)(page)
          await press(shareTexts.ways.direct)(page)
        },
        shows: '.direct-links',
      },
      'request-files': chosen(FILES, texts.files.actionsOf('photos'), texts.files.requestFiles),
      'preview-photo': { ...preview('photos', 'evening.png', '.zoom'), hasPhotos: true },
      'preview-details': {
        ...preview('photos', 'evening.png', '.viewer-details'),
        hasPhotos: true,
        steps: async (page) => {
          await openPreview('evening.png')(page)
          await page.locator('.viewer').getByRole('button', { name: texts.files.details }).click()
        },
      },
      'preview-code': preview('site', 'picture.ts', '.text-tools'),
      'preview-markdown': preview('', 'welcome.md', '.markdown'),
      'preview-table': preview('notes/2026', 'walks.csv', '.sheet'),
      people: {
        path: '/files?folder=clients/acme',
        ready: '.item-name',
        steps: chooseIn(texts.files.actionsOf('website'), browseTexts.people),
        shows: `${DIALOG} .people-form`,
      },
      'limited-files': { ...FILES, isLimited: true },
      'limited-folder': { path: '/files?folder=photos', ready: '.item-name', isLimited: true },
      'limited-menu': {
        ...FILES,
        isLimited: true,
        steps: async (page) => {
          await page.keyboard.press('Escape')
          await page.getByRole('button', { name: texts.files.actionsOf('website') }).click()
        },
        shows: '[role=menu]',
        isPassing: true,
      },
      recent: { path: '/recent', ready: ROW },
      shares: { path: '/shares', ready: ROW },
      'share-link': chosen(
        { path: '/shares', ready: ROW },
        shareTexts.actionsOf('Hill walks'),
        shareTexts.showLink,
      ),
      'share-edit': chosen(
        { path: '/shares', ready: ROW },
        shareTexts.actionsOf('Hill walks'),
        shareTexts.edit,
      ),
      'share-visits': {
        path: '/shares',
        ready: ROW,
        steps: chooseIn(texts.files.actionsOf('Hill walks'), shareTexts.visits),
        shows: DIALOG,
      },
      favorites: { path: '/favorites', ready: ROW },
      trash: { path: '/trash', ready: ROW },
      'trash-selection': {
        path: '/trash',
        ready: ROW,
        steps: (page) => page.getByRole('checkbox').nth(1).check(),
        shows: '.trash-selection',
      },
      'empty-trash': pressed({ path: '/trash', ready: ROW }, texts.trash.empty),
      activity: { path: '/activity', ready: '.log-entry' },
      keys: { path: '/keys', ready: ROW },
      'key-menu': {
        path: '/keys',
        ready: ROW,
        steps: async (page) => {
          await page.keyboard.press('Escape')
          await press(keyTexts.actionsOf('phone'))(page)
        },
        shows: '[role=menu]',
        isPassing: true,
      },
      'new-key': pressed({ path: '/keys', ready: ROW }, keyTexts.new),
      'key-for-folder': {
        ...FILES,
        steps: async (page) => {
          await chooseIn(texts.files.actionsOf('photos'), browseTexts.keyForFolder)(page)
          await press(keyTexts.changeFolder)(page)
        },
        shows: `${DIALOG} .move-places`,
      },
      users: { path: '/users', ready: ROW },
      'new-user': pressed({ path: '/users', ready: ROW }, userTexts.add),
      'user-role': chosen(
        { path: '/users', ready: ROW },
        userTexts.actionsOf('Grace Hopper'),
        userTexts.changeRole,
      ),
      'user-folders': {
        path: '/users',
        ready: ROW,
        steps: chooseIn(texts.files.actionsOf('Iris Vandermeer'), userTexts.changeFolders),
        shows: DIALOG,
      },
      quota: {
        path: '/users',
        ready: ROW,
        steps: chooseIn(texts.files.actionsOf('Grace Hopper'), userTexts.changeQuota),
        shows: DIALOG,
      },
      'new-invitation': pressed({ path: '/users', ready: ROW }, invitationTexts.invite),
      invitation: { path: ({ invitation = '' }) => invitation, ready: 'form', isGuest: true },
      security: { path: '/security', ready: '.log-entry' },
      settings: { path: '/settings', ready: '.section', isWhole: true },
      'settings-changed': {
        path: '/settings',
        ready: '.section',
        steps: (page) => page.getByLabel(settingsTexts.limits.trashDays.label, { exact: true }).fill('9'),
        shows: '.save-bar',
      },
      'new-webhook': pressed(WEBHOOKS, webhookTexts.add),
      deliveries: chosen(WEBHOOKS, webhookTexts.actionsOf('Chat room'), webhookTexts.deliveries),
      account: { path: '/account', ready: '.device', isWhole: true },
      'two-step': pressed({ path: '/account', ready: '.device' }, signInTexts.setUp),
      'not-found': { path: '/nothing', ready: '.empty' },
      docs: { path: '/docs/operate', ready: 'search input', isGuest: true },
      'api-docs': { path: '/api/docs/createShare', ready: '.samples', isGuest: true },
      'visitor-gallery': { ...visitor('gallery', 'img'), hasPhotos: true },
      'visitor-photo': {
        ...visitor('gallery', 'img'),
        hasPhotos: true,
        steps: (page) => page.locator('.tiles a').first().click(),
        shows: '.strip',
      },
      'visitor-files': visitor('files'),
      'visitor-password': visitor('locked'),
      'visitor-drop-box': visitor('box'),
      'visitor-chosen': {
        ...visitor('box'),
        steps: (page) => page.locator('input[type=file]').setInputFiles(textFiles(3)),
        shows: '#sending li',
      },
      'visitor-sent': {
        ...visitor('box'),
        steps: async (page) => {
          await page.locator('input[type=file]').setInputFiles(textFiles(3))
          await page.getByRole('button', { name: wordsIn('en').box.send }).click()
        },
        shows: 'main h2',
      },
      'visitor-not-found': { path: '/s/ended', ready: 'h1', isGuest: true },
    },
  },
  {
    prepare: addMore,
    views: {
      versions: chosen(
        { path: '/files?folder=notes/2026', ready: '.item-name' },
        texts.files.actionsOf('minutes.txt'),
        texts.files.details,
      ),
      edit: {
        ...preview('notes/2026', 'minutes.txt', '.cm-content'),
        isDark: false,
        steps: async (page) => {
          await openPreview('minutes.txt')(page)
          await press(previewTexts.edit.start)(page)
        },
      },
      'edit-conflict': {
        ...preview('notes/2026', 'minutes.txt', '.cm-merge-b'),
        isDark: false,
        isBusy: true,
        steps: clash,
      },
      'new-site': chosen(FILES, texts.files.actionsOf('photos'), browseTexts.site),
      site: chosen(FILES, texts.files.actionsOf('harbour'), browseTexts.site),
      'uploads-done': {
        path: '/files?folder=notes',
        ready: '.item-name',
        steps: (page) =>
          page
            .getByLabel(texts.files.upload, { exact: true })
            .first()
            .setInputFiles(textFile(`report ${page.viewportSize()?.width}.txt`)),
        shows: '.uploads-done',
      },
      device: { path: ({ device = '' }) => device, ready: 'main button' },
      'visitor-one': visitor('one'),
      ...Object.fromEntries(
        LANGUAGE_TAGS.filter((tag) => tag !== 'en').flatMap((locale) => [
          [`files-${locale}`, { ...FILES, locale }],
          [`settings-${locale}`, { path: '/settings', ready: '.section', isWhole: true, locale }],
          [`visitor-drop-box-${locale}`, { ...visitor('box'), locale }],
        ]),
      ),
    },
  },
]
