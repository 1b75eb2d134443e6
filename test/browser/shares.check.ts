import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import type { Share } from '../../src/client/types.ts'
import { builtAssets } from '../../src/modules/web/built.ts'
import { type Api, apiOf } from '../support/api.ts'
import { eventually } from '../support/eventually.ts'
import { type Account, type Inside, register, startInside, upload } from '../support/holdfast.ts'
import { registerWith, spawnHoldfast } from '../support/process.ts'
import { startProxy, type TestProxy } from '../support/proxy.ts'
import { launchChromium } from './chromium.ts'
import { makePng } from './png.ts'
import { seriousFindings } from './visitor.ts'

const MiB = 1024 ** 2
const PHONE = { width: 375, height: 700 }

const folder = mkdtempSync(join(tmpdir(), 'holdfast-visitor-'))
let holdfast: Inside
let proxy: TestProxy
let browser: Browser
let account: Account
let api: Api
beforeAll(async () => {
  holdfast = await startInside({ dashboard: builtAssets() })
  account = await register(holdfast)
  api = apiOf(holdfast, account)
  proxy = await startProxy(holdfast.port)
  browser = await launchChromium(Number(new URL(proxy.url).port))
  writeFileSync(join(folder, 'letter.txt'), 'a letter')
  writeFileSync(join(folder, 'film.bin'), Buffer.alloc(24 * MiB, 'film'))
})
afterAll(async () => {
  await browser.close()
  await proxy[Symbol.asyncDispose]()
  await holdfast[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true })
})

async function dropBox(key: string, rules: object = {}) {
  const target = await api.createFolder(key)
  const body = { canRead: false, canWrite: true, folderId: target.id, ...rules }
  return (await api.data<{ share: Share }>('POST', '/shares', body)).share
}
const received = async (key: string) =>
  (await api.browse({ key })).files.map(({ name, size }) => `${name}: ${size}`).toSorted()
const open = async ({ slug }: Share, options: { javaScriptEnabled?: boolean } = {}) => {
  const context = await browser.newContext({ viewport: PHONE, ...options })
  const page = await context.newPage()
  const problems: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(`${message.text()} ${message.location().url}`)
  })
  await page.goto(`${proxy.url}/s/${slug}`)
  return { page, problems }
}
const paths = (...names: string[]) => names.map((name) => join(folder, name))

test.each([true, false])('a drop box takes files on a phone (script: %p)', async (javaScriptEnabled) => {
  const key = `box ${javaScriptEnabled}`
  const { page, problems } = await open(await dropBox(key), { javaScriptEnabled })
  await page.getByLabel('Files to send').setInputFiles(paths('letter.txt', 'film.bin'))
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await page.getByRole('heading', { name: 'Your files have arrived' }).waitFor()

  expect(await received(key)).toEqual([`film.bin: ${24 * MiB}`, 'letter.txt: 8'])
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(PHONE.width)
  if (javaScriptEnabled) expect(await seriousFindings(page)).toEqual([])
  expect(problems).toEqual([])
  await page.context().close()
})

test('a file continues after its connection broke', async () => {
  const { page } = await open(await dropBox('broken'))
  const cut = proxy.cutAfter(8 * MiB)
  const offsets: number[] = []
  page.on('request', (request) => {
    if (request.method() === 'PATCH') offsets.push(Number(request.headers()['upload-offset']))
  })
  await page.getByLabel('Files to send').setInputFiles(paths('film.bin'))
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await cut
  await page.getByRole('heading', { name: 'Your files have arrived' }).waitFor()

  expect(await received('broken')).toEqual([`film.bin: ${24 * MiB}`])
  expect(offsets[1]).toBeGreaterThan(0)
  await page.context().close()
})

