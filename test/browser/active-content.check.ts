import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import type { Browser } from 'playwright-core'
import { eventually } from '../support/eventually.ts'
import { ADMIN, type Holdfast, register, startHoldfast, upload } from '../support/holdfast.ts'
import { launchChromium } from './chromium.ts'
import { leaveAll, openPage } from './visitor.ts'

/** Script that reports what it could do if it ran. */
const SCRIPT = `
  const told = (text) => { new Image().src = '/api/hosting/told-' + encodeURIComponent(text) }
  told('ran')
  try { told('cookie:' + document.cookie) } catch {}
  try { localStorage.setItem('x', 'y'); told('storage') } catch {}
  fetch('/api/me', { credentials: 'include' }).then(async (answer) => told('me:' + answer.status + (await answer.text())))
  if (globalThis.top && globalThis.document) document.documentElement.setAttribute('data-ran', 'yes')`

const XML_SCRIPT = `<script xmlns="http://www.w3.org/1999/xhtml">//<![CDATA[
${SCRIPT}
//]]></script>`

/** Content that runs a script in a browser without a policy. */
const ACTIVE: Record<string, string> = {
  'page.html': `<!doctype html><title>x</title><script>${SCRIPT}</script><img src=x onerror="document.documentElement.setAttribute('data-ran','yes')">`,
  'image.svg': `<svg xmlns="http://www.w3.org/2000/svg" onload="document.documentElement.setAttribute('data-ran','yes')">${XML_SCRIPT}</svg>`,
  'page.xhtml': `<html xmlns="http://www.w3.org/1999/xhtml"><head><title>x</title>${XML_SCRIPT}</head><body/></html>`,
  'sheet.xsl': `<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"><xsl:template match="/"><html xmlns="http://www.w3.org/1999/xhtml"><body>${XML_SCRIPT}</body></html></xsl:template></xsl:stylesheet>`,
  'sheet.xml': '<?xml version="1.0"?><?xml-stylesheet type="text/xsl" href="sheet.xsl"?><root/>',
  'no-extension': `<!doctype html><script>${SCRIPT}</script>`,
  'image.png': `<!doctype html><script>${SCRIPT}</script>`,
  'frame.html':
    '<!doctype html><iframe src="page.html"></iframe><iframe srcdoc="<script>parent.document.title=1</script>"></iframe>',
}

const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

let holdfast: Holdfast
let browser: Browser
/** Server of another origin. */
let elsewhere: Bun.Server<undefined>
beforeAll(async () => {
  holdfast = await startHoldfast()
  const { withKey } = await register(holdfast)
  for (const [name, content] of Object.entries(ACTIVE)) await upload(holdfast, withKey, { name, content })
  await upload(holdfast, withKey, { name: 'pixel.png', content: new Uint8Array(PIXEL) })
  elsewhere = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: () =>
      new Response(
        `<!doctype html><title>elsewhere</title><img src="${holdfast.url}/api/hosting/pixel.png">`,
        { headers: { 'Content-Type': 'text/html' } },
      ),
  })
  browser = await launchChromium()
})
afterEach(leaveAll)
afterAll(async () => {
  await browser.close()
  await elsewhere.stop(true)
  await holdfast[Symbol.asyncDispose]()
})

/** Opens a page of a signed-in member. Returns it with its requests to the server. */
async function signedInPage() {
  const { page } = await openPage({ browser })
  const context = page.context()
  const signedIn = await context.request.post(`${holdfast.url}/api/auth/sign-in/email`, {
    data: { email: ADMIN.email, password: ADMIN.password },
    headers: { Origin: 'http://holdfast.test' },
  })
  expect(signedIn.status()).toBe(200)
  const asked: string[] = []
  page.on('request', (request) => asked.push(new URL(request.url()).pathname))
  return { page, asked }
}

test('the member of these tests is signed in, and scripts run where the policy allows them', async () => {
  const visitor = await signedInPage()
  await visitor.page.route('**/control.html', (route) =>
    route.fulfill({ contentType: 'text/html', body: ACTIVE['page.html'] ?? '' }),
  )
  await visitor.page.goto(`${holdfast.url}/control.html`)
  await eventually(() => visitor.asked.some((path) => path.includes('told-me')))

  expect(visitor.asked.some((path) => path.includes('told-me%3A200'))).toBe(true)
  expect(visitor.asked.some((path) => path.includes('told-storage'))).toBe(true)
})

test.each(Object.keys(ACTIVE).filter((name) => name !== 'sheet.xsl'))(
  '%s runs no script in our origin',
  async (name) => {
    const { page, asked } = await signedInPage()
    // Some are downloads, which end the navigation.
    await page.goto(`${holdfast.url}/api/hosting/${name}`, { waitUntil: 'load' }).catch(() => undefined)
    const ran = await page.evaluate(`document.documentElement?.getAttribute('data-ran') ?? null`)

    expect(asked).toContain(`/api/hosting/${name}`)
    expect(asked.filter((path) => path.includes('told-') || path.startsWith('/api/me'))).toEqual([])
    expect(ran).toBeNull()
  },
)

test.each(['page.html', 'image.svg', 'sheet.xml'])(
  '%s cannot read the data of our origin once it is opened',
  async (name) => {
    const visitor = await signedInPage()
    await visitor.page.goto(`${holdfast.url}/api/hosting/${name}`)

    const found = await visitor.page.evaluate(`(() => {
      const attempt = (look) => {
        try {
          return String(look())
        } catch (error) {
          return error.name
        }
      }
      return {
        origin: globalThis.origin,
        cookie: attempt(() => document.cookie),
        storage: attempt(() => localStorage.length),
      }
    })()`)

    expect(found).toEqual({ origin: 'null', cookie: 'SecurityError', storage: 'SecurityError' })
  },
)

test('a page of another origin shows hosted images', async () => {
  const visitor = await signedInPage()
  await visitor.page.goto(elsewhere.url.href)

  const width = await visitor.page.evaluate('document.images[0].naturalWidth')

  expect(width).toBe(1)
})
