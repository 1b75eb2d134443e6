import { heapStats } from 'bun:jsc'
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { createHash, randomBytes } from 'node:crypto'
import { type Dirent, readdirSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, truncate, unlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { type ArrivingBlob, createBlobId, type StagedBlob } from '../../src/blobs/blob.ts'
import { Blobs, blobTime, type OpenedBlob } from '../../src/blobs/blobs.ts'
import { BlobCache } from '../../src/blobs/cache.ts'
import { PartWriter } from '../../src/blobs/parts.ts'
import { Refusal } from '../../src/platform/errors.ts'
import { S3Client } from '../../src/s3/client.ts'
import { bytesPayload } from '../../src/s3/payload.ts'
import { eventually, rounds } from '../support/eventually.ts'
import { S3Store, type SeenRequest } from '../support/s3-store.ts'

const MiB = 1024 ** 2
const LIMITS = { maxBytes: Number.MAX_SAFE_INTEGER, claim: () => {} }

let store: S3Store
let folder: string
let client: S3Client
let cache: BlobCache
let blobs: Blobs
let errors: unknown[] = []

const clock = { now: Date.now, monotonic: () => performance.now() }
const random = { bytes: (count: number) => randomBytes(count), id: () => '' }

const noLack = () => 0

async function openBlobs(maxBytes = 100 * MiB, lacking: (bytes: number) => number = noLack): Promise<Blobs> {
  // A copy may still fail when its test has ended and its folder is gone.
  const own = errors
  const onError = (error: unknown) => own.push(error)
  cache = await BlobCache.open(join(folder, 'cache'), { maxBytes, lacking, onError })
  return new Blobs(client, { prefix: 'p/', tmp: join(folder, 'tmp'), cache, clock, random })
}

beforeEach(async () => {
  errors = []
  store = await S3Store.start()
  folder = await mkdtemp(join(tmpdir(), 'holdfast-blobs-'))
  await mkdir(join(folder, 'tmp'))
  client = new S3Client(store.location, { clock, random, patience: { pausesMs: [1, 1] } })
  blobs = await openBlobs()
})

afterEach(async () => {
  blobs.close()
  await store.stop()
  // The cache may remove a copy at the same moment.
  await rm(folder, { recursive: true, force: true })
  expect(errors).toEqual([])
})

/** Removes all local copies. */
async function loseCache(): Promise<void> {
  await rm(join(folder, 'cache'), { recursive: true })
  blobs = await openBlobs()
}

const isPut = ({ method }: SeenRequest) => method === 'PUT'
const isGet = ({ method }: SeenRequest) => method === 'GET'
const isWholeGet = ({ method, headers }: SeenRequest) => method === 'GET' && !headers.has('range')

async function* chunksOf(bytes: Uint8Array, length = 200_000): AsyncGenerator<Uint8Array> {
  for (let position = 0; position < bytes.length; position += length)
    yield bytes.slice(position, position + length)
}

async function stored(bytes: Uint8Array, arrivals: ArrivingBlob[] = []): Promise<StagedBlob> {
  const staging = await blobs.stage('upload', async (arrival) => void arrivals.push(arrival))
  try {
    const blob = await staging.receive(chunksOf(bytes), LIMITS)
    await staging.sync()
    return blob
  } finally {
    await staging.discard()
    await eventually(async () => (await unfinished()).length === 0)
  }
}

async function contentOf(opened: OpenedBlob | undefined): Promise<Buffer> {
  if (!opened) throw new Error('the bytes are missing')
  return Buffer.concat(await Array.fromAsync(opened.chunks()))
}

const bodyOf = async (opened: OpenedBlob | undefined): Promise<Buffer> => {
  if (!opened) throw new Error('the bytes are missing')
  const body = opened.body(0, opened.size - 1)
  const copies: Buffer[] = []
  // A chunk is valid until the next is pulled.
  for await (const chunk of body instanceof ReadableStream ? body : [body]) copies.push(Buffer.from(chunk))
  return Buffer.concat(copies)
}

async function refusalOf(work: Promise<unknown>): Promise<Refusal> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!(error instanceof Refusal)) throw new Error('it was not refused', { cause: error })
  return error
}

