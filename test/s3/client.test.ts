import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { S3Client } from '../../src/s3/client.ts'
import { S3Error } from '../../src/s3/error.ts'
import { bytesPayload, filePayload } from '../../src/s3/payload.ts'
import { type Fault, S3Store, type SeenRequest } from '../support/s3-store.ts'
import { temporaryFolder } from '../support/temporary.ts'

const TEXT = 'hello world'
const bytesOf = (text: string) => new TextEncoder().encode(text)
const payloadOf = (text: string) => bytesPayload(bytesOf(text))

let store: S3Store
let client: S3Client

type Options = ConstructorParameters<typeof S3Client>[1]

/** Connects with other options. */
const connect = (options: Partial<Options>, location = store.location) =>
  new S3Client(location, {
    clock: { now: Date.now, monotonic: () => performance.now() },
    random: { bytes: (count) => new Uint8Array(count), id: () => '' },
    ...options,
  })

beforeEach(async () => {
  store = await S3Store.start()
  client = connect({ patience: { headMs: 200, workMs: 300, chunkMs: 200, pausesMs: [1, 1] } })
})

afterEach(() => store.stop())

const isGet = ({ method }: SeenRequest) => method === 'GET'
const isPut = ({ method }: SeenRequest) => method === 'PUT'
const always = () => true

async function textOf(key: string, size: number): Promise<string | undefined> {
  return client.get(key, size, async (chunks) => {
    let text = ''
    for await (const chunk of chunks) text += Buffer.from(chunk).toString()
    return text
  })
}

const readText = async (first: number, last: number) => {
  const bytes = await client.read('a', { first, last }, TEXT.length)
  return bytes && Buffer.from(bytes).toString()
}

async function failureOf(work: Promise<unknown>): Promise<S3Error> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!(error instanceof S3Error))
    throw new Error('it did not fail as a request to the store', { cause: error })
  return error
}

describe('objects', () => {
  test('are stored, read, described, copied, listed and deleted', async () => {
    expect(await client.put('a', payloadOf(TEXT))).toBe(true)
    expect(await textOf('a', TEXT.length)).toBe(TEXT)
    expect(await readText(6, 8)).toBe('wor')
    expect(await client.head('a')).toMatchObject({ size: TEXT.length })
    expect(await client.copy({ from: 'a', to: 'b', size: TEXT.length })).toBe(true)
    expect((await Array.fromAsync(client.list(''))).map(({ key, size }) => [key, size])).toEqual([
      ['a', 11],
      ['b', 11],
    ])

    await client.remove('a')
    await client.remove('a')
    await client.removeMany(['b', 'missing'])
    expect(await Array.fromAsync(client.list(''))).toEqual([])
  })

  test('that are missing are undefined, and copied to nothing', async () => {
    expect(await client.head('a')).toBeUndefined()
    expect(await textOf('a', 1)).toBeUndefined()
    expect(await readText(0, 1)).toBeUndefined()
    expect(await client.copy({ from: 'a', to: 'b', size: 1 })).toBe(false)
  })

  test('have any key', async () => {
    const key = 'a b+c%25/"é😀\'()*'
    await client.put(key, payloadOf(TEXT))
    expect([...store.objects.keys()]).toEqual([key])
    expect((await Array.fromAsync(client.list('a '))).map((object) => object.key)).toEqual([key])
  })

  test('are listed over many pages, after a key', async () => {
    store.pageSize = 3
    const keys = Array.from({ length: 10 }, (_, index) => `k${index}`)
    for (const key of keys) await client.put(key, payloadOf(''))

    expect((await Array.fromAsync(client.list('k'))).map(({ key }) => key)).toEqual(keys)
    expect((await Array.fromAsync(client.list('k', 'k4'))).map(({ key }) => key)).toEqual(keys.slice(5))
  })

  test('of files are sent with their length, and a second time when the store was busy', async () => {
    using folder = temporaryFolder()
    const path = join(folder.path, 'file')
    const bytes = new Uint8Array(3_000_000).fill(7)
    await Bun.write(path, bytes)
    const { size, sha256 } = bytesPayload(bytes)
    store.misbehave(isPut, { status: 503 })

    expect(await client.put('a', filePayload(path, { size, sha256 }))).toBe(true)

    expect(store.objects.get('a')?.bytes.equals(bytes)).toBe(true)
    expect(store.requests.map(({ headers }) => headers.get('transfer-encoding'))).toEqual([null, null])
  })

  test('are not replaced when they must be new', async () => {
    await client.put('a', payloadOf(TEXT))
    expect(await client.put('a', payloadOf('other'), { ifAbsent: true })).toBe(false)
    expect(await textOf('a', TEXT.length)).toBe(TEXT)
  })

  test('are stored although the first response was lost', async () => {
    store.misbehave(isPut, 'lose the response')
    expect(await client.put('a', payloadOf(TEXT), { ifAbsent: true })).toBe(true)
  })

  test('with another hash than the signed one are refused', async () => {
    const error = await failureOf(client.put('a', { ...payloadOf(TEXT), sha256: payloadOf('x').sha256 }))
    expect(error).toMatchObject({ kind: 'refused', status: 400 })
    expect(store.objects.size).toBe(0)
  })
})

