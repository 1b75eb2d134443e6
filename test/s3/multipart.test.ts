import { beforeAll, describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { compositeChecksum, etagOfParts, Sums, wholeChecksum } from '../../src/modules/s3/sums.ts'
import { withInside } from '../support/fixture.ts'
import { BASE_URL } from '../support/holdfast.ts'
import { codeOf, createS3Keys, rawS3, type S3Keys, textsIn } from '../support/s3.ts'
import { bytesOf, documentOf, type Listed, MIB, md5, partsIn } from './parts.ts'

const holdfast = withInside()
let keys: S3Keys
let send: ReturnType<typeof rawS3>
let parts: ReturnType<typeof partsIn>

beforeAll(async () => {
  keys = await createS3Keys(holdfast, holdfast.cookie)
  send = rawS3(holdfast, keys)
  parts = partsIn(send, 'parts')
  expect((await send('/parts', { method: 'PUT' })).status).toBe(200)
})

const LARGE = [1, 2, 3].map((seed) => bytesOf(5 * MIB, seed))

const crc32Of = (bytes: Uint8Array) => {
  const sums = new Sums(['CRC32'])
  sums.update(bytes)
  return sums.end().CRC32 ?? ''
}

describe('an upload in parts', () => {
  test('becomes an object with the headers of its beginning', async () => {
    const id = await parts.begin('a/whole.bin', {
      'content-type': 'text/x-parts',
      'x-amz-meta-color': 'blue',
    })
    const [one, two] = [LARGE[0] ?? new Uint8Array(), bytesOf(10, 9)]
    const listed = await parts.sendParts('a/whole.bin', id, [
      [1, one],
      [2, two],
    ])
    const response = await parts.complete('a/whole.bin', id, listed)
    const etag = `"${etagOfParts([md5(one), md5(two)])}"`
    const text = await response.text()

    expect(textsIn(text, 'ETag')).toEqual([etag.replaceAll('"', '&quot;')])
    expect(textsIn(text, 'Location')).toEqual([`${BASE_URL}/parts/a/whole.bin`])
    const head = await send('/parts/a/whole.bin', { method: 'HEAD' })
    expect(Object.fromEntries(head.headers)).toMatchObject({
      'content-type': 'text/x-parts',
      'x-amz-meta-color': 'blue',
      etag,
    })
    expect(Buffer.compare(await parts.get('a/whole.bin'), Buffer.concat([one, two]))).toBe(0)
    const part = await send('/parts/a/whole.bin', { query: { partNumber: '2' } })
    expect(await part.bytes()).toEqual(two)
    expect(part.headers.get('x-amz-mp-parts-count')).toBe('2')
  })

  test('may have its parts in any order, with gaps, and leave some out', async () => {
    const id = await parts.begin('gaps')
    const [one = new Uint8Array(), two = new Uint8Array()] = LARGE
    await parts.sendParts('gaps', id, [
      [7, bytesOf(20, 5)],
      [3, two],
      [1, one],
      [5, bytesOf(30, 6)],
    ])
    const response = await parts.complete('gaps', id, [
      [1, md5(one)],
      [3, md5(two)],
      [7, md5(bytesOf(20, 5))],
    ])

    expect(response.status).toBe(200)
    expect(Buffer.compare(await parts.get('gaps'), Buffer.concat([one, two, bytesOf(20, 5)]))).toBe(0)
  })

  test('has the part that was sent last for its number', async () => {
    const id = await parts.begin('twice')
    const [one = new Uint8Array(), two = new Uint8Array()] = LARGE
    await parts.sendParts('twice', id, [
      [1, one],
      [2, bytesOf(9, 1)],
      [1, two],
    ])

    expect(
      await codeOf(
        await parts.complete('twice', id, [
          [1, md5(one)],
          [2, md5(bytesOf(9, 1))],
        ]),
      ),
    ).toEqual([400, 'InvalidPart'])
    expect(
      (
        await parts.complete('twice', id, [
          [1, md5(two)],
          [2, md5(bytesOf(9, 1))],
        ])
      ).status,
    ).toBe(200)
    expect(Buffer.compare(await parts.get('twice'), Buffer.concat([two, bytesOf(9, 1)]))).toBe(0)
  })

  test('has the part that is listed last for its number', async () => {
    const id = await parts.begin('listed twice')
    await parts.put('listed twice', id, 1, 'first')
    await parts.put('listed twice', id, 1, 'second')
    const listed: Listed[] = [
      [1, md5('first')],
      [1, md5('second')],
    ]

    expect((await parts.complete('listed twice', id, listed)).status).toBe(200)
    expect(Buffer.from(await parts.get('listed twice')).toString()).toBe('second')
  })

  test('is refused with a changed document', async () => {
    const id = await parts.begin('changed')
    await parts.put('changed', id, 1, 'abc')
    const response = await send('/parts/changed', {
      method: 'POST',
      query: { uploadId: id },
      body: documentOf([[1, md5('abc')]]),
      payload: createHash('sha256').update(documentOf([])).digest('hex'),
    })

    expect(await codeOf(response)).toEqual([400, 'XAmzContentSHA256Mismatch'])
  })

  test('replaces an object, and leaves it until then', async () => {
    await send('/parts/replaced', { method: 'PUT', body: 'before' })
    const id = await parts.begin('replaced')
    const listed = await parts.sendParts('replaced', id, [[1, bytesOf(12, 3)]])
    expect(Buffer.from(await parts.get('replaced')).toString()).toBe('before')

    expect((await parts.complete('replaced', id, listed)).status).toBe(200)
    expect(await parts.get('replaced')).toEqual(bytesOf(12, 3))
  })

  test('may be empty', async () => {
    const id = await parts.begin('empty')
    const listed = await parts.sendParts('empty', id, [[1, new Uint8Array()]])

    expect((await parts.complete('empty', id, listed)).status).toBe(200)
    expect(await parts.get('empty')).toEqual(new Uint8Array())
  })

  test('has the same answer when its completion is repeated, one after another or at once', async () => {
    const id = await parts.begin('repeated')
    const listed = await parts.sendParts('repeated', id, [[1, bytesOf(1000, 3)]])
    const answers = await Promise.all([1, 2, 3].map(() => parts.complete('repeated', id, listed)))
    answers.push(await parts.complete('repeated', id, listed))
    const texts = new Set(await Promise.all(answers.map((answer) => answer.text())))

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect(texts.size).toBe(1)
    expect(await codeOf(await parts.complete('repeated', id, [[1, md5('other')]]))).toEqual([
      404,
      'NoSuchUpload',
    ])
    expect(await codeOf(await parts.put('repeated', id, 2, 'late'))).toEqual([404, 'NoSuchUpload'])
  })

  test('is made by a client in many requests at once', async () => {
    const client = new Bun.S3Client({ ...keys, bucket: 'parts', endpoint: holdfast.url })
    const writer = client.file('by-bun').writer({ partSize: 5 * MIB, queueSize: 4 })
    for (const bytes of [...LARGE, ...LARGE]) writer.write(bytes)
    await writer.end()

    expect(Buffer.compare(await parts.get('by-bun'), Buffer.concat([...LARGE, ...LARGE]))).toBe(0)
  })
})

describe('an upload in parts is refused', () => {
  test.each([
    ['a number below 1', '0'],
    ['a number above 10000', '10001'],
    ['a number that is none', 'one'],
    ['a negative number', '-1'],
  ])('with %s', async (_, number) => {
    const id = await parts.begin('numbers')

    expect(await codeOf(await parts.put('numbers', id, number, 'abc'))).toEqual([400, 'InvalidArgument'])
  })

  test('with a small part before the last', async () => {
    const id = await parts.begin('small')
    const listed = await parts.sendParts('small', id, [
      [1, bytesOf(5 * MIB - 1, 1)],
      [2, bytesOf(5, 1)],
    ])

    expect(await codeOf(await parts.complete('small', id, listed))).toEqual([400, 'EntityTooSmall'])
  })

  test.each([
    ['no parts', documentOf([]), 'MalformedXML'],
    [
      'more than 10,000 parts',
      documentOf(Array.from({ length: 10_001 }, (_, index): Listed => [index + 1, md5('abc')])),
      'MalformedXML',
    ],
    ['no document', '', 'MalformedXML'],
    ['another document', '<Delete/>', 'MalformedXML'],
    [
      'an entity',
      '<!DOCTYPE a [<!ENTITY b "c">]><CompleteMultipartUpload>&b;</CompleteMultipartUpload>',
      'MalformedXML',
    ],
    [
      'a part without a number',
      '<CompleteMultipartUpload><Part><ETag>a</ETag></Part></CompleteMultipartUpload>',
      'MalformedXML',
    ],
    ['a part that was not sent', documentOf([[2, md5('abc')]]), 'InvalidPart'],
    ['another entity tag', documentOf([[1, md5('abd')]]), 'InvalidPart'],
    [
      'parts out of order',
      documentOf([
        [2, md5('abc')],
        [1, md5('abc')],
      ]),
      'InvalidPartOrder',
    ],
  ] as const)('with a list of %s', async (_, document, code) => {
    const id = await parts.begin('lists')
    await parts.put('lists', id, 1, 'abc')

    expect(await codeOf(await parts.complete('lists', id, document))).toEqual([400, code])
    expect((await parts.complete('lists', id, [[1, md5('abc')]])).status).toBe(200)
  })

  test('under an id that it does not have', async () => {
    const id = await parts.begin('ids')

    for (const [key, wrong] of [
      ['ids', crypto.randomUUID()],
      ['ids', ''],
      ['other', id],
      ['ids', `${id}'`],
    ] as const) {
      expect(await codeOf(await parts.put(key, wrong, 1, 'abc'))).toEqual([404, 'NoSuchUpload'])
      expect(await codeOf(await parts.complete(key, wrong, [[1, md5('abc')]]))).toEqual([404, 'NoSuchUpload'])
    }
  })

  test('for another account', async () => {
    const other = await holdfast.addUser('admin')
    const theirs = rawS3(holdfast, await createS3Keys(holdfast, other.cookie))
    const uploadId = await parts.begin('foreign')
    const query = { partNumber: '1', uploadId }

    expect(await codeOf(await theirs('/parts/foreign', { method: 'PUT', query, body: 'abc' }))).toEqual([
      404,
      'NoSuchUpload',
    ])
    expect(await codeOf(await theirs('/parts/foreign', { method: 'DELETE', query: { uploadId } }))).toEqual([
      404,
      'NoSuchUpload',
    ])
    expect(await (await theirs('/parts', { query: { uploads: '' } })).text()).not.toContain(uploadId)
  })

  test('for a key that may only read', async () => {
    const reading = rawS3(holdfast, await createS3Keys(holdfast, holdfast.cookie, { scopes: ['files:read'] }))
    const uploadId = await parts.begin('read-only')

    expect((await reading('/parts/read-only', { method: 'POST', query: { uploads: '' } })).status).toBe(403)
    expect(
      (await reading('/parts/read-only', { method: 'PUT', query: { partNumber: '1', uploadId }, body: 'a' }))
        .status,
    ).toBe(403)
  })

  test('with bytes that are not those that were signed or summed', async () => {
    const id = await parts.begin('wrong')

    expect(
      await codeOf(
        await parts.put('wrong', id, 1, 'abc', {
          'content-md5': Buffer.from(md5('abd'), 'hex').toString('base64'),
        }),
      ),
    ).toEqual([400, 'BadDigest'])
    expect(
      await codeOf(
        await parts.put('wrong', id, 1, 'abc', { 'x-amz-checksum-crc32': crc32Of(Buffer.from('abd')) }),
      ),
    ).toEqual([400, 'BadDigest'])
    const query = { partNumber: '1', uploadId: id }
    const payload = createHash('sha256').update('abd').digest('hex')
    expect(await codeOf(await send('/parts/wrong', { method: 'PUT', query, body: 'abc', payload }))).toEqual([
      400,
      'XAmzContentSHA256Mismatch',
    ])
    expect(
      textsIn(await (await send('/parts/wrong', { query: { uploadId: id } })).text(), 'PartNumber'),
    ).toEqual([])
  })

  test('in a bucket that does not exist', async () => {
    expect(await codeOf(await send('/none/a', { method: 'POST', query: { uploads: '' } }))).toEqual([
      404,
      'NoSuchBucket',
    ])
  })
})

describe('conditions', () => {
  test('are judged when an upload is completed', async () => {
    const id = await parts.begin('conditional')
    const listed = await parts.sendParts('conditional', id, [[1, bytesOf(100, 3)]])
    await send('/parts/conditional', { method: 'PUT', body: 'meanwhile' })

    expect(await codeOf(await parts.complete('conditional', id, listed, { 'if-none-match': '*' }))).toEqual([
      412,
      'PreconditionFailed',
    ])
    expect(
      await codeOf(await parts.complete('conditional', id, listed, { 'if-match': `"${md5('other')}"` })),
    ).toEqual([412, 'PreconditionFailed'])
    expect(
      (await parts.complete('conditional', id, listed, { 'if-match': `"${md5('meanwhile')}"` })).status,
    ).toBe(200)
    expect(await parts.get('conditional')).toEqual(bytesOf(100, 3))
  })

  test('let one of two uploads to a key win', async () => {
    const ids = await Promise.all([parts.begin('won'), parts.begin('won')])
    const lists = await Promise.all(
      ids.map((id, index) => parts.sendParts('won', id, [[1, bytesOf(50, index)]])),
    )
    const answers = await Promise.all(
      ids.map((id, index) => parts.complete('won', id, lists[index] ?? [], { 'if-none-match': '*' })),
    )

    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412])
  })
})

