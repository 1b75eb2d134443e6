import { describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Share } from '../../src/client/types.ts'
import { ThumbnailCache } from '../../src/volume/thumbnail-cache.ts'
import { makePng } from '../browser/png.ts'
import { addUser, type User } from '../support/accounts.ts'
import { eventually } from '../support/eventually.ts'
import { startInsideWithAccount, withInside } from '../support/fixture.ts'
import { type FileView, refusalOf, TestClock, upload } from '../support/holdfast.ts'

// Each server has a cache of its own.
const holdfast = withInside({ isAlone: true })
const { api } = holdfast

const store = (name: string, content: Uint8Array<ArrayBuffer> | string) =>
  upload(holdfast, holdfast.withKey, { name, content, visibility: 'private' })
const get = (id: string, query = '', headers: Record<string, string> = holdfast.withKey) =>
  holdfast.fetch(`/api/files/thumbnail/${id}${query}`, { headers })
const sizeOf = async (response: Response) => {
  const { width, height, format } = await new Bun.Image(await response.bytes()).metadata()
  return [width, height, format]
}
const cached = () => {
  try {
    return readdirSync(join(holdfast.dataPath, 'thumbs'))
  } catch {
    return []
  }
}

/** Makes a PNG whose head promises more pixels than memory has. */
function makeBomb(): Uint8Array<ArrayBuffer> {
  const bytes = makePng(8, 8)
  new DataView(bytes.buffer, bytes.byteOffset).setUint32(16, 60_000)
  new DataView(bytes.buffer, bytes.byteOffset).setUint32(20, 60_000)
  return bytes
}

describe('a thumbnail', () => {
  test('has the next of three widths, and is made once for a file and its copies', async () => {
    const picture = makePng(900, 300)
    const file = await store('picture.png', picture)
    const copy = await store('copy.png', picture)

    const first = await get(file.id, '?width=120')
    expect([first.status, first.headers.get('content-type')]).toEqual([200, 'image/webp'])
    expect(await sizeOf(first)).toEqual([200, 67, 'webp'])
    expect(await sizeOf(await get(file.id))).toEqual([400, 133, 'webp'])
    // A small picture is not enlarged.
    expect(await sizeOf(await get(file.id, '?width=1600'))).toEqual([900, 300, 'webp'])
    const before = cached()
    expect((await get(copy.id, '?width=200')).status).toBe(200)
    expect(cached()).toEqual(before)
  })

  test('is not made when its client has disconnected before its turn', async () => {
    const files = await Promise.all(
      Array.from({ length: 17 }, (_, n) => store(`left ${n}.png`, makePng(900 + n, 300))),
    )
    const ids = files.map(({ id }) => id)
    const [last = ''] = ids.splice(-1)
    const before = cached().length
    const leaving = new AbortController()
    const requests = ids.map((id, n) =>
      fetch(`${holdfast.url}/api/files/thumbnail/${id}`, {
        headers: holdfast.withKey,
        ...(n > 3 && { signal: leaving.signal }),
      }).catch(() => undefined),
    )
    await eventually(() => cached().length > before)
    leaving.abort()

    expect((await get(last)).status).toBe(200)
    await Promise.all(requests)
    // Two may have had their turn before the server knew.
    expect(cached().length - before).toBeLessThan(10)
  })

  test('has a placeholder of few bytes from the first one on', async () => {
    const picture = await store('wide.png', makePng(900, 450))
    const other = await store('narrow.png', makePng(901, 450))
    const text = await store('plain.txt', 'text')
    const ids = [picture, other, text].map(({ id }) => id).join(',')
    const ask = async () =>
      (await api.data<{ placeholders: Record<string, string> }>('GET', `/files/placeholders?ids=${ids}`))
        .placeholders
    expect(await ask()).toEqual({})
    expect((await get(picture.id)).status).toBe(200)
    const placeholders = await ask()

    expect(Object.keys(placeholders)).toEqual([picture.id])
    const bytes = Uint8Array.fromBase64(placeholders[picture.id] ?? '')
    expect(bytes.length).toBeLessThan(150)
    expect(await new Bun.Image(bytes).metadata()).toMatchObject({ format: 'webp', width: 16, height: 8 })
  })

  test('is revalidated by its entity tag', async () => {
    const { id } = await store('tagged.png', makePng(30, 30))
    const etag = (await get(id)).headers.get('etag') ?? ''
    const again = await get(id, '', { ...holdfast.withKey, 'If-None-Match': etag })
    expect([again.status, await again.text()]).toEqual([304, ''])
  })

  test('is 404 for a file that is no picture, is damaged, or has too many pixels', async () => {
    for (const [name, content] of [
      ['text.txt', 'text'],
      ['drawing.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>'],
      ['phone.heic', 'heic'],
      ['empty.png', ''],
      ['damaged.jpg', 'no picture'],
      ['bomb.png', makeBomb()],
    ] as const) {
      const { id } = await store(name, content)
      expect([name, ...(await refusalOf(await get(id)))]).toEqual([name, 404, 'This file has no thumbnail'])
    }
    expect(await refusalOf(await get('no-such-file'))).toEqual([404, 'File not found'])
  })

  test('needs the right to read, and a sensible width', async () => {
    const { id } = await store('guarded.png', makePng(20, 20))
    const other: User = await addUser(holdfast, { role: 'custom', customScopes: [] })
    expect((await get(id, '', {})).status).toBe(401)
    expect((await get(id, '', { Cookie: other.cookie })).status).toBe(403)
    for (const width of ['0', '1601', '-1', '1e2', 'x', ''])
      expect([width, (await get(id, `?width=${width}`)).status]).toEqual([width, 400])
  })

  test('is made for many requests at once', async () => {
    const files = await Promise.all(
      Array.from({ length: 8 }, (_, at) => store(`${at}.png`, makePng(40 + at, 40))),
    )
    const responses = await Promise.all([...files, ...files].map(({ id }) => get(id, '?width=200')))
    expect(responses.map(({ status }) => status)).toEqual(Array(16).fill(200))
  })
})

