import { beforeAll, describe, expect, test } from 'bun:test'
import { html, prose } from '../../src/api/html.ts'
import type { Document } from '../../src/api/openapi/document.ts'
import { type Entry, findEntries } from '../../src/dashboard/docs/find.ts'
import { CALLS } from '../../src/modules/docs/calls.ts'
import { ApiReference } from '../../src/modules/docs/reference.ts'
import { builtAssets } from '../../src/modules/web/built.ts'
import { ERROR_CODES } from '../../src/platform/error-codes.ts'
import { withInside } from '../support/fixture.ts'

const MAX_PAGE_BYTES = 100 * 1024
const LANGUAGES = ['sh', 'ts', 'python']

const holdfast = withInside({ dashboard: builtAssets(), environment: { RATE_LIMIT_API: '1000' } })
/** Texts of the pages of operations, by their ids. */
const pages = new Map<string, string>()
let start: string
let errors: string
let document: Document

const read = async (path: string) => (await holdfast.fetch(path)).text()
const operations = () => Object.values(document.paths).flatMap((methods) => Object.values(methods))

beforeAll(async () => {
  document = (await (await holdfast.fetch('/api/openapi.json')).json()) as Document
  start = await read('/api/docs')
  errors = await read('/api/docs/errors')
  for (const { operationId } of operations()) pages.set(operationId, await read(`/api/docs/${operationId}`))
})

