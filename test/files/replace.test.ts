import { describe, expect, test } from 'bun:test'
import { withHoldfast } from '../support/fixture.ts'
import { type FileView, filesUnder, messageOf } from '../support/holdfast.ts'
import { expectNoIntents } from '../support/intents.ts'
import { storedIn } from '../support/stored.ts'

const holdfast = withHoldfast()
const { api } = holdfast

let names = 0
const newFile = (content: string, folder = '') => api.upload(`file${names++}.txt`, content, folder)
const put = (id: string, body: string, headers: Record<string, string> = {}) =>
  holdfast.fetch(`/api/files/content?id=${id}`, {
    method: 'PUT',
    body,
    headers: { ...holdfast.withKey, ...headers },
  })
const fileIn = async (response: Response) =>
  ((await response.json()) as { data: { file: FileView } }).data.file
const etagOf = async ({ url }: FileView) => (await holdfast.fetch(`/${url}`)).headers.get('etag') ?? ''
const digest = (algorithm: 'sha256' | 'md5', content: string) =>
  new Bun.CryptoHasher(algorithm).update(content).digest('base64')

/** Asserts that the catalog, the volume and the totals agree, and that nothing is left over. */
async function expectWhole(): Promise<void> {
  await expectNoIntents(holdfast)
  expect(holdfast.catalog.check.wrongTotals()).toEqual([])
  expect(filesUnder(holdfast, 'tmp')).toEqual([])
}

describe('PUT /api/files/content', () => {
  test('replaces the bytes; id, key, visibility, creation, links and statistics stay', async () => {
    const file = await newFile('before', 'replace')
    await api.data('PUT', '/files', { id: file.id, visibility: 'private' })
    const { url: link } = await api.sign(file.id)
    expect(await (await holdfast.fetch(`/${link}`)).text()).toBe('before')

    const response = await put(file.id, 'the bytes after')

    expect(response.status).toBe(200)
    const replaced = await fileIn(response)
    expect(replaced).toEqual({ ...file, visibility: 'private', size: 15, updatedAt: replaced.updatedAt })
    expect(await (await holdfast.fetch(`/${link}`)).text()).toBe('the bytes after')
    expect(await api.data<object>('GET', `/files/details?id=${file.id}`)).toMatchObject({
      sha256: Bun.SHA256.hash('the bytes after', 'hex'),
      traffic: { requests: 2 },
    })
    expect(holdfast.catalog.activities.newest(holdfast.userId, 1)[0]).toMatchObject({
      type: 'file.replaced',
      target: file.name,
    })
    await expectWhole()
  })

  test('a cached file is served with its new bytes and another entity tag at once', async () => {
    const file = await newFile('hot before')
    for (let request = 0; request < 4; request++) await api.hosted(file.key)
    const before = await etagOf(file)

    const replaced = await put(file.id, 'hot  after')

    const served = await holdfast.fetch(`/${file.url}`, { headers: { 'If-None-Match': before } })
    expect(await served.text()).toBe('hot  after')
    expect(served.headers.get('etag')).not.toBe(before)
    expect(served.headers.get('etag')).toBe(replaced.headers.get('etag'))
  })

  test('the same bytes again have another entity tag at once', async () => {
    const file = await newFile('same')
    const tags = new Set([await etagOf(file)])
    for (let round = 0; round < 5; round++) {
      expect((await put(file.id, 'same')).status).toBe(200)
      tags.add(await etagOf(file))
    }
    expect(tags.size).toBe(6)
  })

  test('a reader under way has the old bytes to their end', async () => {
    const old = 'o'.repeat(32 * 1024 ** 2)
    const file = await newFile(old)
    const response = await holdfast.fetch(`/${file.url}`)
    const reader = response.body?.getReader()
    const first = await reader?.read()

    expect((await put(file.id, 'new')).status).toBe(200)

    const hasher = new Bun.CryptoHasher('sha256').update(first?.value ?? '')
    for (let next = await reader?.read(); next && !next.done; next = await reader?.read())
      hasher.update(next.value)
    expect(hasher.digest('base64')).toBe(digest('sha256', old))
    expect(await api.hosted(file.key)).toBe('new')
    await expectWhole()
  })

  test('a range of the new bytes is served, one bound to the old entity tag is all of them', async () => {
    const file = await newFile('0123456789')
    const before = await etagOf(file)
    await put(file.id, 'abcdefghij')
    const part = await holdfast.fetch(`/${file.url}`, { headers: { Range: 'bytes=2-4' } })
    expect([part.status, await part.text()]).toEqual([206, 'cde'])
    const all = await holdfast.fetch(`/${file.url}`, { headers: { Range: 'bytes=2-4', 'If-Range': before } })
    expect([all.status, await all.text()]).toEqual([200, 'abcdefghij'])
  })

  test('an empty file can be replaced, and a file by nothing', async () => {
    const file = await newFile('')
    expect((await fileIn(await put(file.id, 'x'))).size).toBe(1)
    expect((await fileIn(await put(file.id, ''))).size).toBe(0)
    expect(await api.hosted(file.key)).toBe('')
    await expectWhole()
  })
})

