import { describe, expect, test } from 'bun:test'
import type { Locator, Page } from 'playwright-core'
import type { NewInvitation, People, User } from '../../src/client/index.ts'
import { browseTexts } from '../../src/dashboard/texts/browse.ts'
import { dialogTexts } from '../../src/dashboard/texts/dialogs.ts'
import { keyTexts } from '../../src/dashboard/texts/keys.ts'
import { rightsTexts } from '../../src/dashboard/texts/rights.ts'
import { roleTexts } from '../../src/dashboard/texts/scopes.ts'
import { shareTexts } from '../../src/dashboard/texts/shares.ts'
import { userTexts } from '../../src/dashboard/texts/users.ts'
import { texts } from '../../src/dashboard/texts.ts'
import type { Right } from '../rights/limited.ts'
import { signIn } from '../support/accounts.ts'
import { apiOf } from '../support/api.ts'
import { eventually } from '../support/eventually.ts'
import { ADMIN } from '../support/holdfast.ts'
import { choose, item, openSite } from './site.ts'
import { findingsInThemes, visit } from './visitor.ts'

/** Rights for folders: keys and accounts that reach only some, and the people of a folder. */

const site = openSite()
const { put } = site

describe('a key for one folder', () => {
  const foldersSeenBy = async (key: string) => {
    const { folders } = await apiOf(site.holdfast, { withKey: { 'API-Key': key } }).browse({ key: '' })
    return folders.map(({ key }) => key)
  }

  test('its folder is chosen step by step, and the list of keys leads there', async () => {
    await put('clients/acme/bills', 'bill.txt')
    const { page, complaints } = await site.open('/keys')

    await page.getByRole('button', { name: keyTexts.new }).click()
    await page.getByRole('textbox', { name: keyTexts.name }).fill('build server')
    await page.getByRole('radio', { name: keyTexts.reaches.one.label }).check()
    const make = page.getByRole('button', { name: keyTexts.create })
    expect(await make.isDisabled()).toBe(true)
    for (const name of ['clients', 'acme'])
      await page.locator('.move-list').getByRole('button', { name, exact: true }).click()
    await page.locator('.move-list').getByRole('button', { name: 'bills', exact: true }).waitFor()
    expect(await findingsInThemes(page)).toEqual([])
    await make.click()
    const secret = await page.getByLabel(keyTexts.secret, { exact: true }).inputValue()
    await page.getByRole('button', { name: texts.actions.done }).click()
    expect(await foldersSeenBy(secret)).toEqual(['clients/acme'])
    await page
      .getByRole('row', { name: /build server/ })
      .getByRole('link', { name: 'clients/acme' })
      .click()

    await page.getByRole('heading', { name: 'acme', level: 1 }).waitFor()
    expect(complaints).toEqual([])
  })

  test('the menu of a folder makes one', async () => {
    await put('sites/blog', 'index.html')
    const { page, complaints } = await site.openFolder('sites')

    await choose(page, 'blog', browseTexts.keyForFolder)
    await page.getByRole('dialog').getByText('sites/blog', { exact: true }).waitFor()
    await page.getByRole('textbox', { name: keyTexts.name }).fill('deploys')
    await page.getByRole('button', { name: keyTexts.create }).click()
    const secret = await page.getByLabel(keyTexts.secret, { exact: true }).inputValue()

    expect(await foldersSeenBy(secret)).toEqual(['sites/blog'])
    expect(complaints).toEqual([])
  })
})

/** Opens a folder of the list. */
const openItem = (page: Page, name: string) => page.locator('[data-index]', { hasText: name }).press('Enter')

let guests = 0

/** Opens a page as an account that is limited to folders, by their keys. */
async function openAsGuest(folders: Record<string, readonly Right[]>, path = '/files') {
  guests += 1
  const email = `guest${guests}@example.com`
  await site.admin.api.data('POST', '/users', {
    ...{ name: `Guest ${guests}`, email, password: ADMIN.password, role: 'editor' },
    folders: Object.entries(folders).map(([folder, rights]) => ({ folder, rights })),
  })
  const { cookie } = await signIn(site.holdfast, email)
  const visitor = await visit(site.stage, path, { cookie })
  const refused: string[] = []
  visitor.page.on('response', (response) => {
    if (response.status() >= 400) refused.push(`${response.status()} ${response.url()}`)
  })
  return { ...visitor, refused }
}

