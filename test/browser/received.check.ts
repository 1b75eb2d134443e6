import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { formatCount } from '../../src/dashboard/lib/format.ts'
import { browseTexts } from '../../src/dashboard/texts/browse.ts'
import { texts } from '../../src/dashboard/texts.ts'
import { eventually } from '../support/eventually.ts'
import { openSite } from './site.ts'
import { becomesTrue } from './visitor.ts'

/** Files that other apps share with the installed dashboard. */

// Service workers need an address of this machine, or TLS.
const site = openSite({ environment: { BASE_URL: '' } })

/** Sends the form of the share target, as a system does in a window of the app, and any site in a tab. */
async function shareFile(page: Page, name: string, content: string): Promise<void> {
  const response = page.waitForResponse((it) => it.url().endsWith('/assets/receive'))
  await page.evaluate(`{
    const files = new DataTransfer()
    files.items.add(new File([${JSON.stringify(content)}], ${JSON.stringify(name)}, { type: 'text/plain' }))
    const form = Object.assign(document.createElement('form'), {
      action: '/assets/receive', method: 'post', enctype: 'multipart/form-data',
    })
    const field = Object.assign(document.createElement('input'), { type: 'file', name: 'shared', files: files.files })
    form.append(field)
    document.body.append(form)
    form.submit()
  }`)
  if ((await response).fromServiceWorker()) return page.waitForURL('**/files**')
  // The browser finds a new worker a moment after that is active.
  await page.waitForURL('**/assets/receive')
  await page.goBack()
  await shareFile(page, name, content)
}

const batchesIn = (page: Page) => page.evaluate<number>('caches.keys().then((names) => names.length)')

async function open(path: string) {
  const { page } = await site.open(path, { origin: site.holdfast.url, isAlone: true })
  await becomesTrue(
    page,
    "navigator.serviceWorker.getRegistrations().then((all) => all[0]?.active?.state === 'activated')",
  )
  return page
}

test('what a site sends to a tab is dropped without a question', async () => {
  const page = await open('/files')

  await shareFile(page, 'evil.html', 'from another site')
  await page.locator('h1').first().waitFor()

  expect(new URL(page.url()).search).toBe('')
  expect([await page.getByRole('dialog').count(), await batchesIn(page)]).toEqual([0, 0])
})

test('what is shared with the app is listed by name and size, and replaces no earlier batch', async () => {
  const page = await open('/files')
  // No browser of the tests installs apps.
  await page.addInitScript(`{
    const match = window.matchMedia.bind(window)
    window.matchMedia = (query) => match(query === '(display-mode: standalone)' ? 'all' : query)
  }`)
  const dialog = page.getByRole('dialog', {
    name: browseTexts.received.title(formatCount(1, texts.nouns.file)),
  })

  await shareFile(page, 'first.txt', 'unanswered')
  await dialog.getByText('first.txt').waitFor()
  const unanswered = page.url()
  await shareFile(page, 'übergabe.txt', 'from a phone')
  await dialog.getByText('übergabe.txt').waitFor()
  expect(await dialog.getByText('12 B').count()).toBe(1)
  expect([await dialog.getByText('first.txt').count(), await batchesIn(page)]).toEqual([0, 2])
  await dialog.getByRole('button', { name: browseTexts.received.upload }).click()

  await eventually(async () => (await site.namesIn('')).includes('übergabe.txt'))
  expect(await batchesIn(page)).toBe(1)
  await page.goto(unanswered)
  await dialog.getByText('first.txt').waitFor()
})
