import { afterAll, expect, test } from 'bun:test'
import { webhookTexts as words } from '../../src/dashboard/texts/webhooks.ts'
import { texts } from '../../src/dashboard/texts.ts'
import { addUser } from '../support/accounts.ts'
import { eventually } from '../support/eventually.ts'
import { Receiver } from '../support/webhooks.ts'
import { openSite } from './site.ts'
import { findingsInThemes, PHONE } from './visitor.ts'

/** Webhooks, which admins make, test, follow and delete in the settings. */

const site = openSite({ environment: { WEBHOOK_ALLOW_PRIVATE: '127.0.0.1' } })
const receiver = new Receiver()
afterAll(() => receiver[Symbol.asyncDispose]())

test('an admin makes a webhook, tests it, sends what failed again, turns it off and deletes it', async () => {
  receiver.respond = () => new Response(null, { status: 500 })
  const { page, complaints } = await site.open('/settings', { viewport: PHONE })
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const choose = async (action: string) => {
    await button(words.actionsOf('Team chat')).click()
    await page.getByRole('menuitem', { name: action, exact: true }).click()
  }
  await page.getByText(words.none).waitFor()

  await button(words.add).click()
  await page.getByLabel(words.name, { exact: true }).fill('Team chat')
  await page.getByLabel(words.url, { exact: true }).fill('http://10.0.0.1/hook')
  await page.getByRole('dialog').getByRole('button', { name: words.add }).click()
  await page.getByRole('alert').getByText(words.badUrl).waitFor()
  expect(await findingsInThemes(page)).toEqual([])
  await page.getByLabel(words.url, { exact: true }).fill(receiver.url)
  await page.getByRole('dialog').getByRole('button', { name: words.add }).click()
  const secret = await page.getByLabel(words.secret).inputValue()
  expect(secret).toMatch(/^whsec_/)
  await button(texts.actions.done).click()
  const row = page.getByRole('list', { name: words.list }).getByRole('listitem')
  await row.getByText(words.on, { exact: true }).waitFor()
  expect(await page.content()).not.toContain(secret)

  await choose(words.test)
  await row.getByText(words.refused(words.status(500))).waitFor()
  receiver.respond = () => new Response(null, { status: 204 })
  await choose(words.deliveries)
  await button(words.retry).click()
  await page.getByRole('dialog').getByText(words.states.delivered).waitFor()
  expect(await findingsInThemes(page)).toEqual([])
  await page.keyboard.press('Escape')
  await choose(words.test)
  await row.getByText(words.accepted).waitFor()
  expect(receiver.delivered.map(({ event }) => event.type)).toEqual(Array(3).fill('webhook.test'))

  await choose(words.turnOff)
  await row.getByText(words.off, { exact: true }).waitFor()
  await choose(words.delete)
  await page.getByRole('dialog').getByRole('button', { name: words.delete }).click()
  await page.getByText(words.none).waitFor()
  expect(complaints.filter((complaint) => !complaint.includes('400'))).toEqual([])
})

test('a webhook is changed, and events that were chosen reach it', async () => {
  const { page } = await site.open('/settings')
  await site.admin.api.data('POST', '/webhooks', { name: 'Script', url: receiver.url, events: [] })

  await page.getByRole('button', { name: words.actionsOf('Script') }).click()
  await page.getByRole('menuitem', { name: words.edit, exact: true }).click()
  await page.getByRole('checkbox', { name: words.events['upload.completed'] ?? '' }).check()
  await page.getByRole('button', { name: words.save }).click()
  await page.getByText(words.changed).waitFor()
  await site.admin.api.upload('seen.txt', 'x')

  await eventually(() => receiver.events('upload.completed').length === 1)
})

test('an account that may change settings, but is no admin, sees no webhooks', async () => {
  const member = await addUser(site.holdfast, {
    role: 'custom',
    customScopes: ['settings:manage', 'files:read'],
  })
  const { page } = await site.open('/settings', { cookie: member.cookie })

  await page.locator('.settings').waitFor()

  expect(await page.getByText(words.title, { exact: true }).count()).toBe(0)
})