describe('an upload in parts', () => {
  test('becomes an object of all parts', async () => {
    const uploadId = await client.uploads.start('a')
    const first = await client.uploads.put({ key: 'a', uploadId, number: 1 }, payloadOf('hello '))
    const second = await client.uploads.put({ key: 'a', uploadId, number: 2 }, payloadOf('world'))
    expect(await client.uploads.parts('a', uploadId)).toEqual([first, second])
    expect(await Array.fromAsync(client.uploads.list(''))).toMatchObject([{ key: 'a', uploadId }])

    await client.uploads.complete('a', uploadId, [first, second])

    expect(await textOf('a', TEXT.length)).toBe(TEXT)
  })

  test('is complete although the response was lost', async () => {
    const uploadId = await client.uploads.start('a')
    const part = await client.uploads.put({ key: 'a', uploadId, number: 1 }, payloadOf(TEXT))
    store.misbehave(always, 'lose the response')

    await client.uploads.complete('a', uploadId, [part])

    expect(await textOf('a', TEXT.length)).toBe(TEXT)
  })

  test('fails when the joined object is shorter than its parts', async () => {
    const uploadId = await client.uploads.start('a')
    const part = await client.uploads.put({ key: 'a', uploadId, number: 1 }, payloadOf(TEXT))
    const error = await failureOf(client.uploads.complete('a', uploadId, [{ ...part, size: 12 }]))
    expect(error).toMatchObject({ kind: 'broken' })
  })

  test('fails when the store reports an error after its 200', async () => {
    const uploadId = await client.uploads.start('a')
    const failed: Fault = { status: 200, code: 'InternalError' }
    store.misbehave(always, failed, failed, failed)
    expect(await failureOf(client.uploads.complete('a', uploadId, []))).toMatchObject({ kind: 'away' })
  })

  test('without entity tags of its parts fails', async () => {
    const uploadId = await client.uploads.start('a')
    store.misbehave(always, { status: 200, headers: { etag: '"a"\u00e9' } })
    const part = client.uploads.put({ key: 'a', uploadId, number: 1 }, payloadOf(TEXT))
    expect(await failureOf(part)).toMatchObject({ kind: 'broken' })
  })

  test('that is gone is aborted without an error, and has no parts', async () => {
    await client.uploads.abort('a', 'gone')
    expect(await client.uploads.parts('a', 'gone')).toBeUndefined()
  })

  test('copies a large object by ranges', async () => {
    await client.put('a', payloadOf(TEXT))
    expect(await client.uploads.copy({ source: 'bucket/a', key: 'b', size: TEXT.length })).toBe(true)
    expect(await textOf('b', TEXT.length)).toBe(TEXT)
    expect(await client.uploads.copy({ source: 'bucket/missing', key: 'c', size: 1 })).toBe(false)
    expect(store.uploads.size).toBe(0)
  })
})

