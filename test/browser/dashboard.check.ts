import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { addUser } from '../support/accounts.ts'
import { eventually } from '../support/eventually.ts'
import { ADMIN, BASE_URL, type FileView, sendUpload, upload } from '../support/holdfast.ts'
import { openStage, type Stage, seriousFindings, signIn, textFiles, visit } from './visitor.ts'

let stage: Stage
/** Cookie of the admin that the first test registers. */
let cookie: string
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage[Symbol.asyncDispose]())

const namesIn = async (folder: string): Promise<string[]> => {
  const response = await stage.holdfast.fetch(`/api/folders?key=${folder}&orderBy=name&orderDirection=ASC`, {
    headers: { Cookie: cookie },
  })
  const { data } = (await response.json()) as { data: { files: FileView[]; folders: FileView[] } | null }
  return [...(data?.folders ?? []), ...(data?.files ?? [])].map(({ name }) => name)
}

const put = (folder: string, ...names: string[]) =>
  Promise.all(
    names.map((name) => upload(stage.holdfast, { Cookie: cookie }, { name, content: `in ${name}`, folder })),
  )

const itemMenu = (page: Page, name: string) => page.getByRole('button', { name: `Actions for ${name}` })

describe('journeys', () => {
  test('the first visitor becomes the admin, uploads a file and shares its link', async () => {
    await using visitor = await visit(stage, '/')
    const { page, complaints } = visitor
    await page.getByLabel('Name').fill(ADMIN.name)
    await page.getByLabel('E-mail').fill(ADMIN.email)
    await page.getByLabel('Password', { exact: true }).fill(ADMIN.password)
    await page.getByRole('radio', { name: 'Public' }).check()
    await page.getByRole('button', { name: 'Create the admin account' }).click()
    await page.getByText('Upload your first file').waitFor()
    await page.getByLabel('Upload', { exact: true }).first().setInputFiles(textFiles(1))
    await page.getByText('1 file uploaded').waitFor()
    await itemMenu(page, 'note 0.txt').click()
    await page.getByRole('menuitem', { name: 'Share' }).click()
    await page.getByRole('button', { name: 'Direct link' }).click()
    const link = await page.getByLabel('Link', { exact: true }).inputValue()
    cookie = await signIn(stage.holdfast)

    const opened = await stage.holdfast.fetch(new URL(link).pathname)

    expect(await opened.text()).toBe('note 0')
    expect(complaints).toEqual([])
  })

  test('thirty files and a folder arrive with their tree', async () => {
    await put('inbox', 'first.txt')
    const source = mkdtempSync(join(tmpdir(), 'holdfast-tree-'))
    mkdirSync(join(source, 'album/deep'), { recursive: true })
    writeFileSync(join(source, 'album/one.txt'), '1')
    writeFileSync(join(source, 'album/deep/two.txt'), '2')
    await using visitor = await visit(stage, '/files?folder=inbox', { cookie })
    const { page, complaints } = visitor

    await page.getByLabel('Upload', { exact: true }).setInputFiles(textFiles(30))
    await page.getByText('30 files uploaded').waitFor()
    await page.getByLabel('Upload folder').setInputFiles(join(source, 'album'))
    await page.getByText('2 files uploaded').waitFor()
    rmSync(source, { recursive: true })

    expect(await namesIn('inbox')).toHaveLength(32)
    expect(await namesIn('inbox/album')).toEqual(['deep', 'one.txt'])
    expect(await namesIn('inbox/album/deep')).toEqual(['two.txt'])
    await page.getByRole('button', { name: 'album', exact: true }).waitFor()
    expect(complaints).toEqual([])
  })

  test('a folder is dropped from the desktop, with its tree and its empty folders', async () => {
    await put('landing', 'first.txt')
    const source = mkdtempSync(join(tmpdir(), 'holdfast-drop-'))
    mkdirSync(join(source, 'album/deep/none'), { recursive: true })
    writeFileSync(join(source, 'album/one.txt'), '1')
    writeFileSync(join(source, 'album/deep/two.txt'), '2')
    await using visitor = await visit(stage, '/files?folder=landing', { cookie })
    const { page, complaints } = visitor
    // A drag that is faster than the page has no effect; a real one reports its place again and again.
    await page.getByRole('row', { name: 'first.txt' }).waitFor()
    const debug = await page.context().newCDPSession(page)
    const data = { items: [], files: [join(source, 'album')], dragOperationsMask: 1 }
    const drag = (type: 'dragEnter' | 'dragOver' | 'drop') =>
      debug.send('Input.dispatchDragEvent', { type, x: 600, y: 400, data })

    await drag('dragEnter')
    await drag('dragOver')
    await page.getByText('Drop to upload to landing').waitFor()
    await drag('drop')
    await page.getByText('2 files uploaded').waitFor()
    await eventually(async () => (await namesIn('landing/album/deep')).length === 2)
    rmSync(source, { recursive: true })

    expect(await namesIn('landing/album')).toEqual(['deep', 'one.txt'])
    expect(await namesIn('landing/album/deep')).toEqual(['none', 'two.txt'])
    expect(await page.getByText('Drop to upload').count()).toBe(0)
    expect(complaints).toEqual([])
  })

  test('the rest of a large folder is loaded on request after its list could not be read to the end', async () => {
    const names = Array.from({ length: 210 }, (_, n) => `${n}.txt`)
    for (const some of [names.slice(0, 70), names.slice(70, 140), names.slice(140)]) {
      const files = Object.fromEntries(some.map((name) => [name, 'x']))
      await sendUpload(stage.holdfast, { Cookie: cookie }, { files, folder: 'large' })
    }
    await using visitor = await visit(stage, '/files', { cookie })
    const { page } = visitor
    await page.route(/offset=200/, (route) => route.abort())
    await page.getByRole('button', { name: 'large', exact: true }).dblclick()
    await page.getByText('Check your connection and try again').waitFor()
    await page.unroute(/offset=200/)

    await page.getByRole('button', { name: 'Load the rest' }).click()
    await page.getByText('210 files').waitFor()
    await page.getByRole('checkbox', { name: 'Select all' }).check()
    await page.getByRole('button', { name: 'Make private' }).click()
    await page.getByText('210 files now private').waitFor()

    expect((await stage.holdfast.fetch('/api/hosting/large/209.txt')).status).toBe(404)
  })

  test('a file that exists already prompts a question, and is skipped', async () => {
    await put('taken', 'note 0.txt')
    await using visitor = await visit(stage, '/files?folder=taken', { cookie })
    const { page } = visitor

    await page.getByLabel('Upload', { exact: true }).setInputFiles(textFiles(2))
    await page.getByRole('dialog').getByText('note 0.txt').waitFor()
    await page.getByRole('button', { name: 'Skip', exact: true }).click()
    await page.getByText('1 file uploaded').waitFor()

    expect(await namesIn('taken')).toEqual(['note 0.txt', 'note 1.txt'])
  })

  test('a file is renamed in its place and moved with the picker', async () => {
    await put('desk', 'draft.txt')
    await put('desk/drawer', 'old.txt')
    await using visitor = await visit(stage, '/files?folder=desk', { cookie })
    const { page } = visitor

    await itemMenu(page, 'draft.txt').click()
    await page.getByRole('menuitem', { name: 'Rename' }).click()
    await page.getByLabel('New name of draft.txt').fill('final.txt')
    await page.keyboard.press('Enter')
    await itemMenu(page, 'final.txt').click()
    await page.getByRole('menuitem', { name: 'Move' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'drawer' }).click()
    await page.getByRole('button', { name: 'Move to drawer' }).click()
    await page.getByText('Moved 1 file to drawer').waitFor()

    expect(await namesIn('desk')).toEqual(['drawer'])
    expect(await namesIn('desk/drawer')).toEqual(['final.txt', 'old.txt'])
  })

  test('a file is dragged into a folder', async () => {
    await put('drag', 'light.txt')
    await put('drag/box', 'old.txt')
    await using visitor = await visit(stage, '/files?folder=drag', { cookie })
    const { page } = visitor

    await page
      .getByRole('button', { name: 'light.txt', exact: true })
      .dragTo(page.getByRole('row', { name: /box/ }))
    await page.getByText('Moved 1 file to box').waitFor()

    expect(await namesIn('drag/box')).toEqual(['light.txt', 'old.txt'])
  })

  test('many files are selected by keyboard and deleted for good after a confirmation', async () => {
    await put('bin', 'a.txt', 'b.txt', 'c.txt', 'd.txt')
    await using visitor = await visit(stage, '/files?folder=bin', { cookie })
    const { page } = visitor
    await page.getByRole('row', { name: /a\.txt/ }).focus()

    await page.keyboard.press('Space')
    await page.keyboard.press('Shift+ArrowDown')
    await page.getByText('2 files selected').waitFor()
    await page.keyboard.press('Shift+Delete')
    await page.getByText('This deletes 2 files (16 B). Links to them will stop working.').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
    expect(await namesIn('bin')).toHaveLength(4)

    await page.getByRole('checkbox', { name: 'Select all' }).check()
    await page.getByRole('row', { name: /a\.txt/ }).press('Shift+Delete')
    await page.getByRole('dialog').getByRole('button', { name: 'Delete for good' }).click()
    await page.getByText('This folder is empty').waitFor()
    expect(await namesIn('bin')).toEqual([])
  })

  test('a private file is shared by an expiring link, which shows its expiry', async () => {
    await upload(
      stage.holdfast,
      { Cookie: cookie },
      { name: 'secret.txt', content: 'hush', folder: 'safe', visibility: 'private' },
    )
    await using visitor = await visit(stage, '/files?folder=safe', { cookie })
    const { page } = visitor

    await itemMenu(page, 'secret.txt').click()
    await page.getByRole('menuitem', { name: 'Share' }).click()
    await page.getByRole('button', { name: 'Direct link' }).click()
    await page.getByLabel('Expires after').selectOption('1 hour')
    await page.getByRole('button', { name: 'Create link' }).click()
    await page.getByText(/^Expires in 1 hour \(.*\)\.$/).waitFor()
    const { pathname, search } = new URL(await page.getByLabel('Expiring link').inputValue())

    expect((await stage.holdfast.fetch(pathname)).status).toBe(404)
    expect(await (await stage.holdfast.fetch(pathname + search)).text()).toBe('hush')
  })

  test('signing in again returns to the same page', async () => {
    await put('place', 'here.txt')
    await using visitor = await visit(stage, '/files?folder=place')
    const { page } = visitor

    await page.getByLabel('E-mail').fill(ADMIN.email)
    await page.getByLabel('Password', { exact: true }).fill('not it')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('The e-mail or password is wrong.').waitFor()
    await page.getByLabel('Password', { exact: true }).fill(ADMIN.password)
    await page.getByRole('button', { name: 'Sign in' }).click()

    await page.getByRole('row', { name: /here\.txt/ }).waitFor()
  })

  test('a session that ends while a page is open leads to the sign-in page and back', async () => {
    await put('later', 'still.txt')
    const own = await signIn(stage.holdfast)
    await using visitor = await visit(stage, '/files?folder=later', { cookie: own })
    const { page } = visitor
    await page.getByRole('row', { name: /still\.txt/ }).waitFor()
    // Its stream of changes would notice first.
    await page.route('**/api/changes', () => undefined)
    await stage.holdfast.fetch('/api/auth/sign-out', {
      method: 'POST',
      headers: { Cookie: own, Origin: BASE_URL },
    })

    await page.getByRole('button', { name: 'New folder' }).click()
    await page.getByLabel('Name', { exact: true }).fill('more')
    await page.getByRole('button', { name: 'Create folder' }).click()
    await page.getByLabel('E-mail').fill(ADMIN.email)
    await page.getByLabel('Password', { exact: true }).fill(ADMIN.password)
    await page.getByRole('button', { name: 'Sign in' }).click()

    await page.getByRole('row', { name: /still\.txt/ }).waitFor()
  })

  test('a viewer sees no action that the role forbids', async () => {
    await put('show', 'look.txt')
    const viewer = await addUser(stage.holdfast, { role: 'viewer' })
    await using visitor = await visit(stage, '/files?folder=show', { cookie: viewer.withSession.Cookie })
    const { page } = visitor

    await itemMenu(page, 'look.txt').click()

    expect(await page.getByRole('menuitem').allTextContents()).toEqual([
      'OpenEnter',
      'Details',
      'Copy link',
      'Share',
      'Download',
    ])
    expect(await page.getByRole('button', { name: /Upload|New folder/ }).count()).toBe(0)
  })

  test('on a phone all pages fit, and the menu opens them', async () => {
    await put('phone', 'a rather long name of a file that does not fit on a phone in one line.txt')
    const viewport = { width: 390, height: 844 }
    await using visitor = await visit(stage, '/files?folder=phone', { cookie, viewport })
    const { page } = visitor

    const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
    await page.getByRole('button', { name: 'Menu' }).click()
    await page.getByRole('dialog').getByRole('link', { name: 'Files' }).click()
    await page.getByRole('heading', { level: 1, name: 'Files' }).waitFor()

    expect(overflow).toBeLessThanOrEqual(0)
  })

  test('the theme follows the system until the user chooses', async () => {
    await using visitor = await visit(stage, '/files', { cookie, colorScheme: 'dark' })
    const { page } = visitor
    const paper = () => page.evaluate('getComputedStyle(document.documentElement).backgroundColor')
    const dark = await paper()

    await page.getByRole('button', { name: new RegExp(ADMIN.email) }).click()
    await page.getByRole('menuitemradio', { name: 'Light' }).click()
    const light = await paper()
    await page.reload()
    await page.getByRole('heading', { level: 1 }).waitFor()

    expect([dark, light]).toEqual(['rgb(20, 25, 26)', 'rgb(247, 246, 242)'])
    expect(await paper()).toBe(light)
  })
})