describe('preconditions of a replacement', () => {
  test('If-Match with the present entity tag passes, with an older one it is a 412', async () => {
    const file = await newFile('one')
    const before = await etagOf(file)
    const first = await put(file.id, 'two', { 'If-Match': before })
    expect(first.status).toBe(200)
    const second = await put(file.id, 'three', { 'If-Match': before })
    expect([second.status, await messageOf(second)]).toEqual([
      412,
      'The file does not match the precondition',
    ])
    expect(await api.hosted(file.key)).toBe('two')
    expect((await put(file.id, 'four', { 'If-Match': first.headers.get('etag') ?? '' })).status).toBe(200)
    expect((await put(file.id, 'five', { 'If-Match': '*' })).status).toBe(200)
    expect((await put(file.id, 'six', { 'If-Match': `W/${await etagOf(file)}` })).status).toBe(412)
  })

  test('If-None-Match with "*" or the present entity tag is a 412', async () => {
    const file = await newFile('one')
    const tag = await etagOf(file)
    expect((await put(file.id, 'two', { 'If-None-Match': '*' })).status).toBe(412)
    expect((await put(file.id, 'two', { 'If-None-Match': tag })).status).toBe(412)
    expect((await put(file.id, 'two', { 'If-None-Match': '"other"' })).status).toBe(200)
  })

  test('If-Unmodified-Since counts, If-Modified-Since does not', async () => {
    const file = await newFile('one')
    const past = 'Mon, 01 Jan 2001 00:00:00 GMT'
    const future = 'Fri, 01 Jan 2100 00:00:00 GMT'
    expect((await put(file.id, 'two', { 'If-Unmodified-Since': past })).status).toBe(412)
    expect((await put(file.id, 'two', { 'If-Unmodified-Since': future })).status).toBe(200)
    expect((await put(file.id, 'two', { 'If-Modified-Since': future })).status).toBe(200)
  })

  test('of replacements with one entity tag at once exactly one passes', async () => {
    const file = await newFile('start')
    const before = await etagOf(file)
    const bodies = Array.from({ length: 8 }, (_, index) => `body ${index}`)
    const responses = await Promise.all(bodies.map((body) => put(file.id, body, { 'If-Match': before })))
    const statuses = responses.map(({ status }) => status)
    expect(statuses.toSorted()).toEqual([200, ...Array.from({ length: 7 }, () => 412)])
    expect(await api.hosted(file.key)).toBe(bodies[statuses.indexOf(200)] ?? '')
    await expectWhole()
  })
})

