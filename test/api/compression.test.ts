import { beforeAll, describe, expect, test } from 'bun:test'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { createClient } from '../../src/client/index.ts'
import { compress, preferredCoding } from '../../src/http/compression.ts'
import { eventually, rounds } from '../support/eventually.ts'
import { withHoldfast } from '../support/fixture.ts'

const FILES = 1500
const DECODERS = { zstd: zstdDecompressSync, br: brotliDecompressSync, gzip: gunzipSync }

const holdfast = withHoldfast()
beforeAll(async () => {
  const client = createClient({ url: holdfast.url, key: holdfast.key })
  const files = Array.from({ length: FILES }, (_, n) => ({ path: `listed ${n}.txt`, content: 'x' }))
  await client.folders.upload(files, { folder: 'many' })
  await client.folders.upload([{ path: 'one.txt', content: 'x' }], { folder: 'few' })
})

/** Requests a list, and returns the response with the bytes of its body as they were sent. */
async function list(path: string, headers: Record<string, string>) {
  const response = await fetch(`${holdfast.url}/api/${path}`, {
    headers: { ...holdfast.withKey, ...headers },
    decompress: false,
  })
  const bytes = Buffer.from(await response.arrayBuffer())
  return { response, bytes, coding: response.headers.get('content-encoding') }
}

const identity = { 'Accept-Encoding': 'identity' }

describe.each(Object.entries(DECODERS))('a client that accepts %s', (coding, decode) => {
  // A list of one piece, a stream, and a page that fits one compression.
  test.each([
    'folders?key=many&limit=1000',
    'folders?key=many',
    'files?limit=100',
    'search?q=listed&limit=200',
  ])('gets GET /api/%s compressed', async (path) => {
    const plain = await list(path, identity)
    const found = await list(path, { 'Accept-Encoding': coding })

    expect(plain.coding).toBeNull()
    expect(found.coding).toBe(coding)
    expect(found.response.headers.get('vary')).toBe('Accept-Encoding')
    expect(decode(found.bytes).equals(plain.bytes)).toBe(true)
    expect(found.bytes.length).toBeLessThan(plain.bytes.length / 4)
  })
})

test.each(['folders?key=many&limit=1000', 'folders?key=few'])(
  'a HEAD of /api/%s has the header fields of its GET',
  async (path) => {
    const asked = { 'Accept-Encoding': 'zstd' }
    const { bytes, coding } = await list(path, asked)
    const head = await fetch(`${holdfast.url}/api/${path}`, {
      method: 'HEAD',
      headers: { ...holdfast.withKey, ...asked },
    })

    expect(head.headers.get('content-encoding')).toBe(coding)
    expect(head.headers.get('content-length')).toBe(String(bytes.length))
  },
)

test.each(Object.keys(DECODERS))(
  '%s compresses a body alike, whatever the pieces it comes in',
  async (coding) => {
    const text = Buffer.from(Array.from({ length: 30_000 }, (_, n) => `listed ${(n * 7919) % 30_011}`).join())
    const lengths = await Promise.all(
      [700, 5000, 70_000, text.length].map(async (length) => {
        const body = new ReadableStream<Uint8Array>({
          start: (controller) => {
            for (let at = 0; at < text.length; at += length)
              controller.enqueue(text.subarray(at, at + length))
            controller.close()
          },
        })
        const asked = new Request('http://localhost', { headers: { 'Accept-Encoding': coding } })
        return (await (await compress(new Response(body), asked)).bytes()).length
      }),
    )

    expect(new Set(lengths).size).toBe(1)
  },
)

describe('a response is not compressed', () => {
  test.each([
    ['a short list', 'folders?key=few', {}],
    ['a failure', 'folders?key=none', {}],
    ['a request of another site', 'folders?key=many', { 'Sec-Fetch-Site': 'cross-site' }],
    ['a request of another origin', 'folders?key=many', { 'Sec-Fetch-Site': 'same-site' }],
    ['a response that may have secrets', 'shares', {}],
  ])('for %s', async (_, path, headers) => {
    const { coding, bytes } = await list(path, { 'Accept-Encoding': 'zstd', ...headers })

    expect(coding).toBeNull()
    expect(() => JSON.parse(bytes.toString())).not.toThrow()
  })
})

test('a client that leaves ends the reading of a long list', async () => {
  for (let n = 0; n < 20; n += 1) {
    const leaving = new AbortController()
    const response = await fetch(`${holdfast.url}/api/folders?key=many`, {
      headers: { ...holdfast.withKey, 'Accept-Encoding': 'zstd' },
      signal: leaving.signal,
    })
    expect(response.status).toBe(200)
    leaving.abort()
  }

  // There are eight snapshots, and each would be held for a minute.
  expect((await list('folders?key=many', identity)).response.status).toBe(200)
})

test.each([
  ['', undefined],
  ['gzip', 'gzip'],
  ['gzip, deflate, br, zstd', 'zstd'],
  ['gzip, deflate, br', 'br'],
  ['br;q=0.5, gzip;q=0.8', 'gzip'],
  ['zstd;q=0, br;q=0.0, gzip', 'gzip'],
  ['*', 'zstd'],
  ['*;q=0', undefined],
  ['zstd;q=0, *', 'br'],
  ['identity, gzip;q=0.5', undefined],
  ['identity;q=0.5, GZIP ; Q=0.9', 'gzip'],
  ['deflate', undefined],
  ['gzip;q=many', undefined],
])('Accept-Encoding: %p prefers %p', (header, coding) => {
  expect(preferredCoding(header)).toBe(coding as ReturnType<typeof preferredCoding>)
})

test('a list that fails before it is read fails its reader alone', async () => {
  let pieces = 0
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      pieces += 1
      if (pieces <= 4) controller.enqueue(new Uint8Array(32 * 1024))
      else controller.error(new Error('gone'))
    },
  })
  const asked = new Request('http://holdfast.test/', { headers: { 'Accept-Encoding': 'gzip' } })
  const response = await compress(new Response(body), asked)
  await eventually(() => pieces > 4)
  await rounds()

  expect(await response.arrayBuffer().catch(String)).toContain('gone')
})
