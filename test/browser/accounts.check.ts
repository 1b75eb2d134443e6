import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { accountTexts } from '../../src/dashboard/texts/account.ts'
import { keyTexts } from '../../src/dashboard/texts/keys.ts'
import { roleTexts, scopeTexts } from '../../src/dashboard/texts/scopes.ts'
import { securityTexts } from '../../src/dashboard/texts/security.ts'
import { signInTexts } from '../../src/dashboard/texts/sign-in.ts'
import { userTexts } from '../../src/dashboard/texts/users.ts'
import { texts } from '../../src/dashboard/texts.ts'
import { addKey, addUser, registerAdmin, trySignIn } from '../support/accounts.ts'
import { eventually } from '../support/eventually.ts'
import { ADMIN, BASE_URL, cookieOf, dataOf, postJson } from '../support/holdfast.ts'
import { fillSignIn, openSite } from './site.ts'
import { findingsInThemes, openStage, PHONE, seriousFindings, visit } from './visitor.ts'

const site = openSite()

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0'

/** Returns the status of `GET /me` for a caller. */
const statusOf = async (headers: Record<string, string>, { holdfast } = site.stage) =>
  (await holdfast.fetch('/api/me', { headers })).status

const choose = async (page: Page, name: string, action: string) => {
  await page.getByRole('button', { name: keyTexts.actionsOf(name) }).click()
  await page.getByRole('menuitem', { name: action, exact: true }).click()
}

const nameField = (page: Page) => page.getByRole('textbox', { name: keyTexts.name })

async function makeKey(page: Page, name: string): Promise<string> {
  await page.getByRole('button', { name: keyTexts.new }).click()
  await nameField(page).fill(name)
  await page.getByRole('button', { name: keyTexts.create }).click()
  return page.getByLabel(keyTexts.secret, { exact: true }).inputValue()
}