describe('digests of a replacement', () => {
  test('that match are accepted, those that do not change nothing', async () => {
    const file = await newFile('before')
    const right = digest('sha256', 'after')
    const wrong = digest('sha256', 'other')
    for (const name of ['Content-Digest', 'Repr-Digest']) {
      const refused = await put(file.id, 'after', { [name]: `sha-512=:AAAA:, sha-256=:${wrong}:` })
      expect([refused.status, await messageOf(refused)]).toEqual([
        400,
        'The bytes do not have the digest that was sent with them',
      ])
      expect(
        (await put(file.id, 'before', { [name]: `sha-256=:${digest('sha256', 'before')}:` })).status,
      ).toBe(200)
    }
    expect((await put(file.id, 'after', { 'Content-MD5': digest('md5', 'other') })).status).toBe(400)
    expect(await api.hosted(file.key)).toBe('before')
    const all = { 'Content-Digest': `sha-256=:${right}:`, 'Content-MD5': digest('md5', 'after') }
    expect((await put(file.id, 'after', all)).status).toBe(200)
    expect((await put(file.id, 'after', { 'Content-Digest': 'unixsum=30637' })).status).toBe(200)
    await expectWhole()
  })

  test('that are malformed are a 400', async () => {
    const file = await newFile('before')
    for (const headers of [
      { 'Content-Digest': 'sha-256=:AAAA:' },
      { 'Content-Digest': `sha-256="${digest('sha256', 'after')}"` },
      { 'Repr-Digest': 'sha-256' },
      { 'Content-MD5': 'AAAA' },
    ])
      expect((await put(file.id, 'after', headers)).status).toBe(400)
    expect(await api.hosted(file.key)).toBe('before')
  })
})

describe('a replacement is refused', () => {
  test('without the scope, for an unknown file and for a part', async () => {
    const file = await newFile('before')
    const reader = await holdfast.byKey('files:read')
    expect(await reader.status('PUT', `/files/content?id=${file.id}`, 'after')).toBe(403)
    expect((await put('unknown', 'after')).status).toBe(404)
    expect((await put(file.id, 'after', { 'Content-Range': 'bytes 0-4/10' })).status).toBe(400)
    expect(await api.status('PUT', '/files/content')).toBe(400)
    expect(await api.hosted(file.key)).toBe('before')
  })

  test('past the maximum size, and leaves the old bytes', async () => {
    const file = await newFile('before')
    await holdfast.bySession.data('PUT', '/settings', { limits: { maxUploadSize: 10 } })
    const refused = await put(file.id, 'more than ten')
    await holdfast.bySession.data('PUT', '/settings', { limits: { maxUploadSize: 5_368_709_120 } })
    expect(refused.status).toBe(413)
    expect(await api.hosted(file.key)).toBe('before')
    await expectWhole()
  })
})

describe('beside a replacement', () => {
  test('a rename, a move, a delete and other replacements leave exactly one state', async () => {
    for (let round = 0; round < 8; round++) {
      const folder = `race${round}`
      const file = await newFile('start', folder)
      const other = await api.createFolder(`${folder}/other`)
      const bodies = ['first', 'second', 'third']
      const [replacements, deleted] = await Promise.all([
        Promise.all(bodies.map((body) => put(file.id, body))),
        round % 2 === 0 ? api.send('DELETE', '/files', { id: file.id }) : undefined,
        api.send('PUT', '/files', { id: file.id, name: 'renamed.txt' }),
        api.send('POST', '/files/move', { id: file.id, folderId: other.id }),
        api.send('PUT', '/files', { id: file.id, visibility: 'private' }),
      ])
      for (const { status } of replacements) expect([200, 404]).toContain(status)
      await expectNoIntents(holdfast)
      const keys = (await storedIn(holdfast).keys()).filter((path) => path.startsWith(`${folder}/`))
      if (deleted?.status === 200) expect(keys).toEqual([`${folder}/other`])
      else {
        const now = await api.file(file.id)
        expect(now).toMatchObject({ key: `${folder}/other/renamed.txt`, visibility: 'private' })
        expect(keys).toEqual([`${folder}/other`, now.key])
        const bytes = await storedIn(holdfast).read(now)
        expect(bodies).toContain(bytes.toString())
        expect(now.size).toBe(bytes.length)
      }
    }
    await expectWhole()
  })
})