const filesIn = (name: string) => readdir(join(folder, name), { recursive: true, withFileTypes: true })
const unfinished = () => readdir(join(folder, 'cache', 'unfinished')).catch(() => [])
const cachedFiles = async () =>
  (await filesIn('cache')).filter((entry) => entry.isFile()).map(({ name }) => name)

describe('an upload', () => {
  test.each([0, 1, 16 * MiB - 1, 16 * MiB])('of %i bytes is one object', async (size) => {
    const bytes = randomBytes(size)
    const arrivals: ArrivingBlob[] = []

    const blob = await stored(bytes, arrivals)

    expect(blob).toMatchObject({
      size,
      crc32: crc32(bytes),
      sha256: createHash('sha256').update(bytes).digest('hex'),
    })
    expect(arrivals).toEqual([{ id: blob.id }])
    expect([...store.objects.keys()]).toEqual([`p/blobs/${blob.id}`])
    expect(store.objects.get(`p/blobs/${blob.id}`)?.bytes.equals(bytes)).toBe(true)
    expect(store.requests.filter(isPut)).toHaveLength(1)
    expect(await filesIn('tmp')).toEqual([])
  })

  test('of a small blob waits in memory, and is cached as soon as it is stored', async () => {
    const local: Dirent[] = []
    store.fault = () => {
      local.push(...readdirSync(join(folder, 'tmp'), { recursive: true, withFileTypes: true }))
      return undefined
    }
    const staging = await blobs.stage('upload', async () => {})
    const blob = await staging.receive(chunksOf(randomBytes(64 * 1024)), LIMITS)
    await staging.sync()

    expect(blobs.openCached(blob)?.size).toBe(64 * 1024)
    expect(local.filter((entry) => entry.isFile())).toEqual([])
    await staging.discard()
  })

  test.each([16 * MiB + 1, 100 * MiB])('of %i bytes is sent in parts', async (size) => {
    const bytes = randomBytes(size)
    const arrivals: ArrivingBlob[] = []

    const blob = await stored(bytes, arrivals)

    expect(arrivals).toEqual([{ id: blob.id, uploadId: 'upload-1' }])
    expect(store.objects.get(`p/blobs/${blob.id}`)?.bytes.equals(bytes)).toBe(true)
    expect(store.requests.filter(isPut)).toHaveLength(Math.ceil(size / (16 * MiB)))
    expect(blob.sha256).toBe(createHash('sha256').update(bytes).digest('hex'))
    expect(await filesIn('tmp')).toEqual([])
  })

  test('sends nothing before its arrival is recorded', async () => {
    const staging = await blobs.stage('upload', async () => {
      throw new Refusal('unavailable', 'no database')
    })
    await staging.receive(chunksOf(randomBytes(10)), LIMITS)
    expect((await refusalOf(staging.sync())).message).toBe('no database')
    expect((await refusalOf(staging.receive(chunksOf(randomBytes(40 * MiB)), LIMITS))).message).toBe(
      'no database',
    )
    await staging.discard()

    expect(store.requests.filter(isPut)).toEqual([])
  })

  test('takes many files, each a blob', async () => {
    const staging = await blobs.stage('upload', async () => {})
    const files = Array.from({ length: 100 }, () => randomBytes(1000))
    const received: StagedBlob[] = []
    for (const file of files) received.push(await staging.receive(chunksOf(file), LIMITS))
    await staging.sync()
    await staging.discard()

    expect(received.map(({ id }) => store.objects.get(`p/blobs/${id}`)?.bytes)).toEqual(files)
  })

  test('past the limit is refused, and leaves no file', async () => {
    const staging = await blobs.stage('upload', async () => {})
    const received = staging.receive(chunksOf(randomBytes(20 * MiB)), { ...LIMITS, maxBytes: 18 * MiB })
    expect(await refusalOf(received)).toMatchObject({ reason: 'too-large' })
    await staging.discard()
    expect(await filesIn('tmp')).toEqual([])
    expect(store.objects.size).toBe(0)
  })

  test('is repeated part by part when the store is busy', async () => {
    const bytes = randomBytes(40 * MiB)
    store.misbehave(isPut, { status: 503, code: 'SlowDown' }, 'hang up', { status: 500 })
    const blob = await stored(bytes)
    expect(store.objects.get(`p/blobs/${blob.id}`)?.bytes.equals(bytes)).toBe(true)
  })

  test.each([10, 40 * MiB])('of %i bytes is unavailable while the store is away', async (size) => {
    store.fault = () => ({ status: 503 })
    const refusal = await refusalOf(stored(randomBytes(size)))
    expect(refusal).toMatchObject({ reason: 'unavailable', headers: { 'Retry-After': '5' } })
    expect(await filesIn('tmp')).toEqual([])
  })

  test('is unavailable when the store shows another size after a lost response', async () => {
    let puts = 0
    store.fault = (request) => {
      if (isPut(request)) return puts++ === 0 ? 'lose the response' : undefined
      return request.method === 'HEAD' ? 'send fewer bytes' : undefined
    }
    expect(await refusalOf(stored(randomBytes(10)))).toMatchObject({ reason: 'unavailable' })
  })

  test('is out of space when the store is', async () => {
    store.fault = () => ({ status: 403, code: 'QuotaExceeded' })
    expect(await refusalOf(stored(randomBytes(10)))).toMatchObject({ reason: 'no-space' })
  })

  test('that is discarded stops a request that is under way', async () => {
    const staging = await blobs.stage('upload', async () => {})
    store.fault = () => 'stall'
    await staging.receive(chunksOf(randomBytes(10)), LIMITS)
    await eventually(() => store.requests.length > 0)
    await staging.discard()
    expect(await filesIn('tmp')).toEqual([])
  })

  test('of the same millisecond as another has another time', async () => {
    const [first, second] = [await stored(randomBytes(1)), await stored(randomBytes(1))]
    expect(blobTime(second.id)).toBeGreaterThan(blobTime(first.id))
    expect(Math.abs(blobTime(first.id) - Date.now())).toBeLessThan(60_000)
  })

  test('copies a blob in the store', async () => {
    const bytes = randomBytes(1000)
    const source = await stored(bytes)
    const arrivals: ArrivingBlob[] = []
    const staging = await blobs.stage('copy', async (arrival) => void arrivals.push(arrival))
    const copy = await staging.copy(source)
    await staging.sync()
    expect(copy).toEqual({ ...source, id: copy.id })
    expect(arrivals).toEqual([{ id: copy.id }])
    expect(store.objects.get(`p/blobs/${copy.id}`)?.bytes.equals(bytes)).toBe(true)

    await blobs.remove([source.id])
    await staging.copy(source)
    expect(await refusalOf(staging.sync())).toMatchObject({ reason: 'conflict' })
    await staging.discard()
  })
})