describe('an account that is limited to folders', () => {
  test('sees its folders in place of the root, and changes only where it may', async () => {
    await put('teams/red/plans', 'plan.txt')
    await put('teams/blue', 'secret.txt')
    await put('family', 'photo.txt')
    const { page, complaints, refused } = await openAsGuest({
      'teams/red': ['read', 'write'],
      family: ['read'],
    })

    await page.getByRole('heading', { name: texts.files.yours, level: 1 }).waitFor()
    await item(page, 'red').waitFor()
    expect(await page.getByRole('button', { name: texts.files.upload, exact: true }).count()).toBe(0)
    await page.getByRole('button', { name: texts.files.actionsOf('red') }).click()
    await page.getByRole('menuitem', { name: texts.files.download, exact: true }).waitFor()
    for (const name of [texts.files.rename, texts.files.delete, texts.files.share])
      expect(await page.getByRole('menuitem', { name, exact: true }).count()).toBe(0)
    expect(await findingsInThemes(page)).toEqual([])
    await page.keyboard.press('Escape')

    await openItem(page, 'red')
    const trail = page.getByRole('navigation', { name: texts.files.breadcrumb })
    await page.getByRole('heading', { name: 'red', level: 1 }).waitFor()
    expect(await trail.getByRole('link').allInnerTexts()).toEqual([texts.files.yours])
    await page.getByTitle('teams/red', { exact: true }).waitFor()
    await page.getByRole('button', { name: texts.files.upload, exact: true }).waitFor()
    await page.getByRole('button', { name: texts.files.actionsOf('plans') }).click()
    await page.getByRole('menuitem', { name: texts.files.rename, exact: true }).waitFor()
    for (const name of [texts.files.makePublic, texts.files.delete])
      expect(await page.getByRole('menuitem', { name, exact: true }).count()).toBe(0)
    await page.keyboard.press('Escape')

    await trail.getByRole('link').click()
    await openItem(page, 'family')
    await page.getByRole('button', { name: texts.files.actionsOf('photo.txt') }).click()
    await page.getByRole('menuitem', { name: texts.files.details, exact: true }).waitFor()
    expect(await page.getByRole('menuitem', { name: texts.files.rename, exact: true }).count()).toBe(0)
    expect(await page.getByRole('button', { name: texts.files.upload, exact: true }).count()).toBe(0)
    expect(await page.content()).not.toContain('secret')
    expect(refused).toEqual([])
    expect(complaints).toEqual([])
  })

  test('changes in a folder inside what it may change there, and nothing beside it', async () => {
    const { id } = await site.admin.api.upload('list.txt', 'first', 'house')
    await site.admin.api.replace(id, 'changed')
    await put('house/kitchen', 'recipe.txt', 'menu.txt')
    const { page, complaints, refused } = await openAsGuest({
      house: ['read'],
      'house/kitchen': ['read', 'write', 'delete', 'share'],
    })
    const upload = page.getByRole('button', { name: texts.files.upload, exact: true })
    const inMenu = async (name: string) => {
      await page.getByRole('button', { name: texts.files.actionsOf(name) }).click()
      const entries = await page.getByRole('menuitem').allInnerTexts()
      await page.keyboard.press('Escape')
      return entries.map((entry) => entry.split('\n')[0] ?? '')
    }
    const rename = page.getByRole('textbox', { name: texts.files.newName('menu.txt') })

    await page.getByRole('heading', { name: 'house', level: 1 }).waitFor()
    expect(await upload.count()).toBe(0)
    expect(await inMenu('kitchen')).toEqual([
      texts.files.preview,
      browseTexts.favorites.add,
      texts.files.share,
      texts.files.download,
      texts.files.requestFiles,
      browseTexts.keyForFolder,
      browseTexts.copy,
      texts.files.makePublic,
      texts.files.makePrivate,
    ])
    await choose(page, 'list.txt', texts.files.details)
    await page.getByRole('heading', { name: dialogTexts.versions.title }).waitFor()
    const versions = page.locator('.versions')
    expect(await versions.getByRole('link').count()).toBe(1)
    expect(await versions.getByRole('button').count()).toBe(0)
    await page.keyboard.press('Escape')

    await openItem(page, 'kitchen')
    await upload.waitFor()
    await page.getByRole('button', { name: texts.files.new, exact: true }).waitFor()
    expect(await inMenu('menu.txt')).toContain(texts.files.rename)
    await page.locator('[data-index]', { hasText: 'menu.txt' }).press('F2')
    await rename.press('Escape')
    await page.keyboard.press('ControlOrMeta+a')
    const bar = page.getByRole('region', { name: texts.files.selection })
    await bar.getByRole('button', { name: texts.files.makePublic }).waitFor()
    await bar.getByRole('button', { name: texts.files.delete }).click()
    await page.getByText(texts.files.emptyFolder).waitFor()
    expect(await site.namesIn('house')).toEqual(['kitchen', 'list.txt'])
    expect(refused).toEqual([])
    expect(complaints).toEqual([])
  })

  test('copies what it may only read to where it may write, by the menu and by keys', async () => {
    await put('library/books', 'novel.txt', 'poems.txt')
    await site.admin.api.createFolder('library/desk')
    const { page, complaints, refused } = await openAsGuest(
      { 'library/books': ['read'], 'library/desk': ['read', 'write'] },
      '/files?folder=library%2Fbooks',
    )
    const move = async (folder: string) => {
      await page.getByRole('navigation', { name: texts.files.breadcrumb }).getByRole('link').click()
      await openItem(page, folder)
    }

    await page.getByRole('button', { name: texts.files.actionsOf('novel.txt') }).click()
    expect(await page.getByRole('menuitem', { name: browseTexts.cut }).count()).toBe(0)
    await page.getByRole('menuitem', { name: browseTexts.copy, exact: true }).click()
    await page.getByText(browseTexts.clipboard.copied('1 file')).waitFor()
    await move('desk')
    await page.getByRole('button', { name: browseTexts.paste }).click()
    await item(page, 'novel.txt').waitFor()
    await move('books')
    await page.locator('[data-index]', { hasText: 'poems.txt' }).press('Space')
    await page.keyboard.press('ControlOrMeta+c')
    await page.getByText(browseTexts.clipboard.copied('1 file')).waitFor()
    await move('desk')
    await page.getByRole('button', { name: browseTexts.paste }).click()
    await item(page, 'poems.txt').waitFor()

    expect(await site.namesIn('library/desk')).toEqual(['novel.txt', 'poems.txt'])
    expect(refused).toEqual([])
    expect(complaints).toEqual([])
  })

  test('with one folder begins there, and moves only to where it may write', async () => {
    await put('clinic/notes/old', 'note.txt')
    const { page, complaints, refused } = await openAsGuest({ 'clinic/notes': ['read', 'write', 'delete'] })

    await page.getByRole('heading', { name: 'notes', level: 1 }).waitFor()
    expect(await page.getByRole('navigation', { name: texts.files.breadcrumb }).count()).toBe(0)
    await openItem(page, 'old')
    await choose(page, 'note.txt', texts.files.move)
    await page.locator('.move-trail').getByRole('button', { name: 'notes' }).click()
    await page.getByRole('button', { name: dialogTexts.moveTo('notes') }).click()
    await page.getByText(texts.files.moved('1 file', 'notes')).waitFor()

    expect(await site.namesIn('clinic/notes')).toEqual(['note.txt', 'old'])
    expect(refused).toEqual([])
    expect(complaints).toEqual([])
  })

  test('moves across the border of its folders only what it may delete where it leaves', async () => {
    await put('desk/drafts', 'letter.txt', 'note.txt')
    await put('safe/inner', 'kept.txt')
    await put('shelf/deep', 'old.txt')
    await put('wall', 'sign.txt')
    const { page, complaints, refused } = await openAsGuest(
      {
        ...{ desk: ['read', 'write'], 'desk/drafts': ['read', 'write', 'delete'], wall: ['read'] },
        ...{ safe: ['read', 'write'], shelf: ['read'], 'shelf/deep': ['read', 'write'] },
      },
      '/files?folder=safe',
    )
    const dialog = page.getByRole('dialog')
    const folder = (name: string) => dialog.locator('.move-list').getByRole('button', { name })
    const trail = dialog.locator('.move-trail')
    const move = dialog.getByRole('button', { name: /^Move to/ })
    const noWayOut = rightsTexts.mayNotLeave('safe')

    await choose(page, 'inner', texts.files.move)
    await trail.getByRole('button', { name: texts.files.yours }).click()
    await dialog.getByText(rightsTexts.noTarget).waitFor()
    for (const name of ['desk', 'shelf', 'wall']) expect(await folder(name).isDisabled()).toBe(true)
    await folder('desk').getByText(noWayOut).waitFor()
    await folder('wall').getByText(rightsTexts.mayNotAdd).waitFor()
    expect(await findingsInThemes(page)).toEqual([])
    await dialog.getByRole('combobox').fill('drafts')
    await dialog.getByRole('option', { name: noWayOut, disabled: true }).waitFor()
    await dialog.getByRole('combobox').press('Enter')
    expect(await move.isDisabled()).toBe(true)
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')

    await page.goto(new URL('/files?folder=desk%2Fdrafts', page.url()).href)
    await choose(page, 'letter.txt', texts.files.move)
    await trail.getByRole('button', { name: texts.files.yours }).click()
    expect(await folder('wall').isDisabled()).toBe(true)
    await folder('shelf').click()
    await dialog.getByText(rightsTexts.mayNotAdd).waitFor()
    expect(await move.isDisabled()).toBe(true)
    await folder('deep').click()
    await move.click()
    await page.getByText(texts.files.moved('1 file', 'deep')).waitFor()
    expect(await page.getByRole('button', { name: texts.trash.undo }).count()).toBe(0)
    expect(await site.namesIn('shelf/deep')).toEqual(['letter.txt', 'old.txt'])

    await page.goto(new URL('/files?folder=safe%2Finner', page.url()).href)
    await choose(page, 'kept.txt', browseTexts.cut)
    await page.getByRole('navigation', { name: texts.files.breadcrumb }).getByRole('link').first().click()
    await openItem(page, 'desk')
    await page.getByRole('button', { name: texts.files.upload, exact: true }).waitFor()
    expect(await page.getByRole('button', { name: browseTexts.paste }).count()).toBe(0)
    expect(refused).toEqual([])
    expect(complaints).toEqual([])
  })

  test('is offered to receive files only where it may, and to share only if it may', async () => {
    await put('reports', 'report.txt')
    await put('drop', 'first.txt')
    const sharing = await openAsGuest({ reports: ['read', 'share'], drop: ['read', 'write', 'share'] })
    const { page } = sharing
    const access = page.getByLabel(shareTexts.access)
    for (const [name, state] of [
      ['reports', 'detached'],
      ['drop', 'visible'],
    ] as const) {
      await page.goto(new URL('/files', page.url()).href)
      await choose(page, name, texts.files.share)
      await page.getByRole('button', { name: shareTexts.create }).click()
      await page.getByLabel(shareTexts.link).waitFor()
      await page.goto(new URL('/shares', page.url()).href)
      await page.getByRole('button', { name: shareTexts.actionsOf(name) }).click()
      const [, content] = await Promise.all([
        page.getByRole('menuitem', { name: shareTexts.edit, exact: true }).click(),
        page.waitForResponse((response) => response.url().includes('/api/folders?')),
      ])
      await content.finished()
      await access.waitFor({ state })
    }
    expect([sharing.complaints, sharing.refused]).toEqual([[], []])

    const reading = await openAsGuest({ reports: ['read', 'write'] }, '/shares')
    await reading.page.getByText(shareTexts.emptyDenied).waitFor()
    expect(await reading.page.getByText(shareTexts.emptyText).count()).toBe(0)
  })

  test('without folders sees only whom to ask', async () => {
    const { page, complaints, refused } = await openAsGuest({})

    await page.getByText(texts.files.askToBeLetIn(ADMIN.name)).waitFor()
    expect(await findingsInThemes(page)).toEqual([])
    for (const { trash, overview, shares } of [texts.pages])
      for (const name of [trash, overview, shares]) {
        await page.getByRole('link', { name, exact: true }).click()
        await page.getByRole('heading', { name, level: 1 }).waitFor()
      }
    expect(refused).toEqual([])
    expect(complaints).toEqual([])
  })
})

