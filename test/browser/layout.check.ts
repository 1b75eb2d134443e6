import { beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { shareTexts } from '../../src/dashboard/texts/shares.ts'
import { texts } from '../../src/dashboard/texts.ts'
import { addUser } from '../support/accounts.ts'
import { becomes } from '../support/eventually.ts'
import { choose, openSite, pick } from './site.ts'
import { PHONE, textFile, visit } from './visitor.ts'

/** Legibility of pages and names in small windows. */

const site = openSite()
beforeAll(() => site.putMany('some', 20))

test.each(['list', 'grid'])('at 400 % zoom the %s has room for several files', async (layout) => {
  const viewport = { width: 360, height: 225 }
  const { page } = await site.open('/files?folder=some', { viewport })
  await page.getByRole('button', { name: layout === 'list' ? 'List' : 'Grid' }).click()
  const grid = page.getByRole('grid', { name: texts.files.contents })
  await grid.scrollIntoViewIfNeeded()

  expect((await grid.boundingBox())?.height).toBeGreaterThanOrEqual(200)
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
})

/** Least pixels of a name that are legible. */
const LEGIBLE = 140

const WIDTHS = [
  ...[320, 360, 390, 576, 600, 640, 768, 769, 800, 844, 1024],
  ...[1025, 1120, 1180, 1280, 1440, 2560],
]

/** Script that returns how much of a long name is seen, and the headings that overlap the next one. */
const NAMES = `(() => {
  const name = document.querySelector('.item-name').getBoundingClientRect()
  const panel = document.querySelector('.details-panel')?.getBoundingClientRect()
  const end = panel && panel.left > 0 ? Math.min(name.right, panel.left) : name.right
  const heads = [...document.querySelectorAll('.file-list-header > span:not(.cell-menu)')].filter((it) => it.offsetWidth > 0)
  const ends = heads.map((it) => {
    const range = document.createRange()
    range.selectNodeContents(it)
    return [it.getBoundingClientRect().left, range.getBoundingClientRect().right]
  })
  return { seen: end - name.left, overlaps: ends.filter(([, right], at) => right > (ends[at + 1]?.[0] ?? innerWidth)) }
})()`

test.each([false, true])(
  'names are legible in windows of all widths, with details: %p',
  async (hasDetails) => {
    const name = `${'Minutes of the meetings about the roof '.repeat(4)}.txt`
    await site.put(`long-${hasDetails}`, name)
    const { page } = await site.openFolder(`long-${hasDetails}`, { viewport: { width: 1440, height: 800 } })
    await page.getByRole('button', { name: 'List' }).click()
    if (hasDetails) {
      await choose(page, name, texts.files.details)
      await page.getByRole('dialog', { name }).waitFor()
    }

    const problems: unknown[] = []
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 800 })
      const look = () => page.evaluate<{ seen: number; overlaps: unknown[] }>(NAMES)
      // The columns follow the window after it has changed.
      const isLegible = await becomes(async () => {
        const { seen, overlaps } = await look()
        return seen >= LEGIBLE && overlaps.length === 0
      })
      if (!isLegible) problems.push({ width, ...(await look()) })
    }

    expect(problems).toEqual([])
  },
)

test('at 400 % zoom finished uploads do not cover the page, and fold themselves', async () => {
  const prepare = (page: Page) => page.clock.install()
  const look = { viewport: { width: 360, height: 225 }, isAlone: true, prepare }
  const { page } = await site.open('/files?folder=some', look)
  await pick(page, textFile('zoomed.txt'))
  await page.getByText(texts.uploads.done('1 file')).waitFor()
  const panel = page.getByRole('region', { name: texts.uploads.title })

  const [content, covered] = [await page.locator('#content').boundingBox(), await panel.boundingBox()]
  expect((content?.y ?? 0) + (content?.height ?? 0)).toBeLessThanOrEqual(covered?.y ?? 0)
  await panel.hover()
  await page.clock.runFor(6000)
  await panel.getByRole('button', { name: texts.uploads.collapse }).waitFor()
  await page.mouse.move(0, 0)
  await page.clock.runFor(6000)

  await panel.getByRole('button', { name: texts.uploads.expand }).waitFor()
  expect(await panel.getByText('zoomed.txt').count()).toBe(0)
})

