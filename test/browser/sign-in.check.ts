import { describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { settingsTexts } from '../../src/dashboard/texts/settings.ts'
import { signInTexts as words } from '../../src/dashboard/texts/sign-in.ts'
import { userTexts } from '../../src/dashboard/texts/users.ts'
import { texts } from '../../src/dashboard/texts.ts'
import { appOf, enableCodes } from '../sign-in/second-step.ts'
import { addAccount, signIn, type User } from '../support/accounts.ts'
import { ADMIN, TestClock } from '../support/holdfast.ts'
import { fillSignIn, openSite } from './site.ts'
import { HAND, seriousFindings, visit } from './visitor.ts'

const clock = new TestClock()
const MINUTE_MS = 60_000

describe('two-step sign-in', () => {
  const site = openSite({ clock, environment: { CONFIRM_DANGEROUS: 'yes' } })
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
  const codeField = (page: Page, name = words.code) => page.getByLabel(name, { exact: true })
  const add = async (): Promise<User> =>
    signIn(site.holdfast, (await addAccount(site.holdfast, { role: 'editor' })).email)

  /** Adds an account with codes, and moves on to a code that has not been used. */
  async function withCodes() {
    const user = await add()
    const app = await enableCodes(site.holdfast, user)
    clock.advance(MINUTE_MS)
    return { user, ...app, code: () => app.codeAt(clock.now()) }
  }

  test('is set up by keyboard, with recovery codes that are shown once', async () => {
    const user = await add()
    const { page, complaints } = await visit(site.stage, '/account', { cookie: user.cookie })
    await button(page, words.setUp).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('img', { name: words.qr }).waitFor()
    const address = (await page.getByRole('link', { name: words.openApp }).getAttribute('href')) ?? ''
    expect(await page.locator(':focus').getAttribute('name')).toBe('code')
    expect(await seriousFindings(page)).toEqual([])

    await page.keyboard.type('12')
    await page.keyboard.press('Enter')
    await page.getByText(words.codeHint).waitFor()
    await codeField(page, words.first).fill(appOf(address)(clock.now()))
    await page.keyboard.press('Enter')

    const list = page.getByRole('list', { name: words.codesList })
    await list.waitFor()
    expect(await list.getByRole('listitem').count()).toBe(10)
    expect(await seriousFindings(page)).toEqual([])
    await button(page, texts.actions.done).click()
    await page.getByText(words.isOnText).waitFor()
    await page.getByText(words.left('10 recovery codes')).waitFor()
    expect(complaints).toEqual([])
  })

  test('asks for a code after the password, on a phone, which may be trusted', async () => {
    const { user, code } = await withCodes()
    const { page, complaints } = await visit(site.stage, '/files', HAND)
    await fillSignIn(page, user.email)
    await page.getByRole('heading', { name: words.codeTitle }).waitFor()
    const field = codeField(page)
    expect(await field.getAttribute('autocomplete')).toBe('one-time-code')
    expect(await page.locator(':focus').getAttribute('name')).toBe('code')
    expect(await seriousFindings(page)).toEqual([])

    await field.fill('000000')
    await button(page, words.submit).click()
    await page.getByText(words.wrongCode).waitFor()
    await field.fill(code())
    await page.getByLabel(words.trust).check()
    await button(page, words.submit).click()

    await page.getByText(texts.files.first).waitFor()
    const trusted = await page.context().cookies()
    expect(trusted.map(({ name }) => name).toSorted()).toContain('better-auth.trust_device')
    expect(complaints).toEqual([])
  })

  test('takes a recovery code, and begins again after five wrong ones', async () => {
    const { user, backupCodes } = await withCodes()
    const { page } = await visit(site.stage, '/files')
    await fillSignIn(page, user.email)
    await button(page, words.useRecovery).press('Enter')
    await page.getByRole('heading', { name: words.recoveryTitle }).waitFor()
    expect(await seriousFindings(page)).toEqual([])
    await page.getByRole('heading', { name: words.recoveryTitle }).waitFor()
    expect(await page.locator(':focus').getAttribute('name')).toBe('code')
    const field = codeField(page, words.recovery)
    expect(await field.getAttribute('spellcheck')).toBe('false')
    const send = async (code: string) => {
      await field.fill(code)
      const answered = page.waitForResponse('**/verify-backup-code')
      await button(page, words.submit).click()
      await answered
    }
    for (let n = 0; n < 6; n++) await send('AAAA-AAAA-AAAA')
    await page.getByRole('heading', { name: texts.signIn.title }).waitFor()

    await fillSignIn(page, user.email)
    await button(page, words.useRecovery).click()
    await send((backupCodes[0] ?? '').toLowerCase())
    await page.getByText(texts.files.first).waitFor()
  })

  test('is turned off after a confirmation when the sign-in was a while ago', async () => {
    const { user } = await withCodes()
    clock.advance(11 * MINUTE_MS)
    const { page } = await visit(site.stage, '/account', { cookie: user.cookie })
    await button(page, words.turnOff).click()
    await page.getByRole('dialog').getByRole('button', { name: words.turnOff }).click()
    await page.getByRole('heading', { name: words.confirmTitle }).waitFor()
    expect(await seriousFindings(page)).toEqual([])
    const password = page.getByRole('dialog').getByLabel(words.password, { exact: true })
    await password.fill('another password')
    await button(page, words.confirm).click()
    await page.getByText(words.wrongPassword).waitFor()
    await password.fill(ADMIN.password)
    await button(page, words.confirm).click()

    await page.getByText(words.isOff).waitFor()
  })

  test('stays on when the confirmation by a wrong code is given up, and nothing signs out', async () => {
    const { user } = await withCodes()
    clock.advance(11 * MINUTE_MS)
    const { page } = await visit(site.stage, '/account', { cookie: user.cookie })
    await button(page, words.turnOff).click()
    await page.getByRole('dialog').getByRole('button', { name: words.turnOff }).click()
    await button(page, words.useCode).click()
    await codeField(page, words.first).fill('000000')
    await button(page, words.confirm).click()
    await page.getByText(words.wrongCode).waitFor()
    await button(page, texts.actions.cancel).click()

    await page.getByText(words.isOnText).waitFor()
  })

  test('is reset by an admin on the page of users, after a confirmation', async () => {
    const { user } = await withCodes()
    clock.advance(MINUTE_MS)
    const admin = await signIn(site.holdfast, ADMIN.email)
    clock.advance(11 * MINUTE_MS)
    const { page } = await visit(site.stage, '/users', { cookie: admin.cookie })
    const row = page.getByRole('row').filter({ hasText: user.email })
    await row.getByText(userTexts.twoStep).waitFor()
    await row.getByRole('button').click()
    await page.getByRole('menuitem', { name: userTexts.resetTwoStep }).click()
    await page.getByRole('dialog').getByRole('button', { name: userTexts.resetTwoStepAction }).click()
    await page.getByLabel(words.password, { exact: true }).fill(ADMIN.password)
    expect(await seriousFindings(page)).toEqual([])
    await page.keyboard.press('Enter')
    // Behind an open dialog no row is found.
    await row.waitFor()
    await row.getByText(userTexts.twoStep).waitFor({ state: 'detached' })

    expect((await user.api.send('GET', '/me')).status).toBe(401)
  })

  test('is required by the settings: an account without it is led to its account page', async () => {
    const user = await add()
    const admin = await signIn(site.holdfast, ADMIN.email)
    const settings = await visit(site.stage, '/settings', { cookie: admin.cookie })
    const choice = settings.page.getByRole('group', { name: settingsTexts.mustTwoStep })
    await choice.getByRole('button', { name: settingsTexts.twoSteppers.all }).click()
    await settings.page.getByText(settingsTexts.twoStepHints.all).waitFor()
    await button(settings.page, settingsTexts.save).click()
    // An admin without it is led there, too.
    await settings.page.getByText(words.required).waitFor()

    const { page } = await visit(site.stage, '/files', { cookie: user.cookie })
    await page.getByText(words.required).waitFor()
    expect(new URL(page.url()).pathname).toBe('/account')
    await button(page, words.setUp).click()
    const address = (await page.getByRole('link', { name: words.openApp }).getAttribute('href')) ?? ''
    await codeField(page, words.first).fill(appOf(address)(clock.now()))
    await button(page, words.turnOn).click()
    await button(page, texts.actions.done).click()
    await page.getByRole('link', { name: texts.pages.files }).first().click()
    await page.getByText(texts.files.first).waitFor()
  })
})
