import { describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { passkeyTexts as words } from '../../src/dashboard/texts/passkeys.ts'
import { signInTexts } from '../../src/dashboard/texts/sign-in.ts'
import { texts } from '../../src/dashboard/texts.ts'
import { enableCodes } from '../sign-in/second-step.ts'
import { addAccount, signIn, type User } from '../support/accounts.ts'
import { fillSignIn, openSite } from './site.ts'
import { becomesTrue, findingsInThemes, seriousFindings, type Visitor, visit } from './visitor.ts'

/** Browsers have passkeys here without https. */
const ORIGIN = 'http://localhost'

/** Connects an authenticator to a page, which answers by itself only while it is touched. */
async function connect(page: Page) {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('WebAuthn.enable')
  const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: false,
    },
  })
  return {
    touch: (enabled: boolean) =>
      devtools.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled }),
    count: async () =>
      (await devtools.send('WebAuthn.getCredentials', { authenticatorId })).credentials.length,
  }
}

describe('a passkey', () => {
  const site = openSite({ environment: { BASE_URL: ORIGIN, TRUSTED_ORIGINS: 'http://holdfast.test' } })
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
  const add = async (): Promise<User> =>
    signIn(site.holdfast, (await addAccount(site.holdfast, { role: 'editor' })).email)

  /** Opens the account page of a new account, and adds a passkey there. */
  async function withPasskey(
    script = '',
  ): Promise<Visitor & { user: User; device: Awaited<ReturnType<typeof connect>> }> {
    const user = await add()
    const look = { origin: ORIGIN, isAlone: true, cookie: user.cookie }
    const prepare = (page: Page) => page.addInitScript(script)
    const visitor = await visit(site.stage, '/account', { ...look, prepare })
    const { page } = visitor
    const device = await connect(page)
    await device.touch(true)
    await button(page, words.add).click()
    await page.getByText(words.added).waitFor()
    await device.touch(false)
    return { ...visitor, user, device }
  }

  const signOut = async (page: Page) => {
    await page.context().clearCookies()
    await page.goto(`${ORIGIN}/files`)
    await page.getByRole('heading', { name: texts.signIn.title }).waitFor()
  }

  test('is added, renamed and deleted on the account page', async () => {
    const { page, device, complaints } = await withPasskey()
    expect(await device.count()).toBe(1)
    const row = page.getByRole('listitem').filter({ has: page.getByText(words.addedAt('').trim()) })
    expect(await row.count()).toBe(1)
    expect(await seriousFindings(page)).toEqual([])

    const menu = row.getByRole('button')
    await menu.click()
    await page.getByRole('menuitem', { name: words.rename }).click()
    await page.getByRole('dialog').getByLabel(words.name, { exact: true }).fill('My phone')
    await button(page, words.save).click()
    await button(page, words.actionsOf('My phone')).click()
    await page.getByRole('menuitem', { name: words.delete }).click()
    await page.getByRole('dialog').getByRole('button', { name: words.delete }).click()
    await page.getByText(words.none).waitFor()
    expect(complaints).toEqual([])
  })

  test.each([
    ['', ''],
    [
      ' in a browser that does not convert its JSON',
      `for (const name of ['parseCreationOptionsFromJSON', 'parseRequestOptionsFromJSON'])
        delete PublicKeyCredential[name]
      delete PublicKeyCredential.prototype.toJSON`,
    ],
  ])('signs in by the button%s', async (_, script) => {
    const { page, device } = await withPasskey(script)
    expect(await page.evaluate("'toJSON' in PublicKeyCredential.prototype")).toBe(script === '')
    await page.addInitScript('PublicKeyCredential.isConditionalMediationAvailable = async () => false')
    await signOut(page)
    await button(page, words.signIn).waitFor()
    expect(await findingsInThemes(page)).toEqual([])
    await device.touch(true)
    await button(page, words.signIn).press('Enter')
    await page.getByText(texts.files.first).waitFor()
  })

  test('signs in by the suggestion of the browser in the form', async () => {
    const { page, device } = await withPasskey()
    await device.touch(true)
    await page.context().clearCookies()
    await page.goto(`${ORIGIN}/files`)
    await page.getByText(texts.files.first).waitFor()
    expect(await page.context().cookies()).toContainEqual(
      expect.objectContaining({ name: 'better-auth.session_token' }),
    )
  })

  test('is suggested in silence: the button says what the browser refuses', async () => {
    const { page } = await visit(site.stage, '/files', {
      ...{ origin: ORIGIN, isAlone: true },
      prepare: (page) =>
        page.addInitScript(`
          PublicKeyCredential.isConditionalMediationAvailable = async () => true
          navigator.credentials.get = async ({ mediation }) => {
            window.suggested ||= mediation === 'conditional'
            throw new DOMException('', 'NotSupportedError')
          }`),
    })
    await becomesTrue(page, 'window.suggested')
    await button(page, words.signIn).waitFor()
    expect(await page.getByRole('alert').count()).toBe(0)

    await button(page, words.signIn).click()
    await page.getByText(words.refused).waitFor()
    expect(await seriousFindings(page)).toEqual([])
  })

  test('is asked for after the password once that is switched on', async () => {
    const { page, device, user } = await withPasskey()
    const toggle = page.getByLabel(words.askAfter)
    const changed = page.waitForResponse('**/passkey/second-factor')
    await toggle.click()
    await changed
    await page.getByText(signInTexts.isOnWithout).waitFor()
    await signOut(page)
    await fillSignIn(page, user.email)
    await page.getByRole('heading', { name: words.stepTitle }).waitFor()
    expect(await seriousFindings(page)).toEqual([])
    await device.touch(true)
    expect(await page.locator(':focus').textContent()).toBe(words.step)
    await page.keyboard.press('Enter')
    await page.getByText(texts.files.first).waitFor()
  })

  test('stays the second step when codes are turned off, until that is turned off, too', async () => {
    const { page, user, complaints } = await withPasskey()
    await enableCodes(site.holdfast, user)
    await page.reload()
    await button(page, signInTexts.codesOff).press('Enter')
    const dialog = page.getByRole('dialog')
    await dialog.getByText(signInTexts.codesOffText).waitFor()
    expect(await seriousFindings(page)).toEqual([])
    await dialog.getByRole('button', { name: signInTexts.codesOff }).click()
    await page.getByText(signInTexts.isOnWithout).waitFor()
    await page.getByText(signInTexts.left('10 recovery codes')).waitFor()

    await page.getByRole('checkbox', { name: words.askAfter, checked: true }).press('Space')
    await dialog.getByText(signInTexts.passkeysStay).waitFor()
    await dialog.getByRole('button', { name: signInTexts.turnOff }).click()
    await page.getByText(signInTexts.isOff).waitFor()
    expect(complaints).toEqual([])
  })
})

describe('where browsers have no passkeys', () => {
  const site = openSite()

  test('the sign-in page loads nothing for them, and the account page says why', async () => {
    const loaded: string[] = []
    const { page } = await visit(site.stage, '/files', {
      prepare: async (page) => page.on('request', (request) => loaded.push(request.url())),
    })
    await page.getByRole('button', { name: texts.signIn.submit }).waitFor()
    expect(loaded.some((url) => url.includes('/api/auth/methods'))).toBe(true)
    expect(await page.getByRole('button', { name: words.signIn }).count()).toBe(0)
    expect(loaded.filter((url) => url.includes('passkey'))).toEqual([])

    const account = await site.open('/account')
    await account.page.getByText(words.whyNot.server).waitFor()
    expect(await account.page.getByRole('button', { name: words.add }).count()).toBe(0)
  })
})
