import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { previewTexts } from '../../src/dashboard/texts/preview.ts'
import { texts } from '../../src/dashboard/texts.ts'
import { makePng } from './png.ts'
import { openSite } from './site.ts'
import { holdAll, seriousFindings, type Visitor } from './visitor.ts'

/** Texts in the preview: encodings, code, Markdown, tables, and long logs. */

const site = openSite()

let opened = 0

/** Uploads a file to a folder of its own and opens its preview. */
async function openFile(name: string, content: string | Uint8Array<ArrayBuffer>): Promise<Visitor> {
  opened += 1
  const folder = `opened-${opened}`
  const stored = await site.admin.api.upload(name, content, folder)
  const visitor = await site.open(`/files?folder=${folder}&preview=${stored.id}`)
  await dialog(visitor.page).waitFor()
  return visitor
}

const dialog = (page: Page) => page.getByRole('dialog')

test.each([
  ['Latin-1', 'Latin-1', Buffer.from('Grüße aus Köln', 'latin1')],
  ['UTF-16', 'UTF-16 LE', Buffer.from('Grüße aus Köln', 'utf16le')],
  ['UTF-16 with a byte order mark', 'UTF-16 LE', Buffer.from('\ufeffGrüße aus Köln', 'utf16le')],
  ['UTF-8', 'UTF-8', Buffer.from('Grüße aus Köln')],
])('a text in %s is readable', async (_, encoding, content) => {
  const { page } = await openFile('greeting.txt', new Uint8Array(content))

  await dialog(page).getByText('Grüße aus Köln', { exact: true }).waitFor()
  await dialog(page).getByText(encoding, { exact: true }).waitFor()
})

test('code has colours and line numbers, TypeScript too, whose type is that of a film', async () => {
  const { page, complaints } = await openFile('main.ts', 'const one = 1\n\nexport const two = "<b>2</b>"\n')

  await page.locator('.hljs-string', { hasText: '"<b>2</b>"' }).waitFor()

  expect(
    await page.locator('.line').evaluateAll((lines) => lines.map((line) => line.getAttribute('data-line'))),
  ).toEqual(['1', '2', '3', '4'])
  expect(await seriousFindings(page)).toEqual([])
  expect(complaints).toEqual([])
})

test.each(['page.html', 'notes.txt', 'notes.md'])(
  'HTML in %s is text, also before the highlighter is loaded',
  async (name) => {
    const html = '<b onclick="x">bold</b><script>document.title = 1</script>'
    const content = name.endsWith('.md') ? `\`\`\`html\n${html}\n\`\`\`\n` : html
    const { id } = await site.admin.api.upload(name, content, 'html')
    const release = Promise.withResolvers<() => void>()
    const { page } = await site.open(`/files?folder=html&preview=${id}`, {
      isAlone: true,
      prepare: async (prepared) => release.resolve(await holdAll(prepared, /highlight-.*\.js/)),
    })
    const text = page.locator('.line', { hasText: html })

    await text.waitFor()
    expect(await text.locator('b, script').count()).toBe(0)
    ;(await release.promise)()
    if (!name.endsWith('.txt')) await page.locator('.hljs-tag').first().waitFor()
    expect(await page.locator('.lines :is(b, script)').count()).toBe(0)
  },
)

test('a file without a text offers its download', async () => {
  const { page } = await openFile('letter.docx', new Uint8Array([0x50, 0x4b, 3, 4, 0, 0, 8, 0]))

  await dialog(page).getByText(previewTexts.unshown.unknown.title).waitFor()

  await dialog(page).getByText(texts.files.download, { exact: true }).waitFor()
})

const HOSTILE = `# Report

[a link](https://example.com/a "title") [script](javascript:alert(1)) [data](data:text/html,x) [out](/api/me)

<script>globalThis.ran = true</script>
<img src=x onerror="globalThis.ran = true">

![a tracker](https://tracker.test/pixel.png) ![a neighbour](near.png)

Fish &amp; chips, <b onclick="globalThis.ran = true">bold</b>

\`\`\`ts
const answer = 42
\`\`\`
`

test('Markdown is rendered, and nothing in it runs or loads from elsewhere', async () => {
  const { page, complaints } = await openFile('report.md', HOSTILE)
  const elsewhere: string[] = []
  page.on('request', (request) => {
    if (new URL(request.url()).hostname !== 'holdfast.test') elsewhere.push(request.url())
  })
  await page.reload()
  const article = page.locator('.markdown')
  await article.getByRole('heading', { name: 'Report' }).waitFor()
  await article.locator('.hljs-number').waitFor()

  const links = await article
    .getByRole('link')
    .evaluateAll((all) => all.map((link) => link.getAttribute('href')))
  const pictures = await article
    .locator('img')
    .evaluateAll((all) => all.map((img) => img.getAttribute('src')))

  expect(links).toEqual(['https://example.com/a', 'https://tracker.test/pixel.png'])
  expect(pictures).toEqual([
    expect.stringMatching(/^http:\/\/holdfast.test\/api\/hosting\/opened-\d+\/near.png$/),
  ])
  expect(await article.getByText('Fish & chips, bold').count()).toBe(1)
  expect(await page.evaluate('globalThis.ran')).toBeUndefined()
  expect(elsewhere).toEqual([])
  expect(await seriousFindings(page)).toEqual([])
  // The neighbour is missing.
  expect(complaints.filter((complaint) => !complaint.includes('404'))).toEqual([])
})

