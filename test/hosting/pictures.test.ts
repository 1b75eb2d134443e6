import { describe, expect, test } from 'bun:test'
import { makePng } from '../browser/png.ts'
import { eventually } from '../support/eventually.ts'
import { withInside } from '../support/fixture.ts'
import { type FileView, refusalOf } from '../support/holdfast.ts'
import { storedIn } from '../support/stored.ts'

// Each server has a queue of its own.
const holdfast = withInside({ isAlone: true })
const { api } = holdfast

type Headers = Record<string, string>
const get = ({ url }: Pick<FileView, 'url'>, query: string, headers: Headers = {}, method = 'GET') =>
  holdfast.fetch(`/${url}${query}`, { method, headers })
const sizeOf = async (response: Response) => {
  const { width, height, format } = await new Bun.Image(await response.bytes()).metadata()
  return [width, height, format]
}
const headersOf = ({ status, headers }: Response): Record<string, unknown> => {
  const { date: _, ...fields } = Object.fromEntries(headers)
  return { status, ...fields }
}

/** Adds an EXIF segment to a JPEG: turned by 90 degrees, by a camera called `Secret`. */
function withExif(jpeg: Uint8Array): Uint8Array<ArrayBuffer> {
  const entry = (tag: number, type: number, count: number, value: number) => {
    const bytes = Buffer.alloc(12)
    bytes.writeUInt16BE(tag, 0)
    bytes.writeUInt16BE(type, 2)
    bytes.writeUInt32BE(count, 4)
    if (type === 3) bytes.writeUInt16BE(value, 8)
    else bytes.writeUInt32BE(value, 8)
    return bytes
  }
  const tiff = Buffer.concat([
    Buffer.from('MM\0\x2a\0\0\0\x08\0\x02', 'latin1'),
    entry(0x010f, 2, 7, 38),
    entry(0x0112, 3, 1, 6),
    Buffer.from('\0\0\0\0Secret\0', 'latin1'),
  ])
  const segment = Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), tiff])
  const head = Buffer.from([0xff, 0xe1, 0, 0])
  head.writeUInt16BE(segment.length + 2, 2)
  return new Uint8Array(Buffer.concat([jpeg.subarray(0, 2), head, segment, jpeg.subarray(2)]))
}

/** Makes a GIF of two frames of one pixel. */
function makeGif(): Uint8Array<ArrayBuffer> {
  const frame = [0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0]
  const screen = [1, 0, 1, 0, 0x80, 0, 0, 0, 0, 0, 255, 255, 255]
  return new Uint8Array([...Buffer.from('GIF89a'), ...screen, ...frame, ...frame, 0x3b])
}

/** Makes a bitmap of 24 bits, 3 by 2 pixels. */
function makeBmp(): Uint8Array<ArrayBuffer> {
  const bytes = Buffer.alloc(54 + 24)
  bytes.write('BM')
  bytes.writeUInt32LE(bytes.length, 2)
  bytes.writeUInt32LE(54, 10)
  bytes.writeUInt32LE(40, 14)
  bytes.writeInt32LE(3, 18)
  bytes.writeInt32LE(2, 22)
  bytes.writeUInt16LE(1, 26)
  bytes.writeUInt16LE(24, 28)
  return new Uint8Array(bytes)
}

