import { beforeAll, describe, expect, test } from 'bun:test'
import { withHoldfast } from '../support/fixture.ts'
import { codeOf, createS3Keys, rawS3, textsIn } from '../support/s3.ts'

const holdfast = withHoldfast()
let send: ReturnType<typeof rawS3>

/** Keys whose order by bytes differs from that of their folders by name, and from that of UTF-16. */
const KEYS = [
  ...['a-b', 'a-c/c', 'a/b-', 'a/b/c', 'a0', 'b!/x', 'b-/y', 'b.c', 'b/z'].map((key) => `order/${key}`),
  ...['order/\u{1f600}', 'order/\uffee', 'é/ü', 'z'],
]

const compare = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b))

/** Lists keys as S3 defines it. */
function expected({ prefix = '', delimiter = '', after = '' }) {
  const entries = new Set<string>()
  for (const key of [...KEYS].sort(compare)) {
    if (!key.startsWith(prefix) || compare(key, after) <= 0) continue
    const at = delimiter === '' ? -1 : key.indexOf(delimiter, prefix.length)
    const entry = at === -1 ? key : key.slice(0, at + delimiter.length)
    // A list that goes on after a prefix has had its keys.
    if (entry !== after) entries.add(entry)
  }
  return [...entries]
}

/** Reads all pages of a list, in the order of both kinds of entries. */
async function listed(query: Record<string, string>, v2: boolean, size: number): Promise<string[]> {
  const found: string[] = []
  let next: Record<string, string> = {}
  for (let pages = 0; pages < 100; pages++) {
    const page = { ...query, ...next, 'max-keys': String(size), ...(v2 && { 'list-type': '2' }) }
    const text = await (await send('/keys', { query: page })).text()
    const entries = [
      ...textsIn(text.replace(/<CommonPrefixes>.*/s, ''), 'Key'),
      ...textsIn(text.replace(/^.*?<CommonPrefixes>/s, '<CommonPrefixes>'), 'Prefix').filter(() =>
        text.includes('<CommonPrefixes>'),
      ),
    ].sort(compare)
    found.push(...entries)
    if (textsIn(text, 'IsTruncated')[0] !== 'true') return found
    const token = textsIn(text, 'NextContinuationToken')[0] ?? ''
    next = v2
      ? { 'continuation-token': token }
      : { marker: textsIn(text, 'NextMarker')[0] ?? entries.at(-1) ?? '' }
  }
  throw new Error('The list has no end')
}

beforeAll(async () => {
  send = rawS3(holdfast, await createS3Keys(holdfast, holdfast.cookie))
  await send('/keys', { method: 'PUT' })
  for (const key of KEYS) expect((await send(`/keys/${key}`, { method: 'PUT', body: 'x' })).status).toBe(200)
})

describe.each([true, false])('a list in its form 2: %p', (v2) => {
  test.each([
    {},
    { delimiter: '/' },
    { prefix: 'order/' },
    { prefix: 'order/', delimiter: '/' },
    { prefix: 'order/a', delimiter: '/' },
    { prefix: 'order/a' },
    { prefix: 'order/b', delimiter: '-' },
    { delimiter: 'r/' },
    { prefix: 'none/' },
    { prefix: 'z' },
  ])('of %j has the keys in the order of their bytes, in pages of any size', async (query) => {
    for (const size of [1, 2, 3, 1000]) expect(await listed(query, v2, size)).toEqual(expected(query))
  })

  test('begins behind any key', async () => {
    for (const after of [...KEYS, 'order/a', 'order/a/', 'order/b', 'order/b-/', 'order', 'zz'])
      for (const more of [{}, { delimiter: '/', prefix: 'order/' }]) {
        const query = { ...more, [v2 ? 'start-after' : 'marker']: after }
        expect([after, await listed(query, v2, 1000)]).toEqual([after, expected({ ...more, after })])
      }
  })
})

describe('a list', () => {
  test('has an empty folder as a key with a slash at its end', async () => {
    await send('/folders', { method: 'PUT' })
    await holdfast.api.createFolder('folders/empty/inner')
    await send('/folders/made/', { method: 'PUT' })
    const text = await (await send('/folders')).text()
    expect(textsIn(text, 'Key')).toEqual(['empty/inner/', 'made/'])
    const flat = await (await send('/folders', { query: { delimiter: '/' } })).text()
    expect(textsIn(flat, 'Prefix')).toEqual(['empty/', 'made/'])
    expect((await send('/folders/made/', { method: 'HEAD' })).status).toBe(200)
    expect((await send('/folders/made/', { method: 'DELETE' })).status).toBe(204)
    expect((await send('/folders/made/', { method: 'HEAD' })).status).toBe(404)
  })

  test('of versions has each object once', async () => {
    const text = await (await send('/keys', { query: { versions: '', prefix: 'order/' } })).text()
    expect(textsIn(text, 'Key')).toEqual(expected({ prefix: 'order/' }))
    expect(new Set(textsIn(text, 'VersionId'))).toEqual(new Set(['null']))
  })

  test('encodes keys on request, and refuses what is no number and no token', async () => {
    const encoded = await (await send('/keys', { query: { 'encoding-type': 'url', prefix: 'é' } })).text()
    expect(textsIn(encoded, 'Key')).toEqual(['%C3%A9/%C3%BC'])
    for (const query of [
      { 'max-keys': 'x' },
      { 'list-type': '2', 'continuation-token': '!' },
      { 'encoding-type': 'x' },
    ] as Record<string, string>[])
      expect(await codeOf(await send('/keys', { query }))).toEqual([400, 'InvalidArgument'])
    expect(
      textsIn(await (await send('/keys', { query: { 'max-keys': '0' } })).text(), 'IsTruncated'),
    ).toEqual(['false'])
  })
})
