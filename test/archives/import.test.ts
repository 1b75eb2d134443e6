import { describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Imported } from '../../src/client/types.ts'
import { eventually } from '../support/eventually.ts'
import { withHoldfast } from '../support/fixture.ts'
import {
  ADMIN,
  BASE_URL,
  cookieOf,
  createKey,
  filesUnder,
  messageOf,
  postJson,
  refusalOf,
  stagedBytes,
  upload,
} from '../support/holdfast.ts'
import { expectNoIntents } from '../support/intents.ts'
import { BYTES_IN } from '../support/kind.ts'
import { openSocket } from '../support/socket.ts'
import { storedIn } from '../support/stored.ts'
import { type BuiltEntry, buildArchive } from '../zip/build-archive.ts'

const MiB = 1024 ** 2

const holdfast = withHoldfast({ environment: { MAX_UPLOAD_SIZE: '1MiB' } })
const { api } = holdfast

type Body = NonNullable<RequestInit['body']>

const post = (query: string, body: Body, headers: Record<string, string> = holdfast.withKey) =>
  holdfast.fetch(`/api/folders/import${query}`, { method: 'POST', body, headers })

async function importInto(folder: string, body: Body, more = ''): Promise<Imported> {
  const response = await post(`?folder=${encodeURIComponent(folder)}${more}`, body)
  const text = await response.text()
  if (response.status !== 200) throw new Error(`The import was refused: ${text}`)
  return (JSON.parse(text) as { data: Imported }).data
}

/** Creates an archive of files whose content is their path. Directories end with a slash. */
const archiveOf = (...paths: string[]) =>
  buildArchive(paths.map((path) => ({ path, content: path.endsWith('/') ? '' : path })))

const SITE = archiveOf('index.html', 'css/', 'css/a.css', 'css/fonts/b.woff', 'empty/')

/** Returns the newest entry of the account's history. */
const lastActivity = () => holdfast.catalog.activities.newest(holdfast.userId, 1)[0]

