import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { registerAdmin, type User } from '../support/accounts.ts'
import { ADMIN } from '../support/holdfast.ts'
import { openStage, type Stage, visit } from './visitor.ts'

describe('at an address that the server does not trust', () => {
  let stage: Stage
  let admin: User
  beforeAll(async () => {
    stage = await openStage()
    admin = await registerAdmin(stage.holdfast)
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  /** Opens the dashboard at the address of the socket, which is not its base URL. */
  async function openElsewhere(cookie?: string) {
    const context = await stage.browser.newContext()
    const [name = '', value = ''] = cookie?.split(/=(.*)/s) ?? []
    if (cookie) await context.addCookies([{ name, value, url: stage.holdfast.url }])
    const page = await context.newPage()
    await page.goto(stage.holdfast.url)
    return { page, [Symbol.asyncDispose]: () => context.close() }
  }

  test('the sign-in page names the line to set', async () => {
    await using visitor = await openElsewhere()
    const { page } = visitor
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()

    expect(await page.getByLabel('Line to set').inputValue()).toBe(`BASE_URL=${stage.holdfast.url}`)
  })

  test('the pages of a signed-in account do so, too', async () => {
    await using visitor = await openElsewhere(admin.cookie)
    const { page } = visitor
    await page.getByRole('link', { name: 'Files' }).waitFor()

    expect(await page.getByLabel('Line to set').inputValue()).toBe(`BASE_URL=${stage.holdfast.url}`)
  })

  test('nothing of it is shown at the base URL', async () => {
    await using visitor = await visit(stage, '/files', { cookie: admin.cookie })
    await visitor.page.getByRole('link', { name: 'Files' }).waitFor()

    expect(await visitor.page.getByLabel('Line to set').count()).toBe(0)
  })
})

test('a first registration that takes a token asks for it', async () => {
  const setupToken = 'a token of twenty-four letters'.replaceAll(' ', '-')
  await using stage = await openStage({ environment: { SETUP_TOKEN: setupToken } })
  await using visitor = await visit(stage, '/')
  const { page } = visitor
  await page.getByLabel('Name').fill(ADMIN.name)
  await page.getByLabel('E-mail').fill(ADMIN.email)
  await page.getByLabel('Password').fill(ADMIN.password)
  await page.getByLabel('Setup token').fill(setupToken)

  await page.getByRole('button', { name: 'Create the admin account' }).click()

  await page.getByRole('link', { name: 'Files' }).waitFor()
})
