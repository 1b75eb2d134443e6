import { beforeAll, expect, test } from 'bun:test'
import { texts } from '../../src/dashboard/texts.ts'
import { openSite } from './site.ts'

/** Scripts that the page's policy allows, at each address of the instance. */

const site = openSite()
beforeAll(() => {
  const content = 'globalThis.ran = true; globalThis.postMessage?.("ran")'
  return site.putFiles('', { 'evil.js': content, 'evil.css': content })
})

/** Tries to run a hosted file as a script, a module, a worker and a style sheet. */
const TRY_ALL = `(async () => {
  const attempt = (make) => new Promise((resolve) => {
    const made = make()
    made.onload = () => resolve('ran')
    made.onmessage = () => resolve('ran')
    made.onerror = () => resolve('blocked')
  })
  const append = (tag, fields) => attempt(() => {
    const element = Object.assign(document.createElement(tag), fields)
    document.head.append(element)
    return element
  })
  return {
    script: await append('script', { src: '/api/hosting/evil.js' }),
    module: await import('/api/hosting/evil.js').then(() => 'ran', () => 'blocked'),
    worker: await attempt(() => new Worker('/api/hosting/evil.js')),
    style: await append('link', { rel: 'stylesheet', href: '/api/hosting/evil.css' }),
    ran: Boolean(globalThis.ran),
  }
})()`

const addresses: [string, () => string][] = [
  ['its base URL', () => 'http://holdfast.test'],
  ['an IP address', () => site.holdfast.url],
  ['localhost', () => `http://localhost:${site.holdfast.port}`],
  ['an HTTPS proxy that the server knows nothing of', () => 'https://files.example'],
]

test.each(addresses)('at %s the app runs, and no hosted file does', async (_, origin) => {
  const context = await site.stage.browser.newContext()
  const page = await context.newPage()
  await page.route('https://files.example/**', async (route) => {
    const { pathname, search } = new URL(route.request().url())
    await route.fulfill({
      response: await route.fetch({ url: `${site.holdfast.url}${pathname}${search}` }),
    })
  })
  await page.goto(origin())
  await page.getByRole('heading', { name: texts.signIn.title }).waitFor()

  const tried = await page.evaluate(TRY_ALL)
  // A request that is under way loses its response with the context.
  await page.unrouteAll({ behavior: 'wait' })
  await context.close()

  expect(tried).toEqual({
    script: 'blocked',
    module: 'blocked',
    worker: 'blocked',
    style: 'blocked',
    ran: false,
  })
})