describe('a hosted picture with a width', () => {
  test('is WebP of at most that width and height, and is never enlarged', async () => {
    const wide = await api.upload('wide.png', makePng(2000, 500))
    for (const [width, expected] of [
      [200, [200, 50, 'webp']],
      [400, [400, 100, 'webp']],
      [800, [800, 200, 'webp']],
      [1600, [1600, 400, 'webp']],
    ] as const)
      expect(await sizeOf(await get(wide, `?width=${width}`))).toEqual([...expected])
    const tall = await api.upload('tall.png', makePng(100, 2000))
    expect(await sizeOf(await get(tall, '?width=400'))).toEqual([20, 400, 'webp'])
    const small = await api.upload('small.png', makePng(30, 20))
    expect(await sizeOf(await get(small, '?width=1600'))).toEqual([30, 20, 'webp'])
  })

  test('is turned as its camera was held, and tells nothing else about it', async () => {
    const jpeg = await new Bun.Image(makePng(300, 100)).jpeg().bytes()
    const file = await api.upload('turned.jpg', withExif(jpeg))
    const response = await get(file, '?width=200')
    const bytes = await response.clone().bytes()
    expect(await sizeOf(response)).toEqual([67, 200, 'webp'])
    expect(Buffer.from(bytes).includes('Secret')).toBe(false)
    expect(Buffer.from(await (await get(file, '')).bytes()).includes('Secret')).toBe(true)
  })

  test('may be a JPEG, PNG, WebP, GIF or BMP', async () => {
    const image = new Bun.Image(makePng(9, 9))
    for (const [name, bytes] of [
      ['a.jpeg', await image.jpeg().bytes()],
      ['a.webp', await image.webp().bytes()],
      ['a.gif', makeGif()],
      ['a.bmp', makeBmp()],
    ] as const) {
      const response = await get(await api.upload(name, new Uint8Array(bytes)), '?width=200')
      expect([name, response.status, response.headers.get('content-type')]).toEqual([name, 200, 'image/webp'])
      expect(response.headers.get('content-disposition')).toBe(
        `inline; filename="a.webp"; filename*=UTF-8''a.webp`,
      )
    }
  })

  test('is the file itself when that is no picture or damaged, as without a width', async () => {
    for (const [name, content] of [
      ['text.txt', 'text'],
      ['drawing.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>'],
      ['film.mp4', 'no film'],
      ['empty.png', ''],
      ['damaged.jpg', 'no picture'],
    ] as const) {
      const file = await api.upload(name, content)
      for (const query of [
        '?width=400',
        ...(name.endsWith('.jpg') ? [] : ['?width=7', '?width=400&width=400']),
      ]) {
        const [plain, scaled] = [await get(file, ''), await get(file, query)]
        expect([name, headersOf(scaled)]).toEqual([name, headersOf(plain)])
        expect(await scaled.text()).toBe(content)
      }
    }
  })

  test('needs one of four widths, once', async () => {
    const file = await api.upload('strict.png', makePng(9, 9))
    for (const query of [
      '0',
      '100',
      '0400',
      '+400',
      '-400',
      '400.0',
      '4e2',
      '400px',
      '401',
      '',
      '\u0664\u0660\u0660',
    ]) {
      const response = await get(file, `?width=${encodeURIComponent(query)}`)
      expect([query, response.status, response.headers.get('cache-control')]).toEqual([
        query,
        400,
        'no-store',
      ])
    }
    const twice = await get(file, '?width=400&width=400')
    expect(await refusalOf(twice)).toEqual([400, '"width" must be 200, 400, 800 or 1600, once'])
  })

  test('is the same 404 as a missing one while it is private, whatever the width', async () => {
    const hidden = await api.upload('hidden.png', makePng(9, 9), '', 'private')
    const missing = { url: 'api/hosting/missing.png' }
    for (const query of ['?width=400', '?width=7']) {
      const [secret, none] = [await get(hidden, query), await get(missing, query)]
      expect(headersOf(secret)).toEqual(headersOf(none))
      expect([secret.status, await secret.text()]).toEqual([404, await none.text()])
    }
  })

  test('has the headers of the private file for its link and its members', async () => {
    const hidden = await api.upload('own.png', makePng(900, 90), '', 'private')
    const link = await api.data<{ url: string }>('POST', '/files/sign', { id: hidden.id })
    const byLink = await get(link, '&width=200')
    const byKey = await get(hidden, '?width=200', holdfast.withKey)
    for (const response of [byLink, byKey]) {
      expect(response.headers.get('cache-control')).toBe('private, no-store')
      expect([response.headers.get('etag'), response.headers.get('last-modified')]).toEqual([null, null])
      expect(await sizeOf(response)).toEqual([200, 20, 'webp'])
    }
    expect((await get(link, '&width=7')).status).toBe(400)
    const part = await get(hidden, '?width=200', { ...holdfast.withKey, Range: 'bytes=0-3' })
    expect([part.status, await part.text()]).toEqual([206, 'RIFF'])
  })
})

