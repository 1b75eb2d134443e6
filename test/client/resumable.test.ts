import { afterEach, beforeEach, describe, expect, spyOn, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { createClient, type HoldfastClient, type UploadMemory } from '../../src/client/index.ts'
import { startWithAccount, withHoldfast } from '../support/fixture.ts'
import { filesUnder, startHoldfast } from '../support/holdfast.ts'
import { startProxy, type TestProxy } from '../support/proxy.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { VERSION } from '../uploads/tus.ts'

const MiB = 1024 ** 2

/** Bytes that are nowhere the same. */
function noise(size: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(size)
  const view = new DataView(bytes.buffer)
  for (let position = 0; position + 4 <= size; position += 4) view.setUint32(position, position)
  return bytes
}

const BYTES = noise(40 * MiB)
const SHA256 = createHash('sha256').update(BYTES).digest('hex')
const film = { name: 'film "é".mp4', content: new Blob([BYTES]) }

/** Creates a memory that outlives clients. */
function createMemory() {
  const known = new Map<string, string>()
  const memory: UploadMemory = {
    recall: (what) => known.get(what),
    remember: (what, id) => void known.set(what, id),
    forget: (what) => void known.delete(what),
  }
  return { known, memory }
}

const holdfast = withHoldfast()
let proxy: TestProxy
/** Through the proxy. */
let client: HoldfastClient
beforeEach(async () => {
  proxy = await startProxy(holdfast.port)
  client = createClient({ url: proxy.url, key: holdfast.key })
})
afterEach(async () => {
  await proxy[Symbol.asyncDispose]()
  const headers = { ...VERSION, ...holdfast.withKey }
  for (const id of unfinished()) await holdfast.fetch(`/api/uploads/${id}`, { method: 'DELETE', headers })
  const ids = (await holdfast.api.list()).map(({ id }) => id)
  await holdfast.api.send('DELETE', '/files', { ids })
})

const sha256Of = async (folder: string) => (await client.folders.checksums({ key: folder }))[0]?.sha256
const unfinished = () => holdfast.catalog.resumables.unfinishedIds()

describe('a resumable upload', () => {
  test('creates the same file as a form, at any length', async () => {
    for (const [folder, content] of Object.entries({ some: film.content, none: new Blob([]) })) {
      const placement = { folder: `${folder}/resumed`, visibility: 'private' } as const
      const seen: number[] = []

      const resumed = await client.files.uploadResumable(
        { name: film.name, content },
        { ...placement, onProgress: ({ loaded }) => seen.push(loaded) },
      )

      const beside = { ...placement, folder: `${folder}/form` }
      const [sent] = await client.files.upload([{ name: film.name, content }], beside)
      const own = { id: '', folderId: '', key: '', url: '', createdAt: '', updatedAt: '' }
      expect({ ...resumed, ...own }).toEqual({ ...sent, ...own } as typeof resumed)
      expect(resumed.key).toBe(`${folder}/resumed/${film.name}`)
      expect(await sha256Of(`${folder}/resumed`)).toBe((await sha256Of(`${folder}/form`)) ?? '')
      expect(seen.at(-1)).toBe(content.size)
      expect(seen).toEqual(seen.toSorted((a, b) => a - b))
    }
  })

  test('continues where its connection broke, repeatedly', async () => {
    const cuts = (async () => {
      for (const bytes of [9, 14, 6]) await proxy.cutAfter(bytes * MiB)
    })()

    let retries = 0
    await client.files.uploadResumable(film, {
      folder: 'cut',
      onRetry: () => {
        retries += 1
      },
    })

    await cuts
    expect(retries).toBeGreaterThanOrEqual(3)
    expect(await sha256Of('cut')).toBe(SHA256)
    // Only bytes in flight at a break are sent twice.
    expect(proxy.passed).toBeLessThan(1.5 * BYTES.length)
    expect(filesUnder(holdfast, 'tmp')).toEqual([])
  })

  test('continues after a restart', async () => {
    using folder = temporaryFolder()
    const first = await startWithAccount({ dataPath: folder.path })
    proxy.target = first.port
    const own = createClient({ url: proxy.url, key: first.key })
    const cut = proxy.cutAfter(22 * MiB)
    const sending = own.files.uploadResumable(film, { folder: 'restart' })
    await cut
    proxy.target = 1
    await first.stop()
    await using second = await startHoldfast({ dataPath: folder.path })
    proxy.target = second.port

    const { size } = await sending

    expect(size).toBe(BYTES.length)
    expect((await own.folders.checksums({ key: 'restart' }))[0]?.sha256).toBe(SHA256)
    expect(proxy.passed).toBeLessThan(1.5 * BYTES.length)
    expect(filesUnder(second, 'tmp')).toEqual([])
  })

  test('continues in a later run with a storage', async () => {
    const { known, memory } = createMemory()
    const broken = createClient({
      url: proxy.url,
      key: holdfast.key,
      fetch: answering({ pieces: 2, status: 507 }),
    })
    const failed = await broken.files.uploadResumable(film, { memory }).catch((error) => error)
    const remembered = [...known.values()]
    proxy.passed = 0

    const file = await client.files.uploadResumable(film, { memory })

    expect(failed).toMatchObject({ status: 507 })
    expect(remembered).toHaveLength(1)
    expect(known.size).toBe(0)
    expect(file.name).toBe(film.name)
    expect(await sha256Of('')).toBe(SHA256)
    expect(proxy.passed).toBeLessThan(BYTES.length - 15 * MiB)
  })

  test('starts over for a lost upload and for other content', async () => {
    const { known, memory } = createMemory()
    const options = { memory, folder: 'second' }
    const broken = createClient({
      url: proxy.url,
      key: holdfast.key,
      fetch: answering({ pieces: 2, status: 507 }),
    })
    await broken.files.uploadResumable(film, { ...options, fingerprint: 'sum 1' }).catch(() => {})
    await broken.files.uploadResumable(film, { ...options, fingerprint: 'sum 2' }).catch(() => {})
    const old = [...known.values()][0]
    for (const what of known.keys()) if (what.includes('sum 2')) known.set(what, 'unknown')

    await client.files.uploadResumable(film, { ...options, fingerprint: 'sum 2' })

    expect(await sha256Of('second')).toBe(SHA256)
    expect([...known.values()]).toEqual([old ?? ''])
  })

  test('starts over when the storage has lost its id', async () => {
    const memory: UploadMemory = { recall: () => '', remember: () => {}, forget: () => {} }

    const lost = { name: 'lost', content: new Blob(['x']) }
    const { size } = await client.files.uploadResumable(lost, { memory })

    expect(size).toBe(1)
  })

  test('returns its file after a lost last response, unless that was deleted', async () => {
    const { known, memory } = createMemory()
    const small = { name: 'small', content: new Blob(['small']) }
    const deaf = createClient({
      url: proxy.url,
      key: holdfast.key,
      fetch: answering({ after: true, status: 507 }),
    })
    await deaf.files.uploadResumable(small, { memory }).catch(() => {})
    const there = await client.files.get({ key: 'small' })

    const file = await client.files.uploadResumable(small, { memory })
    await client.files.delete(file.id)
    await deaf.files.uploadResumable(small, { memory }).catch(() => {})
    const gone = await client.files.get({ key: 'small' })
    await client.files.delete(gone.id)
    const second = await client.files.uploadResumable(small, { memory })

    expect(file).toEqual(there)
    expect([there.id, gone.id]).not.toContain(second.id)
    expect(await client.files.get({ key: 'small' })).toEqual(second)
    expect(known.size).toBe(0)
  })

  test('leaves nothing after an abort, on the server or in the storage', async () => {
    const { known, memory } = createMemory()
    const abort = new AbortController()
    const onProgress = ({ loaded }: { loaded: number }) => loaded > 20 * MiB && abort.abort()

    const given = client.files.uploadResumable(film, { memory, onProgress, signal: abort.signal })

    expect(await given.catch((error) => error.name)).toBe('AbortError')
    expect(known.size).toBe(0)
    expect(unfinished()).toEqual([])
    expect(filesUnder(holdfast, 'tmp')).toEqual([])
  })

  test('continues after an abort that keeps the upload', async () => {
    const { known, memory } = createMemory()
    const abort = new AbortController()
    const onProgress = ({ loaded }: { loaded: number }) => loaded > 20 * MiB && abort.abort()
    const options = { memory, onAbort: 'keep' as const }

    const paused = client.files.uploadResumable(film, { ...options, onProgress, signal: abort.signal })
    expect(await paused.catch((error) => error.name)).toBe('AbortError')
    expect(known.size).toBe(1)
    const offsets: number[] = []
    await client.files.uploadResumable(film, { ...options, onProgress: ({ loaded }) => offsets.push(loaded) })

    expect(offsets[0]).toBeGreaterThanOrEqual(16 * MiB)
    expect(known.size).toBe(0)
    expect(unfinished()).toEqual([])
  })

  test('reports a taken name at its begin and at its end', async () => {
    const other = createClient({ url: holdfast.url, key: holdfast.key })
    const refusal = { status: 409, message: expect.stringContaining(`named "${film.name}" exists`) }
    const before = (piece: number) =>
      piece === 2 && other.files.upload([{ name: film.name, content: 'first' }])
    const overtaken = createClient({
      url: proxy.url,
      key: holdfast.key,
      fetch: answering({ times: 0, before }),
    })

    const inTheMiddle = await overtaken.files.uploadResumable(film).catch((error) => error)
    const atItsBeginning = await client.files.uploadResumable(film).catch((error) => error)

    expect(inTheMiddle).toMatchObject(refusal)
    expect(atItsBeginning).toMatchObject(refusal)
  })

  test('asks for its offset after a conflict', async () => {
    const trouble = { pieces: 1, times: 1, status: 409, after: true }
    const misled = createClient({ url: proxy.url, key: holdfast.key, fetch: answering(trouble) })

    await misled.files.uploadResumable(film, { folder: 'elsewhere' })

    expect(await sha256Of('elsewhere')).toBe(SHA256)
    expect(proxy.passed).toBeLessThan(1.1 * BYTES.length)
  })

  test('gives up after consecutive attempts without progress', async () => {
    const trouble = { pieces: 1, times: 2, status: 503 }
    const shaky = createClient({ url: proxy.url, key: holdfast.key, fetch: answering(trouble) })
    const dead = createClient({ url: 'http://127.0.0.1:1', key: holdfast.key })

    const failed = await dead.files.uploadResumable(film, { tries: 2 }).catch((error) => error)
    const { size } = await shaky.files.uploadResumable(film, { tries: 2 })

    expect(failed).toMatchObject({ status: 0, code: 'unreachable' })
    expect(size).toBe(BYTES.length)
  })

  test('waits for the time of a 429', async () => {
    const answer = { pieces: 0, times: 1, status: 429, headers: { 'Retry-After': '1' } }
    const busy = createClient({ url: proxy.url, key: holdfast.key, fetch: answering(answer) })
    using timers = spyOn(globalThis, 'setTimeout')

    const { size } = await busy.files.uploadResumable({ name: 'patient', content: new Blob(['x']) })

    expect(size).toBe(1)
    expect(timers.mock.calls.map(([, ms]) => ms)).toContain(1000)
  })
})

interface Trouble {
  status?: number
  headers?: Record<string, string>
  /** Pieces that go well before it. */
  pieces?: number
  /** Number of times that it happens. */
  times?: number
  /** True when the server has processed the piece by then. */
  after?: boolean
  /** Runs before each piece. The first has the number 1. */
  before?: (piece: number) => unknown
}

/** Returns a `fetch` that responds to pieces in place of the server. */
function answering({
  status = 200,
  headers = {},
  pieces = 0,
  times = Number.POSITIVE_INFINITY,
  after = false,
  before,
}: Trouble): typeof fetch {
  let sent = 0
  const answer = async (...[address, init]: Parameters<typeof fetch>) => {
    if (init?.method !== 'PATCH') return fetch(address, init)
    sent += 1
    await before?.(sent)
    const isTrouble = sent > pieces && sent <= pieces + times
    if (!isTrouble || after) {
      const response = await fetch(address, init)
      if (!isTrouble) return response
    }
    return Response.json({}, { status, headers })
  }
  return Object.assign(answer, { preconnect: fetch.preconnect })
}
