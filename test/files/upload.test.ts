import { describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { eventually } from '../support/eventually.ts'
import { startWithAccount, withHoldfast } from '../support/fixture.ts'
import { type FileView, filesUnder, refusalOf, register, startInside } from '../support/holdfast.ts'
import { expectNoIntents } from '../support/intents.ts'
import {
  BOUNDARY,
  fieldPart,
  filePart,
  MULTIPART,
  multipartBody,
  type RawPart,
} from '../support/multipart.ts'
import { openSocket } from '../support/socket.ts'
import { storedIn } from '../support/stored.ts'
import { temporaryFolder } from '../support/temporary.ts'

const holdfast = withHoldfast({ environment: { MAX_UPLOAD_SIZE: '1mb', MAX_FILES_PER_REQUEST: '5' } })

const post = (body: string | Buffer<ArrayBuffer>, headers: Record<string, string> = MULTIPART) =>
  holdfast.fetch('/api/files', { method: 'POST', body, headers: { ...holdfast.withKey, ...headers } })

const sendParts = (...parts: RawPart[]) => post(multipartBody(parts))

const filesOf = async (response: Response) =>
  ((await response.json()) as { data: { files: FileView[] } }).data.files

const contentOf = async ({ url }: FileView) => await (await holdfast.fetch(`/${url}`)).text()

const MiB = 1024 ** 2

/** Returns the newest entry of the account's history. */
const lastActivity = () => holdfast.catalog.activities.newest(holdfast.userId, 1)[0]

/** Returns the head of an upload with a body of `length` bytes. */
function headOf(key: string, length: number, ...more: string[]): string {
  const type = `Content-Type: ${MULTIPART['Content-Type']}`
  const lines = ['POST /api/files HTTP/1.1', 'Host: x', `API-Key: ${key}`, `Content-Length: ${length}`, type]
  return [...lines, ...more, '', ''].join('\r\n')
}

describe('POST /api/files', () => {
  test('stores several files in the order they were sent, in a nested folder that it creates', async () => {
    const response = await sendParts(
      filePart('b.txt', 'bee'),
      filePart('a.html', 'ay'),
      fieldPart('folder', '/several//deep/'),
    )

    const files = await filesOf(response)
    expect(response.status).toBe(200)
    expect(files.map(({ key }) => key)).toEqual(['several/deep/b.txt', 'several/deep/a.html'])
    expect(files.map(({ mimeType }) => mimeType)).toEqual(['text/plain', 'text/html'])
    expect(await Promise.all(files.map(contentOf))).toEqual(['bee', 'ay'])
    expect(new Set(files.map(({ folderId }) => folderId)).size).toBe(1)
  })

  test('answers with every field of a file object and nothing more', async () => {
    const file = await holdfast.api.upload('ganz ähnlich #1.txt', 'hello', 'fields')

    expect(file).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
      name: 'ganz ähnlich #1.txt',
      key: 'fields/ganz ähnlich #1.txt',
      mimeType: 'text/plain',
      size: 5,
      folderId: expect.any(String),
      visibility: 'public',
      url: 'api/hosting/fields/ganz%20%C3%A4hnlich%20%231.txt',
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
      updatedAt: file.createdAt,
    })
    expect(await contentOf(file)).toBe('hello')
  })

  test('takes checksums while the bytes stream in', async () => {
    const content = crypto.getRandomValues(new Uint8Array(700_001))
    const { id } = await holdfast.api.upload('sums', content)

    const row = holdfast.catalog.files.byId(id)
    expect(row).toMatchObject({ size: 700_001, crc32: crc32(content), uploadedBy: holdfast.userId })
    expect(row?.sha256).toBe(createHash('sha256').update(content).digest('hex'))
  })

  test('takes the last folder and visibility, wherever in the body they stand', async () => {
    const response = await sendParts(
      fieldPart('folder', 'first'),
      fieldPart('visibility', 'public'),
      filePart('last-wins'),
      fieldPart('folder', 'second'),
      fieldPart('visibility', 'private'),
    )

    expect((await filesOf(response))[0]).toMatchObject({ key: 'second/last-wins', visibility: 'private' })
    expect((await holdfast.fetch('/api/hosting/second/last-wins')).status).toBe(404)
  })

  test('takes files under any field name, also one named folder', async () => {
    const disposition = (name: string) => [
      `Content-Disposition: form-data; name="${name}"; filename="${name || 'empty'}.bin"`,
    ]
    const names = ['folder', 'upload[]', '']
    const response = await sendParts(...names.map((name) => ({ headers: disposition(name), content: name })))

    expect((await filesOf(response)).map(({ key }) => key)).toEqual([
      'folder.bin',
      'upload[].bin',
      'empty.bin',
    ])
  })

  test('takes an empty choice of a browser for no file', async () => {
    const response = await sendParts(filePart('chosen.txt'), filePart('', ''))
    expect((await filesOf(response)).map(({ key }) => key)).toEqual(['chosen.txt'])
  })

  test('stores empty files', async () => {
    const file = await holdfast.api.upload('empty', '')

    expect(file.size).toBe(0)
    expect(await contentOf(file)).toBe('')
  })

  test.each([
    ['../../up.txt', 'up.txt'],
    ['..\\..\\back.txt', 'back.txt'],
    ['/etc/passwd', 'passwd'],
    ['C:\\dir\\drive.txt', 'drive.txt'],
    ['日本語.txt', '日本語.txt'],
    ['e\u0301.txt', 'e\u0301.txt'],
    ['\u00e9.txt', '\u00e9.txt'],
    ['emoji 🎉.png', 'emoji 🎉.png'],
    ['rtl \u202e gpj.exe', 'rtl \u202e gpj.exe'],
    [`${'n'.repeat(255)}`, 'n'.repeat(255)],
    ['.hidden', '.hidden'],
    ['CON', 'CON'],
    ['trailing dot.', 'trailing dot.'],
    ['100%.txt', '100%.txt'],
    ['a;b="c', undefined],
    ['say %22hi%22 100%25.txt', 'say "hi" 100%25.txt'],
  ])('of the sent file name %j keeps the last component, exactly as sent', async (sent, kept) => {
    const response = await sendParts(filePart(sent, sent), fieldPart('folder', 'names'))

    if (kept === undefined) {
      // A quote inside the quoted name ends it: what follows is not a parameter.
      expect(response.status).toBe(400)
      return
    }
    const [file] = await filesOf(response)
    expect(file?.name).toBe(kept)
    expect(await contentOf(file as FileView)).toBe(sent)
  })

  test('reads names in filename* too', async () => {
    const headers = [
      `Content-Disposition: form-data; name="f"; filename="plain.txt"; filename*=UTF-8''na%C3%AFve.txt`,
    ]

    expect((await filesOf(await sendParts({ headers, content: 'x' })))[0]?.name).toBe('naïve.txt')
  })

  test('applies the default visibility to a private instance', async () => {
    await using other = await startWithAccount({ environment: { DEFAULT_FILE_VISIBILITY: 'private' } })

    expect((await other.api.upload('a', 'x', '')).visibility).toBe('private')
    expect((await other.api.upload('b', 'x', '', 'public')).visibility).toBe('public')
  })

  test('takes a file of exactly the maximum size', async () => {
    expect((await holdfast.api.upload('exact', new Uint8Array(MiB))).size).toBe(MiB)
  })
})

