import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { sitesOf } from '../folders/sites.ts'
import { withHoldfast } from '../support/fixture.ts'
import { launchChromium } from './chromium.ts'

/** Real sites, each at a host of its own, in a browser that resolves them to this machine. */
const holdfast = withHoldfast({ environment: { SITES_DOMAIN: 'sites.localhost' } })
const { api } = holdfast
const { make } = sitesOf(holdfast)

let browser: Browser
let context: BrowserContext | undefined
beforeAll(async () => {
  browser = await launchChromium()
})
afterEach(async () => {
  await context?.close()
  context = undefined
})
afterAll(() => browser.close())

const urlOf = (name: string, path = '/') => `http://${name}.sites.localhost:${holdfast.port}${path}`

async function publish(name: string, files: Record<string, string>, more: object = {}): Promise<void> {
  const folderId = await make(`sites/${name}`, files)
  await api.data('POST', '/sites', { folderId, name, ...more })
}

/** Opens a page. Returns it with the requests that failed. */
async function open(url: string): Promise<{ page: Page; failed: string[] }> {
  context ??= await browser.newContext()
  const page = await context.newPage()
  const failed: string[] = []
  page.on('response', (response) => {
    if (response.status() >= 400) failed.push(`${response.status()} ${response.url()}`)
  })
  page.on('pageerror', (error) => failed.push(error.message))
  await page.goto(url)
  return { page, failed }
}

const pageOf = (body: string, head = '') =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>t</title>${head}<link rel="icon" href="data:,">${body}</html>`

test('a site of documents finds its relative links, styles and old addresses', async () => {
  await publish('docs', {
    'index.html': pageOf('<a href="guide/">Guide</a>', '<link rel="stylesheet" href="style.css">'),
    'style.css': 'body { color: rgb(1, 2, 3) }',
    'guide/index.html': pageOf(
      '<h1>Guide</h1><a href="install">Install</a>',
      '<link rel="stylesheet" href="../style.css">',
    ),
    'guide/install.html': pageOf('<h1>Install</h1>', '<link rel="stylesheet" href="../style.css">'),
    _redirects: '/manual/* /guide/:splat\n',
    _headers: "/*\n  Content-Security-Policy: default-src 'self'; style-src 'self'; img-src data:\n",
  })
  const { page, failed } = await open(urlOf('docs'))
  await page.getByRole('link', { name: 'Guide' }).click()
  await page.getByRole('link', { name: 'Install' }).click()
  expect(await page.getByRole('heading').textContent()).toBe('Install')
  expect(new URL(page.url()).pathname).toBe('/guide/install')
  expect(await page.evaluate('getComputedStyle(document.body).color')).toBe('rgb(1, 2, 3)')
  await page.goto(urlOf('docs', '/guide'))
  expect(await page.getByRole('heading').textContent()).toBe('Guide')
  await page.goto(urlOf('docs', '/manual/install'))
  expect(new URL(page.url()).pathname).toBe('/guide/install')
  expect(failed).toEqual([])
})

test('an app opens at its deep links, and again after a reload', async () => {
  await publish(
    'app',
    {
      'index.html': pageOf(
        '<h1></h1><a href="/users/8">8</a>',
        '<script defer src="/assets/main.js"></script>',
      ),
      'assets/main.js': `
const show = () => { document.querySelector('h1').textContent = location.pathname }
document.addEventListener('click', (event) => {
  event.preventDefault()
  history.pushState(null, '', event.target.href)
  show()
})
show()`,
    },
    { spa: true },
  )
  const { page, failed } = await open(urlOf('app', '/users/7'))
  const heading = page.getByRole('heading')
  expect(await heading.textContent()).toBe('/users/7')
  await page.getByRole('link').click()
  await page.reload()
  expect(await heading.textContent()).toBe('/users/8')
  expect(failed).toEqual([])
  expect(await page.evaluate(async () => (await fetch('/assets/none.js')).status)).toBe(404)
})

test('a page of photos shows each', async () => {
  const svg = (size: number) => `<svg xmlns="http://www.w3.org/2000/svg" width="${size}" height="${size}"/>`
  const names = Array.from({ length: 24 }, (_, at) => `photo ${at + 1}.svg`)
  await publish('photos', {
    ...Object.fromEntries(names.map((name, at) => [`pictures/${name}`, svg(at + 1)])),
    'index.html': pageOf(names.map((name) => `<img alt="" src="pictures/${name}">`).join('')),
  })
  const { page, failed } = await open(urlOf('photos'))
  const widths = await page.evaluate('[...document.images].map(({ naturalWidth }) => naturalWidth)')
  expect(widths).toEqual(names.map((_, at) => at + 1))
  expect(failed).toEqual([])
})

test('an app with a service worker opens without the network', async () => {
  await publish('pwa', {
    'index.html': pageOf('<h1>Here</h1>', '<script defer src="main.js"></script>'),
    'main.js':
      "globalThis.ready = navigator.serviceWorker.register('/worker.js').then(() => navigator.serviceWorker.ready)",
    'worker.js': `
addEventListener('install', (event) => event.waitUntil(caches.open('v1').then((cache) => cache.addAll(['/', '/main.js']))))
addEventListener('activate', (event) => event.waitUntil(clients.claim()))
addEventListener('fetch', (event) => event.respondWith(caches.match(event.request).then((found) => found ?? fetch(event.request))))`,
  })
  const { page } = await open(urlOf('pwa'))
  await page.evaluate('ready.then(() => true)')
  await context?.setOffline(true)
  await page.reload()
  expect(await page.getByRole('heading').textContent()).toBe('Here')
})

test('a cookie that one site plants changes nothing at another, or at the instance', async () => {
  const planted = "document.cookie = 'better-auth.session_token=planted; domain=sites.localhost; path=/'"
  await publish('evil', { 'index.html': pageOf(`<h1>Evil</h1><script>${planted}</script>`) })
  await publish('good', { 'index.html': pageOf('<h1>Good</h1>') })
  const { page, failed } = await open(urlOf('evil'))
  await page.goto(urlOf('good'))
  expect(await page.getByRole('heading').textContent()).toBe('Good')
  const statusOf = (url: string) =>
    page.evaluate(
      (at) =>
        fetch(at).then(
          ({ status }) => status,
          () => 0,
        ),
      url,
    )
  expect(await statusOf('/api/me')).toBe(404)
  expect(await statusOf(`http://localhost:${holdfast.port}/api/me`)).toBe(0)
  expect(failed.filter((line) => !line.includes('/api/me'))).toEqual([])
})