describe('POST /api/folders/import', () => {
  test('reads a body of any length with a slash behind the path, too', async () => {
    const content = crypto.getRandomValues(new Uint8Array(900_000))
    const archive = buildArchive(['a', 'b', 'c', 'd'].map((path) => ({ path, content })))

    expect((await post('/?folder=slash', archive)).status).toBe(200)
    expect((await api.list({ name: 'd' })).map(({ size }) => size)).toEqual([content.length])
  })

  test('unpacks an archive into a new folder and reports the new entries', async () => {
    const { folder, files, folders } = await importInto('deployed/site', SITE)

    expect(folder).toEqual({
      id: expect.any(String),
      name: 'site',
      key: 'deployed/site',
      parentId: expect.any(String),
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
      updatedAt: folder.createdAt,
    })
    expect({ files, folders }).toEqual({ files: 3, folders: 5 })
    expect((await api.browse({ id: folder.id })).folders.map(({ name }) => name)).toEqual(['css', 'empty'])
    for (const path of ['index.html', 'css/a.css', 'css/fonts/b.woff'])
      expect(await api.hosted(`deployed/site/${path}`)).toBe(path)
    const served = await holdfast.fetch('/api/hosting/deployed/site/css/a.css')
    expect(served.headers.get('content-type')).toBe('text/css')
  })

  test('restores the tree of a downloaded folder', async () => {
    await importInto('trip', SITE)
    await api.upload('é 日本 🎉.txt', 'named', 'trip/deep/er')
    const archive = await (await api.send('GET', '/folders/download?key=trip')).arrayBuffer()

    const { folder, files, folders } = await importInto('back', archive)

    expect({ key: folder.key, files, folders }).toEqual({ key: 'back', files: 4, folders: 7 })
    const keys = await storedIn(holdfast).keys()
    const under = (folder: string) =>
      keys.flatMap((path) => (path.startsWith(`${folder}/`) ? [path.slice(folder.length + 1)] : []))
    expect(under('back/trip')).toEqual(under('trip'))
    expect(await api.hosted('back/trip/deep/er/é 日本 🎉.txt')).toBe('named')
  })

  test('takes the root when no folder is named, and merges with folders that exist', async () => {
    const before = (await importInto('merged', archiveOf('a/one.txt'))).folder

    const response = await post('', archiveOf('merged/a/two.txt', 'merged/b/', 'merged/a/'))

    const { folder, files, folders } = ((await response.json()) as { data: Imported }).data
    expect({ key: folder.key, parentId: folder.parentId }).toEqual({ key: '', parentId: null })
    expect({ files, folders }).toEqual({ files: 1, folders: 1 })
    expect((await importInto('/merged//', archiveOf('c.txt'))).folder).toEqual(before)
    expect(await api.hosted('merged/a/one.txt')).toBe('merged/a/one.txt'.slice(7))
    expect(await api.hosted('merged/a/two.txt')).toBe('merged/a/two.txt')
  })

  test('gives files the requested visibility, else the default', async () => {
    await importInto('seen', archiveOf('a.txt'))
    await importInto('unseen', archiveOf('a.txt', 'b/c.txt'), '&visibility=private')

    expect(await api.hosted('seen/a.txt')).toBe('a.txt')
    expect(await api.hosted('unseen/a.txt')).toBe(404)
    expect((await api.browse({ key: 'unseen/b' })).files[0]?.visibility).toBe('private')
  })

  test('takes a session as well as a key, and whatever the content type says', async () => {
    for (const type of ['application/x-www-form-urlencoded', 'application/json', 'multipart/form-data']) {
      const headers = { Cookie: holdfast.cookie, 'Content-Type': type }
      expect((await post(`?folder=types/${type}`, SITE, headers)).status).toBe(200)
    }
  })

  test('unpacks deflated and streamed files, and an archive in the archive, with their checksums', async () => {
    const entries: BuiltEntry[] = [
      { path: 'inner.zip', content: SITE, descriptor: 'signed' },
      { path: 'deflated.txt', content: 'x'.repeat(100_000), deflated: true, descriptor: 'unsigned' },
    ]

    expect((await importInto('streamed', buildArchive(entries))).files).toBe(2)

    const served = await holdfast.fetch('/api/hosting/streamed/inner.zip')
    expect(Buffer.from(await served.arrayBuffer()).equals(SITE)).toBe(true)
    expect(await api.hosted('streamed/deflated.txt')).toBe('x'.repeat(100_000))
    expect(lastActivity()?.target).toBe('2 files')
  })

  test('deploys with one curl, which expects a 100 Continue', async () => {
    const path = join(holdfast.dataPath, 'site.zip')
    const content = crypto.getRandomValues(new Uint8Array(MiB))
    const parts = [1, 2, 3].map((n) => ({ path: `part${n}`, content }))
    writeFileSync(path, buildArchive([{ path: 'index.html', content: 'deployed' }, ...parts]))

    const url = `${holdfast.url}/api/folders/import?folder=curled`
    const curl = ['curl', '-sv', '--data-binary', `@${path}`, '-H', `API-Key: ${holdfast.key}`, url]
    const child = Bun.spawn(curl, { stdout: 'pipe', stderr: 'pipe' })
    const [answer, talk] = await Promise.all([child.stdout.text(), child.stderr.text()])

    expect(talk).toContain('Expect: 100-continue')
    expect(talk).toContain('HTTP/1.1 100 Continue')
    expect(JSON.parse(answer)).toMatchObject({ data: { files: 4, folders: 1 }, error: null })
    expect(await api.hosted('curled/index.html')).toBe('deployed')
  })

  test('makes 10,000 files and folders at once', async () => {
    const paths = Array.from({ length: 9_900 }, (_, n) => `d${n % 100}/f${n}`)

    expect(await importInto('many', archiveOf(...paths))).toMatchObject({ files: 9_900, folders: 101 })
    expect(await api.hosted('many/d99/f9899')).toBe('d99/f9899')
  })
})

/** Runs `work` and expects that it does not change volume, staging and catalog. */
async function expectNothingStored(work: () => Promise<unknown>): Promise<void> {
  const { catalog } = holdfast
  const before = await storedIn(holdfast).keys()
  const folders = catalog.folders.inFolder(catalog.folders.root()).length
  await work()
  expect(await storedIn(holdfast).keys()).toEqual(before)
  expect(catalog.folders.inFolder(catalog.folders.root())).toHaveLength(folders)
  expect(filesUnder(holdfast, 'tmp')).toEqual([])
  // Those of finished operations are removed with the next commit.
  await eventually(() => catalog.intents.all().length === 0)
}

