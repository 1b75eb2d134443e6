import { afterAll, afterEach, beforeAll, expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { texts } from '../../src/dashboard/texts.ts'
import { registerAdmin, type User } from '../support/accounts.ts'
import { eventually } from '../support/eventually.ts'
import { ADMIN, type Holdfast, sendUpload } from '../support/holdfast.ts'
import { type Look, leaveAll, openStage, type Stage, type StageOptions, visit } from './visitor.ts'

type Files = Record<string, string | Uint8Array<ArrayBuffer>>

/** Maximum files in one request. */
const BATCH = 100

/** Uploads files as an account, in as many requests as that takes. */
export async function sendFiles(
  holdfast: Holdfast,
  { cookie }: Pick<User, 'cookie'>,
  { files, ...fields }: { files: Files; folder: string; visibility?: 'private' | undefined },
): Promise<void> {
  const entries = Object.entries(files)
  for (let first = 0; first < entries.length; first += BATCH) {
    const some = Object.fromEntries(entries.slice(first, first + BATCH))
    expect((await sendUpload(holdfast, { Cookie: cookie }, { ...fields, files: some })).status).toBe(200)
  }
}

/** Streams of one account that may stay open. The server refuses the twentieth. */
const MAX_STREAMS = 10

/** Ends streams of pages that are gone. A half-closed connection keeps its stream until the server writes to it. */
async function releaseStreams({ stage, admin }: { stage: Stage; admin: User }): Promise<void> {
  const { places } = stage.holdfast.server.modules.changes.feed
  if (places.taken < MAX_STREAMS) return
  const { id } = await admin.api.createFolder('passing')
  await admin.api.data('DELETE', '/folders', { id })
  await eventually(() => places.taken < MAX_STREAMS)
}

/** Opens the stage of all tests of a file, or of a group of them, with its administrator. */
export function openSite(options: StageOptions = {}) {
  let opened: { stage: Stage; admin: User } | undefined
  const now = () => {
    if (!opened) throw new Error('The site opens before the first test')
    return opened
  }
  beforeAll(async () => {
    const stage = await openStage(options)
    opened = { stage, admin: await registerAdmin(stage.holdfast) }
  })
  afterEach(async () => {
    await leaveAll()
    if (opened) await releaseStreams(opened)
  })
  afterAll(() => opened?.stage[Symbol.asyncDispose]())

  /** Opens a page as the administrator. */
  const open = (path: string, how: Parameters<typeof visit>[2] = {}) =>
    visit(now().stage, path, { cookie: now().admin.cookie, ...how })
  const openFolder = (folder: string, how?: Look) => open(`/files?folder=${encodeURIComponent(folder)}`, how)
  const putFiles = (folder: string, files: Files, visibility?: 'private') =>
    sendFiles(now().stage.holdfast, now().admin, { files, folder, visibility })
  return {
    get stage() {
      return now().stage
    },
    get holdfast() {
      return now().stage.holdfast
    },
    get proxy() {
      const { proxy } = now().stage
      if (!proxy) throw new Error('The site has no proxy: open it with `isProxied`')
      return proxy
    },
    get admin() {
      return now().admin
    },
    open,
    openFolder,
    /** Creates a folder and opens it. */
    openNew: async (folder: string, how?: Look) => {
      await now().admin.api.createFolder(folder)
      return openFolder(folder, how)
    },
    /** Returns the content that hosting serves at a key. */
    contentOf: async (key: string) =>
      (await now().stage.holdfast.fetch(`/api/hosting/${encodeURI(key)}`)).text(),
    /** Returns the names of what is in a folder, in their order. */
    namesIn: async (key: string) => {
      const { folders, files } = await now().admin.api.browse({ key })
      return [...folders, ...files].map(({ name }) => name).sort()
    },
    putFiles,
    /** Uploads this many small files, with the names `0.txt` and so on. */
    putMany: (folder: string, count: number) =>
      putFiles(folder, Object.fromEntries(Array.from({ length: count }, (_, n) => [`${n}.txt`, 'x']))),
    /** Uploads small files, each with its name as content. */
    put: (folder: string, ...names: string[]) =>
      putFiles(folder, Object.fromEntries(names.map((name) => [name, name]))),
  }
}

/** Clicks beside the items of a list, below the last one. */
export async function clickBeside(page: Page, button: 'left' | 'right' = 'left'): Promise<void> {
  const list = await page.getByRole('grid').boundingBox()
  await page.mouse.click((list?.x ?? 0) + 200, (list?.y ?? 0) + (list?.height ?? 0) + 60, { button })
}

/** Returns an item of a list by the button with its name. */
export const item = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

/** Files to choose, by their paths or with their content. */
type Chosen = Parameters<ReturnType<Page['locator']>['setInputFiles']>[0]

/** Chooses files with the toolbar's button, because an empty folder has a second one. */
export const pick = (page: Page, files: Chosen) =>
  page.getByLabel(texts.files.upload, { exact: true }).first().setInputFiles(files)

/** Chooses an entry of the menu of what can be added to a folder. */
export async function chooseNew(page: Page, entry: string): Promise<void> {
  await page.getByRole('button', { name: texts.files.new, exact: true }).click()
  await page.getByRole('menuitem', { name: entry, exact: true }).click()
}

/** Chooses a folder on disk to upload. */
export async function pickFolder(page: Page, path: string): Promise<void> {
  const chooser = page.waitForEvent('filechooser')
  await chooseNew(page, texts.files.uploadFolder)
  await (await chooser).setFiles(path)
}

/** Chooses an action in the menu of an item. */
export async function choose(page: Page, name: string, action: string): Promise<void> {
  await page.getByRole('button', { name: texts.files.actionsOf(name) }).click()
  await page.getByRole('menuitem', { name: action, exact: true }).click()
}

/** Signs in on the page that asks for it. */
export async function fillSignIn(page: Page, email: string, password = ADMIN.password): Promise<void> {
  await page.getByLabel(texts.account.email).fill(email)
  await page.getByLabel(texts.account.password, { exact: true }).fill(password)
  await page.getByRole('button', { name: texts.signIn.submit, exact: true }).click()
}

export type Site = ReturnType<typeof openSite>