/** Runs `work` and expects that it does not change volume, staging and catalog. */
async function expectNothingStored(work: () => Promise<unknown>): Promise<void> {
  const before = await storedIn(holdfast).keys()
  await work()
  expect(await storedIn(holdfast).keys()).toEqual(before)
  expect(filesUnder(holdfast, 'tmp')).toEqual([])
  await expectNoIntents(holdfast)
}

describe('POST /api/files refuses and stores nothing', () => {
  const good = filePart('good.txt')
  const noHeaders: RawPart = { headers: [], content: 'x' }
  const noName: RawPart = { headers: ['Content-Disposition: form-data; filename="x"'], content: 'x' }
  const noColon: RawPart = { headers: ['Content-Disposition form-data; name="f"'], content: 'x' }
  const bigHeader: RawPart = { headers: [...good.headers, `X-Big: ${'x'.repeat(MiB)}`], content: 'x' }
  const badUtf8 = Buffer.from(multipartBody([filePart('?')]))
  badUtf8[badUtf8.indexOf('?')] = 0xff

  const cut = (body: Buffer<ArrayBuffer>, bytes: number) => body.subarray(0, body.length - bytes)

  test.each<[string, RawPart[] | Buffer<ArrayBuffer> | string, number, string]>([
    ['no part at all', [], 400, 'no file'],
    ['fields only', [fieldPart('folder', 'x')], 400, 'no file'],
    ['an empty body', '', 400, 'closing boundary'],
    ['no closing boundary', cut(multipartBody([good]), 4), 400, 'closing boundary'],
    [
      'a body cut in a file',
      cut(multipartBody([good, filePart('cut', 'x'.repeat(200_000))]), 1000),
      400,
      'closing boundary',
    ],
    ['another boundary than announced', `--other\r\n\r\n--other--`, 400, 'closing boundary'],
    ['line feeds only', multipartBody([good]).toString().replaceAll('\r\n', '\n'), 400, 'closing boundary'],
    ['a part without headers', [good, noHeaders], 400, 'multipart'],
    ['a part without a name', [good, noName], 400, 'name'],
    ['a header without a colon', [good, noColon], 400, 'multipart'],
    ['a header of 1 MiB', [good, bigHeader], 400, 'header'],
    ['a file name that is not UTF-8', badUtf8, 400, 'UTF-8'],
    ['bytes without a file name', [good, filePart('')], 400, 'empty'],
    ['an empty choice alone', [filePart('', '')], 400, 'no file'],
    ['the file name .', [good, filePart('a/.')], 400, '"."'],
    ['the file name ..', [good, filePart('..')], 400, '".."'],
    ['a file name with NUL', [good, filePart('a\0b')], 400, 'NUL'],
    ['a file name with a tab', [good, filePart('a\tb')], 400, 'control characters'],
    ['a file name of 256 bytes', [good, filePart('n'.repeat(256))], 400, '255 bytes'],
    ['a file name of 86 emoji', [good, filePart('🎉'.repeat(86))], 400, '255 bytes'],
    ['a blank file name', [good, filePart('  ')], 400, 'empty'],
    ['one name twice', [good, filePart('dir/good.txt')], 400, 'twice'],
    ['the folder ..', [good, fieldPart('folder', '..')], 400, 'folder'],
    ['a folder that climbs', [good, fieldPart('folder', 'a/../../x')], 400, 'folder'],
    ['a folder with a dot', [good, fieldPart('folder', 'a/./b')], 400, 'folder'],
    ['a folder with NUL', [good, fieldPart('folder', 'a\0b')], 400, 'folder'],
    ['a folder with a backslash', [good, fieldPart('folder', 'a\\b')], 400, 'folder'],
    ['a folder of 4,001 bytes', [good, fieldPart('folder', `${'d/'.repeat(2000)}d`)], 400, '4000 bytes'],
    ['an endless folder', [good, fieldPart('folder', 'd'.repeat(100_000))], 400, 'too long'],
    ['an unknown visibility', [good, fieldPart('visibility', 'hidden')], 400, '"public", "private"'],
    ['a file one byte too large', [good, filePart('big', 'x'.repeat(MiB + 1))], 413, String(MiB)],
    ['one file too many', Array.from({ length: 6 }, (_, n) => filePart(`f${n}`)), 413, 'at most 5 files'],
    [
      'a folder that is no UTF-8',
      [good, fieldPart('folder', new Uint8Array([0x61, 0xff]))],
      400,
      '"folder" must be UTF-8',
    ],
    [
      'a visibility that is no UTF-8',
      [good, fieldPart('visibility', new Uint8Array([0xc3, 0x28]))],
      400,
      '"visibility" must be UTF-8',
    ],
    [
      '101 fields',
      [good, ...Array.from({ length: 101 }, () => fieldPart('x', 'x'))],
      413,
      'at most 100 fields',
    ],
    [
      '10,000 parts',
      Array.from({ length: 10_000 }, (_, n) => fieldPart(`f${n}`, 'x')),
      413,
      'at most 100 fields',
    ],
  ])('%s', async (_, body, status, message) => {
    await expectNothingStored(async () => {
      const refused = await (Array.isArray(body) ? sendParts(...body) : post(body))
      expect(await refusalOf(refused)).toEqual([status, expect.stringContaining(message)])
    })
  })

  test.each([
    ['JSON', 'application/json', '{"files":[]}'],
    ['a urlencoded form', 'application/x-www-form-urlencoded', 'files=x'],
    ['multipart without a boundary', 'multipart/form-data', multipartBody([good])],
    ['multipart of another kind', `multipart/mixed; boundary=${BOUNDARY}`, multipartBody([good])],
    ['text', 'text/plain', 'hello'],
  ])('%s in place of a multipart form', async (_, type, body) => {
    await expectNothingStored(async () => {
      const refused = await refusalOf(await post(body, { 'Content-Type': type }))
      expect(refused).toEqual([400, expect.stringContaining('multipart')])
    })
  })

  test('a body that no set of allowed files could have, before reading it', async () => {
    const socket = await openSocket(holdfast.port)
    socket.write(headOf(holdfast.key, 999_999_999_999))

    const answer = await new Promise<string>((resolve) =>
      socket.once('data', (bytes) => resolve(bytes.toString())),
    )
    socket.destroy()

    expect(answer).toStartWith('HTTP/1.1 413')
    expect(filesUnder(holdfast, 'tmp')).toEqual([])
  })

  test.each([
    ['without credentials', {}, 401],
    ['with a key nobody made', { 'API-Key': `hf_${'0'.repeat(64)}` }, 401],
    ['with a key that is none', { 'API-Key': 'nonsense' }, 401],
  ])('a caller %s', async (_, headers, status) => {
    const request = { method: 'POST', body: multipartBody([good]), headers: { ...MULTIPART, ...headers } }
    await expectNothingStored(async () => {
      expect(await refusalOf(await holdfast.fetch('/api/files', request))).toEqual([status, 'Unauthorized'])
    })
  })

  test('a key without files:write', async () => {
    const reader = await holdfast.byKey('files:read')
    const form = new FormData()
    form.append('files', new Blob(['x']), 'good.txt')
    await expectNothingStored(async () => {
      const refused = await reader.sendBody('POST', '/files', form)
      expect(await refusalOf(refused)).toEqual([403, 'API key is missing required scope "files:write"'])
    })
  })
})

