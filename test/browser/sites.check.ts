import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import type { Site, Sites } from '../../src/client/types.ts'
import { browseTexts } from '../../src/dashboard/texts/browse.ts'
import { siteTexts } from '../../src/dashboard/texts/site.ts'
import { texts } from '../../src/dashboard/texts.ts'
import { withPerson } from '../cli/run.ts'
import { askingOf, PAGE } from '../sites/asking.ts'
import { eventually } from '../support/eventually.ts'
import { withHoldfast } from '../support/fixture.ts'
import { launchChromium } from './chromium.ts'
import { openSite } from './site.ts'
import { findingsInThemes } from './visitor.ts'

/** Real sites, each at a host of its own, in a browser that resolves them to this machine. */
const holdfast = withHoldfast({ environment: { SITES_DOMAIN: 'sites.localhost' } })
const { askAgain } = askingOf(holdfast)
const person = withPerson(holdfast)

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

/** Rollbacks of a site, and responses that visitors get after each. */
const [ROUNDS, ANSWERS] = [6, 64]

const urlOf = (name: string, path = '/') => `http://${name}.sites.localhost:${holdfast.port}${path}`

/** Texts around the content of a file, which tell its version. */
const marked = (path: string, content: string, version: number) => {
  const [begin, end] = /\.(?:css|js)$/.test(path) ? ['/*', '*/'] : ['<!--', '-->']
  const mark = `${begin} version ${version} ${end}`
  return `${mark}\n${content}\n${mark}`
}
const VERSION_AROUND = /^\S+ version (\d+) \S+\n.*\n\S+ version \1 \S+$/s

/** Deploys two versions of a site. Each response has the number of its version in a header, and its file at both ends. */
async function publish(name: string, files: Record<string, string>, ...words: string[]): Promise<void> {
  for (const version of [1, 2]) {
    const all = { _headers: '', ...files }
    rmSync(join(person.folder, name), { recursive: true, force: true })
    for (const [path, content] of Object.entries(all)) {
      const place = join(person.folder, name, path)
      mkdirSync(dirname(place), { recursive: true })
      const text = path.startsWith('_') ? content : marked(path, content, version)
      writeFileSync(place, path === '_headers' ? `${text}/*\n  X-Version: ${version}\n` : text)
    }
    await person.lines('deploy', name, '--site', name, ...words)
  }
}

/** Rolls a site back and forth while four visitors ask for its pages, one after another. */
async function rollBackUnderLoad(name: string, paths: readonly string[]): Promise<void> {
  const [odd, versions]: [unknown[], Set<string | undefined>] = [[], new Set()]
  let [answers, isOver] = [0, false]
  const visit = async (first: number) => {
    for (let at = first; !isOver && odd.length === 0; at += 1) {
      const path = paths[at % paths.length] ?? '/'
      for (const { status, headers, body } of await askAgain(`${name}.sites.localhost`, path, PAGE)) {
        const version = headers.get('x-version')
        versions.add(version)
        answers += 1
        if (status !== 200 || VERSION_AROUND.exec(body.toString())?.[1] !== version)
          odd.push([path, status, version, body.toString()])
      }
    }
  }
  const visitors = [0, 1, 2, 3].map((at) =>
    visit(Math.floor((at * paths.length) / 4)).catch((error) => odd.push(error)),
  )
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = answers
    await person.lines('deploy', '--rollback', '--site', name)
    await eventually(() => odd.length > 0 || answers >= before + ANSWERS)
  }
  isOver = true
  await Promise.all(visitors)
  expect(odd).toEqual([])
  expect([...versions].sort()).toEqual(['1', '2'])
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
  await rollBackUnderLoad('docs', ['/', '/style.css', '/guide/', '/guide/install'])
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
    '--spa',
  )
  const { page, failed } = await open(urlOf('app', '/users/7'))
  const heading = page.getByRole('heading')
  expect(await heading.textContent()).toBe('/users/7')
  await page.getByRole('link').click()
  await page.reload()
  expect(await heading.textContent()).toBe('/users/8')
  expect(failed).toEqual([])
  expect(await page.evaluate(async () => (await fetch('/assets/none.js')).status)).toBe(404)
  await rollBackUnderLoad('app', ['/', '/users/7', '/users/8', '/assets/main.js'])
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
  await rollBackUnderLoad('photos', ['/', ...names.map((name) => `/pictures/${encodeURIComponent(name)}`)])
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
  await rollBackUnderLoad('pwa', ['/', '/main.js', '/worker.js'])
})

