import { describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Page } from 'playwright-core'
import { browseTexts } from '../../src/dashboard/texts/browse.ts'
import { conflictTexts } from '../../src/dashboard/texts/conflicts.ts'
import { texts } from '../../src/dashboard/texts.ts'
import { addUser } from '../support/accounts.ts'
import { eventually } from '../support/eventually.ts'
import { openSite, pickFolder } from './site.ts'
import { hold, seriousFindings, textFile, textFiles, visit, watchChanges } from './visitor.ts'

const field = (page: Page) => page.getByLabel(texts.files.upload, { exact: true }).first()

const site = openSite()

/** Creates a local folder with this many files in two folders. */
function makeTree(count: number): string {
  const path = join(mkdtempSync(join(tmpdir(), 'holdfast-tree-')), 'site')
  mkdirSync(join(path, 'deep'), { recursive: true })
  for (let n = 0; n < count; n += 1) writeFileSync(join(path, n % 2 === 0 ? '' : 'deep', `${n}.txt`), 'x')
  return path
}

describe('within the rate limit of a minute', () => {
  const limited = openSite({ environment: { RATE_LIMIT_API: '300' } })

  test('a thousand files are uploaded', async () => {
    const { page, complaints } = await limited.openNew('thousand')
    const refused: string[] = []
    page.on('response', (response) => {
      if (response.status() === 429) refused.push(response.url())
    })

    await field(page).setInputFiles(textFiles(1000))
    await page.getByText(texts.uploads.done('1,000 files')).waitFor()

    expect(Object.keys(await limited.admin.api.checksums('thousand'))).toHaveLength(1000)
    expect(refused).toEqual([])
    expect(complaints).toEqual([])
  })

  test('a folder that is uploaded again prompts one question before the first byte', async () => {
    const tree = makeTree(60)
    const { page } = await limited.openNew('again')
    await pickFolder(page, tree)
    await page.getByText(texts.uploads.done('60 files')).waitFor()
    const changes = watchChanges(page)
    writeFileSync(join(tree, 'new.txt'), 'x')
    for (let n = 0; n < 50; n += 1)
      writeFileSync(join(tree, n % 2 === 0 ? '' : 'deep', `${n}.txt`), 'changed')

    await pickFolder(page, tree)
    await page.getByText('50 files already exist here').waitFor()
    expect(changes).toEqual([])
    await page.getByRole('button', { name: conflictTexts.choices.skip, exact: true }).click()
    await page.getByText(conflictTexts.unchanged(10)).waitFor()
    await page.getByText(texts.uploads.done('1 file')).waitFor()
    rmSync(dirname(tree), { recursive: true })

    expect(changes).toEqual(['/api/files'])
    expect(Object.keys(await limited.admin.api.checksums('again'))).toHaveLength(61)
  })
})

test('a name with a quote, a percent sign or other letters arrives exactly', async () => {
  const names = ['100%22.txt', 'a "quoted" name.txt', "it's (50%).txt", 'Grüße 🌿.txt']
  const { page, complaints } = await site.openNew('quoted')

  await field(page).setInputFiles(names.map((name) => textFile(name)))
  await page.getByText(texts.uploads.done('4 files')).waitFor()

  expect((await site.namesIn('quoted')).toSorted()).toEqual(names.toSorted())
  expect(complaints).toEqual([])
})

test('one of several concurrent uploads is canceled, and the others arrive', async () => {
  const { page } = await site.openNew('canceled')
  let uploads = 0
  await page.route('**/api/files', (route) => {
    uploads += 1
    // The first upload never completes.
    return uploads === 1 ? undefined : route.continue()
  })

  await field(page).setInputFiles(textFiles(3))
  await page.getByRole('button', { name: texts.uploads.cancel('note 1.txt') }).click()
  await page.getByText(texts.uploads.done('2 files')).waitFor()

  expect(await site.namesIn('canceled')).toEqual(['note 0.txt', 'note 2.txt'])
})