describe('POST /api/files when a name is taken', () => {
  const conflict = async (response: Response, name: string) => {
    expect(await refusalOf(response)).toEqual([409, expect.stringContaining(`"${name}"`)])
  }

  test('refuses the whole request and changes nothing', async () => {
    const file = await holdfast.api.upload('taken.txt', 'first', 'clash')
    await expectNothingStored(async () => {
      await conflict(
        await sendParts(filePart('new.txt'), filePart('taken.txt', 'second'), fieldPart('folder', 'clash')),
        'taken.txt',
      )
    })

    expect(await contentOf(file)).toBe('first')
    expect((await holdfast.fetch('/api/hosting/clash/new.txt')).status).toBe(404)
  })

  test('by a folder', async () => {
    await holdfast.api.upload('x', 'x', 'clash2/sub')

    await expectNothingStored(async () => {
      await conflict(await sendParts(filePart('sub'), fieldPart('folder', 'clash2')), 'sub')
    })
  })

  test('by a file where a folder is needed', async () => {
    await holdfast.api.upload('afile', 'x', 'clash3')

    await expectNothingStored(async () => {
      await conflict(await sendParts(filePart('x'), fieldPart('folder', 'clash3/afile/below')), 'afile')
    })
  })

  test('fifty uploads of one name at once make one file and 49 conflicts', async () => {
    const contents = Array.from({ length: 50 }, (_, n) => `content ${n}`)
    const responses = await Promise.all(
      contents.map((content) => holdfast.sendUpload({ 'race.txt': content }, { folder: 'race/new' })),
    )

    expect(responses.map(({ status }) => status).sort()).toEqual([200, ...Array(49).fill(409)])
    const winner = responses.findIndex(({ status }) => status === 200)
    expect(await (await holdfast.fetch('/api/hosting/race/new/race.txt')).text()).toBe(contents[winner] ?? '')
    expect(filesUnder(holdfast, 'tmp')).toEqual([])
    await expectNoIntents(holdfast)
  })

  test('fifty uploads of different names into one new folder all succeed', async () => {
    const names = Array.from({ length: 50 }, (_, n) => `f${n}`)
    const responses = await Promise.all(
      names.map((name) => holdfast.sendUpload({ [name]: name }, { folder: 'together/new' })),
    )

    expect(responses.map(({ status }) => status)).toEqual(Array(50).fill(200))
    const folders = await Promise.all(
      responses.map(async (response) => (await filesOf(response))[0]?.folderId),
    )
    expect(new Set(folders).size).toBe(1)
  })
})

