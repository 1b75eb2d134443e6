import { expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Page } from 'playwright-core'
import { registerAdmin } from '../support/accounts.ts'
import { eventually } from '../support/eventually.ts'
import { type FileView, type Holdfast, upload } from '../support/holdfast.ts'
import { hold, openStage, seriousFindings, textFiles, visit } from './visitor.ts'

async function namesIn(holdfast: Holdfast, cookie: string): Promise<string[]> {
  const list = '/api/files?orderBy=name&orderDirection=ASC'
  const response = await holdfast.fetch(list, { headers: { Cookie: cookie } })
  const { data } = (await response.json()) as { data: { files: FileView[] } }
  return data.files.map(({ name }) => name)
}

test('a thousand files are uploaded within the rate limit of a minute', async () => {
  await using stage = await openStage({ environment: { RATE_LIMIT_API: '300' } })
  const { cookie } = await registerAdmin(stage.holdfast)
  await using visitor = await visit(stage, '/files', { cookie })
  const { page, complaints } = visitor
  const refused: string[] = []
  page.on('response', (response) => {
    if (response.status() === 429) refused.push(response.url())
  })

  await page.getByLabel('Upload', { exact: true }).first().setInputFiles(textFiles(1000))
  await page.getByText('1,000 files uploaded').waitFor({ timeout: 60_000 })

  expect(await namesIn(stage.holdfast, cookie)).toHaveLength(1000)
  expect(refused).toEqual([])
  expect(complaints).toEqual([])
})

test('a name with a quote, a percent sign or other letters arrives exactly', async () => {
  await using stage = await openStage()
  const { cookie } = await registerAdmin(stage.holdfast)
  const names = ['100%22.txt', 'a "quoted" name.txt', "it's (50%).txt", 'Grüße 🌿.txt']
  await using visitor = await visit(stage, '/files', { cookie })
  const { page, complaints } = visitor

  const files = names.map((name) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(name) }))
  await page.getByLabel('Upload', { exact: true }).first().setInputFiles(files)
  await page.getByText('4 files uploaded').waitFor()

  expect((await namesIn(stage.holdfast, cookie)).toSorted()).toEqual(names.toSorted())
  expect(complaints).toEqual([])
})

test('one of several concurrent uploads is canceled, and the others arrive', async () => {
  await using stage = await openStage()
  const { cookie } = await registerAdmin(stage.holdfast)
  await using visitor = await visit(stage, '/files', { cookie })
  const { page } = visitor
  let uploads = 0
  await page.route('**/api/files', (route) => {
    uploads += 1
    // The first upload never completes.
    return uploads === 1 ? undefined : route.continue()
  })

  await page.getByLabel('Upload', { exact: true }).first().setInputFiles(textFiles(3))
  await page.getByRole('button', { name: 'Cancel note 1.txt' }).click()
  await page.getByText('2 files uploaded').waitFor()

  expect(await namesIn(stage.holdfast, cookie)).toEqual(['note 0.txt', 'note 2.txt'])
})

/** Returns files with the names of `textFiles` and other bytes. */
const changedFiles = (count: number) =>
  textFiles(count).map((file, n) => ({ ...file, buffer: Buffer.from(`changed ${n}`) }))

/** Returns the contents of all files by their names. */
async function contentsOf(holdfast: Holdfast, cookie: string): Promise<Record<string, string>> {
  const contents: Record<string, string> = {}
  for (const name of await namesIn(holdfast, cookie))
    contents[name] = await (await holdfast.fetch(`/api/hosting/${encodeURIComponent(name)}`)).text()
  return contents
}

/** Creates a local folder with this many files in two folders. */
function makeTree(count: number): string {
  const path = join(mkdtempSync(join(tmpdir(), 'holdfast-tree-')), 'site')
  mkdirSync(join(path, 'deep'), { recursive: true })
  for (let n = 0; n < count; n += 1) writeFileSync(join(path, n % 2 === 0 ? '' : 'deep', `${n}.txt`), 'x')
  return path
}

