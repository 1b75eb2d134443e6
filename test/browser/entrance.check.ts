import { describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { ADMIN } from '../support/holdfast.ts'
import { openSite } from './site.ts'
import { openStage, seriousFindings, textFiles, visit } from './visitor.ts'

describe('at an address that the server does not trust', () => {
  const site = openSite()

  /** Opens the dashboard at the address of the socket, which is not its base URL. */
  async function openElsewhere(cookie?: string) {
    const context = await site.stage.browser.newContext()
    const [name = '', value = ''] = cookie?.split(/=(.*)/s) ?? []
    if (cookie) await context.addCookies([{ name, value, url: site.holdfast.url }])
    const page = await context.newPage()
    await page.goto(site.holdfast.url)
    return { page, [Symbol.asyncDispose]: () => context.close() }
  }

  test('the sign-in page names the line to set', async () => {
    await using visitor = await openElsewhere()
    const { page } = visitor
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()

    expect(await page.getByLabel('Line to set').inputValue()).toBe(`BASE_URL=${site.holdfast.url}`)
  })

  test('the pages of a signed-in account name it as well', async () => {
    await using visitor = await openElsewhere(site.admin.cookie)
    const { page } = visitor
    await page.getByRole('link', { name: 'Files' }).waitFor()

    expect(await page.getByLabel('Line to set').inputValue()).toBe(`BASE_URL=${site.holdfast.url}`)
  })

  test('the base URL shows no such line', async () => {
    await using visitor = await site.open('/files')
    await visitor.page.getByRole('link', { name: 'Files' }).waitFor()

    expect(await visitor.page.getByLabel('Line to set').count()).toBe(0)
  })
})

describe('the first registration', () => {
  const fill = async (page: Page) => {
    await page.getByLabel('Name').fill(ADMIN.name)
    await page.getByLabel('E-mail').fill(ADMIN.email)
    await page.getByLabel('Password', { exact: true }).fill(ADMIN.password)
  }
  const submit = (page: Page) => page.getByRole('button', { name: 'Create the admin account' }).click()

  test('asks for the required setup token', async () => {
    const setupToken = 'a token of twenty-four letters'.replaceAll(' ', '-')
    await using stage = await openStage({ environment: { SETUP_TOKEN: setupToken } })
    await using visitor = await visit(stage, '/')
    const { page } = visitor
    await fill(page)
    await page.getByLabel('Setup token').fill(setupToken)

    await submit(page)

    await page.getByRole('link', { name: 'Files' }).waitFor()
  })

  test('marks what is missing in its own words and focuses it', async () => {
    await using stage = await openStage()
    await using visitor = await visit(stage, '/')
    const { page } = visitor
    const name = page.getByLabel('Name')
    expect(await page.locator(':focus').getAttribute('name')).toBe('name')
    await page.getByLabel('E-mail').fill('no address')
    await page.getByLabel('Password', { exact: true }).pressSequentially('short')

    await submit(page)

    await page.getByText('Fill this in.').waitFor()
    await page.getByText('Enter an e-mail address, such as ada@example.com.').waitFor()
    await page.getByText('Use at least 8 characters.').waitFor()
    expect(await page.locator(':focus').getAttribute('name')).toBe('name')
    await name.fill('Ada')
    expect(await page.getByText('Fill this in.').count()).toBe(0)
    expect(await seriousFindings(page)).toEqual([])
  })

  test('makes new files private unless its admin chooses public', async () => {
    await using stage = await openStage()
    await using visitor = await visit(stage, '/')
    const { page } = visitor
    await fill(page)
    expect(await page.getByRole('radio', { name: 'Private' }).isChecked()).toBe(true)

    await submit(page)

    await page.getByLabel('Upload', { exact: true }).first().setInputFiles(textFiles(1))
    await page.getByText('1 file uploaded').waitFor()
    expect((await stage.holdfast.fetch('/note%200.txt')).status).toBe(404)
  })

  test('shows the password on request', async () => {
    await using stage = await openStage()
    await using visitor = await visit(stage, '/')
    const { page } = visitor
    const password = page.getByLabel('Password', { exact: true })
    await password.fill(ADMIN.password)

    await page.getByRole('button', { name: 'Show password' }).click()

    expect(await password.getAttribute('type')).toBe('text')
    await page.getByRole('button', { name: 'Hide password' }).click()
    expect(await password.getAttribute('type')).toBe('password')
  })
})

describe('a new instance', () => {
  const site = openSite()

  test('shows first steps in place of empty charts, and ticks them off', async () => {
    await using visitor = await site.open('/overview')
    const { page } = visitor
    const steps = page.getByRole('region', { name: 'First steps' })
    await steps.getByText('1 of 5 done').waitFor()
    expect(await page.getByRole('img').count()).toBe(0)
    expect(await seriousFindings(page)).toEqual([])

    await steps.getByRole('button', { name: 'Mark as done' }).click()
    await site.put('', 'first.txt')
    await page.reload()

    await steps.getByText('3 of 5 done').waitFor()
    await page.getByRole('heading', { name: 'Storage' }).waitFor()
    await steps.getByRole('button', { name: 'Close the first steps' }).click()
    expect(await steps.count()).toBe(0)
  })

  test('gives no first steps to a browser that never saw it empty', async () => {
    await using visitor = await site.open('/overview')
    const { page } = visitor
    await page.getByRole('heading', { name: 'Storage' }).waitFor()

    expect(await page.getByRole('region', { name: 'First steps' }).count()).toBe(0)
  })

  test('says at sign-in how to get a new password, and links the API reference', async () => {
    await using visitor = await visit(site.stage, '/')
    await visitor.page.getByText('Lost your password?').click()
    await visitor.page.getByText('holdfast admin reset-password').waitFor()
    await visitor.page.getByText('npm start -- admin reset-password').waitFor()
    const cut = '[...document.querySelectorAll("pre")].filter((it) => it.scrollWidth > it.clientWidth).length'
    expect(await visitor.page.evaluate(cut)).toBe(0)

    await using member = await site.open('/keys')
    const link = member.page.getByRole('link', { name: 'Read the API reference' })

    expect(await link.getAttribute('href')).toBe('/api/docs')
    expect((await site.holdfast.fetch('/api/docs')).status).toBe(200)
    expect((await site.holdfast.fetch('/docs/backup')).status).toBe(200)
  })
})
