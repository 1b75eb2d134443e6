import { expect, test } from 'bun:test'
import type { AccountStorage } from '../../src/client/types.ts'
import { accountTexts } from '../../src/dashboard/texts/account.ts'
import { userTexts } from '../../src/dashboard/texts/users.ts'
import { texts } from '../../src/dashboard/texts.ts'
import { addUser } from '../support/accounts.ts'
import { upload } from '../support/holdfast.ts'
import { openSite, pick } from './site.ts'
import { seriousFindings, textFile, visit } from './visitor.ts'

const MIB = 1024 ** 2

const site = openSite()

async function addEditor() {
  const editor = await addUser(site.holdfast, { role: 'editor' })
  const setQuota = (quota: number | null) =>
    site.admin.api.data<AccountStorage>('PUT', '/users/quota', { id: editor.id, quota })
  const store = (name: string, size: number) =>
    upload(site.holdfast, editor.withSession, { name, content: 'x'.repeat(size), folder: editor.id })
  return { ...editor, setQuota, store }
}

test('an admin limits the storage of an account, changes the limit and removes it', async () => {
  const editor = await addEditor()
  await editor.store('notes.txt', 1.5 * MIB)
  const { page, complaints } = await site.open('/users')
  const row = page.getByRole('row').filter({ hasText: editor.email })
  const openDialog = async () => {
    await row.getByRole('button', { name: /^Actions for/ }).click()
    await page.getByRole('menuitem', { name: userTexts.changeQuota }).click()
  }
  const quotaNow = async () => (await editor.api.data<AccountStorage>('GET', '/me/usage')).quota

  await row.getByText('1.5 MiB', { exact: true }).waitFor()
  await openDialog()
  const dialog = page.getByRole('dialog', { name: /^Storage limit of / })
  await dialog.getByText(userTexts.quotaChoices.limit, { exact: true }).click()
  expect(await seriousFindings(page)).toEqual([])
  await dialog.getByRole('textbox', { name: userTexts.quota }).fill('2.5')
  await dialog.getByRole('button', { name: userTexts.save }).click()
  await row.getByText(userTexts.ofQuota('2.5 GiB')).waitFor()
  expect(await quotaNow()).toBe(2.5 * 1024 * MIB)

  await openDialog()
  expect(await dialog.getByRole('textbox', { name: userTexts.quota }).inputValue()).toBe('2.5')
  await dialog.getByRole('textbox', { name: userTexts.quota }).fill('1')
  await dialog.getByLabel(texts.unitOf('Storage limit')).selectOption('MiB')
  await dialog.getByRole('button', { name: userTexts.save }).click()
  await row.getByText(userTexts.ofQuota('1 MiB')).waitFor()
  await row.getByText(userTexts.full).waitFor()
  expect(await seriousFindings(page)).toEqual([])

  await openDialog()
  await dialog.getByText(userTexts.quotaChoices.none, { exact: true }).click()
  await dialog.getByRole('button', { name: userTexts.save }).click()
  // Rows are hidden from assistive technology while a dialog is open, and would count as detached.
  await dialog.waitFor({ state: 'detached' })
  await row.getByText(userTexts.ofQuota('1 MiB')).waitFor({ state: 'detached' })
  expect(await quotaNow()).toBeNull()
  expect(complaints).toEqual([])
})

test('an account sees its storage beside its uploads and on its page', async () => {
  const editor = await addEditor()
  await editor.setQuota(2 * MIB)
  await editor.store('notes.txt', 1.25 * MIB)
  const { page, complaints } = await visit(site.stage, '/files', { cookie: editor.cookie })
  const panel = page.getByRole('region', { name: texts.uploads.title })
  const file = (name: string, size: number) => textFile(name, Buffer.alloc(size))

  // Sent together, then each alone. The one that fits is stored.
  await pick(page, [file('fits.txt', MIB / 2), file('too long.txt', MIB)])
  await panel.getByText(/These files need 1 MiB, but your storage has (768|256) KiB left/).waitFor()
  await panel.getByText(accountTexts.usedOf('1.8 MiB', '2 MiB')).waitFor()
  await page.getByRole('row', { name: /fits.txt/ }).waitFor()
  expect(await seriousFindings(page)).toEqual([])
  await editor.setQuota(MIB)
  await page.goto(new URL('/account', page.url()).href)
  await page.getByText(accountTexts.usedOf('1.8 MiB', '1 MiB')).waitFor()
  await page.getByText('Your storage is full').waitFor()
  expect(await seriousFindings(page)).toEqual([])
  await editor.setQuota(null)
  await page.reload()
  await page.getByText(userTexts.quotaUsed('1.8 MiB')).waitFor()

  expect(complaints.filter((text) => !text.includes('507'))).toEqual([])
})
