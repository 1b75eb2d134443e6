import { expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Page } from 'playwright-core'
import { registerAdmin } from '../support/accounts.ts'
import { type FileView, type Holdfast, upload } from '../support/holdfast.ts'
import { openStage, textFiles, visit } from './visitor.ts'

async function namesIn(holdfast: Holdfast, cookie: string): Promise<string[]> {
  const list = '/api/files?orderBy=name&orderDirection=ASC'
  const response = await holdfast.fetch(list, { headers: { Cookie: cookie } })
  const { data } = (await response.json()) as { data: { files: FileView[] } }
  return data.files.map(({ name }) => name)
}

test('a thousand files are uploaded within the requests that a client has in a minute', async () => {
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

test('one of several that are on their way together is canceled, and the others arrive', async () => {
  await using stage = await openStage()
  const { cookie } = await registerAdmin(stage.holdfast)
  await using visitor = await visit(stage, '/files', { cookie })
  const { page } = visitor
  let uploads = 0
  await page.route('**/api/files', (route) => {
    uploads += 1
    // The first stays on its way.
    return uploads === 1 ? undefined : route.continue()
  })

  await page.getByLabel('Upload', { exact: true }).first().setInputFiles(textFiles(3))
  await page.getByRole('button', { name: 'Cancel note 1.txt' }).click()
  await page.getByText('2 files uploaded').waitFor()

  expect(await namesIn(stage.holdfast, cookie)).toEqual(['note 0.txt', 'note 2.txt'])
})

/** A folder on this machine with so many files, in two folders. */
function makeTree(count: number): string {
  const path = join(mkdtempSync(join(tmpdir(), 'holdfast-tree-')), 'site')
  mkdirSync(join(path, 'deep'), { recursive: true })
  for (let n = 0; n < count; n += 1) writeFileSync(join(path, n % 2 === 0 ? '' : 'deep', `${n}.txt`), 'x')
  return path
}

/** The paths of the changes that a page asks for. */
function watchChanges(page: Page): string[] {
  const changes: string[] = []
  page.on('request', (request) => {
    if (request.method() !== 'GET') changes.push(new URL(request.url()).pathname)
  })
  return changes
}

test('a folder that is uploaded again is asked about once, before anything is sent', async () => {
  await using stage = await openStage({ environment: { RATE_LIMIT_API: '300' } })
  const { cookie } = await registerAdmin(stage.holdfast)
  const tree = makeTree(60)
  await using visitor = await visit(stage, '/files', { cookie })
  const { page } = visitor
  await page.getByLabel('Upload folder').first().setInputFiles(tree)
  await page.getByText('60 files uploaded').waitFor()
  const changes = watchChanges(page)
  writeFileSync(join(tree, 'new.txt'), 'x')

  await page.getByLabel('Upload folder').first().setInputFiles(tree)
  await page.getByText('60 files already exist here').waitFor()
  expect(changes).toEqual([])
  await page.getByRole('button', { name: 'Skip existing' }).click()
  await page.getByText('1 file uploaded').waitFor()
  rmSync(dirname(tree), { recursive: true })

  expect(changes).toEqual(['/api/files'])
  expect(await namesIn(stage.holdfast, cookie)).toHaveLength(61)
})

test('files that are there already are kept beside the new ones under other names', async () => {
  await using stage = await openStage()
  const { cookie } = await registerAdmin(stage.holdfast)
  await using visitor = await visit(stage, '/files', { cookie })
  const { page } = visitor
  const input = page.getByLabel('Upload', { exact: true }).first()
  await input.setInputFiles(textFiles(2))
  await page.getByText('2 files uploaded').waitFor()
  await page.getByRole('row', { name: /note 1/ }).waitFor()

  await input.setInputFiles(textFiles(3))
  await page.getByRole('button', { name: 'Keep both' }).click()
  await page.getByText('3 files uploaded').waitFor()

  expect(await namesIn(stage.holdfast, cookie)).toEqual([
    'note 0 (1).txt',
    'note 0.txt',
    'note 1 (1).txt',
    'note 1.txt',
    'note 2.txt',
  ])
})

test('a batch that is refused for one file is sent again without it, not file by file', async () => {
  await using stage = await openStage()
  const { cookie } = await registerAdmin(stage.holdfast)
  await using visitor = await visit(stage, '/files', { cookie })
  const { page } = visitor
  await page.getByText('Upload', { exact: true }).first().waitFor()
  const changes = watchChanges(page)
  // It comes after the page has looked at what is there.
  await page.route('**/api/files', async (route) => {
    if (changes.length === 1)
      await upload(stage.holdfast, { Cookie: cookie }, { name: 'note 7.txt', content: 'first' })
    await route.continue()
  })

  await page.getByLabel('Upload', { exact: true }).first().setInputFiles(textFiles(20))
  await page.getByText('1 file failed').waitFor()

  expect(changes).toEqual(['/api/files', '/api/files'])
  expect(await namesIn(stage.holdfast, cookie)).toHaveLength(20)
  expect(await (await stage.holdfast.fetch('/api/hosting/note%207.txt')).text()).toBe('first')
})