describe('POST /api/folders/import refuses and stores nothing', () => {
  const good = 'good.txt'
  const deep = `${'d/'.repeat(1_998)}`
  const zeros = (size: number, path: string): BuiltEntry => ({
    path,
    content: new Uint8Array(size),
    deflated: true,
  })
  const lots = (length: number, path: (n: number) => string) =>
    archiveOf(...Array.from({ length }, (_, n) => path(n)))

  const DAMAGED = { path: 'b', content: 'x', central: { crc32: 1 } }
  const LINK = { path: 'l', content: '/etc/passwd', mode: 0o120777 }
  const ZEROS = Array.from({ length: 30 }, (_, n) => zeros(MiB, `zeros${n}`))
  const BIG = new Uint8Array(MiB + 1)
  const long = `${'n'.repeat(250)}/`.repeat(15)
  test.each<[string, string | Uint8Array<ArrayBuffer>, number, string]>([
    ['an empty body', '', 400, 'Cannot read ZIP archive: it ends too early'],
    ['what is no archive', '<!doctype html><title>x</title>', 400, 'no ZIP record at byte 0'],
    ['an archive without its end', SITE.subarray(0, -1), 400, 'it ends too early'],
    ['an archive and a byte', Buffer.concat([SITE, Buffer.from('x')]), 400, 'there is data after its end'],
    ['a damaged file', buildArchive([{ path: 'a' }, DAMAGED]), 400, '"b"'],
    ['an encrypted file', buildArchive([{ path: good, local: { flags: 1 } }]), 400, 'encrypted'],
    ['a link', buildArchive([{ path: good }, LINK]), 400, '"l" is a link'],
    ['an absolute path', archiveOf(good, '/etc/x'), 400, '"/etc/x" of the archive must not be empty'],
    ['a path that climbs', archiveOf(good, 'a/../../b'), 400, '"a/../../b" of the archive must not be "."'],
    ['a folder that climbs', archiveOf(good, '../'), 400, 'must not be "." or ".."'],
    ['a path with a dot', archiveOf(good, './a'), 400, 'must not be "." or ".."'],
    ['a path with backslashes', archiveOf(good, 'a\\b'), 400, 'must not contain'],
    ['a path with a control character', archiveOf(good, 'a\u0001b'), 400, 'must not contain'],
    ['a path with NUL', archiveOf(good, 'a\0b'), 400, 'must not contain'],
    ['a doubled slash', archiveOf(good, 'a//b'), 400, 'must not be empty'],
    ['an empty path', archiveOf(good, ''), 400, 'must not be empty'],
    ['a slash alone', archiveOf(good, '/'), 400, 'must not be empty'],
    ['a name of 256 bytes', archiveOf(good, `d/${'n'.repeat(256)}`), 400, 'at most 255 bytes'],
    ['a name that is not UTF-8', buildArchive([{ path: Buffer.from([0xff]) }]), 400, 'not UTF-8'],
    ['a key of 4,001 bytes', archiveOf(good, `${deep}n`), 400, 'more than 4000 bytes'],
    ['a path of 60,000 bytes', archiveOf(good, 'd/'.repeat(30_000)), 400, 'more than 4000 bytes'],
    ['one file twice', archiveOf(good, 'd/a', 'd/a'), 400, 'has "d/a" twice'],
    ['one folder twice', archiveOf(good, 'd/', 'd/'), 400, 'has "d/" twice'],
    ['a file that becomes a folder', archiveOf(good, 'd', 'd/a'), 400, '"d" both as a file and as a folder'],
    ['a folder that becomes a file', archiveOf(good, 'd/a', 'd'), 400, '"d" both as a file and as a folder'],
    ['10,001 files', lots(10_001, (n) => `f${n}`), 413, 'at most 10000 files and folders'],
    ['10,001 folders', lots(10_001, (n) => `f${n}/`), 413, 'at most 10000 files and folders'],
    ['4,000 files in 8,000 folders', lots(4_000, (n) => `${n}/a/b`), 413, 'files and folders'],
    ['keys of more than 4 MiB', lots(1_200, (n) => long + n), 413, '4194304 bytes together'],
    ['a file one byte too large', buildArchive([{ path: 'big', content: BIG }]), 413, String(MiB)],
    ['a bomb', buildArchive(ZEROS), 413, 'more than 200 times its own size'],
  ])('%s', async (_, body, status, message) => {
    await expectNothingStored(async () => {
      const refused = await refusalOf(await post('?folder=new/folder', body))
      expect(refused).toEqual([status, expect.stringContaining(message)])
    })
    expect(await api.refusal('GET', '/folders?key=new')).toEqual([404, 'Folder not found'])
  })

  test.each([
    ['?folder=..', 'A folder name must not be "." or ".."'],
    [`?folder=${'d/'.repeat(2001)}`, 'at most 4000 bytes'],
    ['?folder=a%00b', 'must not contain'],
    ['?visibility=hidden', '"visibility" must be one of "public", "private"'],
  ])('%s', async (query, message) => {
    await expectNothingStored(async () => {
      expect(await refusalOf(await post(query, SITE))).toEqual([400, expect.stringContaining(message)])
    })
  })

  test('a path that is too long only below its folder', async () => {
    await expectNothingStored(async () => {
      const response = await post(`?folder=${'d/'.repeat(1000)}`, archiveOf('d/'.repeat(1001)))

      expect([response.status, await messageOf(response)]).toEqual([
        400,
        'A path in the archive is too long: its key would have more than 4000 bytes',
      ])
    })
  })

  test('callers without files:write', async () => {
    const key = await createKey(holdfast, holdfast.cookie, { name: 'reader', scopes: ['files:read'] })
    await expectNothingStored(async () => {
      const reader = await post('?folder=..', SITE, { 'API-Key': key })
      const stranger = await post('?folder=..', SITE, {})
      const foreign = await post('', SITE, { Cookie: holdfast.cookie, Origin: 'https://evil.example' })

      expect([reader.status, await messageOf(reader)]).toEqual([
        403,
        'API key is missing required scope "files:write"',
      ])
      expect([stranger.status, await messageOf(stranger)]).toEqual([401, 'Unauthorized'])
      expect(foreign.status).toBe(403)
    })
  })

  test('a session that was ended while it was sent', async () => {
    const cookie = cookieOf(await postJson(holdfast, '/api/auth/sign-in/email', ADMIN))
    await expectNothingStored(async () => {
      const body = new ReadableStream({
        async pull(controller) {
          controller.enqueue(SITE.subarray(0, 60))
          await eventually(() => filesUnder(holdfast, 'tmp').length >= 1)
          await postJson(holdfast, '/api/auth/sign-out', {}, { Cookie: cookie, Origin: BASE_URL })
          controller.enqueue(SITE.subarray(60))
          controller.close()
        },
      })

      const response = await post('', body, { Cookie: cookie })

      expect([response.status, await messageOf(response)]).toEqual([401, 'Unauthorized'])
    })
  })

  test('other methods', async () => {
    const response = await holdfast.fetch('/api/folders/import', { headers: holdfast.withKey })

    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST'])
  })
})