describe.each(['light', 'dark'] as const)('axe finds nothing serious in %s', (colorScheme) => {
  test('on the sign-in page', async () => {
    await using visitor = await visit(stage, '/', { colorScheme })

    expect(await seriousFindings(visitor.page)).toEqual([])
  })

  test('among files, in each of their layouts and dialogs', async () => {
    await put(`axe-${colorScheme}`, 'a.txt', 'b.txt')
    await put(`axe-${colorScheme}/below`, 'c.txt')
    await using visitor = await visit(stage, `/files?folder=axe-${colorScheme}`, { cookie, colorScheme })
    const { page } = visitor
    const found: Record<string, string[]> = {}
    const look = async (what: string) => {
      found[what] = await seriousFindings(page)
    }
    const inMenu = async (action: string) => {
      await itemMenu(page, 'a.txt').click()
      await page.getByRole('menuitem', { name: action }).click()
      await page.getByRole('dialog').waitFor()
      await look(action)
      await page.keyboard.press('Escape')
    }
    await page.getByRole('row', { name: /a\.txt/ }).waitFor()

    await look('list')
    for (const action of ['Details', 'Share', 'Move']) await inMenu(action)
    await page.getByRole('checkbox', { name: 'Select a.txt' }).check()
    await look('selection')
    await page.getByRole('button', { name: 'Clear selection' }).click()
    await page.getByRole('button', { name: 'a.txt', exact: true }).dblclick()
    await page.getByText('in a.txt').waitFor()
    await look('preview')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Clear selection' }).click()
    await page.getByRole('button', { name: 'Grid' }).click()
    await look('grid')
    await page.getByLabel('Upload', { exact: true }).setInputFiles(textFiles(2))
    await page.getByText('2 files uploaded').waitFor()
    await look('uploads')

    expect(Object.entries(found).filter(([, findings]) => findings.length > 0)).toEqual([])
  })
})
