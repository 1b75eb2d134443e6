import { beforeAll, expect, test } from 'bun:test'
import { utimesSync, writeFileSync } from 'node:fs'
import { withInside } from '../support/fixture.ts'
import { codeOf, createS3Keys, rawS3, textsIn } from '../support/s3.ts'

const holdfast = withInside()
let send: ReturnType<typeof rawS3>

beforeAll(async () => {
  send = rawS3(holdfast, await createS3Keys(holdfast, holdfast.cookie))
  await send('/edited', { method: 'PUT' })
})

const put = (path: string, body: string, headers = {}) => send(path, { method: 'PUT', body, headers })
const head = async (path: string) => {
  const { headers } = await send(path, { method: 'HEAD' })
  return [headers.get('etag'), headers.get('content-length'), headers.get('x-amz-meta-kept')]
}
const listed = async () => textsIn((await (await send('/edited')).text()).replaceAll('&quot;', '"'), 'ETag')

test('a file that was edited on disk has another entity tag in every response, and by conditions', async () => {
  const before = (await put('/edited/a.txt', 'hello', { 'x-amz-meta-kept': 'yes' })).headers.get('etag')
  expect(before).toBe('"5d41402abc4b2a76b9719d911017c592"')
  const path = holdfast.path('edited/a.txt')
  const seen = new Set([before])
  const edits: [string, number][] = [
    ['longer than before', Date.now()],
    ['hells', Date.now() + 5000],
  ]
  for (const [content, time] of edits) {
    writeFileSync(path, content)
    utimesSync(path, time / 1000, time / 1000)
    const [etag, length, kept] = await head('/edited/a.txt')
    expect([etag, length, kept]).toEqual([
      expect.stringMatching(/^"[\da-f]{32}-1"$/),
      `${content.length}`,
      'yes',
    ])
    expect(await listed()).toEqual([etag ?? ''])
    expect(seen.has(etag ?? '')).toBe(false)
    seen.add(etag ?? '')
    const source = { 'x-amz-copy-source': '/edited/a.txt' }
    expect((await send('/edited/b.txt', { method: 'PUT', headers: source })).status).toBe(409)
    expect(await codeOf(await put('/edited/a.txt', 'x', { 'If-Match': before ?? '' }))).toEqual([
      412,
      'PreconditionFailed',
    ])
    const deleted = await send('/edited/a.txt', { method: 'DELETE', headers: { 'If-Match': before ?? '' } })
    expect(deleted.status).toBe(412)
  }
  const [now] = await head('/edited/a.txt')
  expect((await put('/edited/a.txt', 'hello', { 'If-Match': now ?? '' })).headers.get('etag')).toBe(before)
  expect(await listed()).toEqual([before ?? ''])
})

test('objects that are replaced one right after the other have the MD5 of their bytes', async () => {
  for (let round = 0; round < 20; round++) {
    const etag = (await put('/edited/fast.txt', `${round}`)).headers.get('etag')
    expect((await head('/edited/fast.txt'))[0]).toBe(etag)
  }
})