describe('checksums', () => {
  const sentParts = [LARGE[0] ?? new Uint8Array(), bytesOf(77, 2)]
  const sums = sentParts.map((bytes) => ({ checksum: crc32Of(bytes), size: bytes.length }))

  test.each([
    ['composite', {}, compositeChecksum('CRC32', sums), 'COMPOSITE'],
    [
      'of the whole',
      { 'x-amz-checksum-type': 'FULL_OBJECT' },
      wholeChecksum('CRC32', sums) ?? '',
      'FULL_OBJECT',
    ],
  ])('that are %s are in each answer', async (name, headers, expected, type) => {
    const key = `sums ${name}`
    const id = await parts.begin(key, { 'x-amz-checksum-algorithm': 'CRC32', ...headers })
    const sent = await parts.put(key, id, 1, sentParts[0] ?? '', {
      'x-amz-checksum-crc32': sums[0]?.checksum ?? '',
    })
    expect(sent.headers.get('x-amz-checksum-crc32')).toBe(sums[0]?.checksum ?? '')
    await parts.put(key, id, 2, sentParts[1] ?? '')
    const listed = sentParts.map(
      (bytes, index): Listed => [
        index + 1,
        md5(bytes),
        `<ChecksumCRC32>${sums[index]?.checksum}</ChecksumCRC32>`,
      ],
    )
    const wrong = await parts.complete(key, id, listed, {
      'x-amz-checksum-crc32': crc32Of(Buffer.from('other')),
    })
    expect(await codeOf(wrong)).toEqual([400, 'BadDigest'])
    const text = await (await parts.complete(key, id, listed, { 'x-amz-checksum-crc32': expected })).text()

    expect(textsIn(text, 'ChecksumCRC32')).toEqual([expected])
    expect(textsIn(text, 'ChecksumType')).toEqual([type])
    const head = await send(`/parts/${key}`, {
      method: 'HEAD',
      headers: { 'x-amz-checksum-mode': 'ENABLED' },
    })
    expect(head.headers.get('x-amz-checksum-crc32')).toBe(expected)
    expect(head.headers.get('x-amz-checksum-type')).toBe(type)
  })

  test.each([
    ['SHA256', 'FULL_OBJECT'],
    ['CRC64NVME', 'COMPOSITE'],
    ['MD4', 'COMPOSITE'],
    ['CRC32', 'HALF'],
  ])('by %s are never %s', async (algorithm, type) => {
    const headers = { 'x-amz-checksum-algorithm': algorithm, 'x-amz-checksum-type': type }

    expect(
      await codeOf(await send('/parts/never', { method: 'POST', query: { uploads: '' }, headers })),
    ).toEqual([400, 'InvalidRequest'])
  })

  test('and parts are the attributes of an object, in pages', async () => {
    const id = await parts.begin('attributes', { 'x-amz-checksum-algorithm': 'CRC32' })
    const [one = new Uint8Array(), two = new Uint8Array()] = LARGE
    const three = bytesOf(10, 4)
    const bodies = [one, two, three].map((body, index) => [index + 1, body] as const)
    const listed = await parts.sendParts('attributes', id, bodies)
    await parts.complete('attributes', id, listed)
    const attributes = (key: string, headers: Record<string, string> = {}) =>
      send(`/parts/${key}`, {
        query: { attributes: '' },
        headers: {
          'x-amz-object-attributes': 'ETag,Checksum,ObjectParts,StorageClass,ObjectSize',
          ...headers,
        },
      })

    const whole = await (await attributes('attributes')).text()
    expect(textsIn(whole, 'ETag')).toEqual([etagOfParts([one, two, three].map(md5))])
    expect(textsIn(whole, 'ObjectSize')).toEqual([String(one.length + two.length + 10)])
    expect(textsIn(whole, 'ChecksumType')).toEqual(['COMPOSITE'])
    expect(textsIn(whole, 'ChecksumCRC32').slice(1)).toEqual([one, two, three].map(crc32Of))
    expect(textsIn(whole, 'Size')).toEqual([one, two, three].map(({ length }) => String(length)))
    expect(textsIn(whole, 'PartsCount')).toEqual(['3'])
    const page = await attributes('attributes', { 'x-amz-max-parts': '1', 'x-amz-part-number-marker': '1' })
    const text = await page.text()
    expect(textsIn(text, 'PartNumber')).toEqual(['2'])
    expect([...textsIn(text, 'IsTruncated'), ...textsIn(text, 'NextPartNumberMarker')]).toEqual(['true', '2'])

    const second = { query: { partNumber: '2' }, headers: { 'x-amz-checksum-mode': 'ENABLED' } }
    const part = await send('/parts/attributes', second)
    expect(part.headers.get('x-amz-checksum-crc32')).toBe(crc32Of(await part.bytes()))
    await send('/parts/single', { method: 'PUT', body: 'x' })
    const single = await (
      await attributes('single', { 'x-amz-object-attributes': 'ETag, ObjectParts' })
    ).text()
    expect(textsIn(single, 'ETag')).toEqual([md5('x')])
    expect(single).not.toContain('ObjectParts')
    expect(single).not.toContain('ObjectSize')
    expect(await codeOf(await attributes('none'))).toEqual([404, 'NoSuchKey'])
    expect(await codeOf(await attributes('single', { 'x-amz-object-attributes': 'Size' }))).toEqual([
      400,
      'InvalidArgument',
    ])
  })

  test('of listed parts that are wrong are refused', async () => {
    const id = await parts.begin('sums wrong', { 'x-amz-checksum-algorithm': 'CRC32' })
    await parts.put('sums wrong', id, 1, 'abc')

    expect(
      await codeOf(
        await parts.complete('sums wrong', id, [[1, md5('abc'), '<ChecksumCRC32>AAAAAA==</ChecksumCRC32>']]),
      ),
    ).toEqual([400, 'InvalidPart'])
  })
})