describe('keys', () => {
  test('a key with an expiry works until then, and the list shows both states', async () => {
    let ahead = 0
    const clock = { now: () => Date.now() + ahead, monotonic: () => performance.now() }
    await using own = await openStage({ clock })
    const { cookie } = await registerAdmin(own.holdfast)
    const { page, complaints } = await visit(own, '/keys', { cookie })

    await page.getByRole('button', { name: keyTexts.new }).click()
    await nameField(page).fill('for a week')
    await page.getByLabel(keyTexts.columns.expires).selectOption(texts.lifetimes[7])
    await page.getByRole('button', { name: keyTexts.create }).click()
    const key = { 'API-Key': await page.getByLabel(keyTexts.secret, { exact: true }).inputValue() }
    await page.getByRole('button', { name: texts.actions.done }).click()
    await page.getByRole('row', { name: /for a week .* in 7 days/ }).waitFor()
    expect(await statusOf(key, own)).toBe(200)
    ahead = 8 * 86_400_000
    await page.clock.setFixedTime(Date.now() + ahead)
    expect(await statusOf(key, own)).toBe(401)
    await page.reload()
    await fillSignIn(page, ADMIN.email)

    await page.getByRole('row', { name: /for a week .* Expired yesterday/ }).waitFor()
    expect(complaints).toEqual([])
  })

  test('the secret is shown once, with a file for ShareX that carries it', async () => {
    const { page, complaints } = await site.open('/keys')

    const secret = await makeKey(page, 'screenshots')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: keyTexts.ways.javascript }).click()
    const { width, height } = page.viewportSize() ?? PHONE
    await page.setViewportSize(PHONE)
    const overflow = "((it) => it.scrollWidth - it.clientWidth)(document.querySelector('[role=dialog]'))"
    expect(await page.evaluate(overflow)).toBe(0)
    await page.setViewportSize({ width, height })
    await page.getByRole('button', { name: keyTexts.ways.sharex }).click()
    expect(await findingsInThemes(page)).toEqual([])
    const saved = page.waitForEvent('download')
    await page.getByRole('button', { name: keyTexts.sharexFile }).click()
    const file = await saved
    const config = JSON.parse(readFileSync(await file.path(), 'utf8'))
    await page.getByRole('button', { name: texts.actions.done }).click()
    await page.getByRole('row', { name: /screenshots/ }).waitFor()

    expect(file.suggestedFilename()).toBe('holdfast.test.sxcu')
    expect(config).toMatchObject({ RequestURL: `${BASE_URL}/api/files`, Headers: { 'API-Key': secret } })
    expect(await page.content()).not.toContain(secret)
    expect(complaints).toEqual([])
  })

  test('an older key shows settings with a blank, and its secret for S3 after the password', async () => {
    let ahead = 0
    const clock = { now: () => Date.now() + ahead, monotonic: () => performance.now() }
    await using own = await openStage({ clock })
    const { cookie } = await registerAdmin(own.holdfast)
    const headers = { Cookie: cookie, Origin: BASE_URL }
    const made = await postJson(
      own.holdfast,
      '/api/keys',
      { name: 'older', scopes: ['files:read', 'files:write'] },
      headers,
    )
    const { key, s3 } = await dataOf<{ key: { key: string }; s3: Record<string, string> }>(made)
    ahead = 11 * 60_000
    const { page, complaints } = await visit(own, '/keys', { cookie })

    await choose(page, 'older', keyTexts.settings)
    const dialog = page.getByRole('dialog', { name: keyTexts.settingsTitle('older') })
    const way = (name: string) => dialog.getByRole('button', { name, exact: true }).click()
    await way(keyTexts.ways.sharex)
    await dialog.getByText(`"API-Key": "${keyTexts.blank}"`).waitFor()
    expect(await dialog.getByRole('button', { name: keyTexts.sharexFile }).count()).toBe(0)
    await way(keyTexts.ways.webdav)
    await dialog.getByText(`pass=${keyTexts.blank}`).waitFor()
    await way(keyTexts.ways.s3)
    await dialog.getByText(`Access key ID:     ${s3.accessKeyId}`).waitFor()
    expect(await findingsInThemes(page)).toEqual([])
    await dialog.getByRole('button', { name: keyTexts.showS3 }).click()
    await page.locator('input[type=password]').fill(ADMIN.password)
    await page.getByRole('button', { name: signInTexts.confirm, exact: true }).click()
    await dialog.getByText(`secret_access_key=${s3.secretAccessKey}`).waitFor()

    expect(await page.content()).not.toContain(key.key)
    // The refusal that asked for the password.
    expect(complaints).toEqual([expect.stringMatching(/403 .*\/api\/keys\/s3$/)])
  })

  test('a key is renamed, and deleted after a confirmation', async () => {
    const key = await addKey(site.holdfast, {
      userId: site.admin.id,
      scopes: ['files:read'],
      name: 'old name',
    })
    const { page } = await site.open('/keys')

    await choose(page, 'old name', keyTexts.rename)
    await nameField(page).fill('screenshots')
    await page.getByRole('button', { name: keyTexts.save }).click()
    await page.getByText(/already/).waitFor()
    await nameField(page).fill('new name')
    await page.getByRole('button', { name: keyTexts.save }).click()
    await choose(page, 'new name', keyTexts.delete)
    expect(await statusOf(key)).toBe(200)
    await page.getByRole('button', { name: keyTexts.delete }).click()
    await page.getByText(keyTexts.deleted('new name')).waitFor()

    expect(await statusOf(key)).toBe(401)
    expect(await page.getByRole('row', { name: /new name/ }).count()).toBe(0)
  })
})