test('an upload may have 100 fields beside its files, and a byte order mark in a field stays', async () => {
  const fields = Array.from({ length: 99 }, () => fieldPart('x', 'x'))
  const files = Array.from({ length: 5 }, (_, n) => filePart(`marked${n}`))

  const stored = await filesOf(await sendParts(...fields, fieldPart('folder', '\ufeffmarked'), ...files))

  expect(stored.map(({ key }) => key)).toEqual(files.map((_, n) => `\ufeffmarked/marked${n}`))
})

describe('an upload whose client asks before it sends', () => {
  const ask = async (body: Buffer) => {
    const socket = await openSocket(holdfast.port)
    const answers: string[] = []
    socket.on('data', (bytes) => answers.push(bytes.toString()))
    socket.write(headOf(holdfast.key, body.length, 'Expect: 100-continue'))
    await eventually(() => answers.length > 0)
    return { socket, answers }
  }

  test('gets a 100 Continue, and is stored', async () => {
    const body = multipartBody([filePart('expected.txt')])

    const { socket, answers } = await ask(body)
    expect(answers).toEqual(['HTTP/1.1 100 Continue\r\n\r\n'])
    socket.write(body)
    await eventually(() => answers.length >= 2)

    expect(answers[1]).toStartWith('HTTP/1.1 200')
    socket.destroy()
  })
})

test('an upload that is cut off by a stop is recorded as canceled', async () => {
  using temporary = temporaryFolder()
  const dataPath = temporary.path
  const stopped = await startInside({ dataPath })
  const { key, userId } = await register(stopped)
  const body = multipartBody([filePart('cut.bin', new Uint8Array(900_000))])
  const socket = await openSocket(stopped.port)
  socket.on('error', () => {})
  socket.write(headOf(key, body.length))
  socket.write(body.subarray(0, 500_000))
  await eventually(() => filesUnder(stopped, 'tmp').length >= 2)

  await stopped.stop()
  socket.destroy()

  await using restarted = await startInside({ dataPath })
  expect(restarted.catalog.activities.newest(userId, 1)).toMatchObject([
    { type: 'upload.canceled', target: null },
  ])
  expect(stopped.logged.filter(({ error }) => error)).toEqual([])
})

describe('the history of uploads', () => {
  test('says nothing of uploads that were not allowed', async () => {
    const before = lastActivity()
    await post(multipartBody([filePart('x')]), { ...MULTIPART, 'API-Key': 'nonsense' })

    expect(lastActivity()).toEqual(before)
  })
})