/** Collects the paths of a page's unsafe requests. */
function watchChanges(page: Page): string[] {
  const changes: string[] = []
  page.on('request', (request) => {
    if (request.method() !== 'GET') changes.push(new URL(request.url()).pathname)
  })
  return changes
}

test('a folder that is uploaded again prompts one question before the first byte', async () => {
  await using stage = await openStage({ environment: { RATE_LIMIT_API: '300' } })
  const { cookie } = await registerAdmin(stage.holdfast)
  const tree = makeTree(60)
  await using visitor = await visit(stage, '/files', { cookie })
  const { page } = visitor
  await page.getByLabel('Upload folder').first().setInputFiles(tree)
  await page.getByText('60 files uploaded').waitFor()
  const changes = watchChanges(page)
  writeFileSync(join(tree, 'new.txt'), 'x')
  for (let n = 0; n < 50; n += 1) writeFileSync(join(tree, n % 2 === 0 ? '' : 'deep', `${n}.txt`), 'changed')

  await page.getByLabel('Upload folder').first().setInputFiles(tree)
  await page.getByText('50 files already exist here').waitFor()
  expect(changes).toEqual([])
  await page.getByRole('button', { name: 'Skip', exact: true }).click()
  await page.getByText('Skipped 10 files that haven’t changed').waitFor()
  await page.getByText('1 file uploaded').waitFor()
  rmSync(dirname(tree), { recursive: true })

  expect(changes).toEqual(['/api/files'])
  expect(await namesIn(stage.holdfast, cookie)).toHaveLength(61)
})

test('existing files remain, and new ones get other names', async () => {
  await using stage = await openStage()
  const { cookie } = await registerAdmin(stage.holdfast)
  await using visitor = await visit(stage, '/files', { cookie })
  const { page } = visitor
  const input = page.getByLabel('Upload', { exact: true }).first()
  await input.setInputFiles(textFiles(2))
  await page.getByText('2 files uploaded').waitFor()
  await page.getByRole('row', { name: /note 1/ }).waitFor()

  await input.setInputFiles(changedFiles(3))
  await page.getByRole('button', { name: 'Keep both' }).click()
  await page.getByText('3 files uploaded').waitFor()

  expect(await namesIn(stage.holdfast, cookie)).toEqual([
    'note 0 (2).txt',
    'note 0.txt',
    'note 1 (2).txt',
    'note 1.txt',
    'note 2.txt',
  ])
})

test('a file with the name of a folder is not sent before a choice, and goes beside it', async () => {
  await using stage = await openStage()
  const { cookie } = await registerAdmin(stage.holdfast)
  const inside = { name: 'inside.txt', content: 'x', folder: 'note 0.txt' }
  await upload(stage.holdfast, { Cookie: cookie }, inside)
  await using visitor = await visit(stage, '/files', { cookie })
  const { page, complaints } = visitor
  const input = page.getByLabel('Upload', { exact: true }).first()
  const changes = watchChanges(page)

  await input.setInputFiles(textFiles(2))
  await page.getByText('1 name is taken here').waitFor()
  expect(await page.getByRole('button', { name: 'Replace', exact: true }).count()).toBe(0)
  expect(changes).toEqual([])
  await page.getByRole('button', { name: 'Keep both' }).click()
  await page.getByText('2 files uploaded').waitFor()

  expect(await namesIn(stage.holdfast, cookie)).toEqual(['inside.txt', 'note 0 (2).txt', 'note 1.txt'])
  expect(complaints).toEqual([])
})

test('files that exist with the same bytes are skipped without a question', async () => {
  await using stage = await openStage()
  const { cookie } = await registerAdmin(stage.holdfast)
  await using visitor = await visit(stage, '/files', { cookie })
  const { page } = visitor
  const input = page.getByLabel('Upload', { exact: true }).first()
  await input.setInputFiles(textFiles(30))
  await page.getByText('30 files uploaded').waitFor()
  await page.getByText('30 files ·').waitFor()
  const changes = watchChanges(page)

  await input.setInputFiles(textFiles(31))
  await page.getByText('Skipped 30 files that haven’t changed').waitFor()
  await page.getByText('1 file uploaded').waitFor()

  expect(changes).toEqual(['/api/files'])
})