test.each([
  ['comments without an end', '<!--'.repeat(64 * 1024)],
  ['comments within a paragraph', `a ${'<!--'.repeat(64 * 1024)}`],
  ['quotes in quotes', '>'.repeat(256 * 1024)],
])('Markdown of %s leaves the page usable', async (_, content) => {
  const { page } = await openFile('hostile.md', content)

  await page.locator('.markdown, .text .line').first().waitFor({ state: 'attached' })
  await page.getByRole('button', { name: previewTexts.looks.markdown.source }).click()
  await page.locator('.line[data-line="1"]').waitFor()
  await page.keyboard.press('Escape')

  await dialog(page).waitFor({ state: 'detached' })
  await page.getByRole('row', { name: /hostile\.md/ }).waitFor()
})

test('separated values are a table, of which rows in view are rendered', async () => {
  const rows = Array.from({ length: 4000 }, (_, n) => `${n};"Müller; ""Söhne"" ${n}";${n}.5\n`)
  const { page, complaints } = await openFile('orders.csv', `id;name;sum\n${rows.join('')}`)
  const table = page.getByRole('table', { name: 'orders.csv' })

  await table.getByRole('columnheader', { name: 'name' }).waitFor()
  await table.getByRole('cell', { name: 'Müller; "Söhne" 3', exact: true }).waitFor()
  expect(await seriousFindings(page)).toEqual([])
  await page.getByRole('button', { name: previewTexts.looks.table.source }).click()
  await page.getByText('id;name;sum').waitFor()

  expect(await page.getByRole('row').count()).toBeLessThan(100)
  expect(complaints).toEqual([])
})

test('a long log is read by ranges, from its beginning or its end', async () => {
  const line = (n: number) => `line ${String(n).padStart(6, '0')} ${'x'.repeat(50)}`
  const log = Array.from({ length: 60_000 }, (_, n) => `${line(n + 1)}\n`).join('')
  const { page } = await openFile('server.log', log)
  const number = (n: number) => page.locator(`.line[data-line="${n}"]`).getByText(line(n))
  await number(1).waitFor()
  const ranges: string[] = []
  page.on('request', (request) => {
    const { range } = request.headers()
    if (range !== undefined) ranges.push(range)
  })

  await page.getByRole('button', { name: previewTexts.more }).click()
  await number(5000).waitFor({ state: 'attached' })
  await page.getByRole('button', { name: previewTexts.parts.end, exact: true }).click()
  await page.getByText(line(60_000)).waitFor({ state: 'attached' })
  expect(await page.getByText(line(1), { exact: false }).count()).toBe(0)
  await page.getByRole('button', { name: previewTexts.earlier }).click()
  await page.getByText(line(53_000)).waitFor({ state: 'attached' })

  expect(ranges).toEqual(['bytes=262144-524287', 'bytes=3517856-3779999', 'bytes=3255712-3517855'])
})

test('more than the bound of a long text is not held', async () => {
  const log = `${'x'.repeat(255)}\n`.repeat(14_000)
  const { page } = await openFile('long.log', log)
  await page.locator('.line[data-line="1"]').waitFor()

  for (let read = 2; read <= 10; read += 1) {
    await page.getByRole('button', { name: previewTexts.more }).click()
    await page.locator('.text-amount .button[aria-busy]').waitFor({ state: 'detached' })
    const last = read * 1024
    await page.locator(`.line[data-line="${last}"]`).waitFor({ state: 'attached' })
  }

  expect(await page.locator('.line[data-line="1"]').count()).toBe(0)
  await page.getByText(previewTexts.amount('2 MiB', '3.4 MiB')).waitFor()
})

test.each(['png-as.txt', 'picture', 'picture.svg', 'picture.mp4'])(
  'a picture named %p is shown',
  async (name) => {
    const { page } = await openFile(name, makePng(80, 60))

    const picture = dialog(page).locator('img[src^="blob:"]')
    await picture.waitFor()

    expect(await picture.evaluate((image) => Reflect.get(image, 'naturalWidth'))).toBe(80)
  },
)

test.each(['note.png', 'note.mp4', 'note.mp3', 'note.svg'])(
  'a text named %p is shown as one',
  async (name) => {
    const visitor = await openFile(name, 'Only words, whatever the name says.\n')

    await dialog(visitor.page).getByText('Only words, whatever the name says.').waitFor()
  },
)

test('a picture without a name for it that is too large is not read whole', async () => {
  const content = new Uint8Array(25 * 1024 ** 2)
  content.set(makePng(80, 60))
  const visitor = await openFile('large.bin', content)

  await dialog(visitor.page).getByText(previewTexts.large).waitFor()
})
