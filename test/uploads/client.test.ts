import { describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { Upload, type UploadOptions } from 'tus-js-client'
import { apiOf } from '../support/api.ts'
import { eventually, rounds } from '../support/eventually.ts'
import { startInsideWithAccount } from '../support/fixture.ts'
import { filesUnder, register, startInside } from '../support/holdfast.ts'
import { registerWith, spawnHoldfast } from '../support/process.ts'
import { startProxy, type TestProxy } from '../support/proxy.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { begin, loseStaged, offsetOf, pushedBody, sendPiece } from './tus.ts'

const MiB = 1024 ** 2

/** Bytes that are nowhere the same. */
function noise(size: number): Buffer {
  const bytes = Buffer.alloc(size)
  for (let position = 0; position + 4 <= size; position += 4) bytes.writeUInt32LE(position, position)
  return bytes
}

interface Sending {
  url: string
  headers: Record<string, string>
  name: string
  bytes: Buffer
  options?: Partial<UploadOptions>
}

interface Sent {
  fileId: string
  /** Offsets from which the client continued. */
  offsets: number[]
  /** Number of uploads it started. */
  begun: number
}

/** Sends a file with the reference client, which continues by itself after each interruption. */
function send({ url, headers, name, bytes, options }: Sending): Promise<Sent> {
  const offsets: number[] = []
  let begun = 0
  return new Promise((resolve, reject) => {
    const upload = new Upload(bytes, {
      endpoint: `${url}/api/uploads`,
      headers,
      metadata: { filename: name },
      retryDelays: Array(40).fill(100),
      onBeforeRequest: (request) => {
        if (request.getMethod() === 'POST') begun += 1
        if (request.getMethod() === 'PATCH') offsets.push(Number(request.getHeader('Upload-Offset')))
      },
      onError: reject,
      onSuccess: ({ lastResponse }) =>
        resolve({ fileId: lastResponse.getHeader('Holdfast-File-Id') ?? '', offsets, begun }),
      ...options,
    })
    upload.start()
  })
}

const sumsOf = (bytes: Buffer) => ({
  size: bytes.length,
  crc32: crc32(bytes),
  sha256: createHash('sha256').update(bytes).digest('hex'),
})

describe('the reference client', () => {
  test('continues where its connection broke', async () => {
    await using holdfast = await startInsideWithAccount()
    await using proxy = await startProxy(holdfast.port)
    const bytes = noise(24 * MiB)
    const cut = proxy.cutAfter(9 * MiB)

    const { fileId, offsets, begun } = await send({
      url: proxy.url,
      headers: holdfast.withKey,
      name: 'a',
      bytes,
    })

    await cut
    expect(begun).toBe(1)
    expect(offsets).toHaveLength(2)
    expect(offsets[1]).toBeGreaterThan(0)
    expect(offsets[1]).toBeLessThan(9 * MiB)
    expect(await holdfast.server.deps.store.files.byId(fileId)).toMatchObject(sumsOf(bytes))
    expect(filesUnder(holdfast, 'tmp')).toEqual([])
    expect(holdfast.logged).toEqual([])
  })

  test('sends and continues an upload when it cannot send PATCH', async () => {
    await using holdfast = await startInsideWithAccount()
    await using proxy = await startProxy(holdfast.port)
    const bytes = noise(8 * MiB)
    const cut = proxy.cutAfter(3 * MiB)
    const methods = new Set<string>()
    const options: Partial<UploadOptions> = {
      overridePatchMethod: true,
      onBeforeRequest: (request) => void methods.add(request.getMethod()),
    }

    const { fileId } = await send({ url: proxy.url, headers: holdfast.withKey, name: 'a', bytes, options })

    await cut
    expect([...methods].sort()).toEqual(['HEAD', 'POST'])
    expect(await holdfast.server.deps.store.files.byId(fileId)).toMatchObject(sumsOf(bytes))
    expect(filesUnder(holdfast, 'tmp')).toEqual([])
  })

  test('continues after a restart in the middle', async () => {
    using temporary = temporaryFolder()
    const dataPath = temporary.path
    const bytes = noise(24 * MiB)
    let proxy: TestProxy
    let sending: Promise<Sent>
    {
      await using holdfast = await startInsideWithAccount({ dataPath })
      proxy = await startProxy(holdfast.port)
      const cut = proxy.cutAfter(11 * MiB)
      sending = send({ url: proxy.url, headers: holdfast.withKey, name: 'a', bytes })
      await cut
      // No server is running for the client's first tries.
      proxy.target = 1
    }
    await using holdfast = await startInside({ dataPath })
    proxy.target = holdfast.port

    const { fileId, offsets, begun } = await sending

    expect(begun).toBe(1)
    expect(offsets.at(-1)).toBeGreaterThan(0)
    expect(await holdfast.server.deps.store.files.byId(fileId)).toMatchObject(sumsOf(bytes))
    expect(filesUnder(holdfast, 'tmp')).toEqual([])
    await proxy[Symbol.asyncDispose]()
  })

  test('continues after a kill in the middle', async () => {
    using temporary = temporaryFolder()
    const dataPath = temporary.path
    const bytes = noise(30 * MiB)
    const killed = await spawnHoldfast({ dataPath })
    const { withKey } = await registerWith(killed)
    await using proxy = await startProxy(killed.port)
    const cut = proxy.cutAfter(17 * MiB)
    const options = { chunkSize: 5 * MiB }
    const sending = send({ url: proxy.url, headers: withKey, name: 'a', bytes, options })
    await cut
    await killed[Symbol.asyncDispose]()
    await using holdfast = await spawnHoldfast({ dataPath })
    proxy.target = holdfast.port

    const { fileId, offsets, begun } = await sending

    expect(begun).toBe(1)
    // Three pieces were acknowledged, so they were durable; of the fourth some may have been.
    const wentOnAt = offsets[4] ?? 0
    expect(offsets.slice(0, 4)).toEqual([0, 5 * MiB, 10 * MiB, 15 * MiB])
    expect(wentOnAt).toBeGreaterThanOrEqual(15 * MiB)
    expect(await apiOf(holdfast, { withKey }).file(fileId)).toMatchObject({
      key: 'a',
      size: bytes.length,
    })
    const hosted = await (await holdfast.fetch('/api/hosting/a')).bytes()
    expect(sumsOf(Buffer.from(hosted))).toEqual(sumsOf(bytes))
    expect(filesUnder({ dataPath }, 'tmp')).toEqual([])
  })

  test('sends ten files at once, each broken off', async () => {
    await using holdfast = await startInsideWithAccount()
    const files = Array.from({ length: 10 }, (_, index) => noise((4 + index) * MiB))
    const proxies = await Promise.all(files.map(() => startProxy(holdfast.port)))

    const sent = await Promise.all(
      files.map((bytes, index) => {
        const proxy = proxies[index] as TestProxy
        void proxy.cutAfter(3 * MiB)
        const options = { chunkSize: index % 2 === 0 ? 2 * MiB : Number.POSITIVE_INFINITY }
        return send({ url: proxy.url, headers: holdfast.withKey, name: `file ${index}`, bytes, options })
      }),
    )

    for (const [index, { fileId, begun }] of sent.entries()) {
      const row = await holdfast.server.deps.store.files.byId(fileId)
      expect({ begun, ...row }).toMatchObject({
        begun: 1,
        name: `file ${index}`,
        ...sumsOf(files[index] as Buffer),
      })
    }
    expect(filesUnder(holdfast, 'tmp')).toEqual([])
    for (const proxy of proxies) await proxy[Symbol.asyncDispose]()
  })

  test('cancels the uploads that it gave up', async () => {
    await using holdfast = await startInsideWithAccount()
    const bytes = noise(8 * MiB)

    await new Promise<void>((resolve, reject) => {
      const upload: Upload = new Upload(bytes, {
        endpoint: `${holdfast.url}/api/uploads`,
        headers: holdfast.withKey,
        chunkSize: 2 * MiB,
        metadata: { filename: 'given-up' },
        onChunkComplete: () => void upload.abort(true).then(resolve, reject),
        onError: reject,
      })
      upload.start()
    })

    expect(await holdfast.server.deps.store.resumables.unfinishedIds()).toEqual([])
    expect(filesUnder(holdfast, 'tmp')).toEqual([])
  })

  test('gets the reason when the name is taken', async () => {
    await using holdfast = await startInsideWithAccount()
    const sending = { url: holdfast.url, headers: holdfast.withKey, name: 'a', bytes: noise(1000) }
    await send(sending)

    const again = send({ ...sending, options: { retryDelays: [1] } })

    await expect(again).rejects.toThrow('A file named \\"a\\" exists in this folder already')
  })
})

describe('an upload that is not finished', () => {
  test('is preempted by the request for its offset', async () => {
    await using holdfast = await startInsideWithAccount({ isAlone: true })
    const path = await begin(holdfast, holdfast.withKey, { length: 6, fields: { name: 'stuck' } })
    const { body, push } = pushedBody()
    // A connection that is dead and does not know it.
    const stuck = sendPiece(holdfast, holdfast.withKey, { path, offset: 0, body }).catch(() => undefined)
    push('abc')
    await eventually(() => holdfast.isReceiving(path))
    await rounds()

    expect(await offsetOf(holdfast, holdfast.withKey, path)).toBe(3)
    expect((await sendPiece(holdfast, holdfast.withKey, { path, offset: 3, body: 'def' })).status).toBe(204)
    expect((await stuck)?.status).toBe(409)
    expect(await holdfast.api.hosted('stuck')).toBe('abcdef')
  })

  test('starts over when its bytes are lost, and a start removes unknown bytes', async () => {
    using temporary = temporaryFolder()
    const dataPath = temporary.path
    let path = ''
    let withKey: Record<string, string> = {}
    {
      await using holdfast = await startInside({ dataPath })
      ;({ withKey } = await register(holdfast))
      path = await begin(holdfast, withKey, { length: 6, fields: { name: 'lost' } })
      await sendPiece(holdfast, withKey, { path, offset: 0, body: 'abc' })
    }
    loseStaged({ dataPath }, path)
    await Bun.write(join(dataPath, 'tmp', 'stray'), 'x')
    await using holdfast = await startInside({ dataPath })

    expect((await sendPiece(holdfast, withKey, { path, offset: 3, body: 'def' })).status).toBe(404)

    expect(filesUnder({ dataPath }, 'tmp')).toEqual([])
    expect(await holdfast.server.deps.store.resumables.unfinishedIds()).toEqual([])
  })
})