describe('reading', () => {
  test('a small blob that was just uploaded needs no request', async () => {
    const bytes = randomBytes(1000)
    const blob = await stored(bytes)
    const opened = blobs.openCached(blob)
    expect(opened).toMatchObject({ size: 1000, mtimeMs: blobTime(blob.id) })
    expect((await contentOf(opened)).equals(bytes)).toBe(true)
  })

  test('a blob fetches it once for all that ask meanwhile, and caches it', async () => {
    const bytes = randomBytes(3 * MiB)
    const blob = await stored(bytes)
    await loseCache()

    const opened = await Promise.all(Array.from({ length: 20 }, () => blobs.open(blob)))

    for (const each of await Promise.all(opened.map(bodyOf))) expect(each.equals(bytes)).toBe(true)
    expect(store.requests.filter(isWholeGet)).toHaveLength(1)
    expect(await cachedFiles()).toEqual([blob.id])
    expect((await contentOf(blobs.openCached(blob))).equals(bytes)).toBe(true)
    expect(await filesIn('tmp')).toEqual([])
  })

  test('without a cache fetches each time, and leaves no file', async () => {
    blobs = await openBlobs(0)
    const bytes = randomBytes(1000)
    const blob = await stored(bytes)
    for (let round = 0; round < 2; round++) {
      expect((await contentOf(await blobs.open(blob))).equals(bytes)).toBe(true)
      await eventually(() => readdirSync(join(folder, 'tmp')).length === 0)
    }
    expect(store.requests.filter(isGet)).toHaveLength(2)
    expect(await filesIn('tmp')).toEqual([])
    expect(await readdir(folder)).not.toContain('cache')
  })

  test('a short range of a blob that is not cached reads that range alone', async () => {
    const bytes = randomBytes(20 * MiB)
    const blob = await stored(bytes)
    blobs = await openBlobs()
    store.requests.length = 0

    const opened = await blobs.open(blob)
    const range = await new Response(opened?.body(5 * MiB, 6 * MiB - 1)).arrayBuffer()

    expect(Buffer.from(range).equals(bytes.subarray(5 * MiB, 6 * MiB))).toBe(true)
    expect(store.requests.map(({ headers }) => headers.get('range'))).toEqual([
      'bytes=0-0',
      `bytes=${5 * MiB}-${6 * MiB - 1}`,
    ])
  })

  test('a blob that the disk has no room for reads ranges, and writes no file', async () => {
    const blobsOfAllSizes = [randomBytes(0), randomBytes(1000), randomBytes(3 * MiB)]
    const all: [StagedBlob, Buffer][] = []
    for (const bytes of blobsOfAllSizes) all.push([await stored(bytes), bytes])
    await rm(join(folder, 'cache'), { recursive: true })
    blobs = await openBlobs(100 * MiB, () => 1)

    for (const [blob, bytes] of all) {
      const opened = await blobs.open(blob)
      expect((await (bytes.length > 0 ? bodyOf(opened) : contentOf(opened))).equals(bytes)).toBe(true)
    }

    expect(await cachedFiles()).toEqual([])
    expect(await filesIn('tmp')).toEqual([])
  })

  test('many slow readers of large blobs share a budget of memory', async () => {
    const bytes = Buffer.alloc(65 * MiB, 'content ')
    const blob = { id: createBlobId(Date.now(), random), size: bytes.length }
    store.objects.set(`p/blobs/${blob.id}`, { bytes, etag: '', modifiedAt: 0 })
    const begin = async () => {
      const body = (await blobs.open(blob))?.body(0, blob.size - 1)
      if (!(body instanceof ReadableStream)) throw new Error('it is no stream')
      const reader = body.getReader()
      await reader.read()
      return reader
    }
    const readers: Awaited<ReturnType<typeof begin>>[] = []
    for (let count = 0; count < 100; count++) readers.push(await begin())
    const lengths = store.requests.map(({ headers }) => {
      const [, first, last] = /bytes=(\d+)-(\d+)/.exec(headers.get('range') ?? '') ?? []
      return Number(last) - Number(first) + 1
    })
    // Beyond the budget of 64 MiB, a reader has a chunk of 256 KiB.
    expect(lengths.reduce((sum, length) => sum + length)).toBeLessThan((64 + 100 / 4) * MiB)

    const slow = readers.at(-1)
    for (let chunks = 1; chunks < 10; chunks++)
      expect(Buffer.from((await slow?.read())?.value ?? []).equals(bytes.subarray(0, 256 * 1024))).toBe(true)
    for (const reader of readers) await reader.cancel()
    store.requests.length = 0
    await (await blobs.open(blob))?.sha256()
    expect(store.requests).toHaveLength(66)
  })

  test('a large blob reads ranges', async () => {
    const bytes = randomBytes(70 * MiB)
    const blob = await stored(bytes)
    store.requests.length = 0

    const opened = await blobs.open(blob)
    if (!opened) throw new Error('the bytes are missing')
    expect(await opened.sha256()).toBe(blob.sha256)
    expect(await opened.crc32()).toBe(blob.crc32)
    const first = 12_345_678
    const last = first + 5 * MiB
    const range = await new Response(opened.body(first, last)).arrayBuffer()
    expect(Buffer.from(range).equals(bytes.subarray(first, last + 1))).toBe(true)
    await opened.copyTo(join(folder, 'copy'))
    expect(await Bun.file(join(folder, 'copy')).bytes()).toEqual(new Uint8Array(bytes))
    expect(await cachedFiles()).toEqual([])
  })

  test('a read of a large blob continues after a broken connection', async () => {
    const bytes = randomBytes(70 * MiB)
    const blob = await stored(bytes)
    const opened = await blobs.open(blob)
    let count = 0
    store.fault = (request) => (isGet(request) && ++count % 3 === 0 ? 'cut the body' : undefined)
    expect((await contentOf(opened)).equals(bytes)).toBe(true)
  })

  test('a large blob that a reader leaves requests no more', async () => {
    const blob = await stored(randomBytes(70 * MiB))
    const opened = await blobs.open(blob)
    store.requests.length = 0
    const body = opened?.body(0, blob.size - 1)
    if (!(body instanceof ReadableStream)) throw new Error('it is no stream')
    const reader = body.getReader()
    await reader.read()
    await reader.cancel()
    await rounds()
    // The first slice, and the next one ahead of its reader.
    expect(store.requests.length).toBeLessThanOrEqual(2)
  })

  test.each([1000, 70 * MiB])('a blob of %i bytes whose object is gone is undefined', async (size) => {
    const blob = await stored(randomBytes(size))
    store.objects.clear()
    await rm(join(folder, 'cache'), { recursive: true })
    expect(await blobs.open(blob)).toBeUndefined()
  })

  test.each([1000, 70 * MiB])('a blob of %i bytes is unavailable while the store is away', async (size) => {
    const blob = await stored(randomBytes(size))
    await loseCache()
    store.fault = () => ({ status: 503 })
    expect(await refusalOf(Promise.resolve(blobs.open(blob)))).toMatchObject({ reason: 'unavailable' })
    store.fault = () => ({ status: 404, code: 'NoSuchBucket' })
    expect(await refusalOf(Promise.resolve(blobs.open(blob)))).toMatchObject({ reason: 'unavailable' })
    expect(await filesIn('tmp')).toEqual([])
  })

  test('a blob whose object has another size is unavailable', async () => {
    const blob = await stored(randomBytes(1000))
    await loseCache()
    await client.put(`p/blobs/${blob.id}`, bytesPayload(new Uint8Array()))
    expect(await refusalOf(Promise.resolve(blobs.open(blob)))).toMatchObject({ reason: 'unavailable' })
  })
})

