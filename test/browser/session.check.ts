import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { dialogTexts } from '../../src/dashboard/texts/dialogs.ts'
import { previewTexts } from '../../src/dashboard/texts/preview.ts'
import { texts } from '../../src/dashboard/texts.ts'
import { addUser, setAccess } from '../support/accounts.ts'
import { eventually } from '../support/eventually.ts'
import { ADMIN, BASE_URL, upload } from '../support/holdfast.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { chooseNew, fillSignIn, openSite, pick } from './site.ts'
import { hold, signIn, textFile, visit, visitWithoutStream, watchOffsets } from './visitor.ts'

/** Jobs and data in the page when the account signs out or changes. */

const site = openSite()

const put = (name: string) => site.put('mine', name)

const openWithoutStream = async (cookie: string) =>
  visitWithoutStream(site.stage, '/files?folder=mine', { cookie })

const openAs = async (cookie: string) => visit(site.stage, '/files?folder=mine', { cookie })

async function chooseSignOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: new RegExp(ADMIN.email) }).click()
  await page.getByRole('menuitem', { name: texts.signOut }).click()
}

/** Bytes of a file that is sent in pieces. */
const SIZE = 56 * 1024 ** 2

const choose = (page: Page, name: string) => pick(page, textFile(name))

test('signing out during an upload asks first', async () => {
  await put('first.txt')
  const { page } = await openAs(await signIn(site.holdfast))
  // The upload never completes.
  await page.route('**/api/files', () => undefined)
  await choose(page, 'slow.txt')
  await page.getByText(texts.uploads.busy('1 file', 0)).waitFor()

  await chooseSignOut(page)
  await page.getByRole('dialog').getByRole('button', { name: texts.actions.cancel, exact: true }).click()
  await page.getByText(texts.uploads.busy('1 file', 0)).waitFor()
  await chooseSignOut(page)
  await page.getByRole('button', { name: texts.uploads.signOut }).click()

  await page.getByRole('button', { name: texts.signIn.submit }).waitFor()
})

test('an upload whose session ends pauses, and continues after a sign-in', async () => {
  const own = await signIn(site.holdfast)
  const { page } = await openWithoutStream(own)
  const pieces = await hold(page, '**/api/uploads/*', 1)
  using files = temporaryFolder()
  const film = join(files.path, 'film.iso')
  writeFileSync(film, Buffer.alloc(SIZE, 7))
  await pick(page, film)
  await eventually(() => pieces.count > 0)
  await site.holdfast.fetch('/api/auth/sign-out', {
    ...{ method: 'POST', headers: { Cookie: own, Origin: BASE_URL } },
  })
  pieces.release()

  await page.getByText(texts.signIn.paused).waitFor()
  const offsets = watchOffsets(page)
  await fillSignIn(page, ADMIN.email)
  await page.getByText(texts.uploads.done('1 file')).waitFor()

  expect(offsets[0]).toBeGreaterThan(0)
  expect((await site.contentOf('mine/film.iso')).length).toBe(SIZE)
})

test('an upload continues when the account has signed in before its request is refused', async () => {
  const own = await signIn(site.holdfast)
  const { page } = await openAs(own)
  const held = await hold(page, '**/api/files')
  await choose(page, 'refused late.txt')
  await eventually(() => held.count > 0)
  await page.route('**/api/files', async (route) => {
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await route.fulfill({ status: 401, json: { data: null, error: { message: 'Unauthorized' } } })
  })
  held.release()

  await page.getByText(texts.uploads.done('1 file')).waitFor()
})

test('another account that signs in sees no data of the last one', async () => {
  await put('kept.txt')
  const other = await addUser(site.holdfast, { role: 'editor' })
  const own = await signIn(site.holdfast)
  const { page, settled } = await openWithoutStream(own)
  await choose(page, 'private matters.txt')
  await page.getByText(texts.uploads.done('1 file')).waitFor()
  await settled()
  const signOut = { method: 'POST', headers: { Cookie: own, Origin: BASE_URL } }
  await site.holdfast.fetch('/api/auth/sign-out', signOut)

  await choose(page, 'too late.txt')
  await fillSignIn(page, other.email)
  await page.getByRole('row', { name: /kept\.txt/ }).waitFor()

  expect(await page.getByRole('region', { name: texts.uploads.title }).count()).toBe(0)
})

test('an account with a reduced role loses its actions on the first refusal', async () => {
  await put('look.txt')
  const user = await addUser(site.holdfast, { role: 'editor' })
  const { page } = await openAs(user.cookie)
  await chooseNew(page, texts.files.newFolder)
  setAccess(site.holdfast, user.id, { role: 'viewer' })

  await page.getByLabel(dialogTexts.folderName, { exact: true }).fill('more')
  await page.getByRole('button', { name: texts.files.create }).click()
  await page.getByText('Your account doesn’t have permission to do this').waitFor()
  await page.keyboard.press('Escape')

  await page.getByRole('button', { name: texts.files.new, exact: true }).waitFor({ state: 'detached' })
})

/** Folder and visibility of a file that hosting hides from strangers. */
const MINE = { folder: 'mine', visibility: 'private' } as const

test.each(['ended.txt', 'ended.pdf'])(
  'a preview of %p after its session ended leads to the sign-in page',
  async (name) => {
    await upload(site.holdfast, site.admin.withSession, { ...MINE, name, content: name })
    const own = await signIn(site.holdfast)
    const { page } = await openWithoutStream(own)
    const row = page.getByRole('row', { name: new RegExp(name) })
    const signOut = { method: 'POST', headers: { Cookie: own, Origin: BASE_URL } }
    await site.holdfast.fetch('/api/auth/sign-out', signOut)

    await row.dblclick({ position: { x: 400, y: 20 } })

    await page.getByLabel(texts.account.email).waitFor()
  },
)

test('a preview of a file whose content is gone says so, and the session stays', async () => {
  await put('gone.txt')
  const { page } = await openAs(await signIn(site.holdfast))
  await page.route('**/api/hosting/**', (route) => route.fulfill({ status: 404 }))

  await page.getByRole('row', { name: /gone\.txt/ }).dblclick({ position: { x: 400, y: 20 } })

  await page.getByRole('dialog').getByText(previewTexts.notFound).waitFor()
})
