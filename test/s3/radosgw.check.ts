import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Blobs, type StagedBlob } from '../../src/blobs/blobs.ts'
import { BlobCache } from '../../src/blobs/cache.ts'
import { S3Client } from '../../src/s3/client.ts'
import { bytesPayload } from '../../src/s3/payload.ts'
import { probe } from '../../src/s3/probe.ts'
import { passOn } from '../../src/volume/writer.ts'

/** Runs against the store in `S3_*`, such as the one of `bun run rig scale:up`, below a new prefix. */
const prefix = `check-${randomBytes(4).toString('hex')}/`
const MiB = 1024 ** 2
const clock = { now: Date.now, monotonic: () => performance.now() }
const random = { bytes: (count: number) => randomBytes(count), id: () => '' }

function variable(name: string): string {
  const value = process.env[name]
  if (!value) throw new Error(`${name} is not set: run \`bun run rig scale:up\` and set what it prints`)
  return value
}

const location = {
  endpoint: variable('S3_ENDPOINT'),
  bucket: variable('S3_BUCKET'),
  region: variable('S3_REGION'),
  accessKeyId: variable('S3_ACCESS_KEY_ID'),
  secretAccessKey: variable('S3_SECRET_ACCESS_KEY'),
  isVirtualHosted: false,
}
const client = new S3Client(location, { clock, random })

let folder: string
let blobs: Blobs

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-radosgw-'))
  await mkdir(join(folder, 'tmp'))
  const onError = (error: unknown) => console.error(error)
  const cache = await BlobCache.open(join(folder, 'cache'), { maxBytes: 1024 * MiB, onError })
  blobs = new Blobs(client, { prefix, tmp: join(folder, 'tmp'), cache, clock, random })
})

afterAll(async () => {
  blobs.close()
  const keys = (await Array.fromAsync(client.list(prefix))).map(({ key }) => key)
  await client.removeMany(keys)
  await rm(folder, { recursive: true })
})

describe('the store', () => {
  test('can do everything that Holdfast needs', async () => {
    expect((await probe(client, { prefix, clock, random })).missing).toEqual([])
    expect(await Array.fromAsync(client.list(prefix))).toEqual([])
  })

  test('keeps keys of any characters, and lists more than a page', async () => {
    const keys = ['a b', 'a+b', 'a%25b', 'a"b', "a'()*b", 'é😀', 'a&<b>'].map(
      (name) => `${prefix}keys/${name}`,
    )
    const many = Array.from({ length: 1100 }, (_, index) => `${prefix}many/${String(index).padStart(4, '0')}`)
    for (const key of keys) await client.put(key, bytesPayload(new TextEncoder().encode(key)))
    for (let start = 0; start < many.length; start += 32)
      await Promise.all(
        many.slice(start, start + 32).map((key) => client.put(key, bytesPayload(new Uint8Array()))),
      )

    const listed = (await Array.fromAsync(client.list(`${prefix}keys/`))).map(({ key }) => key)
    expect(listed.toSorted()).toEqual(keys.toSorted())
    expect((await Array.fromAsync(client.list(`${prefix}many/`))).map(({ key }) => key)).toEqual(many)

    await client.removeMany([...keys, ...many])
    expect(await Array.fromAsync(client.list(prefix))).toEqual([])
  })

  test('copies by parts, and lists and aborts uploads', async () => {
    const [from, to] = [`${prefix}from`, `${prefix}to`]
    await client.put(from, bytesPayload(new Uint8Array(1000)))
    expect(await client.uploads.copy({ source: `${location.bucket}/${from}`, key: to, size: 1000 })).toBe(
      true,
    )
    expect(await client.head(to)).toMatchObject({ size: 1000 })

    const uploadId = await client.uploads.start(to)
    expect(await Array.fromAsync(client.uploads.list(to))).toMatchObject([{ key: to, uploadId }])
    await client.uploads.abort(to, uploadId)
    await client.uploads.abort(to, uploadId)
    expect(await client.uploads.parts(to, uploadId)).toBeUndefined()
    expect(await Array.fromAsync(client.uploads.list(to))).toEqual([])
  })

  test('refuses a wrong key with its remedy', async () => {
    const stranger = new S3Client({ ...location, secretAccessKey: 'wrong' }, { clock, random })
    await expect(stranger.put(`${prefix}x`, bytesPayload(new Uint8Array()))).rejects.toThrow(
      'S3_SECRET_ACCESS_KEY',
    )
    const elsewhere = new S3Client({ ...location, bucket: 'missing-bucket' }, { clock, random })
    await expect(elsewhere.read('x', { first: 0, last: 0 }, 1)).rejects.toThrow('S3_BUCKET')
  })
})

/** Yields bytes that repeat after 64 KiB, as the transport does: their receiver may detach them. */
async function* body(size: number): AsyncGenerator<Uint8Array> {
  const chunk = randomBytes(64 * 1024)
  for (let sent = 0; sent < size; sent += chunk.length) yield passOn(new Uint8Array(chunk))
}

/** Measures the greatest growth of the process, in bytes. */
async function growthOf(work: () => Promise<unknown>): Promise<number> {
  Bun.gc(true)
  const before = process.memoryUsage.rss()
  let largest = before
  const timer = setInterval(() => {
    largest = Math.max(largest, process.memoryUsage.rss())
  }, 20)
  await work()
  clearInterval(timer)
  return largest - before
}

describe('memory', () => {
  test.each([
    [1, 2048],
    [50, 40],
  ])(
    'is bounded while %i files of %i MiB arrive and leave',
    async (count, mebibytes) => {
      const all: StagedBlob[] = []
      const upload = async (_: unknown, index: number) => {
        const staging = await blobs.stage(`upload-${index}`, async () => {})
        all.push(
          await staging.receive(body(mebibytes * MiB), {
            maxBytes: Number.MAX_SAFE_INTEGER,
            claim: () => {},
          }),
        )
        await staging.sync()
        await staging.discard()
      }
      const sent = await growthOf(() => Promise.all(Array.from({ length: count }, upload)))
      console.log(`${count} files of ${mebibytes} MiB: ${Math.round(sent / MiB)} MiB`)
      expect(sent).toBeLessThan(128 * MiB)

      const [first] = all
      const opened = first && (await blobs.open(first))
      expect(await opened?.sha256()).toBe(first?.sha256)
      await blobs.remove(all.map(({ id }) => id))
    },
    600_000,
  )
})