describe('the cache', () => {
  const cached = (size = MiB): Promise<StagedBlob> => stored(randomBytes(size))

  test('evicts the least recently used blobs', async () => {
    blobs = await openBlobs(3 * MiB)
    const [first, second, third] = [await cached(), await cached(), await cached()]
    blobs.openCached(first)?.close()
    const fourth = await cached()

    expect((await cachedFiles()).sort()).toEqual([first.id, third.id, fourth.id].sort())
    expect(blobs.openCached(second)).toBeUndefined()
  })

  test('survives a restart, within its size', async () => {
    const [first, second] = [await cached(), await cached()]
    blobs = await openBlobs()
    expect(blobs.openCached(first)?.size).toBe(MiB)
    expect(blobs.openCached(second)?.size).toBe(MiB)
    blobs = await openBlobs(MiB)
    expect(await cachedFiles()).toHaveLength(1)
  })

  test('does without files that vanished or were cut', async () => {
    const [first, second] = [await cached(), await cached()]
    const pathOf = ({ id }: StagedBlob) => join(folder, 'cache', id.slice(-1), id)
    await unlink(pathOf(first))
    await truncate(pathOf(second), 10)

    for (const blob of [first, second]) {
      expect(blobs.openCached(blob)).toBeUndefined()
      expect((await blobs.open(blob))?.size).toBe(MiB)
    }
    expect(store.requests.filter(isGet)).toHaveLength(2)
  })

  test('loses files that a smaller size has no place for', async () => {
    await cached(2 * MiB)
    blobs = await openBlobs(MiB)
    expect(await cachedFiles()).toEqual([])
  })

  test('works again after its folder was deleted', async () => {
    await rm(join(folder, 'cache'), { recursive: true })
    const blob = await cached()
    await rm(join(folder, 'cache'), { recursive: true })
    for (let round = 0; round < 2; round++) (await blobs.open(blob))?.close()
    await eventually(async () => (await cachedFiles().catch(() => [])).length > 0)
    expect(blobs.openCached(blob)?.size).toBe(MiB)
  })

  test('leaves no file where it cannot keep one', async () => {
    const cacheFolder = join(folder, 'cache')
    for (const name of await readdir(cacheFolder)) {
      if (name === 'unfinished') continue
      await rm(join(cacheFolder, name), { recursive: true })
      await writeFile(join(cacheFolder, name), '')
    }
    const blob = await cached()
    await eventually(() => errors.length > 0)

    expect(errors.splice(0)).toMatchObject([{ code: 'ENOTDIR' }])
    expect(await readdir(join(cacheFolder, 'unfinished'))).toEqual([])
    expect((await blobs.open(blob))?.size).toBe(MiB)
    await eventually(() => errors.length > 0)
    errors.length = 0
  })

  test('reports a copy that the disk does not remove', async () => {
    const blob = await cached()
    await eventually(async () => (await cachedFiles()).includes(blob.id))
    const shelf = join(folder, 'cache', blob.id.slice(-1))
    await rm(shelf, { recursive: true })
    await writeFile(shelf, '')

    await blobs.remove([blob.id])
    expect(errors.splice(0).map(String)).toEqual([expect.stringContaining(blob.id)])
    expect(store.objects.size).toBe(0)
  })

  test('gives way when the disk becomes short', async () => {
    let lack = 0
    blobs = await openBlobs(100 * MiB, () => lack)
    const [first, second] = [await cached(), await cached()]
    lack = 1
    blobs.makeRoom(0)
    expect((await cachedFiles()).sort()).toEqual([second.id])
    lack = 100 * MiB
    blobs.makeRoom(0)
    expect(await cachedFiles()).toEqual([])
    expect(blobs.openCached(first)).toBeUndefined()
  })

  test('loses a removed blob', async () => {
    const blob = await cached()
    await blobs.remove([blob.id])
    expect(await cachedFiles()).toEqual([])
    expect(store.objects.size).toBe(0)
    expect(await blobs.open(blob)).toBeUndefined()
  })
})