test('a kill of the server loses one piece of a file at most', async () => {
  await using cleanup = new AsyncDisposableStack()
  const dataPath = mkdtempSync(join(folder, 'killed-'))
  let server = await spawnHoldfast({ dataPath })
  cleanup.defer(() => server[Symbol.asyncDispose]())
  cleanup.defer(() => {
    proxy.target = holdfast.port
  })
  proxy.target = server.port
  const owner = await registerWith(server)
  const killed = apiOf(server, owner)
  const { id: folderId } = await killed.createFolder('killed')
  const body = { canRead: false, canWrite: true, folderId }
  const { share } = await killed.data<{ share: Share }>('POST', '/shares', body)
  const { page } = await open(share)
  const offsets: number[] = []
  page.on('request', (request) => {
    if (request.method() === 'PATCH') offsets.push(Number(request.headers()['upload-offset']))
  })
  writeFileSync(join(folder, 'long.bin'), Buffer.alloc(40 * MiB, 'long'))

  // It cuts within the second piece, which begins when the first one is durable.
  const cut = proxy.cutAfter(24 * MiB)
  await page.getByLabel('Files to send').setInputFiles(paths('long.bin'))
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await cut
  server.child.kill('SIGKILL')
  await server.child.exited
  const before = offsets.length
  server = await spawnHoldfast({ dataPath })
  proxy.target = server.port
  await page.getByRole('heading', { name: 'Your files have arrived' }).waitFor({ timeout: 60_000 })

  expect(offsets[before]).toBeGreaterThanOrEqual(16 * MiB)
  const { files } = await apiOf(server, owner).browse({ key: 'killed' })
  expect(files.map(({ name, size }) => [name, size])).toEqual([['long.bin', 40 * MiB]])
  await page.context().close()
}, 90_000)

test('a file waits for the connection, and says so', async () => {
  const { page } = await open(await dropBox('waiting'))
  await page.getByLabel('Files to send').setInputFiles(paths('letter.txt'))
  await page.context().setOffline(true)
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await page.getByText('Waiting for the connection…').waitFor()
  await page.context().setOffline(false)
  await page.getByRole('heading', { name: 'Your files have arrived' }).waitFor()
  await page.context().close()
})

test('a refused file says why, and the others arrive', async () => {
  const { page } = await open(await dropBox('refusing', { types: ['.txt'], maxFiles: 3 }))
  await page.getByLabel('Files to send').setInputFiles(paths('letter.txt', 'film.bin'))
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await page.getByText('"film.bin" is not of a type that this share takes: .txt').waitFor()
  await page.getByText('Arrived').waitFor()
  await page.getByText('You can send up to 2 more files').waitFor()
  const name = await page.locator('#sending span').getByText('film.bin', { exact: true }).boundingBox()
  expect(name?.width).toBeGreaterThan(PHONE.width / 2)
  expect(await received('refusing')).toEqual(['letter.txt: 8'])
  await page.context().close()
})

test('the page shows thumbnails of pictures, and nothing wider than a phone', async () => {
  const { folderId } = await upload(holdfast, account.withKey, {
    name: `${'a long name '.repeat(12)}.png`,
    folder: 'gallery',
    content: makePng(600, 400),
  })
  await api.upload('notes.txt', 'notes', 'gallery')
  const body = { items: [{ folderId }] }
  const { share } = await api.data<{ share: Share }>('POST', '/shares', body)
  const { page, problems } = await open(share)
  await page.goto(`${proxy.url}/s/${share.slug}?folder=${folderId}`)
  await page.locator('img').waitFor()

  await page.waitForLoadState('networkidle')
  expect(await page.evaluate('document.images[0].naturalWidth')).toBe(200)
  expect(await page.locator('img').count()).toBe(1)
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(PHONE.width)
  expect(await seriousFindings(page)).toEqual([])
  expect(problems).toEqual([])
  await page.context().close()
})

