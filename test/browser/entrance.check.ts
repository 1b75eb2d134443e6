import { describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { dialogTexts } from '../../src/dashboard/texts/dialogs.ts'
import { keyTexts } from '../../src/dashboard/texts/keys.ts'
import { overviewTexts } from '../../src/dashboard/texts/overview.ts'
import { registerTexts } from '../../src/dashboard/texts/register.ts'
import { shareTexts } from '../../src/dashboard/texts/shares.ts'
import { texts } from '../../src/dashboard/texts.ts'
import { ADMIN, register } from '../support/holdfast.ts'
import { choose, fillSignIn, openSite, pick } from './site.ts'
import { type Look, openStage, seriousFindings, textFiles, visit } from './visitor.ts'

describe('at an address that the server does not trust', () => {
  const site = openSite()

  /** Opens the dashboard at the address of the socket, which is not its base URL. */
  const openElsewhere = (look: Look = {}) => visit(site.stage, '/', { ...look, origin: site.holdfast.url })

  test('the sign-in page names the line to set', async () => {
    const { page } = await openElsewhere()
    await page.getByRole('heading', { name: texts.signIn.title }).waitFor()

    expect(await page.getByRole('button', { name: texts.signIn.submit }).isDisabled()).toBe(true)
    expect(await page.getByLabel(texts.addressNotice.line).inputValue()).toBe(`BASE_URL=${site.holdfast.url}`)
  })

  test('the pages of a signed-in account name it as well', async () => {
    const { page } = await openElsewhere({ cookie: site.admin.cookie })
    await page.getByRole('link', { name: texts.pages.files }).waitFor()

    expect(await page.getByLabel(texts.addressNotice.line).inputValue()).toBe(`BASE_URL=${site.holdfast.url}`)
  })

  test('the base URL shows no such line', async () => {
    const visitor = await site.open('/files')
    await visitor.page.getByRole('link', { name: texts.pages.files }).waitFor()

    expect(await visitor.page.getByLabel(texts.addressNotice.line).count()).toBe(0)
  })
})

describe('at an address of http beside a base URL of https', () => {
  test('sign-in says that the browser has dropped the session', async () => {
    const origin = 'http://holdfast.test'
    const environment = { BASE_URL: 'https://files.example.com', TRUSTED_ORIGINS: origin }
    await using stage = await openStage({ environment })
    await register(stage.holdfast)
    const { page } = await visit(stage, '/', { origin })

    await fillSignIn(page, ADMIN.email)

    await page.getByText(texts.signIn.dropped(true)).waitFor()
    expect(await page.getByLabel(texts.account.email).inputValue()).toBe(ADMIN.email)
  })
})

describe('the first registration', () => {
  const fill = async (page: Page) => {
    await page.getByLabel(texts.account.name).fill(ADMIN.name)
    await page.getByLabel(texts.account.email).fill(ADMIN.email)
    await page.getByLabel(texts.account.password, { exact: true }).fill(ADMIN.password)
  }
  const submit = (page: Page) => page.getByRole('button', { name: registerTexts.submit }).click()

  test('makes an admin, and a file that is uploaded is shared by its link', async () => {
    await using stage = await openStage()
    const { page, complaints } = await visit(stage, '/')
    await fill(page)
    await page.getByRole('radio', { name: texts.visibility.public }).check()
    await submit(page)
    await page.getByText(texts.files.first).waitFor()
    await pick(page, textFiles(1))
    await page.getByText(texts.uploads.done('1 file')).waitFor()
    await choose(page, 'note 0.txt', texts.files.share)
    await page.getByRole('button', { name: shareTexts.ways.direct }).click()
    const link = await page.getByLabel(dialogTexts.plainLink, { exact: true }).inputValue()

    const opened = await stage.holdfast.fetch(new URL(link).pathname)

    expect(await opened.text()).toBe('note 0')
    expect(complaints).toEqual([])
  })

  test('asks for the required setup token', async () => {
    const setupToken = 'a token of twenty-four letters'.replaceAll(' ', '-')
    await using stage = await openStage({ environment: { SETUP_TOKEN: setupToken } })
    const { page } = await visit(stage, '/')
    await fill(page)
    await page.getByLabel(registerTexts.token).fill(setupToken)

    await submit(page)

    await page.getByRole('link', { name: texts.pages.files }).waitFor()
  })

  test('marks what is missing in its own words and focuses it', async () => {
    await using stage = await openStage()
    const { page } = await visit(stage, '/')
    const name = page.getByLabel(texts.account.name)
    expect(await page.locator(':focus').getAttribute('name')).toBe('name')
    await page.getByLabel(texts.account.email).fill('no address')
    await page.getByLabel(texts.account.password, { exact: true }).pressSequentially('short')

    await submit(page)

    await page.getByText(texts.fieldProblems.missing).waitFor()
    await page.getByText(texts.fieldProblems.email).waitFor()
    await page.getByText(texts.fieldProblems.short(8)).waitFor()
    expect(await page.locator(':focus').getAttribute('name')).toBe('name')
    await name.fill('Ada')
    expect(await page.getByText(texts.fieldProblems.missing).count()).toBe(0)
    expect(await seriousFindings(page)).toEqual([])
  })

  test('makes new files private unless its admin chooses public', async () => {
    await using stage = await openStage()
    const { page } = await visit(stage, '/')
    await fill(page)
    expect(await page.getByRole('radio', { name: texts.visibility.private }).isChecked()).toBe(true)

    await submit(page)

    await pick(page, textFiles(1))
    await page.getByText(texts.uploads.done('1 file')).waitFor()
    expect((await stage.holdfast.fetch('/note%200.txt')).status).toBe(404)
  })

  test('shows the password on request', async () => {
    await using stage = await openStage()
    const { page } = await visit(stage, '/')
    const password = page.getByLabel(texts.account.password, { exact: true })
    await password.fill(ADMIN.password)

    await page.getByRole('button', { name: texts.account.showPassword }).click()

    expect(await password.getAttribute('type')).toBe('text')
    await page.getByRole('button', { name: texts.account.hidePassword }).click()
    expect(await password.getAttribute('type')).toBe('password')
  })
})

describe('a new instance', () => {
  const site = openSite()

  test('shows first steps in place of empty charts, and ticks them off', async () => {
    const { page } = await site.open('/overview')
    const steps = page.getByRole('region', { name: overviewTexts.checklist.title })
    await steps.getByText(overviewTexts.checklist.progress(1, 5)).waitFor()
    expect(await page.getByRole('img').count()).toBe(0)
    expect(await seriousFindings(page)).toEqual([])

    await steps.getByRole('button', { name: overviewTexts.checklist.steps.backup.planned }).click()
    await site.put('', 'first.txt')
    await page.reload()

    await steps.getByText(overviewTexts.checklist.progress(3, 5)).waitFor()
    await page.getByRole('heading', { name: overviewTexts.storage }).waitFor()
    await steps.getByRole('button', { name: overviewTexts.checklist.close }).click()
    expect(await steps.count()).toBe(0)
  })

  test('gives no first steps to a browser that never saw it empty', async () => {
    const { page } = await site.open('/overview')
    await page.getByRole('heading', { name: overviewTexts.storage }).waitFor()

    expect(await page.getByRole('region', { name: overviewTexts.checklist.title }).count()).toBe(0)
  })

  test('says at sign-in how to get a new password, and links the API reference', async () => {
    const visitor = await visit(site.stage, '/')
    await visitor.page.getByText(texts.signIn.lost).click()
    await visitor.page.getByText('holdfast admin reset-password').waitFor()
    await visitor.page.getByText('npm start -- admin reset-password').waitFor()
    const cut = '[...document.querySelectorAll("pre")].filter((it) => it.scrollWidth > it.clientWidth).length'
    expect(await visitor.page.evaluate(cut)).toBe(0)

    const member = await site.open('/keys')
    const link = member.page.getByRole('link', { name: keyTexts.apiDocs })

    expect(await link.getAttribute('href')).toBe('/api/docs')
    expect((await site.holdfast.fetch('/api/docs')).status).toBe(200)
    expect((await site.holdfast.fetch('/docs/backup')).status).toBe(200)
  })
})