/** Returns the widths of the cached thumbnails of a picture. */
const widthsOf = ({ dataPath }: { dataPath: string }, content: Uint8Array<ArrayBuffer>) => {
  const sha256 = new Bun.CryptoHasher('sha256').update(content).digest('hex')
  return readdirSync(join(dataPath, 'thumbs'))
    .toSorted()
    .flatMap((name) => (name.startsWith(sha256) ? name.match(/-(\d+)\.webp$/)?.[1] : []))
}

test('thumbnails for lists are made after uploads and replacements, the same as for requests', async () => {
  await using server = await startInsideWithAccount({ isAlone: true })
  const [first, second, gone] = [makePng(901, 300), makePng(902, 300), makePng(903, 300)]
  const file = await server.api.upload('first.png', first)
  await server.api.upload('text.txt', 'text')
  await server.api.upload('damaged.png', 'no picture')
  const removed = await server.api.upload('gone.png', gone)
  await server.api.data('DELETE', '/files', { id: removed.id })
  await server.server.jobs.runAll()
  await server.api.replace(file.id, second)
  await server.server.jobs.runAll()
  expect([first, second, gone].map((picture) => widthsOf(server, picture))).toEqual([
    ['16', '200', '400'],
    ['16', '200', '400'],
    [],
  ])

  const small = async () =>
    (await server.fetch(`/api/files/thumbnail/${file.id}?width=200`, { headers: server.withKey })).bytes()
  const made = await small()
  expect(await sizeOf(new Response(made))).toEqual([200, 67, 'webp'])
  rmSync(join(server.dataPath, 'thumbs'), { recursive: true })
  expect(await small()).toEqual(made)
})

test('with THUMBNAILS=request none is made before', async () => {
  await using server = await startInsideWithAccount({
    isAlone: true,
    environment: { THUMBNAILS: 'request' },
  })
  await server.api.upload('picture.png', makePng(30, 30))
  await server.server.jobs.runAll()
  expect(existsSync(join(server.dataPath, 'thumbs'))).toBe(false)
})

/** Ends the child process that makes a thumbnail, unless that is faster. Returns the status of its response. */
async function withoutDecoder<Status>(made: Promise<Status>): Promise<Status> {
  for (let isSeen = false; !isSeen && Bun.peek.status(made) === 'pending'; await Bun.sleep(1)) {
    const children =
      readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8').match(/\d+/g) ?? []
    const decoder = children.find((pid) =>
      readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('\0thumbnail\0'),
    )
    isSeen = decoder !== undefined
    if (isSeen) process.kill(Number(decoder), 'SIGKILL')
  }
  return made
}