describe('users', () => {
  test('a user with a custom role is added, signs in, and sees only the actions of the role', async () => {
    const office = await site.open('/users')
    await office.page.getByRole('button', { name: userTexts.add }).click()
    await nameField(office.page).fill('Grace')
    await office.page.getByLabel(texts.account.email).fill('grace@example.com')
    await office.page.getByRole('button', { name: userTexts.generate }).click()
    await office.page.getByRole('radio', { name: roleTexts.custom.label }).check()
    await office.page.getByRole('checkbox', { name: scopeTexts['api-keys:manage'].label }).check()
    await office.page.getByRole('button', { name: userTexts.add }).click()
    const slip = await office.page.getByText(/^http.*Password: /s).textContent()
    const password = /Password: (\S+)/.exec(slip ?? '')?.[1] ?? ''
    await office.page.getByRole('button', { name: texts.actions.done }).click()
    const row = office.page.getByRole('row', { name: /Grace .*Custom Read files, API keys/ })
    await row.getByRole('cell', { name: userTexts.neverSeen }).waitFor()

    const { page } = await visit(site.stage, '/users')
    await fillSignIn(page, 'grace@example.com', password)
    await page.getByText(texts.notFound.lead).waitFor()
    const pages = page.getByRole('navigation', { name: texts.frame.navigation }).getByRole('link')
    await pages.first().waitFor()
    expect(await pages.allTextContents()).toEqual([
      'Files',
      'Recent',
      'Favorites',
      'Shares',
      'Overview',
      'API keys',
      'Activity',
      'Account',
    ])
    await page.getByRole('link', { name: texts.pages.keys }).click()
    await page.getByRole('button', { name: keyTexts.new }).click()

    expect(await page.getByRole('checkbox').count()).toBe(1)
    await page.getByRole('checkbox', { name: scopeTexts['files:read'].label }).waitFor()
    await office.page.reload()
    await row.locator('[data-name="Last seen"]', { hasText: texts.justNow }).waitFor()
  })

  test('an admin changes a role, sets a password, disables, enables and deletes', async () => {
    const { holdfast } = site
    const user = await addUser(holdfast, { role: 'editor' })
    const session = { Cookie: user.cookie }
    const { page, complaints } = await site.open('/users')
    const change = (action: string) => choose(page, 'A editor', action)

    await change(userTexts.changeRole)
    await page.getByRole('radio', { name: roleTexts.viewer.label }).check()
    await page.getByRole('button', { name: userTexts.save }).click()
    await page.getByText(userTexts.roleChanged('A editor', 'viewer')).waitFor()
    await change(userTexts.resetPassword)
    await page.getByRole('textbox', { name: userTexts.password }).fill('battery staple')
    await page.getByRole('button', { name: userTexts.reset }).click()
    await page.getByText('Password: battery staple').waitFor()
    expect(await statusOf(session)).toBe(401)
    await page.getByRole('button', { name: texts.actions.done }).click()
    await change(userTexts.disable)
    await page.getByRole('button', { name: userTexts.disable }).click()
    await page.getByRole('row', { name: /A editor .*Disabled .*Viewer/ }).waitFor()
    expect((await trySignIn(holdfast, user.email, 'battery staple')).status).toBe(401)
    await change(userTexts.enable)
    await page.getByRole('row', { name: /A editor(?!.*Disabled).*Viewer/ }).waitFor()
    expect((await trySignIn(holdfast, user.email, 'battery staple')).status).toBe(200)
    await change(userTexts.delete)
    await page.getByRole('button', { name: userTexts.delete }).click()
    await page.getByText(userTexts.deleted('A editor')).waitFor()

    expect((await trySignIn(holdfast, user.email, 'battery staple')).status).toBe(401)
    expect(complaints).toEqual([])
  })

  test('an admin cannot change the access of their own account', async () => {
    const { page } = await site.open('/users')
    await page.getByRole('row', { name: /You ada@example\.com/ }).waitFor()

    await page.getByRole('button', { name: userTexts.actionsOf(ADMIN.name) }).click()
    expect(await page.getByRole('menuitem').allTextContents()).toEqual(['Limit storage'])
  })
})

