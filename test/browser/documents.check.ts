import { describe, expect, test } from 'bun:test'
import { eventually } from '../support/eventually.ts'
import { openSite } from './site.ts'
import { seriousFindings, visit } from './visitor.ts'

/** Documentation and the reference of the API, on a desk and on a phone. */

const site = openSite()

const open = (path: string, width: number) => visit(site.stage, path, { viewport: { width, height: 900 } })

describe.each(['/docs/configuration', '/docs/api', '/api/docs', '/api/docs/createShare', '/api/docs/errors'])(
  '%s',
  (path) => {
    test('is no wider than a phone, and the keyboard reaches what scrolls', async () => {
      const visitor = await open(path, 390)

      expect(await visitor.page.evaluate('document.documentElement.scrollWidth')).toBe(390)
      expect(await seriousFindings(visitor.page)).toEqual([])
      expect(visitor.complaints).toEqual([])
    })
  },
)

test('the documentation is searched by keyboard, and its list of pages is folded on a phone', async () => {
  const { page } = await open('/docs/operate', 1440)
  await page.keyboard.press('/')
  await page.keyboard.type('trust_proxy')
  await page.locator('search li').first().waitFor()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/docs/configuration#TRUST_PROXY')
  expect(await page.locator('summary').first().isVisible()).toBe(false)

  const phone = await open('/docs/install', 390)
  const link = phone.page.getByRole('link', { name: 'Backup and repair' })
  expect(await link.first().isVisible()).toBe(false)
  await phone.page.locator('summary').first().click()
  expect(await link.first().isVisible()).toBe(true)
  expect(await seriousFindings(phone.page)).toEqual([])
})

test('an operation is found from any page by keyboard, and its samples stay in the chosen language', async () => {
  const { page, complaints } = await open('/docs/operate', 1440)
  await page.keyboard.press('Control+k')
  await page.keyboard.type('share files and')
  await page.locator('search li a[href="/api/docs/createShare"]').waitFor()
  await page.keyboard.press('Enter')
  await page.waitForURL('**/api/docs/createShare')
  expect(await page.locator('code.language-sh').isVisible()).toBe(true)
  await page.getByLabel('Python', { exact: true }).check({ force: true })
  expect(await page.locator('code.language-sh').isVisible()).toBe(false)
  await page.locator('a.next').click()
  await page.waitForURL('**/api/docs/changeShare')

  expect(await page.locator('code.language-python').isVisible()).toBe(true)
  expect(await page.locator('.pages.wide [aria-current=page]').isVisible()).toBe(true)
  expect(await seriousFindings(page)).toEqual([])
  expect(complaints).toEqual([])
})

test.each([1440, 1200])('the table of variables is shown whole at %d px', async (width) => {
  const visitor = await open('/docs/configuration', width)
  const isWhole = await visitor.page.evaluate(`(() => {
    const table = document.querySelector('table')
    return Math.max(table.scrollWidth, table.parentElement.scrollWidth) <= table.parentElement.clientWidth
  })()`)

  expect(isWhole).toBe(true)
})

test('the page of a missing hosted file has its font', async () => {
  const visitor = await open('/api/hosting/none', 1440)
  const fonts = () => visitor.page.evaluate<string[]>('[...document.fonts].map(({ status }) => status)')
  await eventually(async () => !(await fonts()).includes('loading'))

  expect(await fonts()).toEqual(['loaded'])
  expect(visitor.complaints.filter((text) => !text.includes('404'))).toEqual([])
})