describe('the people of a folder', () => {
  test('are let in with a level, from above or here, and let out', async () => {
    await put('works/north/plans', 'plan.txt')
    const { page: guest } = await openAsGuest({ 'works/north': ['read'] })
    await guest.getByRole('heading', { name: 'north', level: 1 }).waitFor()
    const name = `Guest ${guests}`
    const { page, complaints } = await site.openFolder('works/north')

    await choose(page, 'plans', browseTexts.people)
    const dialog = page.getByRole('dialog')
    await dialog.getByText(`${rightsTexts.levels.view}, ${rightsTexts.from} works/north`).waitFor()
    await dialog.getByText(rightsTexts.everything('Ada')).waitFor()
    await dialog.getByLabel(rightsTexts.account).selectOption(name)
    await dialog.getByText(rightsTexts.sees(name, 'works / north / plans')).waitFor()
    await dialog.getByLabel(rightsTexts.levelOf(name), { exact: true }).selectOption(rightsTexts.levels.add)
    await dialog.getByRole('button', { name: rightsTexts.letIn, exact: true }).click()
    await page.getByText(rightsTexts.letInDone(name)).waitFor()
    await dialog.getByRole('button', { name: rightsTexts.letOut(name) }).waitFor()
    expect(await findingsInThemes(page)).toEqual([])
    await dialog.getByRole('checkbox', { name: rightsTexts.shareOf(name) }).click()
    const [plans] = (await site.admin.api.browse({ key: 'works/north' })).folders
    const rightsNow = async () =>
      (await site.admin.api.data<People>('GET', `/folders/people?id=${plans?.id}`)).people.map(
        ({ rights }) => rights,
      )
    await eventually(async () => (await rightsNow())[0]?.includes('share') === true)
    expect(await rightsNow()).toEqual([['read', 'write', 'share'], ['read']])
    await dialog.getByRole('button', { name: rightsTexts.letOut(name) }).click()
    await page.getByText(rightsTexts.letOutDone(name)).waitFor()

    expect(await rightsNow()).toEqual([['read']])
    expect(complaints).toEqual([])
  })
})

