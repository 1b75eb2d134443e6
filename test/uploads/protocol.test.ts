import { describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { UploadView } from '../../src/modules/uploads/model.ts'
import { removeExpiredUploads } from '../../src/modules/uploads/service.ts'
import { addKey, setAccess } from '../support/accounts.ts'
import { eventually } from '../support/eventually.ts'
import { startInsideWithAccount, withInside } from '../support/fixture.ts'
import { filesUnder, messageOf, TestClock } from '../support/holdfast.ts'
import {
  begin,
  countStaged,
  metadata,
  pushedBody,
  sendBegin,
  sendPiece,
  terminate,
  tusOf,
  VERSION,
} from './tus.ts'

const holdfast = withInside({ environment: { MAX_UPLOAD_SIZE: '20mb' } })
const { api } = holdfast
const tus = tusOf(holdfast)

const PIECE = { 'Content-Type': 'application/offset+octet-stream' }

/** Returns a response's description of an upload. */
const uploadOf = async (response: Response) =>
  ((await response.json()) as { data: { upload: UploadView } }).data.upload

/** Returns the newest entry of the account's history. */
async function lastActivity() {
  const [entry] = await holdfast.server.deps.store.activities.newest(holdfast.userId, 1)
  return entry && { type: entry.type, target: entry.target, detail: entry.detail }
}

const fileOf = ({ headers }: Response) => api.file(headers.get('holdfast-file-id') ?? '')

const sha = (algorithm: string, bytes: string | Uint8Array) =>
  `${algorithm} ${createHash(algorithm).update(bytes).digest('base64')}`

describe('an upload that may be continued', () => {
  test('announces its version and extensions', async () => {
    for (const path of ['/api/uploads', '/api/uploads/x']) {
      const response = await holdfast.fetch(path, { method: 'OPTIONS' })

      expect(response.status).toBe(204)
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'tus-resumable': '1.0.0',
        'tus-version': '1.0.0',
        'tus-extension': 'creation,creation-with-upload,expiration,checksum,termination',
        'tus-max-size': String(20 * 1024 ** 2),
        'tus-checksum-algorithm': 'sha1,sha256',
      })
    }
  })

  test('becomes a file with its last piece, as one from a form', async () => {
    const fields = { filename: 'C:\\docs\\ä b.txt', folder: '/pieces//deep/', visibility: 'private' }
    const created = await tus.sendBegin({ length: 11, fields })
    const path = created.headers.get('location') ?? ''

    expect(created.status).toBe(201)
    expect(created.headers.get('upload-expires')).toEndWith(' GMT')
    expect(await uploadOf(created)).toMatchObject({
      name: 'ä b.txt',
      length: 11,
      offset: 0,
      file: null,
    })
    expect((await api.browse({ key: '' })).folders.map(({ name }) => name)).not.toContain('pieces')

    const first = await tus.sendPiece({ path, offset: 0, body: 'hello ' })
    expect([first.status, first.headers.get('upload-offset')]).toEqual([204, '6'])
    expect(first.headers.get('tus-resumable')).toBe('1.0.0')
    expect(await tus.offsetOf(path)).toBe(6)

    const last = await tus.sendPiece({ path, offset: 6, body: 'world' })
    const id = last.headers.get('holdfast-file-id') ?? ''
    expect([last.status, last.headers.get('upload-offset')]).toEqual([204, '11'])
    expect(await api.file(id)).toMatchObject({
      key: 'pieces/deep/ä b.txt',
      size: 11,
      visibility: 'private',
      mimeType: 'text/plain',
    })
    expect(await lastActivity()).toEqual({ type: 'upload.succeeded', target: 'ä b.txt', detail: null })
    expect(filesUnder(holdfast, 'tmp')).toEqual([])
  })

  test('is described, with the file that it became', async () => {
    const sent = { name: 'told.txt', unknown: 'x' }
    const path = await tus.begin({ length: 2, fields: sent })
    await tus.sendPiece({ path, offset: 0, body: 'ab' })

    const head = await holdfast.fetch(path, { method: 'HEAD', headers: { ...VERSION, ...holdfast.withKey } })
    const told = await uploadOf(await holdfast.fetch(path, { headers: holdfast.withKey }))

    expect(Object.fromEntries(head.headers)).toMatchObject({
      'upload-offset': '2',
      'upload-length': '2',
      'upload-metadata': metadata(sent),
      'holdfast-file-id': told.file?.id,
      'cache-control': 'no-store',
    })
    expect(head.headers.has('upload-expires')).toBe(false)
    expect(told).toMatchObject({ offset: 2, file: { key: 'told.txt', size: 2 } })
  })

  test('is finished at once when it is empty, or sent as it begins', async () => {
    const empty = await tus.sendBegin({ length: 0, fields: { name: 'empty' } })
    const announced = { 'Upload-Length': '3', 'Upload-Metadata': metadata({ name: 'whole' }) }
    const headers = { ...VERSION, ...PIECE, ...holdfast.withKey, ...announced }
    const whole = await holdfast.fetch('/api/uploads', { method: 'POST', headers, body: 'all' })

    expect([empty.status, empty.headers.get('upload-offset')]).toEqual([201, '0'])
    expect([whole.status, whole.headers.get('upload-offset')]).toEqual([201, '3'])
    expect(await fileOf(empty)).toMatchObject({ key: 'empty', size: 0 })
    expect(await fileOf(whole)).toMatchObject({ key: 'whole', size: 3 })
    expect(await api.hosted('whole')).toBe('all')
  })

  test.each([1, 3, 40])('has the checksums of its bytes when it came in %d pieces', async (pieces) => {
    const bytes = new Uint8Array(5 * 1024 ** 2 + 1).map((_, index) => index * 31)
    const path = await tus.begin({
      length: bytes.length,
      fields: { name: `sums ${pieces}` },
    })
    const step = Math.ceil(bytes.length / pieces)
    let id = ''
    for (let offset = 0; offset < bytes.length; offset += step) {
      const body = bytes.slice(offset, offset + step)
      const { headers } = await tus.sendPiece({ path, offset, body })
      id = headers.get('holdfast-file-id') ?? ''
    }

    expect(await holdfast.server.deps.store.files.byId(id)).toMatchObject({
      size: bytes.length,
      crc32: crc32(bytes),
      sha256: createHash('sha256').update(bytes).digest('hex'),
    })
  })

  test('takes a piece whose checksum is right, and nothing of one whose is wrong', async () => {
    const path = await tus.begin({ length: 6, fields: { name: 'checked' } })
    const send = (offset: number, body: string, checksum: string) =>
      sendPiece(holdfast, { ...holdfast.withKey, 'Upload-Checksum': checksum }, { path, offset, body })

    const wrong = await send(0, 'abc', sha('sha1', 'abd'))
    expect([wrong.status, await tus.offsetOf(path)]).toEqual([460, 0])
    expect((await send(0, 'abc', sha('sha1', 'abc'))).status).toBe(204)
    expect((await send(3, 'xyz', sha('sha256', 'xy'))).status).toBe(460)
    expect((await send(3, 'xyz', 'md5 abcd')).status).toBe(400)
    const last = await send(3, 'def', sha('sha256', 'def'))

    const row = await holdfast.server.deps.store.files.byId(last.headers.get('holdfast-file-id') ?? '')
    expect(row?.sha256).toBe(createHash('sha256').update('abcdef').digest('hex'))
    expect(await api.hosted('checked')).toBe('abcdef')
  })

  test('is removed when its client ends it', async () => {
    const path = await tus.begin({ length: 6, fields: { name: 'ended' } })
    await tus.sendPiece({ path, offset: 0, body: 'abc' })
    expect(countStaged(holdfast)).toBe(1)

    expect((await tus.terminate(path)).status).toBe(204)

    expect(filesUnder(holdfast, 'tmp')).toEqual([])
    expect(await lastActivity()).toEqual({ type: 'upload.canceled', target: 'ended', detail: null })
    expect((await tus.terminate(path)).status).toBe(404)
    expect((await tus.sendPiece({ path, offset: 3, body: 'def' })).status).toBe(404)
  })

  test('leaves its file when it is ended after its end', async () => {
    const path = await tus.begin({ length: 1, fields: { name: 'kept' } })
    await tus.sendPiece({ path, offset: 0, body: 'x' })

    expect((await tus.terminate(path)).status).toBe(204)

    expect(await api.hosted('kept')).toBe('x')
    expect((await lastActivity())?.type).toBe('upload.succeeded')
  })
})

