import { beforeAll, expect, test } from 'bun:test'
import type { SignedLink } from '../../src/client/types.ts'
import { withInside } from '../support/fixture.ts'
import { TestClock } from '../support/holdfast.ts'

const BROWSER = { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

const clock = new TestClock()
const holdfast = withInside({ clock })
const { api } = holdfast
beforeAll(async () => {
  await store('private')
})

const store = (name: string) => api.upload(`${name}.txt`, name, '', 'private')
const get = (path: string, headers: Record<string, string>, method = 'GET') =>
  holdfast.fetch(`/api/hosting/${path}`, { headers, method })

/** Returns all of a response that may tell one file from another. */
async function seen(path: string, headers: Record<string, string>, method = 'GET') {
  const response = await get(path, headers, method)
  const names = [...response.headers].filter(([name]) => name !== 'date')
  return { status: response.status, headers: names, body: await response.text() }
}

test('a browser sees the same page for a private and a missing file, with the status of others', async () => {
  for (const query of ['', '?exp=9999999999&sig=AAAA', '?exp=1&sig=AAAA']) {
    const missing = await seen(`missing.txt${query}`, BROWSER)
    expect(await seen(`private.txt${query}`, BROWSER)).toEqual(missing)
    expect(missing.status).toBe(404)
    expect(Object.fromEntries(missing.headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': 'sandbox',
      'cache-control': 'private, no-store',
    })
    expect(missing.body).toContain(
      query.includes('exp=1&') ? 'This link has expired' : 'There is nothing here',
    )
    expect(missing.body).not.toMatch(/<script|missing\.txt/)
  }
})

test('the head of the page has its length', async () => {
  const { body } = await seen('private.txt', BROWSER)
  const head = await get('private.txt', BROWSER, 'HEAD')
  expect([head.status, head.headers.get('content-length')]).toEqual([404, String(body.length)])
})

test('programs get the same envelope as before', async () => {
  for (const headers of [{}, { Accept: '*/*' }, { Accept: 'image/avif,image/webp,*/*' }])
    for (const path of ['private.txt', 'missing.txt']) {
      const { status, body } = await seen(path, headers)
      expect([status, body]).toEqual([404, '{"data":null,"error":{"message":"File not found"}}'])
    }
})

test('a browser that opens an expired link sees that it has expired', async () => {
  const file = await store('signed')
  const { url } = await api.data<SignedLink>('POST', '/files/sign', { id: file.id, expiresIn: 60 })
  const open = async () => (await holdfast.fetch(`/${url}`, { headers: BROWSER })).text()

  expect(await open()).toBe('signed')
  clock.advance(61_000)
  expect(await open()).toContain('This link has expired')
})
