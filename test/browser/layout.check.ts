import { beforeAll, expect, test } from 'bun:test'
import { shareTexts } from '../../src/dashboard/texts/shares.ts'
import { texts } from '../../src/dashboard/texts.ts'
import { addUser } from '../support/accounts.ts'
import { choose, openSite } from './site.ts'
import { PHONE, visit } from './visitor.ts'

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