describe('what does not fit is refused:', () => {
  const valid = { 'Upload-Length': '3', 'Upload-Metadata': metadata({ name: 'never' }) }

  test.each([
    ['no version', { 'Tus-Resumable': undefined }, 400],
    ['another version', { 'Tus-Resumable': '0.2.2' }, 412],
    ['no length', { 'Upload-Length': undefined }, 400],
    ['a length that is not known yet', { 'Upload-Length': undefined, 'Upload-Defer-Length': '1' }, 400],
    ['a negative length', { 'Upload-Length': '-1' }, 400],
    ['a fraction', { 'Upload-Length': '1.5' }, 400],
    ['an enormous length', { 'Upload-Length': '9'.repeat(16) }, 400],
    ['a file larger than files may be', { 'Upload-Length': String(20 * 1024 ** 2 + 1) }, 413],
    ['a part of an upload', { 'Upload-Concat': 'partial' }, 400],
    ['no name', { 'Upload-Metadata': undefined }, 400],
    ['an empty name', { 'Upload-Metadata': 'name' }, 400],
    ['a name that is a path up', { 'Upload-Metadata': metadata({ name: '..' }) }, 400],
    ['a name twice', { 'Upload-Metadata': 'name YQ==,name YQ==' }, 400],
    ['a name that is no Base64', { 'Upload-Metadata': 'name a*b=' }, 400],
    ['a name that is no UTF-8', { 'Upload-Metadata': 'name /w==' }, 400],
    ['a folder above the root', { 'Upload-Metadata': metadata({ name: 'a', folder: '../x' }) }, 400],
    [
      'a key that is too long',
      { 'Upload-Metadata': metadata({ name: 'a', folder: 'x/'.repeat(2000) }) },
      400,
    ],
    ['an unknown visibility', { 'Upload-Metadata': metadata({ name: 'a', visibility: 'secret' }) }, 400],
  ])('%s', async (_, changes, status) => {
    const headers = new Headers({ ...VERSION, ...valid, ...holdfast.withKey })
    for (const [name, value] of Object.entries(changes)) {
      if (value === undefined) headers.delete(name)
      else headers.set(name, value)
    }

    const response = await holdfast.fetch('/api/uploads', { method: 'POST', headers })

    expect(response.status).toBe(status)
    expect(response.headers.get('tus-resumable')).toBe('1.0.0')
    expect(response.headers.get('tus-version')).toBe(status === 412 ? '1.0.0' : null)
    expect(await messageOf(response)).not.toBe('')
    expect(filesUnder(holdfast, 'tmp')).toEqual([])
  })

  test.each([
    ['another offset', { 'Upload-Offset': '2' }, 'x', 409],
    ['no offset', { 'Upload-Offset': '' }, 'x', 400],
    ['another type', { 'Content-Type': 'text/plain' }, 'x', 415],
    ['another version', { 'Tus-Resumable': '2.0.0' }, 'x', 412],
    ['more bytes than were announced', {}, 'xxxx', 413],
  ])('a piece with %s', async (_, headers, body, status) => {
    const path = await tus.begin({ length: 3, fields: { name: 'piece' } })

    const response = await sendPiece(holdfast, { ...holdfast.withKey, ...headers }, { path, offset: 0, body })

    expect(response.status).toBe(status)
    expect(await messageOf(response)).not.toBe('')
    expect(await tus.offsetOf(path)).toBe(0)
    await tus.terminate(path)
  })

  test('a file larger than files may be by now', async () => {
    const path = await tus.begin({ length: 100, fields: { name: 'shrunk' } })
    await tus.sendPiece({ path, offset: 0, body: 'x'.repeat(50) })
    const setLimit = (maxUploadSize: number) =>
      holdfast.bySession.data('PUT', '/settings', { limits: { maxUploadSize } })
    const rest = { path, offset: 50, body: 'x'.repeat(50) }

    await setLimit(99)
    const refused = await tus.sendPiece(rest)
    await setLimit(20 * 1024 ** 2)
    const taken = await tus.sendPiece(rest)

    expect([refused.status, taken.status]).toEqual([413, 204])
  })

  test('more bytes than announced, in a body without a length', async () => {
    const path = await tus.begin({ length: 100_000, fields: { name: 'endless' } })
    const body = new ReadableStream({
      pull: (controller) => controller.enqueue(new Uint8Array(60_000)),
    })

    expect((await tus.sendPiece({ path, offset: 0, body })).status).toBe(413)
    expect(await lastActivity()).toMatchObject({ type: 'upload.failed', target: 'endless' })
    await tus.terminate(path)
  })

  test('a name that is taken, when it begins and when it ends', async () => {
    const fields = { name: 'taken', folder: 'clash' }
    const path = await tus.begin({ length: 3, fields })
    await tus.sendPiece({ path, offset: 0, body: 'ab' })
    const file = await api.upload('taken', 'x', 'clash')

    const again = await tus.sendBegin({ length: 3, fields })
    const last = await tus.sendPiece({ path, offset: 2, body: 'c' })

    expect([again.status, last.status]).toEqual([409, 409])
    expect(await messageOf(last)).toBe('A file named "taken" exists in this folder already')
    expect(await lastActivity()).toMatchObject({ type: 'upload.failed', target: 'taken' })
    expect(await api.hosted('clash/taken')).toBe('x')

    await api.data('DELETE', '/files', { id: file.id })
    await tus.sendPiece({ path, offset: 2, body: 'c' })
    expect(await api.hosted('clash/taken')).toBe('abc')
  })

  test('the slower of two of the same name, which may continue when the name is free', async () => {
    const fields = { name: 'twins' }
    const paths = await Promise.all([0, 1].map(() => tus.begin({ length: 3, fields })))

    const answers = await Promise.all(
      paths.map((path, index) => tus.sendPiece({ path, offset: 0, body: `${index}bc` })),
    )

    expect(answers.map(({ status }) => status).sort()).toEqual([204, 409])
    const [loser = '', content] = answers[0]?.status === 409 ? [paths[0], '0bc'] : [paths[1], '1bc']
    // A client would take one that has arrived as a whole for finished.
    const offset = await tus.offsetOf(loser)
    expect(offset).toBeLessThan(3)
    const [winner] = await api.list({ orderBy: 'createdAt', limit: 1 })
    await api.data('DELETE', '/files', { id: winner?.id })
    const body = content.slice(offset)
    expect((await tus.sendPiece({ path: loser, offset, body })).status).toBe(204)
    expect(await api.hosted('twins')).toBe(content)
  })
})

