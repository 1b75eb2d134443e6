import { describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import type { InvitationFields, NewInvitation } from '../../src/client/types.ts'
import { addAccount } from '../support/accounts.ts'
import { eventually } from '../support/eventually.ts'
import { BASE_URL, postJson } from '../support/holdfast.ts'
import { openSite } from './site.ts'
import { seriousFindings, visit } from './visitor.ts'

const site = openSite()
const PASSWORD = 'a long enough passphrase'

const invite = async (fields: Partial<InvitationFields> = {}) =>
  (
    await site.admin.api.data<{ invitation: NewInvitation }>('POST', '/invitations', {
      role: 'editor',
      ...fields,
    })
  ).invitation

const email = (page: Page) => page.getByLabel('E-mail')
const submit = (page: Page) => page.getByRole('button', { name: 'Create account' }).click()

async function fillIn(page: Page, address?: string): Promise<void> {
  await page.getByLabel('Name').fill('Grace Hopper')
  if (address !== undefined) await email(page).fill(address)
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
}

describe('an invitation', () => {
  test('is created, copied, opened in another browser, used, and listed as used', async () => {
    await using office = await site.open('/users')
    await office.page.getByRole('button', { name: 'Invite' }).click()
    await office.page.getByLabel('Note (optional)').fill('new photographer')
    await office.page.getByRole('radio', { name: 'Editor' }).check()
    await office.page.getByRole('button', { name: 'Create link' }).click()
    await office.page.getByLabel('Invitation link').waitFor()
    await office.page.keyboard.press('Escape')
    await office.page.getByRole('button', { name: 'Copy' }).click()
    await office.page.getByText('Copied').waitFor()
    const link = await office.page.getByLabel('Invitation link').inputValue()
    await office.page.getByRole('button', { name: 'Done' }).click()
    await office.page.getByRole('button', { name: 'Invite' }).click()
    await office.page.getByLabel('Note (optional)').focus()
    await office.page.keyboard.press('ControlOrMeta+V')
    expect(await office.page.getByLabel('Note (optional)').inputValue()).toBe(link)
    await office.page.getByRole('button', { name: 'Cancel' }).click()
    const row = office.page.getByRole('row', { name: /^new photographer/ })
    await row.getByText('Open', { exact: true }).waitFor()
    expect(await office.page.content()).not.toContain(link.split('#')[1] ?? '')

    await using visitor = await visit(site.stage, link.replace(BASE_URL, ''))
    const { page } = visitor
    await page.getByRole('heading', { name: 'Join holdfast.test' }).waitFor()
    await page.getByText('Ada invited you.').waitFor()
    expect(await page.locator(':focus').getAttribute('name')).toBe('name')
    await fillIn(page, 'grace@example.com')
    await submit(page)

    await page.getByRole('heading', { name: 'Files', level: 1 }).waitFor()
    await page.getByRole('button', { name: 'Upload' }).first().waitFor()
    expect(page.url()).toBe(`${BASE_URL}/files`)
    await page.goBack()
    expect(page.url()).not.toContain('#')
    await row.getByText('by Grace Hopper').waitFor()
    expect([...office.complaints, ...visitor.complaints]).toEqual([])
  })

  test('is reached from the top of a long list of accounts', async () => {
    for (let n = 0; n < 20; n += 1) await addAccount(site.holdfast, { role: 'viewer' })
    await invite()
    await using office = await site.open('/users')
    const { page } = office
    const list = page.getByRole('heading', { name: 'Invitations' })
    await list.waitFor()
    const isInView = async () => ((await list.boundingBox())?.y ?? 0) < (page.viewportSize()?.height ?? 0)
    expect(await isInView()).toBe(false)

    await page.getByRole('link', { name: /open invitations?$/ }).click()

    await eventually(isInView)
  })

  test('for one address shows it, and takes no other', async () => {
    const { url } = await invite({ email: 'only@example.com' })
    await using visitor = await visit(site.stage, `/${url}`)
    const { page } = visitor
    await page.getByText('for this address').waitFor()

    expect(await email(page).inputValue()).toBe('only@example.com')
    expect(await email(page).isEditable()).toBe(false)
    await fillIn(page)
    await submit(page)
    await page.getByRole('heading', { name: 'Files', level: 1 }).waitFor()
  })

  test('shows a mistake in the form, which keeps what was entered', async () => {
    const { url } = await invite()
    await using visitor = await visit(site.stage, `/${url}`)
    const { page } = visitor
    await fillIn(page, site.admin.email)
    await submit(page)

    await page.getByText(/Another account uses/).waitFor()
    expect(await page.getByLabel('Name').inputValue()).toBe('Grace Hopper')
    await email(page).fill('another@example.com')
    await submit(page)
    await page.getByRole('heading', { name: 'Files', level: 1 }).waitFor()
  })

  test('that is revoked while its page is open says so', async () => {
    const { id, url } = await invite()
    await using visitor = await visit(site.stage, `/${url}`)
    const { page } = visitor
    await fillIn(page, 'late@example.com')
    await using office = await site.open('/users')
    await office.page
      .getByRole('button', { name: /^Revoke the invitation/ })
      .first()
      .click()
    await office.page.getByRole('button', { name: 'Revoke', exact: true }).click()
    await office.page.getByText('Invitation revoked').waitFor()
    const { invitations } = await site.admin.api.data<{ invitations: { id: string }[] }>(
      'GET',
      '/invitations',
    )
    expect(invitations.map((invitation) => invitation.id)).not.toContain(id)

    await submit(page)

    await page.getByRole('heading', { name: 'This invitation doesn’t work' }).waitFor()
    await page.getByRole('button', { name: 'Go to sign-in' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  })

  test('opened by a signed-in account waits until it signs out', async () => {
    const { url } = await invite()
    const cookie = await (async () => {
      const { token } = await invite({ email: 'member@example.com' })
      const made = await postJson(site.holdfast, '/api/invitations/accept', {
        token,
        name: 'Mel',
        password: PASSWORD,
      })
      return made.headers.get('set-cookie')?.split(';')[0] ?? ''
    })()
    await using visitor = await visit(site.stage, `/${url}`, { cookie })
    const { page } = visitor
    await page.getByText('signed in as member@example.com').waitFor()

    await page.getByRole('button', { name: 'Sign out and continue' }).click()

    await page.getByRole('heading', { name: 'Join holdfast.test' }).waitFor()
    await page.getByRole('button', { name: 'I already have an account' }).waitFor()
  })
})

describe('axe finds nothing serious', () => {
  test.each(['light', 'dark'] as const)('in %s', async (colorScheme) => {
    const { url } = await invite({ role: 'custom', scopes: ['files:read'] })
    await using guest = await visit(site.stage, `/${url}`, { colorScheme })
    await guest.page.getByRole('button', { name: 'Create account' }).waitFor()
    expect(await seriousFindings(guest.page)).toEqual([])
    await using stranger = await visit(site.stage, '/invite#none', { colorScheme })
    expect(await seriousFindings(stranger.page)).toEqual([])
    await using office = await site.open('/users', { colorScheme })
    await office.page.getByRole('heading', { name: 'Invitations' }).waitFor()
    expect(await seriousFindings(office.page)).toEqual([])
    await office.page.getByRole('button', { name: 'Invite' }).click()
    expect(await seriousFindings(office.page)).toEqual([])
    await office.page.getByRole('button', { name: 'Create link' }).click()
    await office.page.getByLabel('Invitation link').waitFor()
    expect(await seriousFindings(office.page)).toEqual([])
  })
})
