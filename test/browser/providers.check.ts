import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { accountTexts } from '../../src/dashboard/texts/account.ts'
import { providerTexts as words } from '../../src/dashboard/texts/providers.ts'
import { rightsTexts } from '../../src/dashboard/texts/rights.ts'
import { signInTexts } from '../../src/dashboard/texts/sign-in.ts'
import { userTexts } from '../../src/dashboard/texts/users.ts'
import { texts } from '../../src/dashboard/texts.ts'
import { addAccount, openDatabase, signIn, trySignIn } from '../support/accounts.ts'
import { apiOf } from '../support/api.ts'
import { ADMIN, register } from '../support/holdfast.ts'
import { Browser, startProvider } from '../support/provider.ts'
import { openSite } from './site.ts'
import { findingsInThemes, HAND, openStage, seriousFindings, visit } from './visitor.ts'

const provider = startProvider()
const NAME = 'Example ID'

afterAll(() => provider[Symbol.asyncDispose]())

beforeEach(() => {
  provider.lies = {}
})

describe('a provider', () => {
  const site = openSite({ environment: { ...provider.environment, PASSWORD_SIGN_IN: 'admins' } })
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

  /** Lets a person with the e-mail of a new account sign in at the provider. */
  async function meet() {
    const account = await addAccount(site.holdfast, { role: 'editor' })
    provider.person = { sub: account.id, email: account.email, email_verified: true }
    return account
  }

  test('signs in on a phone, and the overview says once that the account was linked', async () => {
    await meet()
    const { page, complaints } = await visit(site.stage, '/files', HAND)
    await button(page, words.with(NAME)).waitFor()
    expect(await seriousFindings(page)).toEqual([])

    await button(page, words.with(NAME)).click()

    await page.getByText(words.link.linked(NAME)).waitFor()
    expect(await seriousFindings(page)).toEqual([])
    await button(page, texts.actions.done).click()
    await page.getByText(words.link.linked(NAME)).waitFor({ state: 'detached' })
    expect(complaints).toEqual([])
  })

  test('leads back with a sentence about what went wrong', async () => {
    provider.lies = { error: 'access_denied' }
    const { page } = await visit(site.stage, '/')
    await button(page, words.with(NAME)).click()
    await page.getByText(words.failures.access_denied(NAME)).waitFor()
    expect(await seriousFindings(page)).toEqual([])
  })

  test('is linked and unlinked on the account page', async () => {
    const { email } = await meet()
    using database = openDatabase(site.holdfast)
    database.run('UPDATE users SET role = ? WHERE email = ?', ['admin', email])
    const { cookie } = await signIn(site.holdfast, email)
    const { page, complaints } = await visit(site.stage, '/account', { cookie })

    await button(page, words.link.link(NAME)).click()
    await page.getByText(words.link.is(NAME)).waitFor()
    expect(await seriousFindings(page)).toEqual([])
    await button(page, words.link.unlink(NAME)).click()
    await page.getByText(words.link.isNot(NAME)).waitFor()
    expect(complaints).toEqual([])
  })

  test('leaves an account without a password, which sets its first one by keyboard', async () => {
    const { email } = await addAccount(site.holdfast, { role: 'admin' })
    const { cookie } = await signIn(site.holdfast, email)
    using database = openDatabase(site.holdfast)
    database.run("UPDATE users SET password_hash = '' WHERE email = ?", [email])
    const { page, complaints } = await visit(site.stage, '/account', { cookie })
    await page.getByText(accountTexts.noPassword).waitFor()
    expect(await seriousFindings(page)).toEqual([])

    await page.getByLabel(accountTexts.new, { exact: true }).focus()
    await page.keyboard.type('a first password')
    await page.keyboard.press('Enter')

    await page.getByText(accountTexts.passwordSet).waitFor()
    await page.getByLabel(accountTexts.current, { exact: true }).waitFor()
    expect((await trySignIn(site.holdfast, email, 'a first password')).status).toBe(200)
    expect(complaints).toEqual([])
  })

  test('is tried on the settings page', async () => {
    const { cookie } = await signIn(site.holdfast, ADMIN.email)
    const { page } = await visit(site.stage, '/settings', { cookie })
    await button(page, words.settings.try).click()
    await page.getByText(words.settings.works(NAME)).waitFor()
    expect(await findingsInThemes(page)).toEqual([])
    expect(await page.getByLabel(words.settings.redirect).inputValue()).toEndWith('/api/auth/callback/oidc')

    provider.lies = { metadata: (known) => ({ ...known, issuer: 'https://other.example.com' }) }
    await button(page, words.settings.try).click()
    await page.getByText('but the provider says that it is "https://other.example.com"').waitFor()
    expect(await seriousFindings(page)).toEqual([])
  })
})

test('rights from groups are named on the page Users, which cannot remove them', async () => {
  await using stage = await openStage({
    environment: {
      ...provider.environment,
      OIDC_NEW_ACCOUNTS: 'editor',
      OIDC_FOLDERS: 'family=/photos:view',
    },
  })
  const { holdfast } = stage
  const { cookie, withKey } = await register(holdfast)
  await apiOf(holdfast, { withKey }).createFolder('photos')
  provider.person = {
    sub: 'grace',
    email: 'grace@example.com',
    email_verified: true,
    name: 'Grace',
    groups: ['family'],
  }
  expect(await new Browser(holdfast).signIn()).toBe('/')

  const { page, complaints } = await visit(stage, '/users', { cookie })
  await page.getByText(rightsTexts.byGroups).waitFor()
  expect(await seriousFindings(page)).toEqual([])
  await page.getByRole('button', { name: texts.files.actionsOf('Grace') }).click()
  await page.getByRole('menuitem', { name: userTexts.changeFolders }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText(rightsTexts.byGroups).waitFor()

  expect(await dialog.getByRole('button', { name: userTexts.removeFolder('photos') }).count()).toBe(0)
  expect(await seriousFindings(page)).toEqual([])
  expect(complaints).toEqual([])
})

test('a provider without passwords is the only way, also for a page of another origin', async () => {
  await using stage = await openStage({
    environment: { ...provider.environment, PASSWORD_SIGN_IN: 'no', OIDC_NEW_ACCOUNTS: 'viewer' },
  })
  const { cookie } = await register(stage.holdfast)
  const first = await visit(stage, '/account', { cookie })
  await first.page.getByText(accountTexts.passwordUnused).waitFor()
  provider.person = { sub: 'new', email: 'new@example.com', email_verified: true }
  const { page } = await visit(stage, '/sign-in')
  await page.getByRole('button', { name: words.with(NAME) }).waitFor()
  expect(await page.getByLabel(texts.account.email).isVisible()).toBeFalse()
  expect(await page.getByText(texts.signIn.lost).isVisible()).toBeFalse()
  expect(await findingsInThemes(page)).toEqual([])

  await page.goto(new URL('/sign-in?with=oidc&callbackURL=/account', page.url()).href)
  await page.getByText(accountTexts.mayNoPassword).waitFor()
  await page.getByText(signInTexts.isIdle).waitFor()
  expect(await seriousFindings(page)).toEqual([])

  await page.getByRole('button', { name: /new@example\.com/ }).click()
  await page.getByRole('menuitem', { name: texts.signOut }).click()
  const link = page.getByRole('link', { name: words.signOutToo(NAME) })
  expect(await link.getAttribute('href')).toStartWith(`${provider.issuer}/logout`)
})
