import { beforeAll, describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { MAIN_FONT } from '../../src/api/assets.ts'
import { html, prose } from '../../src/api/html.ts'
import type { Document } from '../../src/api/openapi/document.ts'
import { toPage } from '../../src/modules/docs/page.ts'
import { withHoldfast } from '../support/fixture.ts'

const holdfast = withHoldfast()
let page: string
let headers: Headers
let document: Document
beforeAll(async () => {
  const response = await holdfast.fetch('/api/docs')
  headers = response.headers
  page = await response.text()
  document = (await (await holdfast.fetch('/api/openapi.json')).json()) as Document
})

describe('GET /api/docs', () => {
  test('loads nothing but its own style, known by its hash, and the font and icon of the server', () => {
    const [, style = ''] = /<style>([\s\S]*?)<\/style>/.exec(page) ?? []
    const hash = createHash('sha256').update(style).digest('base64')

    expect(headers.get('content-type')).toBe('text/html;charset=utf-8')
    expect(headers.get('content-security-policy')).toStartWith(
      `default-src 'none'; style-src 'sha256-${hash}'; `,
    )
    const loaded = [...page.matchAll(/\ssrc="([^"]+)"|url\("([^"]+)"\)/g)].map(
      ([, source, url]) => source ?? url,
    )
    expect(loaded.sort()).toEqual([MAIN_FONT, '/favicon.ico'])
    expect(page).not.toMatch(/<script|<link|\sstyle=|\son\w+=|@import/)
  })

  test('shows every operation and every schema', () => {
    const { paths, components } = document
    const operations = Object.values(paths).flatMap((methods) => Object.values(methods))

    for (const { operationId } of operations) expect(page).toContain(`<h3 id="${operationId}">`)
    for (const name of Object.keys(components.schemas)) expect(page).toContain(`<h3 id="${name}">`)
  })

  test('has every place once that its links lead to, and no other links than to its surroundings', () => {
    const ids = [...page.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id)
    const links = [...page.matchAll(/\shref="([^"]+)"/g)].map(([, link = '']) => link)

    expect(new Set(ids).size).toBe(ids.length)
    expect(links.length).toBeGreaterThan(100)
    const around = ['openapi.json', '/docs', '/']
    const astray = links.filter((link) => !around.includes(link) && !ids.includes(link.replace('#', '')))
    expect(astray).toEqual([])
  })

  test('shows a refusal that many requests have in common once', () => {
    const { responses } = document.components
    const ofAuth = Object.keys(document.paths).filter((path) => path.startsWith('/api/auth/'))

    for (const name of Object.keys(responses)) expect(page).toContain(`<h3 id="refusal-${name}">`)
    expect(page.split('the server’s log has the details.</a>').length).toBeGreaterThan(10)
    // The sign-in routes have envelopes of their own, which have the message twice.
    expect(page.split('Internal server error')).toHaveLength(2 + 2 * ofAuth.length)
  })

  test('says nothing in the words of a program', () => {
    expect(page).not.toMatch(/undefined|\[object Object\]|NaN/)
  })

  test('is small on its way', async () => {
    const response = await fetch(`${holdfast.url}/api/docs`, {
      headers: { 'Accept-Encoding': 'gzip' },
      decompress: false,
    })

    expect(response.headers.get('content-encoding')).toBe('gzip')
    expect((await response.bytes()).length).toBeLessThan(64_000)
  })
})

describe('its text', () => {
  test('is escaped, whatever the document says', () => {
    const description = '<script>alert("x")</script> & `<b>`'

    expect(toPage({ ...document, info: { ...document.info, description } })).toContain(
      '<p>&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt; &amp; <code>&lt;b&gt;</code></p>',
    )
  })

  test('is put together from lists, numbers and nothing', () => {
    const list = [html`<b>${1}</b>`, '<', undefined]

    expect(html`a${list}z`.markup).toBe('a<b>1</b>&lt;z')
    expect(prose('one\n\ntwo `three`').map(({ markup }) => markup)).toEqual([
      '<p>one</p>',
      '<p>two <code>three</code></p>',
    ])
  })
})
