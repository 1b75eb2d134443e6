import { describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { version } from '../../package.json'
import { activityTexts } from '../../src/dashboard/texts/activity.ts'
import { overviewTexts } from '../../src/dashboard/texts/overview.ts'
import { settingsTexts } from '../../src/dashboard/texts/settings.ts'
import { webhookTexts } from '../../src/dashboard/texts/webhooks.ts'
import { texts } from '../../src/dashboard/texts.ts'
import type { Stats } from '../../src/modules/stats/model.ts'
import { addUser } from '../support/accounts.ts'
import { eventually } from '../support/eventually.ts'
import { sendUpload } from '../support/holdfast.ts'
import { fillRichly } from './rich.ts'
import { openSite } from './site.ts'
import { findingsInThemes } from './visitor.ts'

/** Pages that show the state of the instance and change its settings. */

const site = openSite()
const { open } = site

const put = (name: string, content: string) => site.admin.api.upload(name, content, 'reports', 'public')

const card = (page: Page, name: string) => page.getByRole('region', { name })

describe('overview', () => {
  test('shows what was uploaded and served', async () => {
    const { url } = await put('yearly.pdf', 'x'.repeat(2048))
    for (const path of [url, url, 'api/hosting/nothing']) await (await site.holdfast.fetch(`/${path}`)).text()
    const { page, complaints } = await open('/overview')

    await card(page, 'Most requested').getByText('2 requests').waitFor()
    await card(page, overviewTexts.largest).getByRole('link', { name: 'yearly.pdf' }).waitFor()
    await card(page, overviewTexts.recent).getByText('2 KiB').waitFor()
    await card(page, overviewTexts.storage).getByText(texts.kinds.document).waitFor()
    const measures = await card(page, overviewTexts.traffic).getByRole('button').allTextContents()
    await card(page, overviewTexts.recent).getByRole('link', { name: 'yearly.pdf' }).click()
    await page.getByRole('row', { name: /yearly/ }).waitFor()

    expect(measures).toEqual(['Requests2', 'Sent4 KiB', 'Not found1'])
    expect(complaints).toEqual([])
  })

  test('exposes the values of a chart to the keyboard and to screen readers', async () => {
    await put('charted.txt', 'x')
    const { page } = await open('/overview')
    const chart = page.getByRole('slider', { name: overviewTexts.perDay('Files added') })
    await chart.focus()
    const today = await chart.getAttribute('aria-valuetext')

    await page.keyboard.press('ArrowLeft')
    const yesterday = await chart.getAttribute('aria-valuetext')

    expect(today).toMatch(/: [1-9]\d* files?$/)
    expect(yesterday).toMatch(/: 0 files$/)
    await page.locator('.chart-tip').getByText('0 files').waitFor()
  })

  test('links an alert to the page that resolves it', async () => {
    const files = { 'lost.txt': 'x' }
    await sendUpload(site.holdfast, site.admin.withSession, { files, visibility: 'neither' })
    const { page } = await open('/overview')
    await page.setViewportSize({ width: 768, height: 900 })
    const link = page.getByRole('link', { name: overviewTexts.alert.seeFailed })
    const row = page.getByRole('listitem').filter({ has: link })
    const [inner, outer] = [await link.boundingBox(), await row.boundingBox()]
    const end = (box: typeof inner) => (box?.y ?? 0) + (box?.height ?? 0)
    expect(end(outer) - end(inner)).toBeGreaterThanOrEqual(8)

    await link.click()
    await page.getByText('Couldn’t upload lost.txt').waitFor()
    await page.getByRole('button', { name: activityTexts.clear('1 entry') }).click()
    await page
      .getByRole('dialog')
      .getByRole('button', { name: activityTexts.clear('1 entry') })
      .click()
    await page.getByText(activityTexts.cleared('1 entry')).waitFor()

    const { alerts } = await site.admin.api.data<Stats>('GET', '/stats')
    expect(alerts.filter(({ type }) => type === 'uploads-failed')).toEqual([])
  })

  test('shows a viewer only the sections of that role', async () => {
    const viewer = await addUser(site.holdfast, { role: 'viewer' })
    const { page } = await open('/overview', { cookie: viewer.cookie })
    await card(page, overviewTexts.storage).waitFor()

    expect(await card(page, overviewTexts.keys).count()).toBe(0)
    expect(await page.getByText(overviewTexts.figures.accounts, { exact: true }).count()).toBe(0)
    expect(await page.getByRole('link', { name: texts.pages.settings }).count()).toBe(0)
  })
})

describe('activity', () => {
  test('shows the day on which a key expires as other days', async () => {
    const editor = await addUser(site.holdfast, { role: 'editor' })
    const body = { name: 'dated', scopes: ['files:read'], expiresAt: '2031-02-24T12:00:00.000Z' }
    await editor.api.data('POST', '/keys', body)
    const visitor = await open('/activity', { cookie: editor.cookie })

    await visitor.page.getByText('Expires 24 Feb 2031', { exact: true }).waitFor()
  })

  test('says why uploads failed in its own words', async () => {
    const editor = await addUser(site.holdfast, { role: 'editor' })
    await editor.api.upload('taken.txt', 'x')
    await sendUpload(site.holdfast, editor.withSession, { files: { 'taken.txt': 'x' } })
    const { page } = await open('/activity', { cookie: editor.cookie })

    await page.getByText(texts.errors.names.taken('taken.txt'), { exact: true }).waitFor()
  })

  test('loads older entries on scroll, and filters by kind', async () => {
    const editor = await addUser(site.holdfast, { role: 'editor' })
    const { store, clock, random } = site.holdfast.server.deps
    await store.transact(function* () {
      for (let n = 0; n < 450; n += 1) {
        const type = n === 449 ? 'api-key.created' : 'upload.succeeded'
        const entry = { type, target: `entry ${n}`, detail: null, createdAt: clock.now() - n * 60_000 }
        yield* store.activities.insert({ id: random.id(), userId: editor.id, ...entry })
      }
    })
    const { page, complaints } = await open('/activity', { cookie: editor.cookie })
    // Exact, because the text of a row continues with its time: "entry 44" and "9:28".
    const entry = (n: number) => page.getByText(`entry ${n}`, { exact: true })
    await entry(0).waitFor()
    expect(await entry(449).count()).toBe(0)

    await eventually(async () => {
      await page.evaluate("document.getElementById('content').scrollTo(0, 1e6)")
      return (await entry(449).count()) === 1
    })
    await page.getByRole('button', { name: activityTexts.views.keys }).click()
    await entry(0).waitFor({ state: 'detached' })
    await entry(449).waitFor()

    expect(await page.locator('.log-entry').count()).toBe(1)
    expect(await page.getByRole('button', { name: overviewTexts.figures.accounts }).count()).toBe(0)
    expect(complaints).toEqual([])
  })
})

describe('settings', () => {
  test('take effect as soon as they are saved', async () => {
    const { page, complaints } = await open('/settings')
    await page.getByText(settingsTexts.version(version)).waitFor()

    await page.getByLabel(settingsTexts.limits.maxUploadSize.label, { exact: true }).fill('1.5')
    await page.getByLabel(texts.unitOf('Maximum file size')).selectOption('KiB')
    await page
      .getByRole('group', { name: settingsTexts.newFiles })
      .getByRole('button', { name: texts.visibility.private })
      .click()
    await page
      .getByText('Only people with an account, a share or an expiring link can open new files.')
      .waitFor()
    await page.getByRole('button', { name: settingsTexts.save, exact: true }).click()
    await page.getByText('Settings saved').waitFor()
    await page.reload()

    const send = (size: number) =>
      sendUpload(site.holdfast, site.admin.withSession, { files: { [`${size}.bin`]: 'x'.repeat(size) } })
    expect((await send(1537)).status).toBe(413)
    expect((await send(1536)).status).toBe(200)
    expect((await site.holdfast.fetch('/api/hosting/1536.bin')).status).toBe(404)
    expect(
      await page.getByLabel(settingsTexts.limits.maxUploadSize.label, { exact: true }).inputValue(),
    ).toBe('1.5')
    expect(complaints).toEqual([])

    await page.getByLabel(texts.unitOf('Maximum file size')).selectOption('GiB')
    await page.getByRole('button', { name: settingsTexts.save, exact: true }).click()
    await page.getByText('Settings saved').waitFor()
  })

  test('with a contradiction are reported before they are sent', async () => {
    const { page } = await open('/settings')

    const unit = page.getByLabel(texts.unitOf('Default expiry')).locator('option:checked')
    expect(
      await page.getByLabel(settingsTexts.limits.defaultPresignTtl.label, { exact: true }).inputValue(),
    ).toBe('1')
    expect(await unit.textContent()).toBe('hour')
    await page.getByLabel(settingsTexts.limits.defaultPresignTtl.label, { exact: true }).fill('9')
    expect(await unit.textContent()).toBe('hours')
    await page.getByLabel(texts.unitOf('Default expiry')).selectOption('days')
    await page.getByText(settingsTexts.longerThanLongest).waitFor()
    expect(await page.getByRole('button', { name: settingsTexts.save, exact: true }).isDisabled()).toBe(true)

    await page.getByRole('button', { name: settingsTexts.discard }).click()
    expect(
      await page.getByLabel(settingsTexts.limits.defaultPresignTtl.label, { exact: true }).inputValue(),
    ).toBe('1')
  })

  test('that are not saved survive navigation unless the user discards them', async () => {
    const { page } = await open('/settings')
    const field = page.getByLabel(settingsTexts.limits.activityRetentionDays.label, { exact: true })
    await field.fill('77')

    await page.getByRole('link', { name: texts.pages.files }).click()
    const question = page.getByRole('dialog', { name: settingsTexts.leaveTitle })
    await question.getByRole('button', { name: texts.actions.cancel }).click()
    expect(await field.inputValue()).toBe('77')
    await page.getByRole('link', { name: texts.pages.files }).click()
    await page.getByRole('button', { name: settingsTexts.leave }).click()
    await page.getByRole('heading', { level: 1, name: texts.pages.files }).waitFor()
    await page.getByRole('link', { name: texts.pages.settings }).click()
    await field.waitFor()

    expect(await field.inputValue()).not.toBe('77')
    await page.getByRole('link', { name: texts.pages.files }).click()
    await page.getByRole('heading', { level: 1, name: texts.pages.files }).waitFor()
  })

  test('change existing files after showing their number', async () => {
    const { url } = await put('open.txt', 'x')
    const { page } = await open('/settings')
    const { visibilityCounts } = await site.admin.api.data<{ visibilityCounts: { public: number } }>(
      'GET',
      '/settings',
    )
    const count = visibilityCounts.public

    await page.getByRole('button', { name: settingsTexts.makeAll.private }).click()
    await page.getByRole('button', { name: new RegExp(`^Make ${count} files? private$`) }).click()
    await page.getByText(new RegExp(`^${count} files? now private$`)).waitFor()

    expect((await site.holdfast.fetch(`/${url}`)).status).toBe(404)
    expect(await page.getByRole('button', { name: settingsTexts.makeAll.private }).isDisabled()).toBe(true)
  })

  test('list the webhooks', async () => {
    const webhooks = [
      {
        name: 'Team chat',
        url: `https://hooks.example.com/${'long'.repeat(60)}`,
        events: ['share.received'],
      },
      { name: 'Workflow', url: 'https://flow.example.com/', events: [], forShares: true, enabled: false },
    ]
    for (const webhook of webhooks) await site.admin.api.data('POST', '/webhooks', webhook)
    const visitor = await open('/settings')
    const list = visitor.page.getByRole('list', { name: webhookTexts.list })

    await list.getByText('Files received').waitFor()
    expect(await list.getByRole('listitem').allInnerTexts()).toEqual([
      expect.stringMatching(/^Team chat\s+On/),
      expect.stringMatching(/^Workflow\s+Off\s+For shares/i),
    ])
    expect(visitor.complaints).toEqual([])
  })
})

test('full of data, the overview shows all its cards in two rows on a wide screen', async () => {
  await fillRichly(site.holdfast, site.admin.id)
  const visitor = await open('/overview', { viewport: { width: 2560, height: 1440 } })
  const cards = visitor.page.locator('.overview > :is(.overview-wide, .overview-half, .overview-third)')
  await cards.nth(6).waitFor()

  const tops = await cards.evaluateAll((all) => all.map((card) => card.getBoundingClientRect().top))

  expect(tops).toHaveLength(7)
  expect(new Set(tops).size).toBe(2)
})

test('axe finds nothing serious in the values of a chart', async () => {
  const { page } = await open('/overview')
  await page.getByRole('button', { name: /Not found/ }).click()
  await page.getByRole('slider').first().focus()

  expect(await findingsInThemes(page)).toEqual([])
})