test.each([
  ['film.webm', 'color=green:s=64x36:d=2'],
  ['sound.ogg', 'sine=d=2'],
])('%s plays for a visitor', async (name, source) => {
  const path = join(folder, name)
  Bun.spawnSync(['ffmpeg', '-v', 'error', '-f', 'lavfi', '-i', source, path])
  const { id } = await upload(holdfast, account.withKey, {
    name,
    content: new Uint8Array(readFileSync(path)),
  })
  const { share } = await api.data<{ share: Share }>('POST', '/shares', { items: [{ fileId: id }] })
  const { page, problems } = await open(share)
  await page.getByRole('link', { name, exact: true }).click()
  await page.locator('video').waitFor({ state: 'attached' })

  const hasPlayed = `document.querySelector('video').currentTime > 0.2`
  await page.evaluate(`document.querySelector('video').play()`)
  await eventually(async () => (await page.evaluate(hasPlayed)) === true)
  expect(problems).toEqual([])
  await page.context().close()
})

test('a damaged picture looks like a file without a thumbnail', async () => {
  await api.upload('empty.jpg', '', 'damaged')
  const { folderId } = await api.upload('noise.jpg', 'no picture', 'damaged')
  const { share } = await api.data<{ share: Share }>('POST', '/shares', { items: [{ folderId }] })
  const { page } = await open(share, { javaScriptEnabled: false })
  await page.goto(`${proxy.url}/s/${share.slug}?folder=${folderId}`)
  await page.waitForLoadState('networkidle')

  // The corner, where browsers draw their mark of a broken image.
  const cornerOf = async (selector: string) => {
    const { x, y } = (await page.locator(selector).boundingBox()) ?? { x: 0, y: 0 }
    return page.screenshot({ clip: { x: x + 6, y: y + 4, width: 14, height: 12 } })
  }
  expect((await cornerOf('.icon')).equals(await cornerOf('li img'))).toBe(true)
  await page.context().close()
})

const LOOKS = [390, 1440].flatMap((width) =>
  (['light', 'dark'] as const).map((colorScheme) => [width, colorScheme] as const),
)

test.each(LOOKS)(
  'a gallery needs no script and does not jump (%i pixels, %s)',
  async (width, colorScheme) => {
    const key = `gallery ${width} ${colorScheme}`
    for (let n = 0; n < 14; n++)
      await upload(holdfast, account.withKey, {
        name: `${n === 3 ? 'a long name '.repeat(12) : 'picture '}${n}.png`,
        folder: key,
        content: makePng(300 + 40 * n, 400),
      })
    await api.upload('notes.txt', 'notes', key)
    const parent = (await api.browse()).folders.find(({ name }) => name === key)
    const { share } = await api.data<{ share: Share }>('POST', '/shares', {
      items: [{ folderId: parent?.id }],
    })
    const viewport = { width, height: 900 }
    const context = await browser.newContext({ viewport, colorScheme, javaScriptEnabled: false })
    const page = await context.newPage()
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    await page.route('**/thumbs/**', async (route) => {
      await held
      await route.continue()
    })
    await page.goto(`${proxy.url}/s/${share.slug}?folder=${parent?.id}`, { waitUntil: 'commit' })
    const last = page.locator('.tiles li').last()
    await last.waitFor()
    const before = await last.boundingBox()
    release()
    const areShown = '[...document.images].slice(0, 4).every((image) => image.naturalWidth > 0)'
    await eventually(async () => (await page.evaluate(areShown)) === true)

    expect(await last.boundingBox()).toEqual(before)
    expect(await page.locator('.tiles li').count()).toBe(14)
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
    expect(await page.getByRole('link', { name: 'Download picture 0.png' }).count()).toBe(1)
    await context.close()
  },
)

test.each(LOOKS)('axe finds nothing serious in a gallery (%i pixels, %s)', async (width, colorScheme) => {
  const parent = (await api.browse()).folders.find(({ name }) => name === `gallery ${width} ${colorScheme}`)
  const { share } = await api.data<{ share: Share }>('POST', '/shares', { items: [{ folderId: parent?.id }] })
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme })
  const page = await context.newPage()
  await page.goto(`${proxy.url}/s/${share.slug}?folder=${parent?.id}`)

  expect(await seriousFindings(page)).toEqual([])
  await context.close()
})
