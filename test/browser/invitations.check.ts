import { describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import type { InvitationFields, NewInvitation } from '../../src/client/types.ts'
import { invitationTexts } from '../../src/dashboard/texts/invitations.ts'
import { roleTexts } from '../../src/dashboard/texts/scopes.ts'
import { texts } from '../../src/dashboard/texts.ts'
import { addAccount } from '../support/accounts.ts'
import { eventually } from '../support/eventually.ts'
import { BASE_URL, postJson } from '../support/holdfast.ts'
import { openSite } from './site.ts'
import { findingsInThemes, visit } from './visitor.ts'

const site = openSite()
const PASSWORD = 'a long enough passphrase'

const invite = async (fields: Partial<InvitationFields> = {}) =>
  (
    await site.admin.api.data<{ invitation: NewInvitation }>('POST', '/invitations', {
      role: 'editor',
      ...fields,
    })
  ).invitation

const email = (page: Page) => page.getByLabel(texts.account.email)
const submit = (page: Page) => page.getByRole('button', { name: invitationTexts.accept }).click()

async function fillIn(page: Page, address?: string): Promise<void> {
  await page.getByLabel(texts.account.name).fill('Grace Hopper')
  if (address !== undefined) await email(page).fill(address)
  await page.getByLabel(texts.account.password, { exact: true }).fill(PASSWORD)
}

describe('an invitation', () => {
  test('is created, copied, opened in another browser, used, and listed as used', async () => {
    const office = await site.open('/users')
    await office.page.getByRole('button', { name: invitationTexts.invite }).click()
    await office.page.getByLabel(invitationTexts.note).fill('new photographer')
    await office.page.getByRole('radio', { name: roleTexts.editor.label }).check()
    await office.page.getByRole('button', { name: invitationTexts.create }).click()
    await office.page.getByLabel(invitationTexts.link).waitFor()
    await office.page.keyboard.press('Escape')
    await office.page.getByRole('button', { name: texts.actions.copy }).click()
    await office.page.getByText(texts.actions.copied).waitFor()
    const link = await office.page.getByLabel(invitationTexts.link).inputValue()
    await office.page.getByRole('button', { name: texts.actions.done }).click()
    await office.page.getByRole('button', { name: invitationTexts.invite }).click()
    await office.page.getByLabel(invitationTexts.note).focus()
    await office.page.keyboard.press('ControlOrMeta+V')
    expect(await office.page.getByLabel(invitationTexts.note).inputValue()).toBe(link)
    await office.page.getByRole('button', { name: texts.actions.cancel }).click()
    const row = office.page.getByRole('row', { name: /^new photographer/ })
    await row.getByText(invitationTexts.states.open, { exact: true }).waitFor()
    expect(await office.page.content()).not.toContain(link.split('#')[1] ?? '')

    const visitor = await visit(site.stage, link.replace(BASE_URL, ''))
    const { page } = visitor
    await page.getByRole('heading', { name: invitationTexts.title('holdfast.test') }).waitFor()
    await page.getByText('Ada invited you.').waitFor()
    expect(await page.locator(':focus').getAttribute('name')).toBe('name')
    await fillIn(page, 'grace@example.com')
    await submit(page)

    await page.getByRole('heading', { name: texts.pages.files, level: 1 }).waitFor()
    await page.getByRole('button', { name: texts.files.upload }).first().waitFor()
    expect(page.url()).toBe(`${BASE_URL}/files`)
    await page.goBack()
    expect(page.url()).not.toContain('#')
    await row.getByText(invitationTexts.usedBy('Grace Hopper')).waitFor()
    expect([...office.complaints, ...visitor.complaints]).toEqual([])
  })

  test('is reached from the top of a long list of accounts', async () => {
    for (let n = 0; n < 20; n += 1) await addAccount(site.holdfast, { role: 'viewer' })
    await invite()
    const { page } = await site.open('/users')
    const list = page.getByRole('heading', { name: invitationTexts.list })
    await list.waitFor()
    const isInView = async () => ((await list.boundingBox())?.y ?? 0) < (page.viewportSize()?.height ?? 0)
    expect(await isInView()).toBe(false)

    await page.getByRole('link', { name: /open invitations?$/ }).click()

    await eventually(isInView)
  })

  test('for one address shows it, and takes no other', async () => {
    const { url } = await invite({ email: 'only@example.com' })
    const { page } = await visit(site.stage, `/${url}`)
    await page.getByText('for this address').waitFor()

    expect(await email(page).inputValue()).toBe('only@example.com')
    expect(await email(page).isEditable()).toBe(false)
    await fillIn(page)
    await submit(page)
    await page.getByRole('heading', { name: texts.pages.files, level: 1 }).waitFor()
  })

  test('shows a mistake in the form, which keeps what was entered', async () => {
    const { url } = await invite()
    const { page } = await visit(site.stage, `/${url}`)
    await fillIn(page, site.admin.email)
    await submit(page)

    await page.getByText(/Another account uses/).waitFor()
    expect(await page.getByLabel(texts.account.name).inputValue()).toBe('Grace Hopper')
    await email(page).fill('another@example.com')
    await submit(page)
    await page.getByRole('heading', { name: texts.pages.files, level: 1 }).waitFor()
  })

  test('that is revoked while its page is open says so', async () => {
    const { id, url } = await invite()
    const { page } = await visit(site.stage, `/${url}`)
    await fillIn(page, 'late@example.com')
    const office = await site.open('/users')
    await office.page
      .getByRole('button', { name: /^Revoke the invitation/ })
      .first()
      .click()
    await office.page.getByRole('button', { name: invitationTexts.revoke.action, exact: true }).click()
    await office.page.getByText(invitationTexts.revoke.done).waitFor()
    const { invitations } = await site.admin.api.data<{ invitations: { id: string }[] }>(
      'GET',
      '/invitations',
    )
    expect(invitations.map((invitation) => invitation.id)).not.toContain(id)

    await submit(page)

    await page.getByRole('heading', { name: invitationTexts.closedTitle }).waitFor()
    expect(await findingsInThemes(page)).toEqual([])
    await page.getByRole('button', { name: invitationTexts.signIn }).click()
    await page.getByRole('heading', { name: texts.signIn.title }).waitFor()
  })

  test('that was used leads its signed-in account to the dashboard', async () => {
    const cookie = site.admin.cookie
    const { page } = await visit(site.stage, '/invite#used', { cookie })

    await page.getByText(invitationTexts.notNeeded(site.admin.email)).waitFor()
    await page.getByRole('button', { name: invitationTexts.toFiles }).click()

    await page.getByRole('link', { name: texts.pages.files }).waitFor()
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
    const { page } = await visit(site.stage, `/${url}`, { cookie })
    await page.getByText('signed in as member@example.com').waitFor()

    await page.getByRole('button', { name: invitationTexts.signOut }).click()

    await page.getByRole('heading', { name: invitationTexts.title('holdfast.test') }).waitFor()
    await page.getByRole('button', { name: invitationTexts.haveAccount }).waitFor()
  })
})