/** Returns files with the names of `textFiles` and other bytes. */
const changedFiles = (count: number) =>
  textFiles(count).map((file, n) => ({ ...file, buffer: Buffer.from(`changed ${n}`) }))

/** Returns the contents of a folder's files by their names. */
async function contentsOf(folder: string): Promise<Record<string, string>> {
  const contents: Record<string, string> = {}
  for (const name of await site.namesIn(folder)) contents[name] = await site.contentOf(`${folder}/${name}`)
  return contents
}

test('existing files remain, and new ones get other names', async () => {
  const { page } = await site.openNew('both')
  const input = field(page)
  await input.setInputFiles(textFiles(2))
  await page.getByText(texts.uploads.done('2 files')).waitFor()
  await page.getByRole('row', { name: /note 1/ }).waitFor()

  await input.setInputFiles(changedFiles(3))
  await page.getByRole('button', { name: conflictTexts.choices['keep-both'] }).click()
  await page.getByText(texts.uploads.done('3 files')).waitFor()

  expect(await site.namesIn('both')).toEqual([
    'note 0 (2).txt',
    'note 0.txt',
    'note 1 (2).txt',
    'note 1.txt',
    'note 2.txt',
  ])
})

test('a file with the name of a folder is not sent before a choice, and goes beside it', async () => {
  await site.put('beside/note 0.txt', 'inside.txt')
  const { page, complaints } = await site.openFolder('beside')
  const input = field(page)
  const changes = watchChanges(page)

  await input.setInputFiles(textFiles(2))
  await page.getByText('1 name is taken here').waitFor()
  expect(await page.getByRole('button', { name: conflictTexts.choices.replace, exact: true }).count()).toBe(0)
  expect(changes).toEqual([])
  await page.getByRole('button', { name: conflictTexts.choices['keep-both'] }).click()
  await page.getByText(texts.uploads.done('2 files')).waitFor()

  expect(await site.namesIn('beside')).toEqual(['note 0 (2).txt', 'note 0.txt', 'note 1.txt'])
  expect(complaints).toEqual([])
})

test('files that exist with the same bytes are skipped without a question', async () => {
  const { page } = await site.openNew('same')
  const input = field(page)
  await input.setInputFiles(textFiles(30))
  await page.getByText(texts.uploads.done('30 files')).waitFor()
  await page.getByText('30 files ·').waitFor()
  const changes = watchChanges(page)

  await input.setInputFiles(textFiles(31))
  await page.getByText(conflictTexts.unchanged(30)).waitFor()
  await page.getByText(texts.uploads.done('1 file')).waitFor()

  expect(changes).toEqual(['/api/files'])
})

test('each changed file replaces the existing one, gets another name or is skipped, as chosen', async () => {
  const { page, complaints } = await site.openNew('chosen')
  const input = field(page)
  await input.setInputFiles(textFiles(3))
  await page.getByText(texts.uploads.done('3 files')).waitFor()
  await page.getByRole('row', { name: /note 2/ }).waitFor()

  await input.setInputFiles(changedFiles(3))
  await page.getByText('3 files already exist here').waitFor()
  await page.getByText('The earlier version is kept for 30 days.').waitFor()
  await page.getByRole('button', { name: conflictTexts.each }).click()
  expect(await seriousFindings(page)).toEqual([])
  await page.getByLabel(conflictTexts.choiceOf('note 1.txt')).selectOption(conflictTexts.choices['keep-both'])
  await page.getByLabel(conflictTexts.choiceOf('note 2.txt')).selectOption(conflictTexts.choices.skip)
  await page.getByRole('button', { name: conflictTexts.upload('2 files') }).click()
  await page.getByText(texts.uploads.done('2 files')).waitFor()

  expect(await contentsOf('chosen')).toEqual({
    'note 0.txt': 'changed 0',
    'note 1 (2).txt': 'changed 1',
    'note 1.txt': 'note 1',
    'note 2.txt': 'note 2',
  })
  expect(complaints).toEqual([])
})