test('the dialog that moves items names the accounts that gain and lose them', async () => {
  await put('crossing/here', 'moved.txt')
  await openAsGuest({ 'crossing/here': ['read'] })
  const loser = `Guest ${guests}`
  await openAsGuest({ 'crossing/there': ['read'] })
  const { page } = await site.openFolder('crossing/here')

  await choose(page, 'moved.txt', texts.files.move)
  await page.locator('.move-trail').getByRole('button', { name: 'crossing' }).click()
  await page.getByText(rightsTexts.willNotSee(loser)).waitFor()
  await page.locator('.move-list').getByRole('button', { name: 'there', exact: true }).click()

  await page.getByText(rightsTexts.willSee(`Guest ${guests}`)).waitFor()
  expect(await findingsInThemes(page)).toEqual([])
})

test('an admin limits a new account to folders, with one of its own, and changes them', async () => {
  await put('studio/scans', 'scan.txt')
  const { page, complaints } = await site.open('/users')

  await page.getByRole('button', { name: userTexts.add }).click()
  await page.getByRole('textbox', { name: texts.account.name }).fill('Maria Lind')
  await page.getByRole('textbox', { name: texts.account.email }).fill('maria@example.com')
  await page.getByRole('textbox', { name: userTexts.password }).fill(ADMIN.password)
  await page.getByRole('radio', { name: userTexts.reaches.some.label }).check()
  await page.getByRole('button', { name: userTexts.addFolder }).click()
  await page.locator('.move-list').getByRole('button', { name: 'studio', exact: true }).click()
  await page.getByRole('button', { name: userTexts.addThisFolder }).click()
  expect(await findingsInThemes(page)).toEqual([])
  await page.getByRole('dialog').getByRole('button', { name: userTexts.add }).click()
  await page.getByRole('button', { name: texts.actions.done }).click()
  await page.getByRole('row', { name: /Maria Lind.*people\/Maria Lind\s*studio/ }).waitFor()

  await choose(page, 'Maria Lind', userTexts.changeFolders)
  await page.getByRole('button', { name: userTexts.removeFolder('studio') }).click()
  await page.getByRole('button', { name: userTexts.save }).click()
  await page.getByText(userTexts.foldersChanged('Maria Lind')).waitFor()
  const { users } = await site.admin.api.data<{ users: User[] }>('GET', '/users')
  const { folders } = users.find(({ email }) => email === 'maria@example.com') ?? {}

  expect(folders?.map(({ key, rights }) => [key, rights])).toEqual([
    ['people/Maria Lind', ['read', 'write', 'delete']],
  ])
  expect(complaints).toEqual([])
})