describe('a failure in passing', () => {
  beforeEach(() => client.put('a', payloadOf(TEXT)))

  test.each<Fault>([
    'cut the body',
    'hang up',
    { status: 500 },
    { status: 503, code: 'SlowDown' },
    { status: 429 },
  ])('is tried again twice: %p', async (fault) => {
    store.misbehave(isGet, fault, fault)
    expect(await readText(0, 4)).toBe('hello')
    store.misbehave(isGet, fault, fault)
    expect(await textOf('a', TEXT.length)).toBe(TEXT)
  })

  test('ends the request at the third time', async () => {
    store.misbehave(isGet, { status: 500 }, 'cut the body', { status: 503 })
    expect(await failureOf(readText(0, 4))).toMatchObject({ kind: 'away', status: 503 })
    expect(store.requests.filter(isGet)).toHaveLength(3)
  })

  test.each<Fault>(['stall', 'stall in the body'])(
    'that takes too long ends the request at once: %p',
    async (fault) => {
      store.misbehave(isGet, fault)
      expect(await failureOf(readText(0, 4))).toMatchObject({ kind: 'away' })
      expect(store.requests.filter(isGet)).toHaveLength(1)
    },
  )

  test('of a list is tried again, a list that ends too early included', async () => {
    store.misbehave(isGet, 'cut the body', { status: 200, body: '<ListBucketResult><Contents>' })
    expect(await Array.fromAsync(client.list(''))).toHaveLength(1)
  })
})

describe('a wrong response', () => {
  beforeEach(() => client.put('a', payloadOf(TEXT)))

  test.each<Fault>([
    'send the whole object',
    'send a shorter range',
    { status: 206, headers: { 'content-range': 'bytes 0-4/99' } },
  ])('to a range is an error, and not read: %p', async (fault) => {
    store.misbehave(isGet, fault)
    expect(await failureOf(readText(0, 4))).toMatchObject({ kind: 'broken' })
  })

  test('with fewer bytes than its range is an error', async () => {
    store.fault = (request) => (isGet(request) ? 'send fewer bytes' : undefined)
    expect(await failureOf(readText(0, 4))).toMatchObject({ kind: 'away' })
  })

  test('with an object of another size is an error', async () => {
    expect(await failureOf(textOf('a', TEXT.length + 1))).toMatchObject({ kind: 'broken' })
  })

  test('past the end of an object is an error', async () => {
    expect(await failureOf(client.read('a', { first: 50, last: 60 }, 61))).toMatchObject({ kind: 'broken' })
  })

  test('that redirects is not followed', async () => {
    const location = 'http://169.254.169.254/latest/meta-data/'
    store.fault = () => ({ status: 307, headers: { location } })
    const error = await failureOf(readText(0, 4))
    expect(error.message).toContain('S3_ENDPOINT')
    expect(error.message).not.toContain('169.254')
    expect(store.requests.filter(isGet)).toHaveLength(1)
  })

  test('with a list that repeats is an error', async () => {
    const body =
      '<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>t</NextContinuationToken></ListBucketResult>'
    store.fault = () => ({ status: 200, body })
    expect(await failureOf(Array.fromAsync(client.list('')))).toMatchObject({ kind: 'broken' })
  })

  test('that leaves an object undeleted names it', async () => {
    const body =
      '<DeleteResult><Deleted><Key>b</Key></Deleted><Error><Key>a</Key><Code>AccessDenied</Code></Error></DeleteResult>'
    store.fault = () => ({ status: 200, body })
    expect(await client.removeMany(['a', 'b'])).toEqual(['a'])
  })

  test('about a missing bucket is not about a missing object', async () => {
    store.fault = () => ({ status: 404, code: 'NoSuchBucket' })
    expect(await failureOf(readText(0, 4))).toMatchObject({ s3Code: 'NoSuchBucket' })
    expect(await failureOf(textOf('a', 1))).toMatchObject({ s3Code: 'NoSuchBucket' })
    expect((await failureOf(client.remove('a'))).message).toContain('S3_BUCKET')
  })
})