test('a site of 10,000 pages leads from each to the next', async () => {
  const last = 9999
  const pages = Array.from({ length: last + 1 }, (_, at) => [
    `pages/${at}.html`,
    pageOf(`<h1>Page ${at}</h1><a href="${at + 1}">Next</a>`),
  ])
  await publish('many', Object.fromEntries(pages))
  const { page, failed } = await open(urlOf('many', '/pages/0'))
  for (const first of [0, 5000, last - 2]) {
    await page.goto(urlOf('many', `/pages/${first}`))
    for (const at of [first + 1, first + 2]) {
      await page.getByRole('link').click()
      await page.getByRole('heading', { name: `Page ${at}`, exact: true }).waitFor()
    }
  }
  expect(failed).toEqual([])
  const seventh = pages.filter((_, at) => at % 7 === 0)
  await rollBackUnderLoad(
    'many',
    seventh.map(([path = '']) => `/${path}`),
  )
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

describe('the panel of a website', () => {
  const site = openSite({ environment: { SITES_DOMAIN: 'sites.localhost' } })
  const openPanel = async (folder: string, width: number) => {
    const opened = await site.open('/files', { viewport: { width, height: 900 } })
    await opened.page.getByRole('button', { name: texts.files.actionsOf(folder), exact: true }).click()
    await opened.page.getByRole('menuitem', { name: browseTexts.site }).click()
    return { ...opened, panel: opened.page.getByRole('dialog', { name: siteTexts.title(folder) }) }
  }
  const sites = async () => (await site.admin.api.data<Sites>('GET', '/sites')).sites

  test('makes one by the keyboard, changes it, and removes it', async () => {
    await site.putFiles('New Page', { 'index.html': 'start', _redirects: '/a /b 201' })
    const { page, panel, complaints } = await openPanel('New Page', 390)
    const name = panel.getByLabel(siteTexts.name)
    expect(await name.inputValue()).toBe('new-page')
    await panel.getByText(siteTexts.nameHint('new-page.sites.localhost')).waitFor()
    await name.fill('Not A Name')
    await name.press('Enter')
    await panel.getByText(siteTexts.nameTitle).waitFor()
    await name.fill('page')
    await name.press('Enter')
    await page.getByText(siteTexts.created).waitFor()
    const { hostname } = new URL(await panel.getByLabel(siteTexts.address, { exact: true }).inputValue())
    expect(hostname).toBe('page.sites.localhost')
    await panel.getByText(/^_redirects, line 1: /).waitFor()

    await panel.getByLabel(siteTexts.domains).fill('www.example.org, example.net')
    await panel.getByLabel(siteTexts.askPassword).press('Space')
    await panel.getByLabel(siteTexts.password).fill('low tide at noon')
    await panel.getByRole('button', { name: siteTexts.save }).click()
    await page.getByText(siteTexts.saved).waitFor()
    await panel.getByText('example.net. CNAME page.sites.localhost.').waitFor()
    expect(await panel.getByText(siteTexts.isAwaited).count()).toBe(2)
    expect(await sites()).toMatchObject([
      { name: 'page', domains: ['www.example.org', 'example.net'], hasPassword: true },
    ])
    await panel.getByRole('button', { name: siteTexts.link }).click()
    expect(await panel.getByLabel(siteTexts.link).inputValue()).toContain('/.holdfast/open?exp=')
    expect(await findingsInThemes(page)).toEqual([])
    expect(await panel.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0)

    await panel.getByRole('button', { name: siteTexts.remove }).click()
    await page.getByRole('button', { name: siteTexts.remove, exact: true }).last().click()
    await page.getByText(siteTexts.removed).waitFor()
    await panel.getByRole('button', { name: siteTexts.create }).waitFor()
    expect(await sites()).toEqual([])
    expect(complaints).toEqual([])
  })

  test('has what visitors missed, previews, and earlier versions to go back to', async () => {
    const { api: own } = site.admin
    await site.putFiles('live', { 'index.html': 'first' })
    await site.putFiles('next', { 'index.html': 'second' })
    const { folders } = await own.browse()
    const [live, next] = ['live', 'next'].map((name) => folders.find((folder) => folder.name === name)?.id)
    const { site: www } = await own.data<{ site: Site }>('POST', '/sites', { folder: 'live', name: 'www' })
    await own.data('POST', '/folders/replace', { id: next, replaces: live })
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString()
    await own.createFolder('live.pr-1')
    await own.data('POST', '/sites', { folder: 'live.pr-1', name: 'www--pr-1', expiresAt })
    const { ask } = askingOf(site.holdfast)
    for (const path of ['/gone', '/gone', '/gr%C3%B6%C3%9Fe']) await ask('www.sites.localhost', path)
    await site.holdfast.server.modules.sites.flush()

    const { page, panel, complaints } = await openPanel('live', 1440)
    await panel.getByRole('link', { name: 'www--pr-1' }).waitFor()
    const missed = panel.getByRole('region', { name: siteTexts.misses }).getByRole('listitem')
    await missed.first().waitFor()
    expect((await missed.allInnerTexts()).map((text) => text.split(/\s+/).slice(0, 2)).sort()).toEqual([
      ['/gone', siteTexts.times(2)],
      ['/größe', siteTexts.times(1)],
    ])
    expect(await findingsInThemes(page)).toEqual([])
    await panel.getByRole('button', { name: /^Go back to the version/ }).click()
    await page.getByRole('button', { name: siteTexts.goBack, exact: true }).last().click()
    await page.getByText(siteTexts.wentBack).waitFor()
    expect(await site.contentOf('live/index.html')).toBe('first')
    expect((await sites()).find(({ id }) => id === www.id)?.folderId).toBe(live ?? '')
    expect(complaints).toEqual([])
  })
})