test('an account has a thousand unfinished uploads at most', async () => {
  const { store } = holdfast.server.deps
  const { withSession, id: userId } = await holdfast.addUser('editor')
  const many = { length: 1, fields: { name: 'many' } }
  const path = await begin(holdfast, withSession, many)
  const row = await store.resumables.byId(path.split('/').at(-1) ?? '')
  if (!row) throw new Error('The upload is not there')
  await store.transact(function* () {
    for (let index = 1; index < 1000; index += 1)
      yield* store.resumables.insert({ ...row, id: `${userId} ${index}` })
  })

  const refused = await sendBegin(holdfast, withSession, many)
  await terminate(holdfast, withSession, path)
  const begun = await sendBegin(holdfast, withSession, many)

  expect([refused.status, begun.status]).toEqual([413, 201])
  expect(await messageOf(refused)).toBe('An account may have at most 1000 unfinished uploads')
})

describe('another caller', () => {
  test('gets 404 for the upload', async () => {
    const path = await tus.begin({ length: 3, fields: { name: 'mine' } })
    const scopes = ['files:read', 'files:write', 'files:delete']
    const { withSession, id } = await holdfast.addUser('editor')
    const others: Record<string, string>[] = [
      withSession,
      await addKey(holdfast, { userId: id, scopes }),
      await addKey(holdfast, { userId: holdfast.userId, scopes }),
      { Cookie: holdfast.cookie },
    ]

    for (const headers of others) {
      const head = await holdfast.fetch(path, { method: 'HEAD', headers: { ...VERSION, ...headers } })
      const piece = await sendPiece(holdfast, headers, { path, offset: 0, body: 'abc' })
      const ended = await terminate(holdfast, headers, path)

      expect([head.status, piece.status, ended.status]).toEqual([404, 404, 404])
    }
    expect(await tus.offsetOf(path)).toBe(0)
    await tus.terminate(path)
  })

  test('continues with another session of the same account', async () => {
    const user = await holdfast.addUser('editor')
    const path = await begin(holdfast, user.withSession, { length: 3, fields: { name: 'session' } })

    expect((await sendPiece(holdfast, user.withSession, { path, offset: 0, body: 'abc' })).status).toBe(204)
  })

  test('cannot be finished without the right to upload', async () => {
    const user = await holdfast.addUser('editor')
    const path = await begin(holdfast, user.withSession, { length: 6, fields: { name: 'demoted' } })
    await sendPiece(holdfast, user.withSession, { path, offset: 0, body: 'abc' })
    const { body, push, close } = pushedBody()
    const sending = sendPiece(holdfast, user.withSession, { path, offset: 3, body })
    push('de')
    await eventually(() => holdfast.isReceiving(path))
    setAccess(holdfast, user.id, { role: 'viewer' })
    push('f')
    close()

    expect((await sending).status).toBe(403)
    expect((await api.list({})).map(({ name }) => name)).not.toContain('demoted')
  })
})

