import { expect, test } from 'bun:test'
import { previewTexts } from '../../src/dashboard/texts/preview.ts'
import { texts } from '../../src/dashboard/texts.ts'
import { eventually } from '../support/eventually.ts'
import { openSite } from './site.ts'
import { seriousFindings } from './visitor.ts'

const site = openSite()

/** Builds a document of two pages, of which the upper half of the first is black. */
function twoPages(): string {
  const drawing = '0 g 0 0 200 150 re f'
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R 4 0 R] /Count 2 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 300] /Contents 5 0 R >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 300] >>',
    `<< /Length ${drawing.length} >>\nstream\n${drawing}\nendstream`,
  ]
  const body = objects.map((object, index) => `${index + 1} 0 obj\n${object}\nendobj\n`)
  const starts = body.map((_, index) => `%PDF-1.4\n${body.slice(0, index).join('')}`.length)
  const table = starts.map((start) => `${String(start).padStart(10, '0')} 00000 n \n`).join('')
  const written = `%PDF-1.4\n${body.join('')}`
  return `${written}xref\n0 6\n0000000000 65535 f \n${table}trailer << /Size 6 /Root 1 0 R >>\nstartxref\n${written.length}\n%%EOF\n`
}

test('a PDF is drawn in the page within its policy, and a damaged one is reported', async () => {
  await site.putFiles('', {
    'two.pdf': twoPages(),
    'broken.pdf': twoPages().slice(0, 40),
    'note.pdf': 'no PDF at all',
  })
  const { page, complaints } = await site.open('/files')
  // Colours of the upper and the lower half.
  const colours = () =>
    page.evaluate<number[]>(`(() => {
      const canvas = document.querySelector('.pdf-page')
      const at = (part) => canvas.getContext('2d').getImageData(canvas.width / 2, canvas.height * part, 1, 1).data[0]
      return [at(0.25), at(0.75)]
    })()`)

  await page.getByRole('button', { name: 'two.pdf', exact: true }).dblclick()
  await page.getByRole('img', { name: texts.files.pdfPage(2, 2) }).waitFor()
  // The white page is there before what is drawn on it.
  await eventually(async () => Bun.deepEquals(await colours(), [255, 0]))
  expect(await seriousFindings(page)).toEqual([])
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'broken.pdf', exact: true }).dblclick()
  await page.getByText(previewTexts.unshown.pdf.title).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'note.pdf', exact: true }).dblclick()
  await page.locator('.line', { hasText: 'no PDF at all' }).waitFor()

  expect(complaints).toEqual([])
})