test('a hundred changed files are replaced in few requests', async () => {
  const { page } = await site.openNew('hundred')
  const input = field(page)
  await input.setInputFiles(textFiles(100))
  await page.getByText(texts.uploads.done('100 files')).waitFor()
  const changes = watchChanges(page)

  await input.setInputFiles(changedFiles(100))
  await page.getByRole('button', { name: conflictTexts.choices.replace, exact: true }).click()
  await page.getByText(texts.uploads.done('100 files')).waitFor()

  expect(changes).toEqual(Array.from({ length: 5 }, () => '/api/files'))
  const contents = Object.values(await contentsOf('hundred'))
  expect(contents).toHaveLength(100)
  expect(contents.filter((content) => !content.startsWith('changed'))).toEqual([])
})

test('a file that is replaced from its menu retains its name and id', async () => {
  const before = await site.admin.api.upload('a.txt', 'first', 'menu')
  const { page } = await site.openFolder('menu')

  await page.getByRole('button', { name: texts.files.actionsOf('a.txt') }).click()
  const chooser = page.waitForEvent('filechooser')
  await page.getByRole('menuitem', { name: conflictTexts.choices.replace }).click()
  await (await chooser).setFiles(textFile('b.txt', 'second'))
  await page.getByText(texts.uploads.done('1 file')).waitFor()

  expect(await contentsOf('menu')).toEqual({ 'a.txt': 'second' })
  expect((await site.admin.api.file(before.id)).id).toBe(before.id)
})

test('a batch that is refused for one file is sent again without it, not file by file', async () => {
  const { page } = await site.openNew('refused')
  await page.getByText(texts.files.upload, { exact: true }).first().waitFor()
  const changes = watchChanges(page)
  // After the page has checked which files exist.
  await page.route('**/api/files', async (route) => {
    if (changes.length === 1) await site.admin.api.upload('note 7.txt', 'first', 'refused')
    await route.continue()
  })

  await field(page).setInputFiles(textFiles(20))
  await page.getByText(texts.uploads.someFailed('1 file')).waitFor()
  await page.getByRole('button', { name: texts.uploads.retryAll }).waitFor()

  expect(changes).toEqual(['/api/files', '/api/files'])
  expect(await site.namesIn('refused')).toHaveLength(20)
  expect(await site.contentOf('refused/note 7.txt')).toBe('first')
  await page.getByRole('button', { name: texts.uploads.retryAll }).click()
  await page.getByText(conflictTexts.title(1, 'files')).waitFor()
  await page.getByRole('button', { name: conflictTexts.choices['keep-both'] }).click()
  await page.getByText(texts.uploads.done('1 file')).waitFor()
  expect(await site.contentOf('refused/note 7 (2).txt')).toBe('note 7')
})

test('a failed upload stays in the panel when the question about its name is canceled', async () => {
  const { page } = await site.openNew('raced')
  await page.route('**/api/files', async (route) => {
    await site.admin.api.upload('race.txt', 'first', 'raced').catch(() => undefined)
    await route.continue()
  })
  await field(page).setInputFiles(textFile('race.txt', 'second'))
  await page.getByText(texts.uploads.someFailed('1 file')).waitFor()

  await page.getByRole('button', { name: texts.uploads.retryAll }).click()
  await page.getByText(conflictTexts.title(1, 'files')).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: texts.uploads.retry('race.txt') }).click()
  await page.getByRole('button', { name: conflictTexts.choices.replace, exact: true }).click()
  await page.getByText(texts.uploads.done('1 file')).waitFor()

  expect(await contentsOf('raced')).toEqual({ 'race.txt': 'second' })
})