describe('POST /api/folders/import when a name is taken', () => {
  test.each([
    ['by a file', 'a.txt', archiveOf('new/x', 'a.txt', 'b')],
    ['by a folder', 'sub', archiveOf('new/x', 'sub')],
    ['by a file where a folder is needed', 'a.txt', archiveOf('new/x', 'a.txt/below')],
    ['in a folder below', 'c.txt', archiveOf('new/x', 'sub/c.txt')],
  ])('%s refuses the whole archive', async (_, name, archive) => {
    if (await isMissing('taken')) await importInto('taken', archiveOf('a.txt', 'sub/c.txt'))

    await expectNothingStored(async () => {
      const refused = await refusalOf(await post('?folder=taken', archive))
      expect(refused).toEqual([409, expect.stringContaining(`"${name}"`)])
    })
    expect(await api.hosted('taken/a.txt')).toBe('a.txt')
  })

  const isMissing = async (key: string) => (await api.status('GET', `/folders?key=${key}`)) === 404

  test('by one of many imports and uploads at the same time, makes one of them and refuses the others', async () => {
    const archive = archiveOf('race.txt', 'd/x')
    const imports = Array.from({ length: 10 }, () => post('?folder=race', archive))
    const file = { name: 'race.txt', content: 'uploaded', folder: 'race' }
    const uploads = Array.from({ length: 10 }, () =>
      upload(holdfast, holdfast.withKey, file).then(
        () => 200,
        () => 409,
      ),
    )

    const imported = (await Promise.all(imports)).map(({ status }) => status)
    expect([...imported, ...(await Promise.all(uploads))].sort()).toEqual([200, ...Array(19).fill(409)])
    const kept = imported.includes(200) ? ['d', 'd/x', 'race.txt'] : ['race.txt']
    const inRace = (await storedIn(holdfast).keys()).filter((path) => path.startsWith('race/'))
    expect(inRace).toEqual(kept.map((path) => `race/${path}`))
    expect(filesUnder(holdfast, 'tmp')).toEqual([])
    await expectNoIntents(holdfast)
  })

  test('does not stop imports of other names into the same new folder', async () => {
    const names = Array.from({ length: 10 }, (_, n) => `f${n}/a.txt`)

    const made = await Promise.all(names.map((name) => importInto('together/new', archiveOf(name))))

    expect(new Set(made.map(({ folder }) => folder.id)).size).toBe(1)
    expect(made.reduce((sum, { folders }) => sum + folders, 0)).toBe(12)
  })
})

