import { describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { conflictTexts } from '../../src/dashboard/texts/conflicts.ts'
import { dialogTexts } from '../../src/dashboard/texts/dialogs.ts'
import { shareTexts } from '../../src/dashboard/texts/shares.ts'
import { texts } from '../../src/dashboard/texts.ts'
import { addUser } from '../support/accounts.ts'
import { eventually } from '../support/eventually.ts'
import { ADMIN, BASE_URL } from '../support/holdfast.ts'
import { chooseNew, fillSignIn, openSite, pick, pickFolder } from './site.ts'
import { findingsInThemes, signIn, textFiles, visit, visitWithoutStream } from './visitor.ts'

const site = openSite()
const { namesIn, openFolder } = site

const put = (folder: string, ...names: string[]) =>
  site.putFiles(folder, Object.fromEntries(names.map((name) => [name, `in ${name}`])))

const itemMenu = (page: Page, name: string) => page.getByRole('button', { name: texts.files.actionsOf(name) })

describe('journeys', () => {
  test('thirty files and a folder arrive with their tree', async () => {
    await put('inbox', 'first.txt')
    const source = mkdtempSync(join(tmpdir(), 'holdfast-tree-'))
    mkdirSync(join(source, 'album/deep'), { recursive: true })
    writeFileSync(join(source, 'album/one.txt'), '1')
    writeFileSync(join(source, 'album/deep/two.txt'), '2')
    const { page, complaints } = await openFolder('inbox')

    await pick(page, textFiles(30))
    await page.getByText(texts.uploads.done('30 files')).waitFor()
    expect(await findingsInThemes(page)).toEqual([])
    await pickFolder(page, join(source, 'album'))
    await page.getByText(texts.uploads.done('2 files')).waitFor()
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
    const { page, complaints } = await openFolder('landing')
    // A drag that is faster than the page has no effect; a real one reports its place again and again.
    await page.getByRole('row', { name: 'first.txt' }).waitFor()
    const debug = await page.context().newCDPSession(page)
    const data = { items: [], files: [join(source, 'album')], dragOperationsMask: 1 }
    const drag = (type: 'dragEnter' | 'dragOver' | 'drop') =>
      debug.send('Input.dispatchDragEvent', { type, x: 600, y: 400, data })

    await drag('dragEnter')
    await drag('dragOver')
    await page.getByText(texts.uploads.dropInto('landing')).waitFor()
    await drag('drop')
    await page.getByText(texts.uploads.done('2 files')).waitFor()
    await eventually(async () => (await namesIn('landing/album/deep')).length === 2)
    rmSync(source, { recursive: true })

    expect(await namesIn('landing/album')).toEqual(['deep', 'one.txt'])
    expect(await namesIn('landing/album/deep')).toEqual(['none', 'two.txt'])
    expect(await page.getByText('Drop to upload').count()).toBe(0)
    expect(complaints).toEqual([])
  })

  test('the rest of a large folder is loaded on request after its list could not be read to the end', async () => {
    await site.putMany('large', 210)
    const { page } = await site.open('/files')
    await page.route(/offset=200/, (route) => route.abort())
    await page.getByRole('button', { name: 'large', exact: true }).dblclick()
    await page.getByText('Check your connection and try again').waitFor()
    await page.unroute(/offset=200/)

    await page.getByRole('button', { name: texts.files.loadRest }).click()
    await page.getByText('210 files').waitFor()
    await page.getByRole('checkbox', { name: texts.files.selectAll }).check()
    await page.getByRole('button', { name: texts.files.makePrivate }).click()
    await page.getByText(texts.files.visibilitySet('210 files', 'private')).waitFor()

    expect((await site.holdfast.fetch('/api/hosting/large/209.txt')).status).toBe(404)
  })

  test('a file that exists already prompts a question, and is skipped', async () => {
    await put('taken', 'note 0.txt')
    const { page } = await openFolder('taken')

    await pick(page, textFiles(2))
    await page.getByRole('dialog').getByText('note 0.txt').waitFor()
    await page.getByRole('button', { name: conflictTexts.choices.skip, exact: true }).click()
    await page.getByText(texts.uploads.done('1 file')).waitFor()

    expect(await namesIn('taken')).toEqual(['note 0.txt', 'note 1.txt'])
  })

  test('a rename to another extension asks first', async () => {
    await put('type', 'notes.txt')
    const { page } = await openFolder('type')
    const rename = async () => {
      await page.getByRole('row', { name: /notes\.txt/ }).press('F2')
      await page.getByLabel(texts.files.newName('notes.txt')).fill('notes.exe')
      await page.keyboard.press('Enter')
      await page.getByRole('dialog', { name: dialogTexts.extensionTitle('notes.exe') }).waitFor()
    }

    await rename()
    await page.getByRole('button', { name: texts.actions.cancel }).click()
    expect(await namesIn('type')).toEqual(['notes.txt'])
    await rename()
    await page.getByRole('dialog').getByRole('button', { name: texts.files.rename }).click()

    await page.getByRole('row', { name: /notes\.exe/ }).waitFor()
    expect(await namesIn('type')).toEqual(['notes.exe'])
  })

  test('a file is renamed in its place and moved with the picker', async () => {
    await put('desk', 'draft.txt')
    await put('desk/drawer', 'old.txt')
    const { page } = await openFolder('desk')

    await itemMenu(page, 'draft.txt').click()
    await page.getByRole('menuitem', { name: texts.files.rename }).click()
    await page.getByLabel(texts.files.newName('draft.txt')).fill('final.txt')
    await page.keyboard.press('Enter')
    await itemMenu(page, 'final.txt').click()
    await page.getByRole('menuitem', { name: texts.files.move }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'drawer' }).click()
    await page.getByRole('button', { name: dialogTexts.moveTo('drawer') }).click()
    await page.getByText(texts.files.moved('1 file', 'drawer')).waitFor()

    expect(await namesIn('desk')).toEqual(['drawer'])
    expect(await namesIn('desk/drawer')).toEqual(['final.txt', 'old.txt'])
  })

  test('a file is dragged into a folder', async () => {
    await put('drag', 'light.txt')
    await put('drag/box', 'old.txt')
    const { page } = await openFolder('drag')

    await page
      .getByRole('button', { name: 'light.txt', exact: true })
      .dragTo(page.getByRole('row', { name: /box/ }))
    await page.getByText(texts.files.moved('1 file', 'box')).waitFor()

    expect(await namesIn('drag/box')).toEqual(['light.txt', 'old.txt'])
  })

  test('many files are selected by keyboard and deleted for good after a confirmation', async () => {
    await put('bin', 'a.txt', 'b.txt', 'c.txt', 'd.txt')
    const { page } = await openFolder('bin')
    await page.getByRole('row', { name: /a\.txt/ }).focus()

    await page.keyboard.press('Space')
    await page.keyboard.press('Shift+ArrowDown')
    await page.getByText(texts.files.selected('2 files')).waitFor()
    await page.keyboard.press('Shift+Delete')
    await page.getByText('This deletes 2 files (16 B). Links to them will stop working.').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: texts.actions.cancel }).click()
    expect(await namesIn('bin')).toHaveLength(4)

    await page.getByRole('checkbox', { name: texts.files.selectAll }).check()
    await page.getByRole('row', { name: /a\.txt/ }).press('Shift+Delete')
    await page.getByRole('dialog').getByRole('button', { name: texts.files.deleteForGood }).click()
    await page.getByText(texts.files.emptyFolder).waitFor()
    expect(await namesIn('bin')).toEqual([])
  })

  test('a private file is shared by an expiring link, which shows its expiry', async () => {
    await site.admin.api.upload('secret.txt', 'hush', 'safe', 'private')
    const { page } = await openFolder('safe')

    await itemMenu(page, 'secret.txt').click()
    await page.getByRole('menuitem', { name: texts.files.share }).click()
    await page.getByRole('button', { name: shareTexts.ways.direct }).click()
    await page.getByLabel(dialogTexts.lifetime).selectOption('1 hour')
    await page.getByRole('button', { name: dialogTexts.makeLink }).click()
    await page.getByText(/^Expires in 1 hour \(.*\)\.$/).waitFor()
    const { pathname, search } = new URL(await page.getByLabel(dialogTexts.signedLink).inputValue())

    expect((await site.holdfast.fetch(pathname)).status).toBe(404)
    expect(await (await site.holdfast.fetch(pathname + search)).text()).toBe('hush')
  })

  test('signing in again returns to the same page', async () => {
    await put('place', 'here.txt')
    const { page } = await visit(site.stage, '/files?folder=place')

    await fillSignIn(page, ADMIN.email, 'not it')
    await page.getByText(texts.signIn.wrong).waitFor()
    await page.getByLabel(texts.account.password, { exact: true }).fill(ADMIN.password)
    await page.getByRole('button', { name: texts.signIn.submit }).click()

    await page.getByRole('row', { name: /here\.txt/ }).waitFor()
  })

  test('the right password of a disabled account says that it is disabled', async () => {
    const user = await addUser(site.holdfast, { role: 'editor' })
    await site.admin.api.data('PUT', '/users', { id: user.id, disabled: true })
    const { page } = await visit(site.stage, '/files')

    await fillSignIn(page, user.email, 'not it')
    await page.getByText(texts.signIn.wrong).waitFor()
    await page.getByLabel(texts.account.password, { exact: true }).fill(ADMIN.password)
    await page.getByRole('button', { name: texts.signIn.submit }).click()

    await page.getByText(texts.signIn.disabled).waitFor()
  })

  test('a session that ends while a page is open leads to the sign-in page and back', async () => {
    await put('later', 'still.txt')
    const own = await signIn(site.holdfast)
    const { page } = await visitWithoutStream(site.stage, '/files?folder=later', { cookie: own })
    await site.holdfast.fetch('/api/auth/sign-out', {
      method: 'POST',
      headers: { Cookie: own, Origin: BASE_URL },
    })

    await chooseNew(page, texts.files.newFolder)
    await page.getByLabel(dialogTexts.folderName, { exact: true }).fill('more')
    await page.getByRole('button', { name: texts.files.create }).click()
    await fillSignIn(page, ADMIN.email)

    await page.getByRole('row', { name: /still\.txt/ }).waitFor()
  })

  test('a viewer sees no action that the role forbids', async () => {
    await put('show', 'look.txt')
    const viewer = await addUser(site.holdfast, { role: 'viewer' })
    const { page } = await visit(site.stage, '/files?folder=show', { cookie: viewer.withSession.Cookie })

    await itemMenu(page, 'look.txt').click()

    expect(await page.getByRole('menuitem').allTextContents()).toEqual([
      'OpenEnter',
      'Details',
      'Add to favorites*',
      'Copy link',
      'Download',
    ])
    expect(await page.getByRole('button', { name: /Upload|New folder/ }).count()).toBe(0)
    await page.keyboard.press('Escape')
    await page.getByRole('link', { name: texts.pages.shares }).click()
    await page.getByText(shareTexts.emptyDenied).waitFor()
    expect(await page.getByText(shareTexts.emptyCollect).count()).toBe(0)
  })

  test('the theme follows the system until the user chooses', async () => {
    const { page } = await site.open('/files', { colorScheme: 'dark' })
    const paper = () => page.evaluate('getComputedStyle(document.documentElement).backgroundColor')
    const dark = await paper()

    await page.getByRole('button', { name: new RegExp(ADMIN.email) }).click()
    await page.getByRole('menuitemradio', { name: texts.themes.light }).click()
    const light = await paper()
    await page.reload()
    await page.getByRole('heading', { level: 1 }).waitFor()

    expect([dark, light]).toEqual(['rgb(20, 25, 26)', 'rgb(247, 246, 242)'])
    expect(await paper()).toBe(light)
  })
})