test('each changed file replaces the existing one, gets another name or is skipped, as chosen', async () => {
  await using stage = await openStage()
  const { cookie } = await registerAdmin(stage.holdfast)
  await using visitor = await visit(stage, '/files', { cookie })
  const { page, complaints } = visitor
  const input = page.getByLabel('Upload', { exact: true }).first()
  await input.setInputFiles(textFiles(3))
  await page.getByText('3 files uploaded').waitFor()
  await page.getByRole('row', { name: /note 2/ }).waitFor()

  await input.setInputFiles(changedFiles(3))
  await page.getByText('3 files already exist here').waitFor()
  await page.getByText('The earlier version is kept for 30 days.').waitFor()
  await page.getByRole('button', { name: 'Decide for each file' }).click()
  expect(await seriousFindings(page)).toEqual([])
  await page.getByLabel('Choice for note 1.txt').selectOption('Keep both')
  await page.getByLabel('Choice for note 2.txt').selectOption('Skip')
  await page.getByRole('button', { name: 'Upload 2 files' }).click()
  await page.getByText('2 files uploaded').waitFor()

  expect(await contentsOf(stage.holdfast, cookie)).toEqual({
    'note 0.txt': 'changed 0',
    'note 1 (2).txt': 'changed 1',
    'note 1.txt': 'note 1',
    'note 2.txt': 'note 2',
  })
  expect(complaints).toEqual([])
})

test('a hundred changed files are replaced in few requests', async () => {
  await using stage = await openStage()
  const { cookie } = await registerAdmin(stage.holdfast)
  await using visitor = await visit(stage, '/files', { cookie })
  const { page } = visitor
  const input = page.getByLabel('Upload', { exact: true }).first()
  await input.setInputFiles(textFiles(100))
  await page.getByText('100 files uploaded').waitFor()
  const changes = watchChanges(page)

  await input.setInputFiles(changedFiles(100))
  await page.getByRole('button', { name: 'Replace', exact: true }).click()
  await page.getByText('100 files uploaded').waitFor()

  expect(changes).toEqual(Array.from({ length: 5 }, () => '/api/files'))
  const contents = Object.values(await contentsOf(stage.holdfast, cookie))
  expect(contents).toHaveLength(100)
  expect(contents.filter((content) => !content.startsWith('changed'))).toEqual([])
})

test('a file that is replaced from its menu retains its name and id', async () => {
  await using stage = await openStage()
  const { cookie } = await registerAdmin(stage.holdfast)
  const before = await upload(stage.holdfast, { Cookie: cookie }, { name: 'a.txt', content: 'first' })
  await using visitor = await visit(stage, '/files', { cookie })
  const { page } = visitor

  await page.getByRole('button', { name: 'Actions for a.txt' }).click()
  const chooser = page.waitForEvent('filechooser')
  await page.getByRole('menuitem', { name: 'Replace' }).click()
  await (await chooser).setFiles({ name: 'b.txt', mimeType: 'text/plain', buffer: Buffer.from('second') })
  await page.getByText('1 file uploaded').waitFor()

  expect(await contentsOf(stage.holdfast, cookie)).toEqual({ 'a.txt': 'second' })
  const after = await stage.holdfast.fetch(`/api/files?id=${before.id}`, { headers: { Cookie: cookie } })
  expect(after.status).toBe(200)
})

