import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import type { Stats } from '../../src/modules/stats/model.ts'
import { addUser, bySession } from '../support/accounts.ts'
import { eventually } from '../support/eventually.ts'
import { type Account, register, sendUpload, upload } from '../support/holdfast.ts'
import { fillRichly } from './rich.ts'
import { openStage, type Stage, seriousFindings, visit } from './visitor.ts'

/** Pages that show the state of the instance and change its settings. */

let stage: Stage
let admin: Account
beforeAll(async () => {
  stage = await openStage()
  admin = await register(stage.holdfast)
})
afterAll(() => stage[Symbol.asyncDispose]())

const open = (path: string, options = {}) => visit(stage, path, { cookie: admin.cookie, ...options })

const put = (name: string, content: string) =>
  upload(stage.holdfast, { Cookie: admin.cookie }, { name, content, folder: 'reports', visibility: 'public' })

const card = (page: Page, name: string) => page.getByRole('region', { name })

describe('overview', () => {
  test('shows what was uploaded and served', async () => {
    const { url } = await put('yearly.pdf', 'x'.repeat(2048))
    for (const path of [url, url, 'api/hosting/nothing'])
      await (await stage.holdfast.fetch(`/${path}`)).text()
    await using visitor = await open('/overview')
    const { page, complaints } = visitor

    await card(page, 'Most requested').getByText('2 requests').waitFor()
    await card(page, 'Largest files').getByRole('link', { name: 'yearly.pdf' }).waitFor()
    await card(page, 'Recently added').getByText('2 KB').waitFor()
    await card(page, 'Storage').getByText('Documents').waitFor()
    const measures = await card(page, 'Hosting traffic').getByRole('button').allTextContents()
    await card(page, 'Recently added').getByRole('link', { name: 'yearly.pdf' }).click()
    await page.getByRole('row', { name: /yearly/ }).waitFor()

    expect(measures).toEqual(['Requests2', 'Sent4 KB', 'Not found1'])
    expect(complaints).toEqual([])
  })

  test('exposes the values of a chart to the keyboard and to screen readers', async () => {
    await put('charted.txt', 'x')
    await using visitor = await open('/overview')
    const { page } = visitor
    const chart = page.getByRole('slider', { name: 'Files added a day' })
    await chart.focus()
    const today = await chart.getAttribute('aria-valuetext')

    await page.keyboard.press('ArrowLeft')
    const yesterday = await chart.getAttribute('aria-valuetext')

    expect(today).toMatch(/: [1-9]\d* files?$/)
    expect(yesterday).toMatch(/: 0 files$/)
    await page.locator('.chart-tip').getByText('0 files').waitFor()
  })

  test('links an alert to the page that resolves it', async () => {
    await sendUpload(
      stage.holdfast,
      { Cookie: admin.cookie },
      { files: { 'lost.txt': 'x' }, visibility: 'neither' },
    )
    await using visitor = await open('/overview')
    const { page } = visitor

    await page.getByRole('link', { name: 'See what failed' }).click()
    await page.getByText('Couldn’t upload lost.txt').waitFor()
    await page.getByRole('button', { name: 'Clear 1 entry' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Clear 1 entry' }).click()
    await page.getByText('1 entry cleared').waitFor()

    const { alerts } = await bySession(stage.holdfast, admin.cookie).data<Stats>('GET', '/stats')
    expect(alerts.filter(({ type }) => type === 'uploads-failed')).toEqual([])
  })

  test('shows a viewer only the sections of that role', async () => {
    const viewer = await addUser(stage.holdfast, { role: 'viewer' })
    await using visitor = await open('/overview', { cookie: viewer.cookie })
    const { page } = visitor
    await card(page, 'Storage').waitFor()

    expect(await card(page, 'API key requests').count()).toBe(0)
    expect(await page.getByText('Accounts', { exact: true }).count()).toBe(0)
    expect(await page.getByRole('link', { name: 'Settings' }).count()).toBe(0)
  })
})

describe('activity', () => {
  test('shows the day on which a key expires as other days', async () => {
    const editor = await addUser(stage.holdfast, { role: 'editor' })
    const body = { name: 'dated', scopes: ['files:read'], expiresAt: '2031-02-24T12:00:00.000Z' }
    await editor.api.data('POST', '/keys', body)
    await using visitor = await open('/activity', { cookie: editor.cookie })

    await visitor.page.getByText('Expires 24 Feb 2031', { exact: true }).waitFor()
  })

  test('loads older entries on scroll, and filters by kind', async () => {
    const editor = await addUser(stage.holdfast, { role: 'editor' })
    const { store, clock, random } = stage.holdfast.server.deps
    await store.transact(function* () {
      for (let n = 0; n < 450; n += 1) {
        const type = n === 449 ? 'api-key.created' : 'upload.succeeded'
        const entry = { type, target: `entry ${n}`, detail: null, createdAt: clock.now() - n * 60_000 }
        yield* store.activities.insert({ id: random.id(), userId: editor.id, ...entry })
      }
    })
    await using visitor = await open('/activity', { cookie: editor.cookie })
    const { page, complaints } = visitor
    // Exact, because the text of a row continues with its time: "entry 44" and "9:28".
    const entry = (n: number) => page.getByText(`entry ${n}`, { exact: true })
    await entry(0).waitFor()
    expect(await entry(449).count()).toBe(0)

    await eventually(async () => {
      await page.evaluate("document.getElementById('content').scrollTo(0, 1e6)")
      return (await entry(449).count()) === 1
    })
    await page.getByRole('button', { name: 'Keys' }).click()
    await entry(0).waitFor({ state: 'detached' })
    await entry(449).waitFor()

    expect(await page.locator('.activity-entry').count()).toBe(1)
    expect(await page.getByRole('button', { name: 'Accounts' }).count()).toBe(0)
    expect(complaints).toEqual([])
  })
})

describe('settings', () => {
  test('take effect as soon as they are saved', async () => {
    await using visitor = await open('/settings')
    const { page, complaints } = visitor

    await page.getByLabel('Maximum file size', { exact: true }).fill('1.5')
    await page.getByLabel('Maximum file size: unit').selectOption('KB')
    await page.getByRole('group', { name: 'New files' }).getByRole('button', { name: 'Private' }).click()
    await page
      .getByText('Only people with an account, a share or an expiring link can open new files.')
      .waitFor()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Settings saved').waitFor()
    await page.reload()

    const send = (size: number) =>
      sendUpload(stage.holdfast, { Cookie: admin.cookie }, { files: { [`${size}.bin`]: 'x'.repeat(size) } })
    expect((await send(1537)).status).toBe(413)
    expect((await send(1536)).status).toBe(200)
    expect((await stage.holdfast.fetch('/api/hosting/1536.bin')).status).toBe(404)
    expect(await page.getByLabel('Maximum file size', { exact: true }).inputValue()).toBe('1.5')
    expect(complaints).toEqual([])

    await page.getByLabel('Maximum file size: unit').selectOption('GB')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Settings saved').waitFor()
  })

  test('with a contradiction are reported before they are sent', async () => {
    await using visitor = await open('/settings')
    const { page } = visitor

    const unit = page.getByLabel('Default expiry: unit').locator('option:checked')
    expect(await page.getByLabel('Default expiry', { exact: true }).inputValue()).toBe('1')
    expect(await unit.textContent()).toBe('hour')
    await page.getByLabel('Default expiry', { exact: true }).fill('9')
    expect(await unit.textContent()).toBe('hours')
    await page.getByLabel('Default expiry: unit').selectOption('days')
    await page.getByText('This is longer than the maximum expiry.').waitFor()
    expect(await page.getByRole('button', { name: 'Save', exact: true }).isDisabled()).toBe(true)

    await page.getByRole('button', { name: 'Discard' }).click()
    expect(await page.getByLabel('Default expiry', { exact: true }).inputValue()).toBe('1')
  })

  test('that are not saved survive navigation unless the user discards them', async () => {
    await using visitor = await open('/settings')
    const { page } = visitor
    const field = page.getByLabel('Activity', { exact: true })
    await field.fill('77')

    await page.getByRole('link', { name: 'Files' }).click()
    const question = page.getByRole('dialog', { name: 'Leave without saving?' })
    await question.getByRole('button', { name: 'Cancel' }).click()
    expect(await field.inputValue()).toBe('77')
    await page.getByRole('link', { name: 'Files' }).click()
    await page.getByRole('button', { name: 'Leave without saving' }).click()
    await page.getByRole('heading', { level: 1, name: 'Files' }).waitFor()
    await page.getByRole('link', { name: 'Settings' }).click()
    await field.waitFor()

    expect(await field.inputValue()).not.toBe('77')
    await page.getByRole('link', { name: 'Files' }).click()
    await page.getByRole('heading', { level: 1, name: 'Files' }).waitFor()
  })

  test('change existing files after showing their number', async () => {
    const { url } = await put('open.txt', 'x')
    await using visitor = await open('/settings')
    const { page } = visitor
    const { data } = (await (
      await stage.holdfast.fetch('/api/settings', { headers: { Cookie: admin.cookie } })
    ).json()) as { data: { visibilityCounts: { public: number } } }
    const count = data.visibilityCounts.public

    await page.getByRole('button', { name: 'Make all private' }).click()
    await page.getByRole('button', { name: new RegExp(`^Make ${count} files? private$`) }).click()
    await page.getByText(new RegExp(`^${count} files? now private$`)).waitFor()

    expect((await stage.holdfast.fetch(`/${url}`)).status).toBe(404)
    expect(await page.getByRole('button', { name: 'Make all private' }).isDisabled()).toBe(true)
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
    for (const webhook of webhooks)
      await bySession(stage.holdfast, admin.cookie).data('POST', '/webhooks', webhook)
    await using visitor = await open('/settings')
    const list = visitor.page.getByRole('list', { name: 'Webhooks' })

    await list.getByText('Files received').waitFor()
    expect(await list.getByRole('listitem').allInnerTexts()).toEqual([
      expect.stringMatching(/^Team chat\s+On/),
      expect.stringMatching(/^Workflow\s+Off\s+For shares/i),
    ])
    expect(visitor.complaints).toEqual([])
  })
})

const PATHS = ['/overview', '/activity', '/settings']

describe('full of data', () => {
  beforeAll(() => fillRichly(stage.holdfast, admin.userId))

  test('shows all cards of the overview in two rows on a wide screen', async () => {
    await using visitor = await open('/overview', { viewport: { width: 2560, height: 1440 } })
    const cards = visitor.page.locator('.overview > :is(.overview-wide, .overview-half, .overview-third)')
    await cards.nth(6).waitFor()

    const tops = await cards.evaluateAll((all) => all.map((card) => card.getBoundingClientRect().top))

    expect(tops).toHaveLength(7)
    expect(new Set(tops).size).toBe(2)
  })

  test.each(PATHS)('%s fits on a phone', async (path) => {
    await using visitor = await open(path, { viewport: { width: 390, height: 844 } })
    await visitor.settled()

    const overflow = await visitor.page.evaluate(
      "document.getElementById('content').scrollWidth - document.getElementById('content').clientWidth",
    )

    expect(overflow).toBe(0)
  })

  describe.each(['light', 'dark'] as const)('axe finds nothing serious in %s', (colorScheme) => {
    test.each(PATHS)('on %s', async (path) => {
      await using visitor = await open(path, { colorScheme })
      await visitor.settled()

      expect(await seriousFindings(visitor.page)).toEqual([])
    })

    test('on the table of a chart and the form of the settings', async () => {
      await using overview = await open('/overview', { colorScheme })
      await overview.page.getByRole('button', { name: /Not found/ }).click()
      await overview.page.getByRole('slider').first().focus()
      await using settings = await open('/settings', { colorScheme })
      await settings.page.getByLabel('Activity', { exact: true }).fill('0')
      await settings.page.getByText('at least 1 day.').waitFor()

      expect(await seriousFindings(overview.page)).toEqual([])
      expect(await seriousFindings(settings.page)).toEqual([])
      await settings.page.getByRole('button', { name: 'Make all private' }).click()
      await settings.page.getByRole('dialog').waitFor()
      expect(await seriousFindings(settings.page)).toEqual([])
    })
  })
})
