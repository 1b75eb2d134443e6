import { expect, test } from 'bun:test'
import { registerAdmin } from '../support/accounts.ts'
import type { FileView, Holdfast } from '../support/holdfast.ts'
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
  await page.getByText('1,000 files uploaded').waitFor({ timeout: 25_000 })

  expect(await namesIn(stage.holdfast, cookie)).toHaveLength(1000)
  expect(refused).toEqual([])
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