test('messages do not cover the uploads', async () => {
  await site.put('covered', 'a.txt')
  const { page } = await site.openFolder('covered', { viewport: { width: 1440, height: 900 } })
  await pick(page, textFile('b.txt'))
  await page.getByText(texts.uploads.done('1 file')).waitFor()
  await page.getByRole('row', { name: /a\.txt/ }).press('Delete')
  await page.getByText(texts.trash.moved('“a.txt”')).waitFor()
  const boxOf = (selector: string) => page.locator(selector).boundingBox()

  for (const width of [390, 769, 1024, 1025, 1440]) {
    await page.setViewportSize({ width, height: 900 })
    const [message, panel] = [await boxOf('.toast'), await boxOf('.uploads')]
    if (!message || !panel) throw new Error('Nothing is there')
    const isAbove = message.y + message.height <= panel.y
    expect([width, isAbove || message.x + message.width <= panel.x]).toEqual([width, true])
  }
})

test('on a phone in landscape the account menu is reachable', async () => {
  const viewport = { width: 844, height: 390 }
  const { page } = await site.open('/files', { viewport })

  await page.getByRole('button', { name: new RegExp(site.admin.email) }).click()
  await page.getByRole('menuitem', { name: texts.signOut }).waitFor()

  const button = await page
    .getByRole('button', { name: new RegExp(site.admin.email), includeHidden: true })
    .boundingBox()
  expect(Math.floor((button?.y ?? 0) + (button?.height ?? 0))).toBeLessThanOrEqual(390)
})

test('a bidirectional control character in a name is shown as a mark', async () => {
  const name = 'invoice\u202efdp.exe'
  await site.admin.api.upload(name, 'x', 'marks')
  const { page } = await site.open('/files?folder=marks')

  await page.getByRole('button', { name: 'invoice[U+202E]fdp.exe', exact: true }).waitFor()

  expect(await page.locator('body').textContent()).not.toContain('\u202e')
})

test('without the chart of API keys the overview has no gap beside the added files', async () => {
  const viewer = await addUser(site.holdfast, { role: 'viewer' })
  const viewport = { width: 1440, height: 900 }
  const { page } = await visit(site.stage, '/overview', { cookie: viewer.cookie, viewport })
  const half = page.locator('.overview > .overview-half')
  await half.waitFor()

  const [own, whole] = [await half.boundingBox(), await page.locator('.overview').boundingBox()]

  expect(own?.width).toBe(whole?.width ?? 0)
})

test('the lifetimes offered for a link respect the limit of the instance', async () => {
  const { page } = await site.open('/files?folder=some')
  await choose(page, '0.txt', texts.files.share)
  await page.getByRole('button', { name: shareTexts.ways.direct }).click()
  await page.getByRole('option', { name: '7 days' }).waitFor({ state: 'attached' })

  expect(await page.getByRole('option').allTextContents()).toEqual([
    '15 minutes',
    '1 hour',
    '1 day',
    '3 days',
    '7 days',
  ])
})

test('the command of an empty folder with a long name fits on a phone', async () => {
  const folder = `Minutes of the meetings about the roof, ${'second draft '.repeat(6)}2026`
  await site.admin.api.createFolder(folder)
  const path = `/files?folder=${encodeURIComponent(folder)}`
  const { page } = await site.open(path, { viewport: PHONE })

  for (const shown of [
    page.getByRole('link', { name: texts.files.makeKey }),
    page.getByRole('figure').getByRole('button', { name: texts.actions.copy }),
  ]) {
    const box = await shown.boundingBox()
    expect(box?.x).toBeGreaterThanOrEqual(0)
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(PHONE.width)
  }
})