test('a picture whose decoder was ended is made again after ten minutes', async () => {
  const clock = new TestClock()
  await using server = await startInsideWithAccount({ isAlone: true, clock })
  const thumbnail = async ({ id }: FileView) =>
    (await server.fetch(`/api/files/thumbnail/${id}`, { headers: server.withKey })).status
  const hosted = async ({ url }: FileView) => {
    const { status, headers } = await server.fetch(`/${url}?width=400`)
    const retry = headers.get('retry-after')
    return retry === null ? status : `${status} ${retry} ${headers.get('cache-control')}`
  }
  let height = 50
  for (const [ask, ended] of [
    [thumbnail, 404],
    [hosted, '503 600 no-store'],
  ] as const) {
    let file: FileView
    let first: number | string
    do {
      height += 1
      file = await upload(server, server.withKey, { name: `${height}.png`, content: makePng(50, height) })
      first = await withoutDecoder<number | string>(ask(file))
    } while (first === 200)
    expect([first, await ask(file)]).toEqual([ended, ended])
    clock.advance(11 * 60_000)
    expect(await ask(file)).toBe(200)
  }
})

test('a share has thumbnails of its pictures alone, which count as no download', async () => {
  const inside = await api.upload('in.png', '', 'shared-pictures')
  const picture = await api.upload('photo.png', makePng(300, 300), 'shared-pictures')
  const outside = await store('outside.png', makePng(300, 301))
  const body = { items: [{ folderId: inside.folderId }], maxDownloads: 1 }
  const { share } = await api.data<{ share: Share }>('POST', '/shares', body)
  const path = (id: string) => `/api/s/${share.slug}/thumbs/${id}?width=200`

  expect(await sizeOf(await holdfast.fetch(path(picture.id)))).toEqual([200, 200, 'webp'])
  expect((await holdfast.fetch(path(outside.id))).status).toBe(404)
  expect((await holdfast.fetch(path(inside.id))).status).toBe(404)
  const page = await (await holdfast.fetch(`/s/${share.slug}?folder=${inside.folderId}`)).text()
  expect(page).toContain(`<img src="/api/s/${share.slug}/thumbs/${picture.id}?width=200"`)
  expect(page).not.toContain(`thumbs/${inside.id}`)
  const { shares } = await api.data<{ shares: Share[] }>('GET', '/shares')
  expect(shares[0]).toMatchObject({ id: share.id, downloads: 0 })
})

test('a share has few thumbnails in the making, and members do not wait for them', async () => {
  const many = Array.from({ length: 60 }, (_, n) =>
    upload(holdfast, holdfast.withKey, {
      name: `${n}.png`,
      content: makePng(600 + n, 400),
      folder: 'many-pictures',
    }),
  )
  const files = await Promise.all(many)
  const own = await store('own.png', makePng(70, 70))
  const { share } = await api.data<{ share: Share }>('POST', '/shares', {
    items: [{ folderId: files[0]?.folderId }],
  })

  const visits = files.map(({ id }) => holdfast.fetch(`/api/s/${share.slug}/thumbs/${id}?width=200`))
  const first = await Promise.race([get(own.id).then(({ status }) => status), Promise.all(visits)])
  const statuses = (await Promise.all(visits)).map(({ status }) => status)

  expect(first).toBe(200)
  expect(new Set(statuses)).toEqual(new Set([200, 503]))
})

test('the cache removes old thumbnails, the oldest past its budget, and what a crash left', async () => {
  const cache = new ThumbnailCache(join(holdfast.dataPath, 'other'), Date.now)
  const named = (sha256: string) => ({ sha256, reader: 'picture', width: 200 })
  const made = (bytes: Uint8Array<ArrayBuffer>) => ({ bytes, wasEnded: false })
  const fileOf = (digit: string) => `${digit.repeat(64)}-picture-200.webp`
  for (const digit of ['a', 'b', 'c']) await cache.write(named(digit.repeat(64)), made(new Uint8Array(100)))
  await cache.write(named('d'.repeat(64)), made(new Uint8Array()))
  const folder = join(holdfast.dataPath, 'other', 'thumbs')
  writeFileSync(join(folder, `${fileOf('e')}.part`), 'cut')
  const age = (digit: string, days: number) => {
    const time = (Date.now() - days * 86_400_000) / 1000
    utimesSync(join(folder, fileOf(digit)), time, time)
  }
  age('a', 31)
  age('b', 5)
  age('d', 2)

  await cache.prune(1000)
  expect(readdirSync(folder).sort()).toEqual([fileOf('b'), fileOf('c')])
  await cache.prune(100)
  expect(readdirSync(folder)).toEqual([fileOf('c')])
  expect(() => cache.read(named('../../secret'))).toThrow()
})