describe('the account', () => {
  test.each([
    ['admin', 'You can read, write and delete files, and manage API keys, settings and users.'],
    ['viewer', 'You can read files.'],
  ] as const)('of the role %s says what it can do', async (role, words) => {
    const user = await addUser(site.holdfast, { role })
    const visitor = await visit(site.stage, '/account', { cookie: user.cookie })

    await visitor.page.getByText(words, { exact: true }).waitFor()
  })

  test('changes its name and e-mail', async () => {
    const user = await addUser(site.holdfast, { role: 'viewer' })
    const { page } = await visit(site.stage, '/account', { cookie: user.cookie })

    await nameField(page).fill('Alan')
    await page.getByLabel(texts.account.email).fill(ADMIN.email)
    await page.getByRole('button', { name: accountTexts.save }).click()
    await page.getByText(/Another account uses/).waitFor()
    await page.getByLabel(texts.account.email).fill('alan@example.com')
    await page.getByRole('button', { name: accountTexts.save }).click()
    await page.getByRole('button', { name: /Alan.*alan@example\.com/ }).waitFor()

    expect((await trySignIn(site.holdfast, 'alan@example.com')).status).toBe(200)
  })

  test('changes its password, which signs out other devices', async () => {
    const { holdfast } = site
    const user = await addUser(holdfast, { role: 'viewer' })
    const other = { Cookie: cookieOf(await trySignIn(holdfast, user.email)) }
    const { page } = await visit(site.stage, '/account', { cookie: user.cookie })

    await page.getByLabel(accountTexts.current, { exact: true }).fill('not it')
    await page.getByLabel(accountTexts.new, { exact: true }).fill('battery staple')
    await page.getByRole('button', { name: accountTexts.change }).click()
    await page.getByText(accountTexts.wrongPassword).waitFor()
    await page.getByLabel(accountTexts.current, { exact: true }).fill(ADMIN.password)
    await page.getByRole('button', { name: accountTexts.change }).click()
    await page.getByText(accountTexts.changed).waitFor()

    expect(await statusOf(other)).toBe(401)
    expect(await statusOf({ Cookie: user.cookie })).toBe(200)
    expect((await trySignIn(holdfast, user.email, 'battery staple')).status).toBe(200)
    expect(await page.getByLabel(accountTexts.new, { exact: true }).inputValue()).toBe('')
  })

  test('shows devices by readable names, and signs out one or all others', async () => {
    const { holdfast } = site
    const user = await addUser(holdfast, { role: 'viewer' })
    const signInAs = async (agent: string) => {
      const sent = { email: user.email, password: ADMIN.password }
      const answer = await postJson(holdfast, '/api/auth/sign-in/email', sent, { 'User-Agent': agent })
      return { Cookie: cookieOf(answer) }
    }
    const firefox = await signInAs(FIREFOX)
    const curl = await signInAs('curl/8.5.0')
    const { page } = await visit(site.stage, '/account', { cookie: user.cookie })

    await page.getByRole('button', { name: /Sign out Firefox on Linux/ }).click()
    await page.getByText(accountTexts.signedOut('Firefox on Linux')).waitFor()
    expect([await statusOf(firefox), await statusOf(curl)]).toEqual([401, 200])
    await page.getByRole('button', { name: accountTexts.signOutAll }).click()
    await page.getByRole('dialog').getByRole('button', { name: accountTexts.signOutAll }).click()
    await page.getByText(accountTexts.othersSignedOut).waitFor()

    expect([await statusOf(curl), await statusOf({ Cookie: user.cookie })]).toEqual([401, 200])
    await page.getByText(accountTexts.thisDevice).waitFor()
    expect(await page.getByRole('button', { name: /Sign out/ }).count()).toBe(0)
  })
})

describe('the security log', () => {
  test('is filtered in its address, and exported', async () => {
    const { holdfast } = site
    const user = await addUser(holdfast, { role: 'viewer' })
    await trySignIn(holdfast, user.email, 'a wrong password')
    const { page, complaints } = await site.open('/security')
    const entries = page.locator('.log-entry')
    const shown = entries.filter({ hasText: user.email })
    await shown.nth(1).waitFor()
    expect(await seriousFindings(page)).toEqual([])

    await page.getByRole('combobox', { name: securityTexts.kind }).selectOption(securityTexts.kinds.failed)
    await page.getByRole('combobox', { name: texts.pages.account }).selectOption(user.email)
    await page.getByRole('searchbox', { name: securityTexts.address }).fill('127.0.0.1')
    await eventually(async () => (await entries.count()) === 1)
    await shown.getByText('Failed sign-in').waitFor()
    await page.reload()
    await shown.getByText('Failed sign-in').waitFor()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: securityTexts.export }).click(),
    ])

    const lines = (await Bun.file(await download.path()).text()).trim().split('\r\n')
    expect(lines).toHaveLength(2)
    expect(lines[1]).toContain(`sign-in.failed,${user.email},${user.id},,127.0.0.1`)
    await page.getByRole('searchbox', { name: securityTexts.address }).fill('203.0.113.7')
    await page.getByText(securityTexts.empty).waitFor()
    expect(complaints).toEqual([])
  })
})
