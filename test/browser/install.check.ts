import { expect, test } from 'bun:test'
import { WHOLE } from './chromium.ts'
import { openSite } from './site.ts'

/** Installation of the dashboard as an app. */

const site = openSite({ browserPath: WHOLE })

test('the browser reads the manifest and its icons, and can install the dashboard', async () => {
  const { page, complaints } = await site.open('/files')
  const devtools = await page.context().newCDPSession(page)

  const { url, errors, data } = await devtools.send('Page.getAppManifest')
  const { icons } = JSON.parse(data ?? '{}') as { icons: { src: string; sizes: string; purpose: string }[] }
  const widths = await page.evaluate<number[]>(`Promise.all(${JSON.stringify(icons)}.map(async ({ src }) => {
    const picture = new Image()
    picture.src = src
    await picture.decode()
    return picture.naturalWidth
  }))`)
  const { headers } = await site.holdfast.fetch(new URL(url).pathname)

  expect(errors).toEqual([])
  expect(icons.map(({ sizes, purpose }) => `${sizes} ${purpose}`)).toEqual([
    '192x192 any',
    '192x192 maskable',
    '512x512 any',
    '512x512 maskable',
  ])
  expect(widths).toEqual([192, 192, 512, 512])
  expect(headers.get('content-type')).toBe('application/manifest+json')
  expect(headers.get('cache-control')).toContain('immutable')
  const { installabilityErrors } = await devtools.send('Page.getInstallabilityErrors')
  // Of the test's own window and its server without TLS, and of nothing else.
  expect(installabilityErrors.map(({ errorId }) => errorId).sort()).toEqual([
    'in-incognito',
    'not-from-secure-origin',
  ])
  expect(complaints).toEqual([])
})
