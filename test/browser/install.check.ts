import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { texts } from '../../src/dashboard/texts.ts'
import { createShare } from '../shares/visitors.ts'
import { registerAdmin } from '../support/accounts.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { WHOLE } from './chromium.ts'
import { makePng } from './png.ts'
import { openSite } from './site.ts'
import { openStage, visit } from './visitor.ts'

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

/** Returns the name beside the logo of a page, the width of the logo's picture, and the page's title. */
async function signOf(page: Page): Promise<unknown[]> {
  const sign = page.locator('.logo:visible, .brand').first()
  await sign.waitFor()
  const width = await page.evaluate<number>(`(async () => {
    const picture = document.querySelector('#app .logo img, .brand img')
    await picture.decode()
    return picture.naturalWidth
  })()`)
  return [(await sign.textContent())?.trim(), width, await page.title()]
}

test('a named instance has its name and logo at sign-in, in the frame, for visitors and as an app', async () => {
  using folder = temporaryFolder()
  const logo = join(folder.path, 'logo.png')
  writeFileSync(logo, makePng(64, 32))
  const name = 'Ada & Sons'
  await using stage = await openStage({
    browserPath: WHOLE,
    environment: { INSTANCE_NAME: name, INSTANCE_LOGO: logo },
  })
  const { cookie, api } = await registerAdmin(stage.holdfast)
  const { slug } = await createShare(api, { items: [{ fileId: (await api.upload('a.txt', 'a')).id }] })

  const { page: entrance } = await visit(stage, '/files')
  await entrance.getByRole('heading', { name: texts.signIn.title }).waitFor()
  expect(await signOf(entrance)).toEqual([name, 64, `${texts.signIn.title} · ${name}`])
  const devtools = await entrance.context().newCDPSession(entrance)
  const { errors, data } = await devtools.send('Page.getAppManifest')
  expect([errors, JSON.parse(data ?? '{}').name]).toEqual([[], name])

  const { page: inside } = await visit(stage, '/files', { cookie })
  await inside.locator('.file-row .item-name').first().waitFor()
  expect(await signOf(inside)).toEqual([name, 64, `${texts.pages.files} · ${name}`])

  const { page: visitor } = await visit(stage, `/s/${slug}`)
  expect(await signOf(visitor)).toEqual([name, 64, `a.txt · ${name}`])
})