test('a small blob that arrives byte by byte takes no more memory than its length', async () => {
  const arrays = () => heapStats().objectTypeCounts['Uint8Array'] ?? 0
  const bytes = randomBytes(60_000)
  const writer = new PartWriter(() => join(folder, 'tmp', 'part'))
  Bun.gc(true)
  const before = arrays()
  for (let at = 0; at < bytes.length; at += 1) await writer.append(bytes.subarray(at, at + 1))
  Bun.gc(true)

  expect(arrays() - before).toBeLessThan(1000)
  expect(await writer.end()).toEqual({ bytes: new Uint8Array(bytes), size: bytes.length })
})

test('blobs are listed by id, without other objects', async () => {
  const ids: string[] = []
  for (const size of [1, 2, 3]) ids.push((await stored(randomBytes(size))).id)
  await client.put('p/blobs/other', bytesPayload(new Uint8Array()))
  expect((await Array.fromAsync(blobs.reader.list())).map(({ id, size }) => [id, size])).toEqual(
    ids.map((id, index): [string, number] => [id, index + 1]),
  )
  expect((await Array.fromAsync(blobs.reader.list(ids[0]))).map(({ id }) => id)).toEqual(ids.slice(1))
})

test('an upload in parts is aborted, also when it is gone', async () => {
  const uploadId = await client.uploads.start('p/blobs/x')
  await blobs.abort({ id: 'x', uploadId })
  await blobs.abort({ id: 'x', uploadId })
  expect(store.uploads.size).toBe(0)
})