describe('time', () => {
  const DAY = 86_400_000

  test('removes uploads not continued for a day, and the result of finished ones', async () => {
    const clock = new TestClock()
    await using holdfast = await startInsideWithAccount({ isAlone: true, clock })
    const tus = tusOf(holdfast)
    const path = await tus.begin({ length: 3, fields: { name: 'slow' } })
    const finished = await tus.begin({ length: 0, fields: { name: 'finished' } })

    clock.advance(DAY - 1000)
    await tus.sendPiece({ path, offset: 0, body: 'a' })
    clock.advance(DAY - 1000)
    await removeExpiredUploads({ ...holdfast.server.deps, ...holdfast.server.modules.uploads })
    expect(await tus.offsetOf(path)).toBe(1)
    expect((await holdfast.fetch(finished, { headers: holdfast.withKey })).status).toBe(404)

    clock.advance(1000)
    expect((await tus.sendPiece({ path, offset: 1, body: 'bc' })).status).toBe(404)
    await removeExpiredUploads({ ...holdfast.server.deps, ...holdfast.server.modules.uploads })

    expect(filesUnder(holdfast, 'tmp')).toEqual([])
    expect(await holdfast.server.deps.store.resumables.expired(clock.now(), 10)).toEqual([])
    expect((await holdfast.server.deps.store.activities.newest(holdfast.userId, 1))[0]).toMatchObject({
      type: 'upload.canceled',
      target: 'slow',
      detail: 'It was not finished within a day',
    })
    expect(await holdfast.api.hosted('finished')).toBe('')
  })

  test('removes uploads whose API key is gone', async () => {
    await using holdfast = await startInsideWithAccount({ isAlone: true })
    const tus = tusOf(holdfast)
    const path = await tus.begin({ length: 3, fields: { name: 'lost' } })
    await tus.sendPiece({ path, offset: 0, body: 'a' })
    const { keys } = await holdfast.bySession.data<{ keys: { id: string }[] }>('GET', '/keys')
    for (const { id } of keys) await holdfast.bySession.data('DELETE', '/keys', { id })

    await holdfast.server.jobs.runAll()

    expect(filesUnder(holdfast, 'tmp')).toEqual([])
    expect(holdfast.catalog.activities.newest(holdfast.userId, 1)[0]).toMatchObject({
      type: 'upload.canceled',
      target: 'lost',
      detail: 'Its account or API key has ended',
    })
  })

  test('gives pieces a minute of their own, beside that of the API', async () => {
    const environment = { RATE_LIMIT_API: '6', RATE_LIMIT_UPLOADS: '3' }
    await using holdfast = await startInsideWithAccount({ environment, clock: new TestClock() })
    const tus = tusOf(holdfast)
    const path = await tus.begin({ length: 9, fields: { name: 'limited' } })

    const statuses: number[] = []
    for (let offset = 0; offset < 4; offset += 1)
      statuses.push((await tus.sendPiece({ path, offset, body: 'x' })).status)

    expect(statuses).toEqual([204, 204, 204, 429])
    expect((await holdfast.fetch('/api/files', { headers: holdfast.withKey })).status).toBe(200)
  })
})