describe('an error', () => {
  test.each([
    ['RequestTimeTooSkewed', 403, 'clocks'],
    ['SignatureDoesNotMatch', 403, 'S3_SECRET_ACCESS_KEY'],
    ['InvalidAccessKeyId', 403, 'S3_ACCESS_KEY_ID'],
  ])('%s names its remedy', async (code, status, remedy) => {
    store.fault = () => ({ status, code })
    expect((await failureOf(client.put('a', payloadOf(TEXT)))).message).toContain(remedy)
  })

  test('has neither secrets nor words of the store', async () => {
    const { accessKeyId, secretAccessKey, bucket, endpoint } = store.location
    const body = `<Error><Code>Access&lt;Denied</Code><Message>${accessKeyId} ${secretAccessKey}</Message></Error>`
    store.fault = () => ({ status: 403, body })
    const error = await failureOf(client.put('a', payloadOf(TEXT)))
    expect(Bun.inspect(error)).not.toContain(accessKeyId)
    expect(Bun.inspect(error)).not.toContain(secretAccessKey)
    expect(error.message).toBe(
      `The object store refused PUT of the bucket "${bucket}" at ${endpoint}: 403 AccessDenied (the access key may not do this in the bucket)`,
    )
  })

  test('of a connection names the bucket and its endpoint', async () => {
    const { bucket, endpoint } = store.location
    await store.stop()
    const error = await failureOf(client.head('a'))
    expect(error).toMatchObject({ kind: 'away' })
    expect(error.message).toContain(`HEAD of the bucket "${bucket}" at ${endpoint}`)
    store = await S3Store.start()
  })
})

test('a request whose caller has left ends, and is not tried again', async () => {
  await client.put('a', payloadOf(TEXT))
  const leaving = new AbortController()
  store.fault = () => {
    leaving.abort()
    return 'stall'
  }
  const error = await failureOf(client.read('a', { first: 0, last: 1 }, TEXT.length, leaving.signal))
  expect(error).toMatchObject({ kind: 'away' })
  expect(store.requests.filter(isGet)).toHaveLength(1)
})

test('a bucket may be the first label of the host name', async () => {
  const { endpoint } = store.location
  const location = { endpoint: endpoint.replace('127.0.0.1', 'localhost'), isVirtualHosted: true }
  const hosted = connect({}, { ...store.location, ...location })
  await hosted.put('objects/a', payloadOf(TEXT))
  expect(store.requests[0]?.headers.get('host')).toStartWith('bucket.localhost:')
})

test('a short body does not extend the deadline of its request', async () => {
  const clock = { now: Date.now, monotonic: () => 0 }
  const patient = connect({ clock, patience: { headMs: 50, chunkMs: 3_600_000 } })
  store.fault = () => 'stall'
  const open = () => new Blob([bytesOf(TEXT)]).stream()
  expect(await failureOf(patient.put('a', { ...payloadOf(TEXT), open }))).toMatchObject({ kind: 'away' })
})

test('a body that drips ends, although each byte arrives in time', async () => {
  const bytes = 'x'.repeat(200)
  await client.put('a', payloadOf(bytes))
  const patient = connect({ patience: { chunkMs: 300 } })
  store.fault = ({ method }) => (method === 'GET' ? 'drip the body' : undefined)
  expect(await failureOf(patient.read('a', { first: 0, last: 199 }, 200))).toMatchObject({ kind: 'away' })
})