describe('a part that is copied', () => {
  test('has the bytes of an object, or of a range', async () => {
    await send('/parts/source', { method: 'PUT', body: '0123456789' })
    const id = await parts.begin('copied')
    const query = { partNumber: '1', uploadId: id }
    const source = { 'x-amz-copy-source': '/parts/source' }
    const whole = await send('/parts/copied', { method: 'PUT', query, headers: source })
    expect(textsIn(await whole.text(), 'ETag')).toEqual([`&quot;${md5('0123456789')}&quot;`])
    const range = { ...source, 'x-amz-copy-source-range': 'bytes=2-5' }
    expect((await send('/parts/copied', { method: 'PUT', query, headers: range })).status).toBe(200)

    expect((await parts.complete('copied', id, [[1, md5('2345')]])).status).toBe(200)
    expect(Buffer.from(await parts.get('copied')).toString()).toBe('2345')
  })

  test.each([
    ['bytes=2-10', 416, 'InvalidRange'],
    ['bytes=5-2', 400, 'InvalidArgument'],
    ['bytes=2-', 400, 'InvalidArgument'],
    ['2-5', 400, 'InvalidArgument'],
  ])('is refused for the range %s', async (range, status, code) => {
    await send('/parts/source', { method: 'PUT', body: '0123456789' })
    const query = { partNumber: '1', uploadId: await parts.begin('copied') }
    const headers = { 'x-amz-copy-source': '/parts/source', 'x-amz-copy-source-range': range }

    expect(await codeOf(await send('/parts/copied', { method: 'PUT', query, headers }))).toEqual([
      status,
      code,
    ])
  })
})