describe('the reference of the API', () => {
  test('loads only files of this server, whose names change with their content', async () => {
    const { headers } = await holdfast.fetch('/api/docs/listFiles')
    const policy = headers.get('content-security-policy')
    const text = pages.get('listFiles') ?? ''
    const loaded = [...text.matchAll(/\ssrc="([^"]+)"|<link [^>]*href="([^"]+)"/g)].map(
      ([, source, link]) => source ?? link ?? '',
    )

    expect(headers.get('content-type')).toBe('text/html;charset=utf-8')
    expect(policy).toStartWith("default-src 'none'; script-src 'self'; style-src 'self'; ")
    expect(policy).not.toContain('unsafe')
    expect(text).not.toMatch(/<style|\sstyle=|\son\w+=|<script>/)
    expect(loaded).toHaveLength(5)
    for (const path of loaded)
      expect((await holdfast.fetch(path)).headers.get('cache-control')).toContain('immutable')
  })

  test('has a page of at most 100 KiB for each operation, with samples in three languages', () => {
    for (const { operationId, summary } of operations()) {
      const text = pages.get(operationId) ?? ''
      const samples = LANGUAGES.filter((language) => text.includes(`<code class="language-${language}">`))

      expect([operationId, samples]).toEqual([operationId, LANGUAGES])
      expect(text).toContain(html`<h1>${summary}</h1>`.markup)
      expect([operationId, Buffer.byteLength(text) <= MAX_PAGE_BYTES]).toEqual([operationId, true])
    }
    for (const text of [start, errors]) expect(Buffer.byteLength(text)).toBeLessThan(MAX_PAGE_BYTES)
  })

  test('lists every operation beside each page, with the current one marked', () => {
    for (const { operationId } of operations()) {
      expect(start).toContain(`href="/api/docs/${operationId}"`)
      expect(pages.get('listFiles')).toContain(`href="/api/docs/${operationId}"`)
      expect(pages.get(operationId)).toContain(`href="/api/docs/${operationId}" aria-current="page"`)
    }
  })

  test('has every place that its links lead to, once', async () => {
    const texts = new Map([...pages].map(([id, text]) => [`/api/docs/${id}`, text]))
    for (const path of ['/api/docs', '/api/docs/errors', '/docs', '/docs/api', '/docs/client'])
      texts.set(path, await read(path))
    const outside = ['/', '/api/openapi.json']
    for (const [path, text] of texts) {
      if (!path.startsWith('/api/docs')) continue
      const ids = [...text.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id)
      expect([path, new Set(ids).size]).toEqual([path, ids.length])
      for (const [, link = ''] of text.matchAll(/<a [^>]*href="([^"]+)"/g)) {
        const [target = '', id] = link.split('#')
        const found = target === '' ? text : texts.get(target)
        const isThere =
          outside.includes(link) || (found !== undefined && (!id || found.includes(`id="${id}"`)))
        expect([path, link, isThere]).toEqual([path, link, true])
      }
    }
  })

  test('shows nested fields with their types, limits and whether they are required', () => {
    const text = pages.get('createShare') ?? ''
    const field = (name: string) =>
      new RegExp(`<li><div><code>${name}</code>[\\s\\S]*?(?=<li>)`).exec(text)?.[0].replace(/<[^>]+>/g, '')

    expect(field('items')).toContain('array of object')
    expect(field('fileId')).toContain('string required')
    expect(field('password')).toContain('string or null')
    expect(field('password')).toContain('at least 8 characters, at most 128 characters')
    expect(pages.get('listFiles')).toContain('one of <code>&quot;createdAt&quot;</code>')
    expect(text).toContain('For an API key or a session with the scope <code>files:read</code>.')
    expect(text).toContain('<li>Another share has this &quot;slug&quot; already</li>')
    expect(text).toContain('href="/api/docs/errors#RateLimited"')
  })

  test('has a page of the refusals that many operations share, and of all codes', () => {
    for (const name of Object.keys(document.components.responses))
      expect(errors).toContain(`<li id="${name}"><b>`)
    for (const code of Object.keys(ERROR_CODES)) expect(errors).toContain(`<td><code>${code}</code></td>`)
  })

  test('names calls of the client for operations that exist', () => {
    expect(Object.keys(CALLS).filter((id) => !pages.has(id))).toEqual([])
  })

  test('sends real files in the samples of forms', () => {
    const text = pages.get('uploadFiles')?.replace(/<[^>]+>/g, '')

    expect(text).toContain('-F files=@harbour.jpg')
    expect(text).toContain("await openAsBlob('harbour.jpg')")
    expect(text).toContain('files={"files": open("harbour.jpg", "rb")}')
  })

  test('has an index in which the search finds operations by title, path and field', async () => {
    const entries = (await (await holdfast.fetch('/api/docs/search.json')).json()) as Entry[]
    const first = (query: string) => findEntries(entries, query, 1)[0]?.entry[0]

    expect(entries.map(([path]) => path).sort()).toEqual(
      [...pages.keys()].map((id) => `/api/docs/${id}`).sort(),
    )
    expect(first('Share files and folders')).toBe('/api/docs/createShare')
    expect(first('POST /api/shares')).toBe('/api/docs/createShare')
    expect(first('maxDownloads slug')).toBe('/api/docs/createShare')
    expect(first('createShare')).toBe('/api/docs/createShare')
  })

  test('says that a page is missing', async () => {
    const response = await holdfast.fetch('/api/docs/none', { headers: { Accept: 'text/html' } })

    expect([response.status, response.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8'])
    expect((await holdfast.fetch('/api/docs/none')).status).toBe(404)
  })

  test('says nothing in the words of a program', () => {
    for (const text of [start, errors, ...pages.values()])
      expect(text).not.toMatch(/>undefined|undefined<|\[object Object\]|NaN/)
  })

  test('is compressed on its way', async () => {
    const response = await fetch(`${holdfast.url}/api/docs`, {
      headers: { 'Accept-Encoding': 'gzip' },
      decompress: false,
    })

    expect(response.headers.get('content-encoding')).toBe('gzip')
    expect((await response.bytes()).length).toBeLessThan(16_000)
  })
})

describe('its text', () => {
  test('is escaped, whatever the document says', () => {
    const description = '<script>alert("x")</script> & `<b>`'
    const assets = { stylesheet: '', font: '', theme: '', script: '', entries: '', logo: '' }
    const changed = { ...document, info: { ...document.info, description } }

    expect(new ApiReference(changed, { assets, address: 'http://localhost:3000' }).page()).toContain(
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
