import { describe, expect, test } from 'bun:test'
import { deviceTexts as words } from '../../src/dashboard/texts/devices.ts'
import { providerTexts } from '../../src/dashboard/texts/providers.ts'
import { signInTexts } from '../../src/dashboard/texts/sign-in.ts'
import { texts } from '../../src/dashboard/texts.ts'
import { apiOf } from '../support/api.ts'
import { ADMIN, BASE_URL, TestClock } from '../support/holdfast.ts'
import { openSite } from './site.ts'
import { findingsInThemes, HAND, seriousFindings, visit } from './visitor.ts'

const clock = new TestClock()

describe('the page of a program that asks', () => {
  const site = openSite({ clock })
  const ask = () =>
    apiOf(site.holdfast, { withKey: { Origin: BASE_URL } }).data<{ user_code: string; device_code: string }>(
      'POST',
      '/auth/device/code',
      { client_id: 'CLI on laptop' },
    )

  test('shows the code to compare, and approves it after a confirmation', async () => {
    const { user_code: code } = await ask()
    clock.advance(11 * 60_000)
    const { user_code: later } = await ask()
    const { page, complaints } = await site.open(`/device?user_code=${later}`, HAND)
    await page.getByRole('heading', { name: words.asks('CLI on laptop') }).waitFor()
    await page.getByText(later, { exact: true }).waitFor()
    expect(await seriousFindings(page)).toEqual([])
    // The page may come from a stranger: the Enter key must approve nothing by itself.
    expect(await page.locator('button:focus').count()).toBe(0)
    await page.getByRole('button', { name: words.approve }).click()
    await page.getByLabel(signInTexts.password, { exact: true }).fill(ADMIN.password)
    await page.getByRole('button', { name: signInTexts.confirm }).click()
    await page.getByRole('heading', { name: words.approved('CLI on laptop') }).waitFor()

    expect(code).not.toBe(later)
    // The browser reports the refusal that asked for the confirmation.
    expect(complaints.filter((text) => !text.includes('403'))).toEqual([])
  })

  test('takes a code that is typed, says that one is unknown, and denies', async () => {
    const { user_code: code } = await ask()
    const { page } = await site.open('/device')
    const field = page.getByLabel(words.code, { exact: true })
    await field.fill('BBBB-BBBB')
    await page.getByRole('button', { name: words.next }).click()
    await page.getByText(words.unknown).waitFor()
    expect(await seriousFindings(page)).toEqual([])
    await field.fill(code.toLowerCase())
    await page.getByRole('button', { name: words.next }).click()
    await page.getByRole('button', { name: words.deny }).click()

    await page.getByRole('heading', { name: words.denied }).waitFor()
    expect(await findingsInThemes(page)).toEqual([])
  })
})

describe('behind a proxy that signs people in', () => {
  const site = openSite({
    environment: { FORWARD_AUTH_HEADER: 'Remote-Email', FORWARD_AUTH_FROM: '127.0.0.1' },
  })
  const named = (email: string) => ({ extraHTTPHeaders: { 'Remote-Email': email } })

  test('the person is signed in at once, and after a sign-out when they say so', async () => {
    const { page } = await visit(site.stage, '/files', named(ADMIN.email))
    await page.getByText(texts.files.first).waitFor()
    await page.getByRole('button', { name: ADMIN.email }).click()
    await page.getByRole('menuitem', { name: texts.signOut }).click()
    const again = page.getByRole('button', { name: providerTexts.forwarded })
    await again.waitFor()
    expect(await findingsInThemes(page)).toEqual([])
    await again.press('Enter')

    await page.getByText(texts.files.first).waitFor()
  })

  test('a person without an account sees why, and a visitor without a name uses a password', async () => {
    const stranger = await visit(site.stage, '/files', named('eve@example.com'))
    await stranger.page.getByText('You have no account here. Ask an admin for one.').waitFor()
    const { page } = await visit(site.stage, '/files')
    await page.getByLabel(texts.account.password, { exact: true }).waitFor()

    expect(await page.getByRole('button', { name: providerTexts.forwarded }).count()).toBe(0)
  })
})