describe('lists', () => {
  test('of parts have pages', async () => {
    const id = await parts.begin('listed')
    await parts.sendParts(
      'listed',
      id,
      [1, 2, 4].map((number) => [number, bytesOf(number, number)] as const),
    )
    const list = async (query: Record<string, string>) =>
      (await send('/parts/listed', { query: { uploadId: id, ...query } })).text()
    const first = await list({ 'max-parts': '2' })
    const second = await list({ 'max-parts': '2', 'part-number-marker': '2' })

    expect([
      textsIn(first, 'PartNumber'),
      textsIn(first, 'IsTruncated'),
      textsIn(first, 'NextPartNumberMarker'),
    ]).toEqual([['1', '2'], ['true'], ['2']])
    expect([textsIn(second, 'PartNumber'), textsIn(second, 'IsTruncated'), textsIn(second, 'Size')]).toEqual([
      ['4'],
      ['false'],
      ['4'],
    ])
  })

  test('of uploads have prefixes and pages', async () => {
    await send('/lists', { method: 'PUT' })
    const start = async (key: string) => {
      const response = await send(`/lists/${key}`, { method: 'POST', query: { uploads: '' } })
      return textsIn(await response.text(), 'UploadId')[0] ?? ''
    }
    const ids = [await start('b'), await start('a'), await start('a'), await start('dir/c')]
    const list = async (query: Record<string, string> = {}) =>
      (await send('/lists', { query: { uploads: '', ...query } })).text()
    const all = await list()
    expect(textsIn(all, 'Key')).toEqual(['a', 'a', 'b', 'dir/c'])
    expect(textsIn(all, 'UploadId')).toEqual([ids[1], ids[2], ids[0], ids[3]].map((id) => id ?? ''))
    const grouped = await list({ delimiter: '/' })
    expect([textsIn(grouped, 'Key'), textsIn(grouped, 'Prefix')]).toEqual([['a', 'a', 'b'], ['dir/']])
    const page = await list({ 'max-uploads': '1' })
    const [keyMarker = '', idMarker = ''] = ['NextKeyMarker', 'NextUploadIdMarker'].map(
      (name) => textsIn(page, name)[0],
    )
    const next = await list({ 'max-uploads': '2', 'key-marker': keyMarker, 'upload-id-marker': idMarker })
    expect(textsIn(next, 'UploadId')).toEqual([ids[2], ids[0]].map((id) => id ?? ''))
  })
})

describe('an upload that is given up', () => {
  test('leaves nothing', async () => {
    const id = await parts.begin('aborted')
    await parts.sendParts('aborted', id, [[1, bytesOf(100, 1)]])
    expect((await send('/parts/aborted', { method: 'DELETE', query: { uploadId: id } })).status).toBe(204)

    expect(await codeOf(await parts.put('aborted', id, 2, 'abc'))).toEqual([404, 'NoSuchUpload'])
    expect(await codeOf(await send('/parts/aborted', { method: 'DELETE', query: { uploadId: id } }))).toEqual(
      [404, 'NoSuchUpload'],
    )
    expect((await send('/parts/aborted', { method: 'HEAD' })).status).toBe(404)
  })
})
