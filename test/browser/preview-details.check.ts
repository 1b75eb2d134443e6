import { beforeAll, expect, test } from 'bun:test'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { previewTexts } from '../../src/dashboard/texts/preview.ts'
import { searchTexts } from '../../src/dashboard/texts/search.ts'
import { texts } from '../../src/dashboard/texts.ts'
import { makePhoto } from './exif.ts'
import { choose, openSite } from './site.ts'
import { PHONE, seriousFindings } from './visitor.ts'

/** Details of files, beside the list and beside the preview. */

const site = openSite()
let photoId: string
beforeAll(async () => {
  await put('a.txt', 'a')
  await put('b.txt', 'bb')
  photoId = await put(
    'photo.jpg',
    makePhoto(
      [
        [0x10f, 'Canon'],
        [0x110, 'Canon EOS R6'],
      ],
      [
        [0x829a, [1, 250]],
        [0x829d, [28, 10]],
        [0x8827, { short: 400 }],
        [0x9003, '2026:05:04 03:02:01'],
        [0xa434, 'RF 35mm F1.8'],
      ],
    ),
  )
})

const put = async (name: string, content: string | Uint8Array<ArrayBuffer>) =>
  (await site.admin.api.upload(name, content, 'some')).id

const open = (search = '', options: BrowserContextOptions = {}) =>
  site.open(`/files?folder=some${search}`, options)

const panel = (page: Page, name: string) => page.getByRole('dialog', { name, exact: true })

async function showDetails(page: Page, name: string): Promise<void> {
  await choose(page, name, texts.files.details)
  await panel(page, name).waitFor()
}

/** False for the missing thumbnail of the photo, which has facts alone. */
const isUnexpected = (complaint: string) => !complaint.includes('404')

test('the details follow the selection, and the list makes room for them', async () => {
  const { page, complaints } = await open('', { viewport: { width: 1440, height: 900 } })
  await showDetails(page, 'a.txt')

  const list = await page.getByRole('grid').boundingBox()
  const details = await panel(page, 'a.txt').boundingBox()
  expect((list?.x ?? 0) + (list?.width ?? 0)).toBeLessThanOrEqual(details?.x ?? 0)
  await page.getByRole('row', { name: /b\.txt/ }).click({ position: { x: 300, y: 20 } })
  await panel(page, 'b.txt').getByText('2 B').waitFor()
  expect(await seriousFindings(page)).toEqual([])
  await page.keyboard.press('Escape')

  await page.getByRole('dialog').waitFor({ state: 'detached' })
  expect(complaints.filter(isUnexpected)).toEqual([])
})

test('the details of a photo say what its camera wrote', async () => {
  const { page, complaints } = await open()

  await showDetails(page, 'photo.jpg')

  const facts = panel(page, 'photo.jpg').locator('section', { hasText: previewTexts.photo.title })
  await facts.getByText('Canon EOS R6', { exact: true }).waitFor()
  await facts.getByText('4 May 2026, 03:02').waitFor()
  await facts.getByText('1/250 s · f/2.8 · ISO 400').waitFor()
  await facts.getByText('RF 35mm F1.8').waitFor()
  expect(complaints.filter(isUnexpected)).toEqual([])
})

test('Ctrl+K opens the search beside open details', async () => {
  const { page } = await open()
  await showDetails(page, 'a.txt')

  await page.keyboard.press('ControlOrMeta+k')

  await page.getByRole('combobox', { name: searchTexts.placeholder }).waitFor()
})

test('beside the preview, the details stay open for the next file', async () => {
  const { page } = await open(`&preview=${photoId}`)
  const details = page.getByRole('complementary', { name: texts.files.details })
  await panel(page, 'photo.jpg').waitFor()

  await page.keyboard.press('i')
  await details.getByText('Canon EOS R6', { exact: true }).waitFor()
  expect(await seriousFindings(page)).toEqual([])
  await page.keyboard.press('ArrowLeft')
  await panel(page, 'b.txt').waitFor()
  await details.getByText('2 B').waitFor()
  await page.getByRole('button', { name: texts.files.details }).click()

  await details.waitFor({ state: 'detached' })
})

test('on a phone the details lie above the lower part of the window', async () => {
  const { page } = await open(`&preview=${photoId}`, { viewport: PHONE })
  const details = page.getByRole('complementary', { name: texts.files.details })

  await page.getByRole('button', { name: texts.files.details }).click()
  await details.waitFor()

  const box = await details.boundingBox()
  expect(box).toMatchObject({ x: 0, width: 390 })
  expect(box?.y).toBeGreaterThan(56)
})
