import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { addUser, setAccess } from '../support/accounts.ts'
import { ADMIN, BASE_URL, upload } from '../support/holdfast.ts'
import { openSite } from './site.ts'
import { signIn, visit } from './visitor.ts'

/** Jobs and data in the page when the account signs out or changes. */

const site = openSite()

const put = (name: string) => site.put('mine', name)

const openAs = async (cookie: string) => visit(site.stage, '/files?folder=mine', { cookie })

async function chooseSignOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: new RegExp(ADMIN.email) }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
}

const choose = (page: Page, name: string) =>
  page
    .getByLabel('Upload', { exact: true })
    .setInputFiles([{ name, mimeType: 'text/plain', buffer: Buffer.from('x') }])

test('signing out during an upload asks first', async () => {
  await put('first.txt')
  await using visitor = await openAs(await signIn(site.holdfast))
  const { page } = visitor
  // The upload never completes.
  await page.route('**/api/files', () => undefined)
  await choose(page, 'slow.txt')
  await page.getByText('Uploading 1 file').waitFor()

  await chooseSignOut(page)
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel', exact: true }).click()
  await page.getByText('Uploading 1 file').waitFor()
  await chooseSignOut(page)
  await page.getByRole('button', { name: 'Cancel and sign out' }).click()

  await page.getByRole('button', { name: 'Sign in' }).waitFor()
})

test('another account that signs in sees no data of the last one', async () => {
  await put('kept.txt')
  const other = await addUser(site.holdfast, { role: 'editor' })
  const own = await signIn(site.holdfast)
  await using visitor = await openAs(own)
  const { page } = visitor
  await choose(page, 'private matters.txt')
  await page.getByText('1 file uploaded').waitFor()
  // Its stream of changes would notice first.
  await page.route('**/api/changes', () => undefined)
  const signOut = { method: 'POST', headers: { Cookie: own, Origin: BASE_URL } }
  await site.holdfast.fetch('/api/auth/sign-out', signOut)

  await choose(page, 'too late.txt')
  await page.getByLabel('E-mail').fill(other.email)
  await page.getByLabel('Password', { exact: true }).fill(ADMIN.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('row', { name: /kept\.txt/ }).waitFor()

  expect(await page.getByRole('region', { name: 'Uploads' }).count()).toBe(0)
})

test('an account with a reduced role loses its actions on the first refusal', async () => {
  await put('look.txt')
  const user = await addUser(site.holdfast, { role: 'editor' })
  await using visitor = await openAs(user.cookie)
  const { page } = visitor
  await page.getByRole('button', { name: 'New folder' }).click()
  setAccess(site.holdfast, user.id, { role: 'viewer' })

  await page.getByLabel('Name', { exact: true }).fill('more')
  await page.getByRole('button', { name: 'Create folder' }).click()
  await page.getByText('Your account doesn’t have permission to do this').waitFor()
  await page.keyboard.press('Escape')

  await page.getByRole('button', { name: 'New folder' }).waitFor({ state: 'detached' })
})

/** Folder and visibility of a file that hosting hides from strangers. */
const MINE = { folder: 'mine', visibility: 'private' } as const

test.each(['ended.txt', 'ended.pdf'])(
  'a preview of %p after its session ended leads to the sign-in page',
  async (name) => {
    await upload(site.holdfast, { Cookie: site.admin.cookie }, { ...MINE, name, content: name })
    const own = await signIn(site.holdfast)
    await using visitor = await openAs(own)
    const { page } = visitor
    const row = page.getByRole('row', { name: new RegExp(name) })
    await row.waitFor()
    // Its stream of changes would notice first.
    await page.route('**/api/changes', () => undefined)
    const signOut = { method: 'POST', headers: { Cookie: own, Origin: BASE_URL } }
    await site.holdfast.fetch('/api/auth/sign-out', signOut)

    await row.dblclick({ position: { x: 400, y: 20 } })

    await page.getByLabel('E-mail').waitFor()
  },
)

test('a preview of a file whose content is gone says so, and the session stays', async () => {
  await put('gone.txt')
  await using visitor = await openAs(await signIn(site.holdfast))
  const { page } = visitor
  await page.route('**/api/hosting/**', (route) => route.fulfill({ status: 404 }))

  await page.getByRole('row', { name: /gone\.txt/ }).dblclick({ position: { x: 400, y: 20 } })

  await page.getByRole('dialog').getByText('File not found').waitFor()
})