test('a batch that is refused for one file is sent again without it, not file by file', async () => {
  await using stage = await openStage()
  const { cookie } = await registerAdmin(stage.holdfast)
  await using visitor = await visit(stage, '/files', { cookie })
  const { page } = visitor
  await page.getByText('Upload', { exact: true }).first().waitFor()
  const changes = watchChanges(page)
  // After the page has checked which files exist.
  await page.route('**/api/files', async (route) => {
    if (changes.length === 1)
      await upload(stage.holdfast, { Cookie: cookie }, { name: 'note 7.txt', content: 'first' })
    await route.continue()
  })

  await page.getByLabel('Upload', { exact: true }).first().setInputFiles(textFiles(20))
  await page.getByText('1 file failed').waitFor()
  await page.getByRole('button', { name: 'Retry failed files' }).waitFor()

  expect(changes).toEqual(['/api/files', '/api/files'])
  expect(await namesIn(stage.holdfast, cookie)).toHaveLength(20)
  expect(await (await stage.holdfast.fetch('/api/hosting/note%207.txt')).text()).toBe('first')
})

test('uploads get the chosen visibility, and the tab shows their progress', async () => {
  await using stage = await openStage()
  const { cookie } = await registerAdmin(stage.holdfast)
  await using visitor = await visit(stage, '/files', { cookie })
  const { page } = visitor
  const choice = page.getByRole('combobox', { name: 'Visibility of uploads' })
  await eventually(async () => (await choice.inputValue()) === 'public')
  const held = await hold(page, '**/api/files')

  await choice.selectOption('Upload as private')
  await page.getByLabel('Upload', { exact: true }).first().setInputFiles(textFiles(1))
  await eventually(async () => /^\d+% · Files/.test(await page.title()))
  held.release()
  await page.getByText('1 file uploaded').waitFor()

  await page.getByRole('row', { name: /note 0\.txt.*Private/ }).waitFor()
  expect(await page.title()).toStartWith('Files')
})

test('replaced files retain their visibility, whatever is chosen for uploads', async () => {
  await using stage = await openStage()
  const { cookie } = await registerAdmin(stage.holdfast)
  const names = ['large.txt', 'note 0.txt', 'note 1.txt']
  for (const name of names)
    await upload(stage.holdfast, { Cookie: cookie }, { name, content: 'secret', visibility: 'private' })
  await using visitor = await visit(stage, '/files', { cookie })
  const { page } = visitor
  // Small files travel in one request, the large one alone.
  const large = { name: 'large.txt', mimeType: 'text/plain', buffer: Buffer.alloc(2 * 1024 ** 2) }

  await page.getByRole('combobox', { name: 'Visibility of uploads' }).selectOption('Upload as public')
  await page
    .getByLabel('Upload', { exact: true })
    .first()
    .setInputFiles([large, ...changedFiles(2)])
  await page.getByRole('button', { name: 'Replace', exact: true }).click()
  await page.getByText('3 files uploaded').waitFor()

  const response = await stage.holdfast.fetch('/api/files?orderBy=name&orderDirection=ASC', {
    headers: { Cookie: cookie },
  })
  const { data } = (await response.json()) as { data: { files: FileView[] } }
  expect(data.files.map(({ name, size, visibility }) => [name, size, visibility])).toEqual([
    ['large.txt', 2 * 1024 ** 2, 'private'],
    ['note 0.txt', 9, 'private'],
    ['note 1.txt', 9, 'private'],
  ])
})

test('the chosen visibility stays in the files, and ends on another page', async () => {
  await using stage = await openStage()
  const { cookie } = await registerAdmin(stage.holdfast)
  await upload(stage.holdfast, { Cookie: cookie }, { name: 'a.txt', content: 'x', folder: 'deep' })
  await using visitor = await visit(stage, '/files', { cookie })
  const { page } = visitor
  const choice = page.getByRole('combobox', { name: 'Visibility of uploads' })

  await choice.selectOption('Upload as private')
  await page.getByRole('button', { name: 'deep', exact: true }).dblclick()
  await page.getByRole('row', { name: /a\.txt/ }).waitFor()
  expect(await choice.inputValue()).toBe('private')
  await page.getByRole('link', { name: 'Trash' }).click()
  await page.getByRole('heading', { level: 1, name: 'Trash' }).waitFor()
  await page.getByRole('link', { name: 'Files', exact: true }).first().click()

  expect(await choice.inputValue()).toBe('public')
})