describe('the validators of a small picture', () => {
  test('are those of the file, with its width and the encoder in the entity tag', async () => {
    const file = await api.upload('tagged.png', makePng(900, 300))
    const [plain, small] = [headersOf(await get(file, '')), headersOf(await get(file, '?width=400'))]
    const original = String(plain['etag'])
    const modified = String(plain['last-modified'])
    const etag = `${original.slice(0, -1)}-w400-${Bun.version}"`
    const { length } = await (await get(file, '?width=400')).bytes()
    expect(small).toEqual({
      ...plain,
      etag,
      'content-type': 'image/webp',
      'content-length': String(length),
      'content-disposition': `inline; filename="tagged.webp"; filename*=UTF-8''tagged.webp`,
    })
    expect(small['vary']).toBeUndefined()
    expect((await get(file, '?width=200')).headers.get('etag')).not.toBe(etag)

    const again = await get(file, '?width=400', { 'If-None-Match': etag })
    expect([again.status, await again.text()]).toEqual([304, ''])
    expect((await get(file, '?width=400', { 'If-None-Match': original })).status).toBe(200)
    expect((await get(file, '?width=400', { 'If-Match': original })).status).toBe(412)
    expect((await get(file, '?width=400', { 'If-Modified-Since': modified })).status).toBe(304)
  })

  test('and its ranges are about the small picture', async () => {
    const file = await api.upload('ranged.png', makePng(900, 300))
    const whole = await get(file, '?width=400')
    const bytes = await whole.bytes()
    const etag = whole.headers.get('etag') ?? ''
    const head = await get(file, '?width=400', {}, 'HEAD')
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(bytes.length)])
    expect(await head.text()).toBe('')

    const part = await get(file, '?width=400', { Range: 'bytes=4-9', 'If-Range': etag })
    expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes 4-9/${bytes.length}`])
    expect(await part.bytes()).toEqual(bytes.slice(4, 10))
    const other = await get(file, '?width=400', { Range: 'bytes=4-9', 'If-Range': '"other"' })
    expect([other.status, (await other.bytes()).length]).toEqual([200, bytes.length])
    const past = await get(file, '?width=400', { Range: `bytes=${bytes.length}-` })
    expect([past.status, past.headers.get('content-range')]).toEqual([416, `bytes */${bytes.length}`])
  })

  test('change with the file', async () => {
    const file = await api.upload('replaced.png', makePng(900, 300))
    const before = await get(file, '?width=400')
    expect(await sizeOf(before)).toEqual([400, 133, 'webp'])
    const body = new Uint8Array(makePng(300, 900))
    await holdfast.fetch(`/api/files/content?id=${file.id}`, {
      method: 'PUT',
      headers: holdfast.withKey,
      body,
    })
    const after = await get(file, '?width=400', { 'If-None-Match': before.headers.get('etag') ?? '' })
    expect(await sizeOf(after)).toEqual([133, 400, 'webp'])
    await api.data('DELETE', '/files', { id: file.id })
    expect((await get(file, '?width=400')).status).toBe(404)
  })
})

test('other bytes at the key of a picture make no small picture for its checksum', async () => {
  const picture = makePng(901, 301)
  const [file, copy] = [await api.upload('planted.png', picture), await api.upload('copy.png', picture)]
  const other = new Uint8Array(picture.length)
  other.set(makePng(5, 5))
  await storedIn(holdfast).damage(file, other)
  expect(await sizeOf(await get(file, '?width=200'))).toEqual([5, 5, 'png'])
  expect(await sizeOf(await get(copy, '?width=200'))).toEqual([200, 67, 'webp'])
})

test('requests for one small picture share a decoder, and those for many are refused when too many wait', async () => {
  const same = await api.upload('same.png', makePng(1000, 999))
  const responses = await Promise.all(Array.from({ length: 60 }, () => get(same, '?width=800')))
  expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]))

  const files = await Promise.all(
    Array.from({ length: 60 }, (_, n) => api.upload(`many${n}.png`, makePng(1200 + n, 900))),
  )
  const many = await Promise.all(files.map((file) => get(file, '?width=800')))
  expect(new Set(many.map(({ status }) => status))).toEqual(new Set([200, 503]))
  const refused = many.find(({ status }) => status === 503)
  expect([refused?.headers.get('retry-after'), refused?.headers.get('cache-control')]).toEqual([
    '1',
    'no-store',
  ])
})

test('a small picture counts as traffic, with the bytes that were sent', async () => {
  const file = await api.upload('counted.png', makePng(900, 301))
  const { traffic } = holdfast.server.modules.hosting
  const before = traffic.sinceStart()
  const { length } = await (await get(file, '?width=200')).bytes()
  await get(file, '?width=7')
  const delta = () => traffic.sinceStart().bytes - before.bytes
  await eventually(() => delta() > 0)
  expect([delta(), traffic.sinceStart().requests - before.requests]).toEqual([length, 1])
})
