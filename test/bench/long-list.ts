import type { Part } from './bench.ts'
import { type Limit, percentile, type Row, showMs } from './report.ts'
import { openTab, restOf, type Tab } from './tab.ts'

const FILES = 50_000
const FOLDER = 'fifty-thousand'
const SELECTED = 100

/** Folder of 50,000 files as a list in the dashboard. */
export const longList: Part = {
  groves: [{ folder: FOLDER, files: FILES, size: 64 }],
  measure: async (bench) => {
    await using tab = await openTab(bench)
    return [
      ...(await openList(tab)),
      ...(await scroll(tab)),
      ...(await arrange(tab)),
      ...(await change(tab)),
      ...(await restOf(tab, 'list')),
    ]
  },
}

const took = (what: string, value: number, limit?: number): Limit => ({
  ...{ what: `list: ${what}`, value, isTime: true, show: showMs },
  ...(limit !== undefined && { limit }),
})

const text = (selector: string) => `(document.querySelector('${selector}')?.textContent ?? '')`
const status = text('.page-status')
const toast = `[...document.querySelectorAll('.toast')].map((it) => it.textContent).join()`
const isInView = (name: string) =>
  `[...document.querySelectorAll('.collection [data-index]')].some((row) => {
    const { top, bottom } = row.getBoundingClientRect()
    return row.textContent.includes('${name}') && top < innerHeight && bottom > 0
  })`

async function openList(tab: Tab): Promise<Row[]> {
  const first = await tab.open(
    `/files?folder=${FOLDER}`,
    "document.querySelector('.collection [data-index]')",
  )
  const all = await tab.page.evaluate<number>(`holds(() => ${status}.startsWith('50,000 files'), false)`)
  return [took('first rows', first, 1000), took('all rows', all)]
}

async function scroll({ page, framesDuring, timed }: Tab): Promise<Row[]> {
  await page.mouse.move(800, 500)
  const frames = await framesDuring(async () => {
    for (let turn = 0; turn < 100; turn += 1) {
      await page.mouse.wheel(0, 2000)
      await Bun.sleep(40)
    }
  })
  await page.locator('.collection [data-index]').first().focus()
  const end = await timed(() => page.keyboard.press('End'), isInView('49999.bin'))
  const begin = await timed(() => page.keyboard.press('Home'), isInView('0.bin'))
  return [
    took('p95 of a frame while scrolling', percentile(frames, 0.95)),
    took('jump to the end', end, 100),
    took('jump to the beginning', begin, 100),
  ]
}

async function arrange({ page, timed }: Tab): Promise<Row[]> {
  const heading = page.getByRole('button', { name: 'Name', exact: true })
  const sort = await timed(() => heading.click(), isInView('49999.bin'))
  await timed(() => heading.click(), isInView('0.bin'))
  const search = page.getByRole('searchbox')
  await search.focus()
  const keys: number[] = []
  for (const [index, key] of [...'4321'].entries()) {
    const typed = '4321'.slice(0, index + 1)
    const isFiltered = `!${status}.startsWith('50,000') && document.querySelector('[type=search]').value === '${typed}'`
    keys.push(await timed(() => page.keyboard.press(key), isFiltered))
  }
  await search.fill('')
  await page.evaluate(`holds(() => ${status}.startsWith('50,000'), false)`)
  await page.locator('.collection [data-index]').first().focus()
  const all = await timed(
    () => page.keyboard.press('ControlOrMeta+a'),
    `${text('.selection-bar')}.includes('50,000 files selected')`,
  )
  await page.keyboard.press('Escape')
  return [took('sort', sort), took('longest key of a filter', Math.max(...keys)), took('select all', all)]
}

async function change({ page, timed }: Tab): Promise<Row[]> {
  await page.locator('.collection [data-index="0"]').focus()
  await page.keyboard.press('F2')
  await page.locator('.rename-field').fill('00 renamed.bin')
  const rename = await timed(() => page.keyboard.press('Enter'), isInView('00 renamed.bin'))
  await page.locator('.collection [data-index="1"]').click()
  await page.locator('.collection [data-index="1"]').focus()
  for (let row = 1; row < SELECTED; row += 1) await page.keyboard.press('Shift+ArrowDown')
  await page.evaluate(`holds(() => ${text('.selection-bar')}.includes('${SELECTED} files selected'), false)`)
  const remove = await timed(
    () => page.keyboard.press('Delete'),
    `${toast}.includes('Moved ${SELECTED} files') && ${status}.startsWith('49,900')`,
  )
  const undo = await timed(
    () =>
      page
        .locator('.toast', { hasText: `Moved ${SELECTED}` })
        .getByRole('button', { name: 'Undo' })
        .click(),
    `${status}.startsWith('50,000')`,
  )
  return [took('rename one', rename), took(`delete ${SELECTED}`, remove), took('undo', undo)]
}
