import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import {
  closeSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  statfsSync,
  statSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { deflateRawSync } from 'node:zlib'
import { isOutOfSpace } from '../../src/platform/errors.ts'
import { apiOf, type Failure } from '../support/api.ts'
import { spawnWithAccount } from '../support/fixture.ts'
import { ADMIN, type FileView, messageOf } from '../support/holdfast.ts'
import type { HoldfastProcess } from '../support/process.ts'
import { begin, offsetOf, sendBegin, sendPiece, terminate } from '../uploads/tus.ts'
import { buildArchive } from '../zip/build-archive.ts'

const MiB = 1024 ** 2
const NO_SPACE = 'Not enough free space on the volume'

const namespace = process.getuid?.() === 0 ? ['unshare', '-m'] : ['unshare', '-Urm']

/** Starts a server on a small disk that only its own namespace has mounted. */
async function onSmallDisk(megabytes: number) {
  const mountPoint = mkdtempSync(join(tmpdir(), 'holdfast-disk-'))
  const mount = `mount -t tmpfs -o size=${megabytes}m tmpfs "${mountPoint}" && exec "$@"`
  const wrap = [...namespace, 'sh', '-c', mount, 'sh']
  const holdfast = await spawnWithAccount({ dataPath: mountPoint, wrap })
  const { cookie, withKey, api } = holdfast
  return {
    holdfast,
    cookie,
    withKey,
    api,
    /** Path of the data folder in the server's mount namespace. */
    disk: `/proc/${holdfast.child.pid}/root${mountPoint}`,
    [Symbol.asyncDispose]: async () => {
      await holdfast[Symbol.asyncDispose]()
      rmSync(mountPoint, { recursive: true, force: true })
    },
  }
}

let small: Awaited<ReturnType<typeof onSmallDisk>>
let holdfast: typeof small.holdfast
let withKey: Record<string, string>

beforeAll(async () => {
  small = await onSmallDisk(40)
  ;({ holdfast, withKey } = small)
})
afterAll(() => small[Symbol.asyncDispose]())

const send = (name: string, bytes: number) => holdfast.sendUpload({ [name]: new Uint8Array(bytes) })

/** Returns the names of the files with bytes below a folder. */
const onDisk = (folder: string, disk = small.disk) =>
  readdirSync(join(disk, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== '.holdfast-volume')
    .filter(({ parentPath, name }) => statSync(join(parentPath, name)).size > 0)
    .map(({ name }) => name)

describe('a full disk', () => {
  test('refuses what would not fit before it is read, and what turns out not to fit while it is', async () => {
    expect((await send('fits', 10 * MiB)).status).toBe(200)

    const announced = await send('too-big', 36 * MiB)
    const chunked = await holdfast.fetch('/api/files', {
      method: 'POST',
      headers: { ...withKey, 'Content-Type': 'multipart/form-data; boundary=b' },
      body: chunkedUpload(36),
    })

    for (const refused of [announced, chunked]) {
      expect(refused.status).toBe(507)
      expect(await messageOf(refused)).toBe(NO_SPACE)
    }
    expect(onDisk('tmp')).toEqual([])
    expect(onDisk('uploads')).toEqual(['fits'])
  })

  test('refuses an archive that does not fit, before it is read or while it is unpacked', async () => {
    const ones = (name: string) => ({ path: `site/${name}`, content: Buffer.alloc(18 * MiB, name) })
    const archive = buildArchive([ones('a'), ones('b')])
    const small = buildArchive(
      [ones('a'), ones('b')].map((entry) => ({ ...entry, ...packed(entry.content) })),
    )
    expect(small.length).toBeLessThan(MiB)

    for (const body of [archive, small]) {
      const refused = await holdfast.api.sendBody('POST', '/folders/import', body)

      expect(refused.status).toBe(507)
      expect(await messageOf(refused)).toBe(NO_SPACE)
    }
    expect(onDisk('tmp')).toEqual([])
    expect(onDisk('uploads')).toEqual(['fits'])
  })

  test('still serves and deletes, and takes uploads again once there is room', async () => {
    const sizes = [8, 8, 4, 4, 2, 2, 1, 1]
    const statuses: number[] = []
    for (const [n, size] of sizes.entries()) statuses.push((await send(`filler${n}`, size * MiB)).status)
    expect(statuses.at(-1)).toBe(507)

    const served = await holdfast.fetch('/api/hosting/fits')
    expect((await served.arrayBuffer()).byteLength).toBe(10 * MiB)
    const { file } = await small.api.data<{ file: FileView }>('GET', '/files?key=fits')

    expect(await small.api.status('DELETE', '/files', { id: file.id })).toBe(200)
    expect((await send('again', 4 * MiB)).status).toBe(200)
  })
})

test('a replacement that does not fit leaves the old bytes, also when another program filled the disk', async () => {
  await using own = await onSmallDisk(40)
  const { id } = await own.api.upload('kept.txt', 'old bytes')
  const put = (body: string | Blob | ReadableStream) => own.api.replace(id, body)
  const served = () => own.api.hosted('kept.txt')

  const large = new Blob([new Uint8Array(38 * MiB)])
  for (const body of [large, large.stream()]) {
    expect((await put(body)).status).toBe(507)
    expect(await served()).toBe('old bytes')
  }
  fillUp(own.disk)
  const refused = await put('new')
  expect([refused.status, await messageOf(refused)]).toEqual([507, NO_SPACE])
  expect(await served()).toBe('old bytes')
  expect(onDisk('tmp', own.disk)).toEqual([])
  expect(onDisk('versions', own.disk)).toEqual([])
  rmSync(join(own.disk, 'filler'))

  expect((await put('new bytes, too')).status).toBe(200)
  expect(await served()).toBe('new bytes, too')
  expect(onDisk('versions', own.disk)).toHaveLength(1)
})

test('a copy and a version that do not fit are refused, and leave no file open', async () => {
  await using own = await onSmallDisk(40)
  const { api } = own
  const file = await api.upload('large', 'x'.repeat(20 * MiB))
  const openFiles = () => readdirSync(`/proc/${own.holdfast.child.pid}/fd`).length
  const copy = async () => {
    const body = { fileIds: [file.id], folder: 'copies' }
    const { failed } = await api.data<{ failed: Failure[] }>('POST', '/files/copy', body)
    expect(failed).toEqual([{ id: file.id, message: NO_SPACE }])
  }
  await copy()
  const before = openFiles()
  for (let times = 0; times < 20; times += 1) await copy()
  expect(openFiles()).toBeLessThan(before + 10)

  await api.replace(file.id, 'small')
  const { versions } = await api.data<{ versions: { id: string }[] }>('GET', `/files/versions?id=${file.id}`)
  for (let times = 0; times < 20; times += 1)
    expect(await api.refusal('POST', '/files/versions/restore', { id: versions[0]?.id })).toEqual([
      507,
      NO_SPACE,
    ])
  expect(openFiles()).toBeLessThan(before + 10)
  expect(onDisk('tmp', own.disk)).toEqual([])
})

/** Deflates bytes, to no less than about a hundredth, which is not suspicious. */
const packed = (content: Buffer) => ({ deflated: true, raw: deflateRawSync(content, { level: 1 }) })

/** Fills the disk, as another program might. */
function fillUp(disk: string): void {
  const filler = openSync(join(disk, 'filler'), 'a')
  try {
    for (const size of [MiB, 4096, 1]) writeUntilFull(filler, new Uint8Array(size))
  } finally {
    closeSync(filler)
  }
  expect(statfsSync(disk).bavail).toBe(0)
}

function writeUntilFull(file: number, bytes: Uint8Array): void {
  try {
    for (;;) writeSync(file, bytes)
  } catch (error) {
    if (!isOutOfSpace(error)) throw error
  }
}

/** Changes of the visibility of some files that fill a write-ahead log which cannot start over. */
const MAX_TRIES = 1000

/** Holds a snapshot of the database at the path in its argument, until its standard input ends. */
const READER = `
  const { Database } = await import('bun:sqlite')
  const database = new Database(process.argv[1], { readonly: true })
  database.run('BEGIN')
  database.query('SELECT count(*) FROM files').get()
  console.log('holds a snapshot')
  for await (const _ of Bun.stdin.stream());
  // A database without a use is collected, which closes it.
  database.close()
`

/** Starts a process that holds a snapshot of a server's database on a small disk, so that the write-ahead log only grows. */
async function holdSnapshot({ child, dataPath }: HoldfastProcess): Promise<AsyncDisposable> {
  const as = process.getuid?.() === 0 ? [] : ['-U', '--preserve-credentials']
  const enter = ['nsenter', '-t', String(child.pid), ...as, '-m']
  const database = join(dataPath, 'db', 'holdfast.sqlite')
  const reader = Bun.spawn([...enter, process.execPath, '-e', READER, database], {
    stdin: 'pipe',
    stdout: 'pipe',
  })
  for await (const line of reader.stdout.pipeThrough(new TextDecoderStream())) {
    expect(line).toBe('holds a snapshot\n')
    break
  }
  return {
    [Symbol.asyncDispose]: async () => {
      reader.stdin.end()
      expect(await reader.exited).toBe(0)
    },
  }
}

const sessionOf = ({ holdfast, cookie }: typeof small) => apiOf(holdfast, { withKey: { Cookie: cookie } })

const NAMES = Array.from({ length: 60 }, (_, index) => `f${index}`)

describe('a disk without a byte left', () => {
  /** Starts a server with small files of these names. */
  async function withFiles(names: readonly string[], folder = '') {
    const server = await onSmallDisk(24)
    const ids: string[] = []
    for (const name of names) ids.push((await server.api.upload(name, `content of ${name}`, folder)).id)
    return { ...server, ids }
  }

  /** Returns the stored files with their bytes. Catalog and disk must agree on them. */
  async function storedIn({ api, disk }: Awaited<ReturnType<typeof withFiles>>): Promise<string[]> {
    const files = await api.list({ orderBy: 'name', orderDirection: 'ASC' })
    for (const { key, name } of files) expect(await api.hosted(key)).toBe(`content of ${name}`)
    const names = files.map(({ name }) => name)
    expect(onDisk('uploads', disk).sort()).toEqual(names)
    return names
  }

  test('still deletes file by file, however often it is filled up again', async () => {
    await using server = await withFiles(NAMES)
    const { api, ids, disk } = server

    for (const id of ids.slice(0, 50)) {
      fillUp(disk)
      expect(await api.data<null>('DELETE', '/files', { id })).toBeNull()
    }

    expect(await storedIn(server)).toEqual(NAMES.slice(50).sort())
    expect((await api.refusal('GET', `/files?id=${ids[0]}`))[0]).toBe(404)
    const { activities } = await sessionOf(server).data<{
      activities: { type: string; target: string }[]
    }>('GET', '/activity')
    const deleted = activities.filter(({ type }) => type === 'file.deleted')
    expect(deleted.map(({ target }) => target)).toEqual(NAMES.slice(0, 50).reverse())
  })

  test('still deletes a batch', async () => {
    await using server = await withFiles(NAMES)
    const { api, ids, disk } = server
    fillUp(disk)

    const outcome = await api.data('DELETE', '/files', { ids: [...ids.slice(1), 'nope'] })

    expect(outcome).toEqual({
      deleted: ids.slice(1),
      failed: [{ id: 'nope', message: 'File not found' }],
    })
    expect(await storedIn(server)).toEqual(['f0'])
  })

  test('still deletes a folder with everything below it', async () => {
    await using server = await withFiles(NAMES, 'deep/er')
    const { api, disk } = server
    const [folder] = (await api.browse()).folders
    fillUp(disk)

    expect(await api.data<null>('DELETE', '/folders', { id: folder?.id })).toBeNull()

    expect(await storedIn(server)).toEqual([])
    expect((await api.browse()).folders).toEqual([])
    expect(readdirSync(join(disk, 'uploads'))).toEqual(['.holdfast-volume'])
  })

  test('refuses whatever else is written, lets its admin sign in, and stops cleanly', async () => {
    await using server = await withFiles(['kept'])
    const { api, disk, holdfast } = server
    fillUp(disk)

    const refused = await api.refusal('POST', '/folders', { folder: 'new' })
    const signedIn = await holdfast.fetch('/api/auth/sign-in/email', {
      method: 'POST',
      body: JSON.stringify({ email: ADMIN.email, password: ADMIN.password }),
    })

    expect(refused).toEqual([507, NO_SPACE])
    expect((await api.browse()).folders).toEqual([])
    expect(signedIn.status).toBe(200)
    expect(await storedIn(server)).toEqual(['kept'])
    holdfast.child.kill('SIGTERM')
    expect(await holdfast.child.exited).toBe(0)
  })

  test('takes everything again as soon as there is room', async () => {
    await using server = await withFiles(NAMES)
    const { api, disk, ids } = server
    fillUp(disk)
    await api.data('DELETE', '/files', { ids: ids.slice(1) })
    rmSync(join(disk, 'filler'))

    await api.createFolder('new')
    await api.upload('f1', 'content of f1', 'new')

    expect(await storedIn(server)).toEqual(['f0', 'f1'])
  })

  test.each([
    ['of a folder', 'PUT', '/folders'],
    ['of all files', 'POST', '/settings/apply-visibility'],
    ['of several files', 'PUT', '/files/visibility'],
  ])(
    'changes the visibility %s as a whole or not at all',
    async (_, method, path) => {
      await using server = await withFiles(NAMES, 'folder')
      const { api, ids, disk, holdfast } = server
      const [folder] = (await api.browse()).folders
      const files = await api.list({ limit: 100 })
      const session = sessionOf(server)
      const change = async (visibility: string): Promise<number> => {
        const named = { '/folders': { id: folder?.id }, '/files/visibility': { ids } }[path]
        return (await session.send(method, path, { ...named, visibility })).status
      }
      /** Returns the visibility of files in lists and of cached hosted files. */
      const seen = async () => {
        const hosted = files.map(async ({ key, name }) =>
          (await api.hosted(key)) === `content of ${name}` ? 'public' : 'private',
        )
        const listed = (await api.list({ limit: 100 })).map(({ visibility }) => visibility)
        return [...new Set([...listed, ...(await Promise.all(hosted))])]
      }
      const other = (visibility: FileView['visibility']) => (visibility === 'public' ? 'private' : 'public')
      let visibility: FileView['visibility'] = 'public'
      let status = 200
      await seen()

      // The first ones fit into the existing write-ahead log.
      await using _snapshot = await holdSnapshot(holdfast)
      for (let tries = 0; status === 200 && tries < MAX_TRIES; tries += 1) {
        fillUp(disk)
        status = await change(other(visibility))
        if (status === 200) visibility = other(visibility)
        expect(await seen()).toEqual([visibility])
      }

      expect(status).toBe(507)
      rmSync(join(disk, 'filler'))
      expect(await change(other(visibility))).toBe(200)
      expect(await seen()).toEqual([other(visibility)])
    },
    90_000,
  )

  test('retains the received bytes of a resumable upload, which continues when there is space', async () => {
    await using server = await withFiles(['kept'])
    const { api, disk, holdfast, withKey: headers } = server
    const announced = { length: 9 * MiB, fields: { name: 'pieces' } }
    const path = await begin(holdfast, headers, announced)
    const content = new Uint8Array(9 * MiB).map((_, index) => index % 251)
    const first = { path, offset: 0, body: content.slice(0, 4 * MiB) }
    expect((await sendPiece(holdfast, headers, first)).status).toBe(204)
    fillUp(disk)

    const refused = await sendPiece(holdfast, headers, {
      path,
      offset: 4 * MiB,
      body: content.slice(4 * MiB),
    })
    const another = await sendBegin(holdfast, headers, { length: 1, fields: { name: 'another' } })
    const arrived = await offsetOf(holdfast, headers, path)
    rmSync(join(disk, 'filler'))
    const rest = await sendPiece(holdfast, headers, { path, offset: arrived, body: content.slice(arrived) })

    expect([refused.status, another.status, arrived]).toEqual([507, 507, 4 * MiB])
    expect(await messageOf(refused)).toBe(NO_SPACE)
    expect(rest.status).toBe(204)
    const file = await api.file(rest.headers.get('holdfast-file-id') ?? '')
    const stored = await (await holdfast.fetch(`/${file.url}`)).bytes()
    expect(Bun.hash(stored)).toBe(Bun.hash(content))
    expect(readdirSync(join(disk, 'tmp'))).toEqual([])
  })

  test('ends an upload that may be continued', async () => {
    await using server = await withFiles(['kept'])
    const { disk, holdfast, withKey: headers } = server
    const path = await begin(holdfast, headers, { length: 2 * MiB, fields: { name: 'ended' } })
    await sendPiece(holdfast, headers, { path, offset: 0, body: new Uint8Array(MiB) })
    fillUp(disk)

    expect((await terminate(holdfast, headers, path)).status).toBe(204)

    expect(readdirSync(join(disk, 'tmp'))).toEqual([])
  })
})

/** Returns a multipart body of one file of `mebibytes`, without a length. */
function chunkedUpload(mebibytes: number): ReadableStream<Uint8Array> {
  let sent = 0
  return new ReadableStream({
    start: (controller) =>
      controller.enqueue(
        Buffer.from('--b\r\nContent-Disposition: form-data; name="f"; filename="chunked"\r\n\r\n'),
      ),
    pull(controller) {
      if (sent++ < mebibytes) return controller.enqueue(new Uint8Array(MiB))
      controller.enqueue(Buffer.from('\r\n--b--\r\n'))
      controller.close()
    },
  })
}