test('an invitation names its folders and levels to the invited person and to admins', async () => {
  await put('agency/films', 'film.txt')
  await put('agency/music', 'song.txt')
  const invite = async (role: string) => {
    const { invitation } = await site.admin.api.data<{ invitation: NewInvitation }>('POST', '/invitations', {
      ...{ role, note: `the new ${role}` },
      folders: [
        { folder: 'agency/films', rights: ['read', 'write', 'share'] },
        { folder: 'agency/music', rights: ['read'] },
      ],
    })
    return `/${invitation.url}`
  }
  const [view, share] = [rightsTexts.levels.view, rightsTexts.describe(rightsTexts.levels.add, true)]

  const { page: asEditor } = await visit(site.stage, await invite('editor'))
  const shown = asEditor.getByRole('listitem')
  await shown.first().waitFor()
  expect(await shown.allInnerTexts()).toEqual([`films\n${share}`, `music\n${view}`])
  expect(await findingsInThemes(asEditor)).toEqual([])
  const { page: asViewer } = await visit(site.stage, await invite('viewer'))
  await asViewer.getByRole('listitem').filter({ hasText: view }).first().waitFor()
  expect(await asViewer.getByText(rightsTexts.levels.add).count()).toBe(0)
  const { page: office } = await site.open('/users')
  const row = office.getByRole('row', { name: /the new editor/ })
  await row.getByText('agency/films').waitFor()
  expect(await row.getByRole('listitem').allInnerTexts()).toEqual([
    `agency/films\n${share}`,
    `agency/music\n${view}`,
  ])
})

test.each([1024, 1180])(
  'the table of accounts has room for names and folders at %d pixels',
  async (width) => {
    await openAsGuest({
      [`clients ${width}/acme/bills`]: ['read'],
      [`clients ${width}/acme/contracts`]: ['read'],
    })
    const { page } = await site.open('/users', { viewport: { width, height: 800 } })
    const row = page.getByRole('row', { name: `guest${guests}@example.com` })
    const heightOf = async (part: Locator) => (await part.boundingBox())?.height ?? 0
    await row.waitFor()
    const line = await heightOf(row.getByText(roleTexts.editor.label, { exact: true }))

    for (const part of [
      row.getByText(`guest${guests}@example.com`),
      row.getByText(/contracts/),
      row.locator('time').last(),
    ])
      expect(await heightOf(part)).toBeLessThan(line * 1.5)
  },
)
