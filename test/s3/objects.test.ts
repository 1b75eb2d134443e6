import { beforeAll, describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { withHoldfast } from '../support/fixture.ts'
import { codeOf, createS3Keys, rawS3, type S3Keys, textsIn } from '../support/s3.ts'

const holdfast = withHoldfast()
let keys: S3Keys
let client: Bun.S3Client
let send: ReturnType<typeof rawS3>

beforeAll(async () => {
  keys = await createS3Keys(holdfast, holdfast.cookie)
  client = new Bun.S3Client({ ...keys, endpoint: holdfast.url, bucket: 'first', region: 'auto' })
  send = rawS3(holdfast, keys)
  expect((await send('/first', { method: 'PUT' })).status).toBe(200)
})

const put = (path: string, body: string, headers: Record<string, string> = {}) =>
  send(path, { method: 'PUT', body, headers })

describe('an object', () => {
  test('is a file, and comes back with its metadata, entity tag and length', async () => {
    const headers = {
      ...{
        'Content-Type': 'text/x-own',
        'Cache-Control': 'max-age=5',
        'Content-Encoding': 'aws-chunked,gzip',
      },
      ...{ 'x-amz-meta-mtime': '1.5', 'x-amz-tagging': '' },
    }
    expect((await put('/first/docs/a b+c.txt', 'hello', headers)).headers.get('etag')).toBe(
      '"5d41402abc4b2a76b9719d911017c592"',
    )
    const response = await send('/first/docs/a b+c.txt', { method: 'HEAD' })
    expect(Object.fromEntries(response.headers)).toMatchObject({
      ...{ 'content-type': 'text/x-own', 'cache-control': 'max-age=5', 'content-encoding': 'gzip' },
      ...{ 'x-amz-meta-mtime': '1.5', etag: '"5d41402abc4b2a76b9719d911017c592"', 'content-length': '5' },
      'content-security-policy': 'sandbox',
    })
    expect(await holdfast.api.hosted('first/docs/a b+c.txt')).toBe('hello')
    const hosted = await holdfast.fetch('/api/hosting/first/docs/a%20b%2Bc.txt')
    expect([hosted.headers.get('content-type'), hosted.headers.get('content-encoding')]).toEqual([
      'text/plain',
      null,
    ])
  })

  test('that is large has the MD5 of its bytes as its entity tag', async () => {
    const bytes = Uint8Array.from(
      { length: 9 * 1024 ** 2 + 1 },
      (_, index) => (index * 7 + (index >> 9)) & 255,
    )
    const sent = await send('/first/large.bin', { method: 'PUT', body: bytes })
    const [md5, sha256] = ['md5', 'sha256'].map((name) => createHash(name).update(bytes).digest('hex'))
    expect([sent.status, sent.headers.get('etag')]).toEqual([200, `"${md5}"`])
    const [file] = (await holdfast.api.browse({ key: 'first' })).files.filter(
      ({ name }) => name === 'large.bin',
    )
    const details = await holdfast.api.data<{ sha256: string }>('GET', `/files/details?id=${file?.id}`)
    expect(details.sha256).toBe(sha256 ?? '')
  })

  test('of more than 16 MiB has the MD5 of its bytes as its entity tag if its client sends it', async () => {
    const bytes = Buffer.alloc(16 * 1024 ** 2 + 1, 'abc')
    const tagOf = async (headers: Record<string, string> = {}) =>
      (await send('/first/larger.bin', { method: 'PUT', body: bytes, headers })).headers.get('etag')
    const opaque = `"${createHash('sha256').update(bytes).digest('hex').slice(0, 32)}-1"`
    const md5 = createHash('md5').update(bytes).digest()

    expect(await tagOf()).toBe(opaque)
    expect((await send('/first/larger.bin', { method: 'HEAD' })).headers.get('etag')).toBe(opaque)
    expect(await tagOf({ 'x-amz-sdk-checksum-algorithm': 'CRC32C' })).toBe(opaque)
    expect(await tagOf({ 'content-md5': md5.toString('base64') })).toBe(`"${md5.toString('hex')}"`)
    const wrong = { 'content-md5': createHash('md5').digest('base64') }
    const refused = await send('/first/larger.bin', { method: 'PUT', body: bytes, headers: wrong })
    expect(await codeOf(refused)).toEqual([400, 'BadDigest'])
  })

  test('that came another way has a SHA-256 with -1 as its entity tag, and none of the metadata of before', async () => {
    const file = await holdfast.api.upload('rest.txt', 'hello', 'first')
    await put('/first/rest.txt', 'by S3', { 'x-amz-meta-a': '1' })
    await holdfast.fetch(`/api/files/content?id=${file.id}`, {
      method: 'PUT',
      body: 'hello',
      headers: holdfast.withKey,
    })
    const response = await send('/first/rest.txt')
    expect(response.headers.get('etag')).toBe('"2cf24dba5fb0a30e26e83b2ac5b9e29e-1"')
    expect(response.headers.get('x-amz-meta-a')).toBeNull()
    expect(await response.text()).toBe('hello')
  })

  test('is sent in ranges and on conditions', async () => {
    const etag = (await put('/first/range.txt', '0123456789')).headers.get('etag') ?? ''
    const get = async (headers: Record<string, string>) => {
      const response = await send('/first/range.txt', { headers })
      return [response.status, await response.text()]
    }
    expect(await get({ Range: 'bytes=2-4' })).toEqual([206, '234'])
    expect(await get({ Range: 'bytes=-3' })).toEqual([206, '789'])
    expect(await codeOf(await send('/first/range.txt', { headers: { Range: 'bytes=10-' } }))).toEqual([
      416,
      'InvalidRange',
    ])
    expect(await get({ 'If-Match': etag })).toEqual([200, '0123456789'])
    expect(await get({ 'If-None-Match': etag })).toEqual([304, ''])
    expect((await get({ 'If-Match': '"other"' }))[0]).toBe(412)
  })

  test('is replaced or created only on its conditions', async () => {
    expect((await put('/first/once.txt', 'a', { 'If-None-Match': '*' })).status).toBe(200)
    expect(await codeOf(await put('/first/once.txt', 'b', { 'If-None-Match': '*' }))).toEqual([
      412,
      'PreconditionFailed',
    ])
    expect(await codeOf(await put('/first/once.txt', 'b', { 'If-Match': '"other"' }))).toEqual([
      412,
      'PreconditionFailed',
    ])
    expect(await codeOf(await put('/first/none.txt', 'b', { 'If-Match': '"x"' }))).toEqual([404, 'NoSuchKey'])
    const many = await Promise.all(
      Array.from({ length: 8 }, (_, n) => put('/first/race.txt', String(n), { 'If-None-Match': '*' })),
    )
    expect(many.map(({ status }) => status).sort()).toEqual([200, 412, 412, 412, 412, 412, 412, 412])
    const etag = many.find(({ status }) => status === 200)?.headers.get('etag') ?? ''
    const replaced = await Promise.all(
      Array.from({ length: 8 }, (_, n) => put('/first/race.txt', `new ${n}`, { 'If-Match': etag })),
    )
    expect(replaced.map(({ status }) => status).sort()).toEqual([200, 412, 412, 412, 412, 412, 412, 412])
  })

  test('of the wrong digest is stored nowhere', async () => {
    const md5 = new Bun.CryptoHasher('md5').update('other').digest('base64')
    expect(await codeOf(await put('/first/bad.txt', 'x', { 'Content-MD5': md5 }))).toEqual([400, 'BadDigest'])
    expect(await codeOf(await put('/first/bad.txt', 'x', { 'Content-MD5': 'no' }))).toEqual([
      400,
      'InvalidDigest',
    ])
    const crc = { 'x-amz-checksum-crc32c': 'AAAAAA==' }
    expect(await codeOf(await put('/first/bad.txt', 'x', crc))).toEqual([400, 'BadDigest'])
    const changed = await send('/first/bad.txt', { method: 'PUT', body: 'x', payload: '0'.repeat(64) })
    expect(await codeOf(changed)).toEqual([400, 'XAmzContentSHA256Mismatch'])
    expect(await codeOf(await send('/first/bad.txt'))).toEqual([404, 'NoSuchKey'])
  })

  test('keeps its checksum and returns it on request', async () => {
    const crc = { 'x-amz-checksum-crc32': 'NhCmhg==' }
    expect((await put('/first/sum.txt', 'hello', crc)).headers.get('x-amz-checksum-crc32')).toBe('NhCmhg==')
    const response = await send('/first/sum.txt', { headers: { 'x-amz-checksum-mode': 'ENABLED' } })
    expect(response.headers.get('x-amz-checksum-crc32')).toBe('NhCmhg==')
    expect(response.headers.get('x-amz-checksum-type')).toBe('FULL_OBJECT')
    const unchanged = await send('/first/sum.txt', {
      headers: { 'x-amz-checksum-mode': 'ENABLED', 'If-None-Match': response.headers.get('etag') ?? '' },
    })
    expect([unchanged.status, unchanged.headers.get('x-amz-checksum-crc32')]).toEqual([304, null])
  })

  test('is copied with its metadata, or changes them in place', async () => {
    await put('/first/from/a.txt', 'copy me', { 'x-amz-meta-a': '1' })
    const copy = (to: string, headers: Record<string, string> = {}) =>
      send(to, { method: 'PUT', headers: { 'x-amz-copy-source': '/first/from/a.txt', ...headers } })
    expect((await copy('/first/to/b.txt')).status).toBe(200)
    const copied = await send('/first/to/b.txt')
    expect([copied.headers.get('x-amz-meta-a'), await copied.text()]).toEqual(['1', 'copy me'])
    expect(await codeOf(await copy('/first/from/a.txt'))).toEqual([400, 'InvalidRequest'])
    const directive = { 'x-amz-metadata-directive': 'REPLACE', 'x-amz-meta-b': '2' }
    expect((await copy('/first/from/a.txt', directive)).status).toBe(200)
    const changed = await send('/first/from/a.txt', { method: 'HEAD' })
    expect([changed.headers.get('x-amz-meta-a'), changed.headers.get('x-amz-meta-b')]).toEqual([null, '2'])
    expect(await codeOf(await copy('/first/c', { 'x-amz-copy-source': '/none/a' }))).toEqual([
      404,
      'NoSuchBucket',
    ])
  })

  test('has the visibility that its ACL asks for', async () => {
    await put('/first/acl-private.txt', 'x', { 'x-amz-acl': 'private' })
    await put('/first/acl-public.txt', 'x', { 'x-amz-acl': 'public-read' })
    expect(await holdfast.api.hosted('first/acl-private.txt')).toBe(404)
    expect(await holdfast.api.hosted('first/acl-public.txt')).toBe('x')
  })

  test('that does not exist is NoSuchKey, and a bucket NoSuchBucket', async () => {
    expect(await codeOf(await send('/first/none'))).toEqual([404, 'NoSuchKey'])
    expect(await codeOf(await send('/none/none'))).toEqual([404, 'NoSuchBucket'])
    expect(await codeOf(await put('/none/none', 'x'))).toEqual([404, 'NoSuchBucket'])
    expect((await send('/first/none', { method: 'DELETE' })).status).toBe(204)
  })

  test.each(['a//b', '/a', 'a\\b', 'a/\u0001', `${'x'.repeat(256)}`])(
    'cannot have the key %j',
    async (key) => {
      expect(await codeOf(await put(`/first/${key}`, 'x'))).toEqual([400, 'InvalidArgument'])
    },
  )

  test('and a folder cannot have one name', async () => {
    await put('/first/taken/a', 'x')
    expect((await codeOf(await put('/first/taken', 'x')))[0]).toBe(409)
    expect((await codeOf(await put('/first/taken/a/b', 'x')))[0]).toBe(409)
    expect(await codeOf(await put('/first/folder/', 'x'))).toEqual([400, 'InvalidArgument'])
  })
})

describe('a deletion', () => {
  test('removes the folders that keys have made, up to those that people made', async () => {
    await holdfast.api.createFolder('first/mine')
    await put('/first/mine/deep/er/a.txt', 'x')
    await put('/first/mine/deep/b.txt', 'x')
    const folderAt = async (key: string) =>
      (await holdfast.fetch(`/api/folders?key=${encodeURIComponent(key)}`, { headers: holdfast.withKey }))
        .status
    expect((await send('/first/mine/deep/er/a.txt', { method: 'DELETE' })).status).toBe(204)
    expect([await folderAt('first/mine/deep/er'), await folderAt('first/mine/deep')]).toEqual([404, 200])
    await send('/first/mine/deep/b.txt', { method: 'DELETE' })
    expect([await folderAt('first/mine/deep'), await folderAt('first/mine')]).toEqual([404, 200])
  })

  test('leaves a folder that an invitation names', async () => {
    await put('/first/invited/a.txt', 'x')
    const folders = [{ folder: 'first/invited', rights: ['read'] }]
    await holdfast.bySession.data('POST', '/invitations', { role: 'editor', folders })
    expect((await send('/first/invited/a.txt', { method: 'DELETE' })).status).toBe(204)
    expect((await holdfast.api.browse({ key: 'first/invited' })).files).toEqual([])
  })

  test('has conditions on the tag, time and size, and none on what does not exist', async () => {
    const etag = (await put('/first/if.txt', 'abc')).headers.get('etag') ?? ''
    const time = (await send('/first/if.txt', { method: 'HEAD' })).headers.get('last-modified') ?? ''
    const remove = async (headers: Record<string, string>) =>
      (await send('/first/if.txt', { method: 'DELETE', headers })).status
    const [atTime, ofSize] = ['x-amz-if-match-last-modified-time', 'x-amz-if-match-size']
    const early = 'Thu, 01 Jan 2015 00:00:00 GMT'
    for (const [name, wrong] of [
      ['if-match', '"other"'],
      [atTime, early],
      [ofSize, '4'],
    ] as const)
      expect([name, await remove({ [name]: wrong })]).toEqual([name, 412])
    const several = (fields: string) =>
      send('/first', {
        ...{ method: 'POST', query: { delete: '' } },
        body: `<Delete><Object><Key>if.txt</Key>${fields}</Object></Delete>`,
      })
    for (const fields of [
      '<ETag>other</ETag>',
      `<LastModifiedTime>${early}</LastModifiedTime>`,
      '<Size>4</Size>',
    ])
      expect(textsIn(await (await several(fields)).text(), 'Code')).toEqual(['PreconditionFailed'])
    expect(await remove({ 'if-match': etag, [atTime]: time, [ofSize]: '3' })).toBe(204)
    expect(await remove({ 'if-match': etag })).toBe(204)
  })

  test('of several reports each, and answers a document of another kind with MalformedXML', async () => {
    await put('/first/several/a', 'x')
    const remove = (body: string) => send('/first', { method: 'POST', query: { delete: '' }, body })
    const document = `<Delete xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Object><Key>several/a</Key></Object><Object><Key>a//b</Key></Object></Delete>`
    const text = await (await remove(document)).text()
    expect([textsIn(text, 'Key'), textsIn(text, 'Code')]).toEqual([
      ['several/a', 'a//b'],
      ['InvalidArgument'],
    ])
    expect(await codeOf(await send('/first/several/a'))).toEqual([404, 'NoSuchKey'])
    for (const body of [
      '<Delete/>',
      'x',
      '<!DOCTYPE a [<!ENTITY b "c">]><Delete><Object><Key>&b;</Key></Object></Delete>',
    ])
      expect(await codeOf(await remove(body))).toEqual([400, 'MalformedXML'])
  })

  test('of several verifies the document', async () => {
    await put('/first/verified', 'x')
    const body = '<Delete><Object><Key>verified</Key></Object></Delete>'
    const other = Buffer.alloc(32).toString('base64')
    for (const [sent, code] of [
      [{ payload: '0'.repeat(64) }, 'XAmzContentSHA256Mismatch'],
      [{ headers: { 'x-amz-checksum-sha256': other } }, 'BadDigest'],
      [{ headers: { 'content-md5': Buffer.alloc(16).toString('base64') } }, 'BadDigest'],
    ] as const)
      expect(
        await codeOf(await send('/first', { method: 'POST', query: { delete: '' }, body, ...sent })),
      ).toEqual([400, code])
    expect((await send('/first/verified')).status).toBe(200)
  })

  test('documents that do not end have a bounded part of the memory', async () => {
    const stalled = () =>
      new ReadableStream({ start: (controller) => controller.enqueue(`1fffff\r\n${' '.repeat(2_000_000)}`) })
    const sent = { 'x-amz-decoded-content-length': '2097151' }
    const all = Array.from({ length: 12 }, () =>
      send('/first', {
        ...{ method: 'POST', query: { delete: '' }, headers: sent, body: stalled() },
        payload: 'STREAMING-UNSIGNED-PAYLOAD-TRAILER',
      }),
    )
    // They end with the server.
    for (const one of all) one.catch(() => {})
    expect(await codeOf(await Promise.race(all))).toEqual([503, 'ServiceUnavailable'])
  })
})

describe('a bucket', () => {
  test('is created with a name of S3, once, and deleted when it is empty', async () => {
    expect((await send('/second', { method: 'PUT' })).status).toBe(200)
    expect((await send('/second', { method: 'PUT' })).status).toBe(200)
    expect(await codeOf(await send('/Not A Bucket', { method: 'PUT' }))).toEqual([400, 'InvalidBucketName'])
    await put('/second/a', 'x')
    expect(await codeOf(await send('/second', { method: 'DELETE' }))).toEqual([409, 'BucketNotEmpty'])
    await send('/second/a', { method: 'DELETE' })
    expect((await send('/second', { method: 'HEAD' })).status).toBe(200)
    expect((await send('/second', { method: 'DELETE' })).status).toBe(204)
    expect((await send('/second', { method: 'HEAD' })).status).toBe(404)
  })

  test('may have the name of any folder, and gets one that S3 accepts', async () => {
    expect(await codeOf(await send('/Häfen', { method: 'PUT' }))).toEqual([400, 'InvalidBucketName'])
    await holdfast.api.createFolder('港')
    const { status, headers } = await send('/港', { method: 'PUT' })
    expect([status, headers.get('location')]).toEqual([200, '/%E6%B8%AF'])
  })

  test('is a top-level folder, listed in pages', async () => {
    for (const name of ['Upper Case', 'bucket-a', 'bucket-b']) await holdfast.api.createFolder(name)
    const names = textsIn(await (await send('/')).text(), 'Name')
    expect(names).toEqual([...names].sort())
    expect(names).toEqual(expect.arrayContaining(['Upper Case', 'bucket-a', 'bucket-b', 'first']))
    const page = await (await send('/', { query: { 'max-buckets': '1', prefix: 'bucket-' } })).text()
    expect([textsIn(page, 'Name'), textsIn(page, 'ContinuationToken')]).toEqual([['bucket-a'], ['bucket-a']])
    const next = { 'max-buckets': '1', prefix: 'bucket-', 'continuation-token': 'bucket-a' }
    expect(textsIn(await (await send('/', { query: next })).text(), 'Name')).toEqual(['bucket-b'])
  })

  test.each([
    ...[
      ['location', 200, undefined],
      ['versioning', 200, undefined],
      ['acl', 200, undefined],
      ['policy', 404, 'NoSuchBucketPolicy'],
    ],
    ...[
      ['lifecycle', 404, 'NoSuchLifecycleConfiguration'],
      ['cors', 404, 'NoSuchCORSConfiguration'],
      ['tagging', 404, 'NoSuchTagSet'],
    ],
    ...[
      ['website', 501, 'NotImplemented'],
      ['replication', 501, 'NotImplemented'],
    ],
    ...[
      ['object-lock', 404, 'ObjectLockConfigurationNotFoundError'],
      ['encryption', 404, 'ServerSideEncryptionConfigurationNotFoundError'],
    ],
  ] as [string, number, string | undefined][])('responds to GET ?%s with %i', async (name, status, code) => {
    expect(await codeOf(await send('/first', { query: { [name]: '' } }))).toEqual([status, code])
  })
})

describe('history and counts', () => {
  test('Bun’s client reads, writes, lists and deletes', async () => {
    await client.write('bun/a.bin', new Uint8Array(3_000_000))
    expect((await client.stat('bun/a.bin')).size).toBe(3_000_000)
    expect((await client.list({ prefix: 'bun/' })).contents?.map(({ key }) => key)).toEqual(['bun/a.bin'])
    await client.delete('bun/a.bin')
    expect(await client.exists('bun/a.bin')).toBe(false)
    const presigned = client.presign('bun/b.txt', { method: 'PUT' })
    expect((await fetch(presigned, { method: 'PUT', body: 'by URL' })).status).toBe(200)
    expect(await (await fetch(client.presign('bun/b.txt'))).text()).toBe('by URL')
  })
})
