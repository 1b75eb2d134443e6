import { describe, expect, test } from 'bun:test'
import type { Socket } from 'node:net'
import { ask, headersBut } from '../hosting/wire.ts'
import { eventually } from '../support/eventually.ts'
import { withHoldfast } from '../support/fixture.ts'
import { type FileView, filesUnder } from '../support/holdfast.ts'
import { expectNoIntents } from '../support/intents.ts'
import { filePart, multipartBody, type RawPart, uploadHead } from '../support/multipart.ts'
import { converse, parseAnswer, sendRaw } from '../support/socket.ts'
import { storedIn } from '../support/stored.ts'
import { inMemory, parseArchive } from '../zip/parse-archive.ts'
import { NAUGHTY, NO_NAMES } from './naughty.ts'

const MAX_BYTES = 200_000

const holdfast = withHoldfast({ environment: { MAX_UPLOAD_SIZE: String(MAX_BYTES) } })
const { api, bySession: session } = holdfast

const head = (...lines: string[]) => uploadHead(`API-Key: ${holdfast.key}`, ...lines)

const chunk = (bytes: Uint8Array) =>
  Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')])

const newest = () => holdfast.catalog.activities.newest(holdfast.userId, 1)[0]

/** Runs `work` and expects that it does not change volume, staging and catalog. */
async function expectNothingStored(work: () => Promise<unknown>): Promise<void> {
  const before = { disk: await storedIn(holdfast).keys(), rows: (await api.list()).length }
  await work()
  await eventually(() => filesUnder(holdfast, 'tmp').length === 0)
  expect({ disk: await storedIn(holdfast).keys(), rows: (await api.list()).length }).toEqual(before)
  await expectNoIntents(holdfast)
}

// Row 26.
describe('an upload whose client leaves', () => {
  const body = multipartBody([filePart('cut', new Uint8Array(100_000))])
  const leaving = (['end', 'destroy', 'resetAndDestroy'] as const).flatMap((how) =>
    [0, 0.01, 0.5, 0.999].map((part): [number, typeof how] => [part, how]),
  )

  /** Disconnects and waits until the server has recorded it in the history. */
  async function leave(socket: Socket, how: 'end' | 'destroy' | 'resetAndDestroy'): Promise<void> {
    const before = newest()?.id
    // The answer to a later request shows that the server has read this one.
    await holdfast.fetch('/api/health')
    socket[how]()
    await eventually(() => newest()?.id !== before)
  }

  test.each(leaving)('after %d of its body by %s leaves nothing, and is canceled', async (part, how) => {
    await expectNothingStored(async () => {
      const { socket } = await converse(holdfast.port, head(`Content-Length: ${body.length}`))
      socket.write(body.subarray(0, Math.floor(body.length * part)))

      await leave(socket, how)
    })
    expect(newest()).toMatchObject({ type: 'upload.canceled', target: null, detail: null })
  })

  test.each([
    ['in the middle of a chunk', chunk(body.subarray(0, 50_000)).subarray(0, 40_000)],
    ['with all chunks but no last one', chunk(body)],
  ])('%s leaves nothing, and is canceled', async (_, sent) => {
    await expectNothingStored(async () => {
      const { socket } = await converse(holdfast.port, head('Transfer-Encoding: chunked'))
      socket.write(sent)

      await leave(socket, 'end')
    })
    expect(newest()?.type).toBe('upload.canceled')
  })

  test('once all was sent may be stored, and then is stored whole', async () => {
    const { socket } = await converse(holdfast.port, head(`Content-Length: ${body.length}`))
    await new Promise((sent) => socket.write(body, sent))

    await leave(socket, 'destroy')
    await eventually(() => filesUnder(holdfast, 'tmp').length === 0)

    const stored = (await api.list()).filter(({ name }) => name === 'cut')
    expect(stored.every(({ size }) => size === 100_000)).toBe(true)
    expect((await storedIn(holdfast).keys()).filter((name) => name === 'cut')).toHaveLength(stored.length)
  })
})

// Row 27.
describe('an upload over the limit stores none of its files', () => {
  const parts = (sizes: number[]) => sizes.map((size, n) => filePart(`f${n}`, new Uint8Array(size)))

  test('without a length', async () => {
    await expectNothingStored(async () => {
      const chunks = [chunk(multipartBody(parts([10, MAX_BYTES + 1]))), Buffer.from('0\r\n\r\n')]
      const sent = Buffer.concat([
        Buffer.from(head('Transfer-Encoding: chunked', 'Connection: close')),
        ...chunks,
      ])
      expect(parseAnswer(await sendRaw(holdfast.port, sent)).status).toBe(413)
    })
  })

  test('with a length that is too small, of which nothing is taken for another request', async () => {
    await expectNothingStored(async () => {
      const body = multipartBody(parts([MAX_BYTES]))
      const sent = Buffer.concat([Buffer.from(head('Content-Length: 1000')), body])
      const answers = (await sendRaw(holdfast.port, sent)).toString('latin1').match(/^HTTP\/1\.1 \d+/gm)
      expect(answers?.[0]).toBe('HTTP/1.1 400')
      expect((answers ?? []).slice(1)).not.toContain('HTTP/1.1 200')
    })
  })
})