/** Returns the head of an import of `length` bytes. */
const headOf = (folder: string, length: number, key = holdfast.key) =>
  `POST /api/folders/import?folder=${folder} HTTP/1.1\r\nHost: x\r\nAPI-Key: ${key}\r\nContent-Length: ${length}\r\n\r\n`

describe('an import whose client disconnects', () => {
  test.each(['destroy', 'end', 'resetAndDestroy'] as const)(
    'by %s leaves nothing and is recorded as canceled',
    async (how) => {
      const archive = buildArchive([
        { path: 'a.txt', content: 'first' },
        { path: 'b.bin', content: crypto.getRandomValues(new Uint8Array(900_000)) },
      ])
      await expectNothingStored(async () => {
        const socket = await openSocket(holdfast.port)
        socket.write(headOf('left', archive.length))
        socket.write(archive.subarray(0, 500_000))
        await eventually(() => stagedBytes(holdfast) > 100_000)

        socket[how]()
        await eventually(() => filesUnder(holdfast, 'tmp').length === 0)
        await eventually(() => lastActivity()?.type === 'upload.canceled')
      })

      expect(lastActivity()).toMatchObject({ type: 'upload.canceled', target: null, detail: null })
      await importInto(`after-${how}`, SITE)
    },
  )

  test('after it has sent the whole archive leaves nothing and is recorded as canceled', async () => {
    const names = Array.from({ length: 1500 }, (_, n) => `${n}.txt`)
    const archive = buildArchive(names.map((path) => ({ path, content: path })))
    await expectNothingStored(async () => {
      const socket = await openSocket(holdfast.port)
      socket.write(headOf('sent', archive.length))
      await new Promise((resolve) => socket.write(archive, resolve))
      await eventually(() => filesUnder(holdfast, 'tmp').length >= (BYTES_IN === 'folder' ? 3 : 1))

      socket.resetAndDestroy()
      await eventually(() => filesUnder(holdfast, 'tmp').length === 0)
      await eventually(() => lastActivity()?.type === 'upload.canceled')
    })
    expect(lastActivity()).toMatchObject({ type: 'upload.canceled', target: null, detail: null })
  })
})

describe('the history of imports', () => {
  test('names one file by its path, or counts several', async () => {
    await importInto('history', archiveOf('d/one.txt'))
    expect(lastActivity()).toMatchObject({ type: 'upload.succeeded', target: 'd/one.txt', detail: null })

    await importInto('history', archiveOf('a', 'b', 'c', 'd/d'))
    expect(lastActivity()).toMatchObject({
      type: 'upload.succeeded',
      target: '4 files',
      detail: 'a, b, c and 1 more',
    })
  })

  test('shows why an import failed, and its files once it was read to its end', async () => {
    const response = await post('?folder=history', archiveOf('a', 'new'))
    expect(lastActivity()).toMatchObject({
      type: 'upload.failed',
      target: '2 files',
      detail: await messageOf(response),
    })

    await post('?folder=history', SITE.subarray(0, -5))
    expect(lastActivity()).toMatchObject({
      type: 'upload.failed',
      target: null,
      detail: 'Cannot read ZIP archive: it ends too early',
    })
  })

  test('omits imports that were not allowed', async () => {
    const before = lastActivity()

    await post('', SITE, { 'API-Key': 'nonsense' })

    expect(lastActivity()).toEqual(before)
  })
})

describe('a connection', () => {
  test('stays usable after an import that was refused before its body was read', async () => {
    const archive = archiveOf('x')
    const socket = await openSocket(holdfast.port)
    let received = ''
    socket.on('data', (bytes) => {
      received += bytes.toString()
    })

    socket.write(Buffer.concat([Buffer.from(headOf('kept-alive', archive.length, 'nonsense')), archive]))
    await eventually(() => received.includes('Unauthorized'))
    socket.write(Buffer.concat([Buffer.from(headOf('kept-alive', archive.length)), archive]))
    await eventually(() => received.includes('"files":1'))

    expect(received).toStartWith('HTTP/1.1 401')
    socket.destroy()
  })
})
