import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { texts } from '../../src/dashboard/texts.ts'
import { openSite, pick } from './site.ts'
import { textFile } from './visitor.ts'

const site = openSite()

const { putMany: put, openFolder: open } = site

/** Returns the name under which the browser saves the selection. */
async function savedAs(page: Page): Promise<string> {
  const saved = page.waitForEvent('download')
  await page.getByRole('button', { name: texts.files.download, exact: true }).click()
  return (await saved).suggestedFilename()
}

test('a folder with all items selected is saved as one archive of any size', async () => {
  await put('many', 1001)
  await put('many/below', 1)
  const { page } = await open('many')
  await page.getByText('1 folder, 1,001 files').waitFor()

  await page.getByRole('checkbox', { name: texts.files.selectAll }).check()

  expect(await savedAs(page)).toBe('many.zip')
})

test('more files than an archive accepts are refused before the first byte', async () => {
  await put('more', 1002)
  const { page } = await open('more')
  await page.getByText('1,002 files').waitFor()
  await page.getByRole('checkbox', { name: texts.files.selectAll }).check()
  await page.getByRole('checkbox', { name: texts.files.select('0.txt') }).uncheck()

  await page.getByRole('button', { name: texts.files.download, exact: true }).click()
  await page.getByText(/You selected 1,001 files, but an archive holds at most 1,000/).waitFor()
})

test('a download that the server refuses does not replace the page and reports the reason', async () => {
  await put('refused', 3)
  const { page } = await open('refused')
  await page.route('**/api/files/download', (route) =>
    route.fulfill({
      status: 404,
      headers: { 'X-Frame-Options': 'DENY' },
      json: { data: null, error: { message: 'File not found' } },
    }),
  )
  await page.getByRole('checkbox', { name: texts.files.select('0.txt') }).check()
  await page.getByRole('checkbox', { name: texts.files.select('1.txt') }).check()

  await page.getByRole('button', { name: texts.files.download, exact: true }).click()
  await page.getByText(texts.errors.gone).waitFor()

  expect(await page.getByText(texts.files.selected('2 files')).count()).toBe(1)
})

test('a download during an upload does not ask whether to leave the page', async () => {
  await put('busy', 3)
  const { page } = await open('busy')
  const asked: string[] = []
  page.on('dialog', (dialog) => {
    asked.push(dialog.type())
    void dialog.dismiss()
  })
  // The upload never completes.
  await page.route('**/api/files', () => undefined)
  await pick(page, textFile('slow.txt'))
  await page.getByText(texts.uploads.busy('1 file', 0)).waitFor()
  await page.getByRole('checkbox', { name: texts.files.select('0.txt') }).check()
  await page.getByRole('checkbox', { name: texts.files.select('1.txt') }).check()

  expect(await savedAs(page)).toBe('busy.zip')
  expect(asked).toEqual([])
})
