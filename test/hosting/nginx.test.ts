import { beforeAll, describe, expect, test } from 'bun:test'
import { withInside } from '../support/fixture.ts'
import type { FileView } from '../support/holdfast.ts'
import { CONTENT, conditions, ifRanges, type NginxCase, RANGES } from '../transport/corpora/nginx.ts'
import { LAST_MODIFIED, onWire } from './wire.ts'

const EMPTY_ETAG = '"0-1941f297c00"'

let filled: FileView
let empty: FileView
const holdfast = withInside()
const { ask, storeOld } = onWire(holdfast)
beforeAll(async () => {
  filled = await storeOld('t1.html', CONTENT)
  empty = await storeOld('t', '')
})

/** Requests a file twice, because the second response may come from the cache. */
async function expectCase(file: FileView, { headers, status, contentRange, body }: NginxCase) {
  for (let n = 0; n < 2; n += 1) {
    const response = await ask(`/${file.url}`, { headers })

    expect(response.status).toBe(status)
    if (contentRange !== undefined) expect(response.headers.get('content-range')).toBe(contentRange)
    if (status === 200) expect(response.headers.has('content-range')).toBe(false)
    if (status === 200 || status === 206)
      expect(response.headers.get('content-length')).toBe(`${response.body.length}`)
    if (body !== undefined) expect(response.body.toString()).toBe(body)
  }
}

describe('nginx-tests', () => {
  test.each([...RANGES])('range.t: $name gets $status', (found) => expectCase(filled, found))

  test.each([...ifRanges(LAST_MODIFIED)])('range_if_range.t: $name gets $status', async (found) => {
    await expectCase(filled, found)
    const { headers } = await ask(`/${filled.url}`, found)
    expect(headers.get('last-modified')).toBe(LAST_MODIFIED)
  })

  test.each([...conditions(EMPTY_ETAG)])('not_modified.t: $name gets $status', (found) =>
    expectCase(empty, found),
  )

  test('not_modified.t: If-Match is ignored where there is no file', async () => {
    expect((await ask(`/${empty.url}`)).headers.get('etag')).toBe(EMPTY_ETAG)
    expect(await ask('/api/hosting/nx', { headers: ['If-Match: "foo"'] })).toMatchObject({
      status: 404,
    })
  })

  test('statuses that differ from those of nginx are named with a reason', () => {
    const differing = [...RANGES, ...ifRanges(LAST_MODIFIED)].filter(({ differs }) => differs)
    for (const { status, differs } of differing) expect(differs).not.toMatchObject({ nginx: status })
    expect(differing).toHaveLength(7)
  })
})