test('files of one name in one choice are numbered or left out, as chosen', async () => {
  const { page } = await site.openNew('twins')

  await field(page).setInputFiles(['one', 'two', 'three'].map((content) => textFile('image.txt', content)))
  await page.getByText(conflictTexts.title(2, 'chosen')).waitFor()
  await page.getByRole('button', { name: conflictTexts.choices['keep-both'] }).click()
  await page.getByText(texts.uploads.done('3 files')).waitFor()

  expect(await contentsOf('twins')).toEqual({
    'image (2).txt': 'two',
    'image (3).txt': 'three',
    'image.txt': 'one',
  })
})

test('uploads get the chosen visibility, and the tab shows their progress', async () => {
  const { page } = await site.openNew('shown')
  const choice = page.getByRole('combobox', { name: browseTexts.newFiles.label })
  await eventually(async () => (await choice.inputValue()) === 'public')
  const held = await hold(page, '**/api/files')

  await choice.selectOption(browseTexts.newFiles.as.private)
  await field(page).setInputFiles(textFiles(1))
  await eventually(async () => /^\d+% · shown/.test(await page.title()))
  held.release()
  await page.getByText(texts.uploads.done('1 file')).waitFor()

  await page.getByRole('row', { name: /note 0\.txt.*Private/ }).waitFor()
  expect(await page.title()).toStartWith('shown')
})

test('an editor sees whether uploads will be public, also after the default has changed', async () => {
  const editor = await addUser(site.holdfast, { role: 'editor' })
  const { page } = await visit(site.stage, '/files', { cookie: editor.cookie })
  const choice = page.getByRole('combobox', { name: browseTexts.newFiles.label })
  await eventually(async () => (await choice.inputValue()) === 'public')

  await site.admin.api.data('PUT', '/settings', { defaultVisibility: 'private' })
  await eventually(async () => (await choice.inputValue()) === 'private')
  await site.admin.api.data('PUT', '/settings', { defaultVisibility: 'public' })

  expect(await choice.getByRole('option').allTextContents()).toEqual(Object.values(browseTexts.newFiles.as))
})

test('replaced files retain their visibility, whatever is chosen for uploads', async () => {
  const names = ['large.txt', 'note 0.txt', 'note 1.txt']
  for (const name of names) await site.admin.api.upload(name, 'secret', 'retained', 'private')
  const { page } = await site.openFolder('retained')
  // Small files travel in one request, the large one alone.
  const large = textFile('large.txt', Buffer.alloc(2 * 1024 ** 2))

  await page
    .getByRole('combobox', { name: browseTexts.newFiles.label })
    .selectOption(browseTexts.newFiles.as.public)
  await field(page).setInputFiles([large, ...changedFiles(2)])
  await page.getByRole('button', { name: conflictTexts.choices.replace, exact: true }).click()
  await page.getByText(texts.uploads.done('3 files')).waitFor()

  const { files } = await site.admin.api.browse({ key: 'retained', orderBy: 'name', orderDirection: 'ASC' })
  expect(files.map(({ name, size, visibility }) => [name, size, visibility])).toEqual([
    ['large.txt', 2 * 1024 ** 2, 'private'],
    ['note 0.txt', 9, 'private'],
    ['note 1.txt', 9, 'private'],
  ])
})

test('the chosen visibility stays in the files, and ends on another page', async () => {
  await site.admin.api.upload('a.txt', 'x', 'page/deep')
  const { page } = await site.openFolder('page')
  const choice = page.getByRole('combobox', { name: browseTexts.newFiles.label })

  await choice.selectOption(browseTexts.newFiles.as.private)
  await page.getByRole('button', { name: 'deep', exact: true }).dblclick()
  await page.getByRole('row', { name: /a\.txt/ }).waitFor()
  expect(await choice.inputValue()).toBe('private')
  await page.getByRole('link', { name: texts.pages.trash }).click()
  await page.getByRole('heading', { level: 1, name: texts.pages.trash }).waitFor()
  await page.getByRole('link', { name: texts.pages.files, exact: true }).first().click()

  expect(await choice.inputValue()).toBe('public')
})
