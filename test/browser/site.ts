import { afterAll, beforeAll, expect } from 'bun:test'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { registerAdmin, type User } from '../support/accounts.ts'
import { type InsideOptions, sendUpload } from '../support/holdfast.ts'
import { openStage, type Stage, visit } from './visitor.ts'

type Files = Record<string, string | Uint8Array<ArrayBuffer>>

/** Maximum files in one request. */
const BATCH = 100

/** Opens the stage of all tests of a file, or of a group of them, with its administrator. */
export function openSite(options: InsideOptions = {}) {
  let opened: { stage: Stage; admin: User } | undefined
  const now = () => {
    if (!opened) throw new Error('The site opens before the first test')
    return opened
  }
  beforeAll(async () => {
    const stage = await openStage(options)
    opened = { stage, admin: await registerAdmin(stage.holdfast) }
  })
  afterAll(() => opened?.stage[Symbol.asyncDispose]())

  /** Opens a page as the administrator. */
  const open = (path: string, how: BrowserContextOptions = {}) =>
    visit(now().stage, path, { cookie: now().admin.cookie, ...how })
  const putFiles = async (folder: string, files: Files) => {
    const { stage, admin } = now()
    const entries = Object.entries(files)
    for (let first = 0; first < entries.length; first += BATCH) {
      const some = Object.fromEntries(entries.slice(first, first + BATCH))
      const sent = await sendUpload(stage.holdfast, { Cookie: admin.cookie }, { files: some, folder })
      expect(sent.status).toBe(200)
    }
  }
  return {
    get stage() {
      return now().stage
    },
    get holdfast() {
      return now().stage.holdfast
    },
    get admin() {
      return now().admin
    },
    open,
    openFolder: (folder: string, how?: BrowserContextOptions) => open(`/files?folder=${folder}`, how),
    putFiles,
    /** Uploads small files, each with its name as content. */
    put: (folder: string, ...names: string[]) =>
      putFiles(folder, Object.fromEntries(names.map((name) => [name, name]))),
  }
}

/** Returns an item of a list by the button with its name. */
export const item = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