// Row 33.
test.each([
  ['with a line of its own behind it', ['Content-Type: text/html', 'X-Injected: yes']],
  ['with a NUL in it', ['Content-Type: a/b;charset=\0']],
  ['of 4 KB', [`Content-Type: text/${'x'.repeat(4096)}`]],
  ['that is none', ['Content-Type: ;;;"']],
])('the media type of a part %s does not matter', async (what, headers) => {
  const part = filePart(`type ${what}`, '<script>')
  const response = await api.sendParts({ ...part, headers: [...part.headers, ...headers] })
  if (response.status !== 200) {
    expect([what, response.status]).toEqual(['with a NUL in it', 400])
    return
  }

  const answer = await ask(holdfast.port, `/api/hosting/${encodeURIComponent(`type ${what}`)}`)

  expect(answer.headers.get('content-type')).toBe('application/octet-stream')
  expect(headersBut(answer)).not.toHaveProperty('x-injected')
})

// Row 36.
describe('a naughty string', () => {
  const naughty = Object.entries(NAUGHTY).flatMap(([kind, texts]) =>
    texts.map((text): [string, string] => [kind, text]),
  )
  const nameable = naughty.filter(([, text]) => !/[/\\]/.test(text))

  test('is one of more than 150 different ones', () => {
    const texts = [...naughty.map(([, text]) => text), ...NO_NAMES]
    expect(new Set(texts).size).toBe(texts.length)
    expect(nameable.length).toBeGreaterThan(150)
  })

  test.each(Object.keys(NAUGHTY))(
    'is kept to the byte as the name of files and folders: %s',
    async (kind) => {
      const folder = `kept ${kind}`
      const texts = nameable.filter(([of]) => of === kind).map(([, text]) => text)
      for (const text of texts) {
        const file = await api.upload('f', `bytes of ${text}`, `${folder}/${text}`)
        const change = { id: file.id, name: text }
        const { file: renamed } = await api.data<{ file: FileView }>('PUT', '/files', change)

        expect([renamed.name, renamed.key]).toEqual([text, `${folder}/${text}/${text}`])
        expect(await api.file(file.id)).toEqual(renamed)
        expect(await (await fetch(new URL(renamed.url, `${holdfast.url}/`))).text()).toBe(`bytes of ${text}`)
      }
      const paths = texts.flatMap((text) => [`${folder}/${text}/`, `${folder}/${text}/${text}`])
      const archive = await api.send('GET', `/folders/download?key=${encodeURIComponent(folder)}`)
      const { entries } = parseArchive(inMemory(await archive.bytes()))
      expect(entries.map(({ path }) => path).sort()).toEqual([`${folder}/`, ...paths].sort())
      const { folders } = await api.browse({ key: folder })
      expect(folders.map(({ name }) => name).sort()).toEqual(texts.toSorted())
      const onDisk = (await storedIn(holdfast).keys()).filter((path) => path.startsWith(`${folder}/`))
      expect(onDisk).toEqual(paths.map((path) => path.replace(/\/$/, '')).sort())
    },
  )

  test('is uploaded under its name', async () => {
    // What FormData would send otherwise than it is, such as `%22` for a quote, comes in `filename*`.
    const parts = nameable.map(
      ([, text]): RawPart => ({
        headers: [`Content-Disposition: form-data; name="f"; filename*=UTF-8''${encodeRfc8187(text)}`],
        content: text,
      }),
    )
    for (let from = 0; from < parts.length; from += 100) {
      const response = await api.sendParts(...parts.slice(from, from + 100))
      const { data, error } = (await response.json()) as { data: { files: FileView[] }; error: unknown }
      expect(error).toBeNull()
      const sent = nameable.slice(from, from + 100).map(([, text]) => text)
      expect(data.files.map(({ name }) => name)).toEqual(sent)
    }
  })

  test('that is no name is refused everywhere with 400', async () => {
    const { id, key } = await api.upload('well named', 'x')
    const folder = await api.createFolder('well named folder')
    await expectNothingStored(async () => {
      for (const name of NO_NAMES) {
        const statuses = await Promise.all([
          api.status('PUT', '/files', { id, name }),
          api.status('PUT', '/folders', { id: folder.id, name }),
        ])
        expect({ name, statuses }).toEqual({ name, statuses: [400, 400] })
      }
    })
    expect((await api.file(id)).key).toBe(key)
  })

  test('is kept to the byte as the name of an account and of keys', async () => {
    for (const [, name] of naughty) {
      const changed = await session.data<{ user: { name: string } }>('PUT', '/me', { name })
      const body = { name, scopes: ['files:read'] }
      const made = await session.data<{ key: { name: string } }>('POST', '/keys', body)

      expect([changed.user.name, made.key.name]).toEqual([name.trim(), name.trim()])
    }
    const { keys } = await session.data<{ keys: { name: string }[] }>('GET', '/keys')
    const kept = naughty.map(([, name]) => name.trim())
    expect(keys.map(({ name }) => name)).toEqual(expect.arrayContaining(kept))
  })
})

const encodeRfc8187 = (text: string) =>
  encodeURIComponent(text).replace(/['()*]/g, (character) => `%${character.charCodeAt(0).toString(16)}`)

// Row 38.
test.each([
  ['\u00e9', 'e\u0301'],
  ['A', 'a'],
  ['CON', 'con'],
  ['a.', 'a '],
  ['K', '\u212a'],
])('%j and %j are two files, each with its own bytes', async (one, other) => {
  const folder = `pairs ${one}`
  const files = [await api.upload(one, 'one', folder), await api.upload(other, 'other', folder)]

  expect(await Promise.all(files.map(({ key }) => api.hosted(key)))).toEqual(['one', 'other'])
})
