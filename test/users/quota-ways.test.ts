import { afterEach, beforeEach, expect, test } from 'bun:test'
import { withInside } from '../support/fixture.ts'
import { messageOf } from '../support/holdfast.ts'
import { begin, metadata, offsetOf, sendBegin, sendPiece, terminate, VERSION } from '../uploads/tus.ts'
import { buildArchive } from '../zip/build-archive.ts'
import { bytes, createLimited } from './limited.ts'

const MIB = 1024 ** 2
const LENGTH = 40 * MIB
/** Maximum bytes of a body that are sent: more than the server receives before it counts them. */
const SENT = 8 * MIB

const holdfast = withInside()
let limited: Awaited<ReturnType<typeof createLimited>>
beforeEach(async () => {
  limited = await createLimited(holdfast)
})
afterEach(async () => {
  const { files, folders } = await holdfast.bySession.browse()
  for (const { id } of folders) await holdfast.bySession.data('DELETE', '/folders', { id })
  for (const { id } of files) await holdfast.bySession.data('DELETE', '/files', { id })
  await holdfast.bySession.data('PUT', '/settings', { versionDays: 30 })
})

interface Long {
  path: string
  type: string
  body: Uint8Array
  isAnnounced: boolean
}

/** Sends a body, of a long one only the beginning: the response shows that the server needs no more. */
async function sendLong({ path, type, body, isAnnounced }: Long): Promise<number> {
  const { editor } = limited
  const stream = new ReadableStream<Uint8Array>({
    start: (controller) => {
      controller.enqueue(body.slice(0, SENT))
      if (body.length <= SENT) controller.close()
    },
  })
  const { status } = await holdfast.fetch(path, {
    method: 'POST',
    headers: {
      ...editor.withSession,
      'Content-Type': type,
      ...(isAnnounced && { 'Content-Length': String(body.length) }),
    },
    body: stream,
  })
  return status
}

const longForm = (isAnnounced: boolean, length = LENGTH): Long => ({
  path: '/api/files',
  type: 'multipart/form-data; boundary=b',
  body: Buffer.concat([
    Buffer.from('--b\r\nContent-Disposition: form-data; name="files"; filename="a"\r\n\r\n'),
    Buffer.alloc(length),
    Buffer.from('\r\n--b--'),
  ]),
  isAnnounced,
})

test('a form that is announced to be too long is refused before its body', async () => {
  await limited.setQuota(1000)

  expect(await sendLong(longForm(true))).toBe(507)
})

test('a form without a length is refused while it arrives, and leaves nothing', async () => {
  const { setQuota, expectNothingLeft } = limited
  await setQuota(1000)
  await expectNothingLeft(async () => expect(await sendLong(longForm(false))).toBe(507))
})

test('a replacement needs room for what is added to the old bytes, or for all when they stay', async () => {
  const { admin, setQuota, store, replace, expectCounted, expectNothingLeft } = limited
  const file = await store('a.txt', 800)
  await setQuota(1000)

  await expectNothingLeft(async () => expect((await replace(file.id, 201)).status).toBe(507))
  expect((await replace(file.id, 200)).status).toBe(200)
  await admin.api.data('PUT', '/settings', { versionDays: 0 })
  await setQuota(10)
  expect((await replace(file.id, 199)).status).toBe(200)
  expect((await replace(file.id, 200)).status).toBe(507)
  await expectCounted()
})

test('a version is restored only where the present bytes have room as one', async () => {
  const { editor, setQuota, store, replace, expectCounted, expectNothingLeft } = limited
  const file = await store('a.txt', 300)
  await replace(file.id, 400)
  const path = `/files/versions?id=${file.id}`
  const { versions } = await editor.api.data<{ versions: { id: string }[] }>('GET', path)
  const restore = () => editor.api.send('POST', '/files/versions/restore', { id: versions[0]?.id })

  await setQuota(999)
  await expectNothingLeft(async () => expect((await restore()).status).toBe(507))
  await setQuota(1000)
  expect((await restore()).status).toBe(200)
  await expectCounted()
})

test('a resumable upload is refused by its length when it begins', async () => {
  const { editor, setQuota, store, expectNothingLeft } = limited
  const file = await store('a.txt', 800)
  await setQuota(1000)
  const statusFor = async (length: number, fields: Record<string, string>) =>
    (await sendBegin(holdfast, editor.withSession, { length, fields })).status

  await expectNothingLeft(async () => {
    expect(await statusFor(201, { filename: 't.bin' })).toBe(507)
    expect(await statusFor(1001, { replaces: file.id })).toBe(507)
  })
  expect(await statusFor(200, { filename: 't.bin' })).toBe(201)
})

test('resumable uploads that fit alone are checked again at their ends', async () => {
  const { editor, used, setQuota, expectCounted } = limited
  await setQuota(1000)
  const headers = editor.withSession
  const paths = await Promise.all(
    ['a.bin', 'b.bin'].map((filename) => begin(holdfast, headers, { length: 600, fields: { filename } })),
  )
  const end = async (path: string, offset: number) =>
    (await sendPiece(holdfast, headers, { path, offset, body: bytes(600 - offset) })).status
  const statuses = await Promise.all(paths.map((path) => end(path, 0)))

  expect(statuses.toSorted()).toEqual([204, 507])
  expect(await used()).toBe(600)
  const refused = paths[statuses.indexOf(507)] ?? ''
  const offset = await offsetOf(holdfast, headers, refused)
  await setQuota(1200)
  expect(await end(refused, offset)).toBe(204)
  expect(await used()).toBe(1200)
  await expectCounted()
})

test('resumable uploads count while they are unfinished', async () => {
  const { editor, setQuota } = limited
  await setQuota(6 * MIB)
  const headers = editor.withSession
  const announce = (length: number) => ({ length, fields: { filename: `${length}.bin` } })
  const [one, other] = [
    await begin(holdfast, headers, announce(6 * MIB)),
    await begin(holdfast, headers, announce(5 * MIB)),
  ]
  const send = async (path: string) =>
    (await sendPiece(holdfast, headers, { path, offset: 0, body: bytes(4.5 * MIB) })).status

  expect(await send(one)).toBe(204)
  expect(await send(other)).toBe(507)
  expect((await sendBegin(holdfast, headers, announce(3 * MIB))).status).toBe(507)
  await terminate(holdfast, headers, one)
  expect((await sendBegin(holdfast, headers, announce(1 * MIB))).status).toBe(201)
})

test('finished and unfinished bytes stay within the quota together, in however small pieces', async () => {
  const { admin, editor, used, setQuota, store, expectCounted, expectNothingLeft } = limited
  await admin.api.data('PUT', '/settings', { versionDays: 0 })
  const file = await store('a.txt', 100)
  await setQuota(1000)
  const headers = editor.withSession
  const [one, other] = [
    await begin(holdfast, headers, { length: 600, fields: { replaces: file.id } }),
    await begin(holdfast, headers, { length: 600, fields: { filename: 'b.bin' } }),
  ]
  const send = async (path: string, offset: number, count: number) =>
    (await sendPiece(holdfast, headers, { path, offset, body: bytes(count) })).status

  expect(await send(one, 0, 599)).toBe(204)
  expect(await send(other, 0, 301)).toBe(204)
  expect(await send(other, 301, 1)).toBe(507)
  await expectNothingLeft(async () => expect(await sendLong(longForm(false, 1))).toBe(507))
  expect(await send(one, 599, 1)).toBe(204)
  expect(await used()).toBe(600)
  expect(await sendLong(longForm(false, 100))).toBe(507)
  expect(await sendLong(longForm(false, 99))).toBe(200)
  await expectCounted()
})

test('a copy of a file or a folder is refused whole', async () => {
  const { editor, setQuota, expectCounted, expectNothingLeft } = limited
  const file = await editor.api.upload('a.txt', bytes(400), 'from')
  await editor.api.upload('b.txt', bytes(400), 'from')
  await setQuota(1000)
  const copy = (ids: object) =>
    editor.api.data<{ failed: { message: string }[] }>('POST', '/files/copy', { ...ids, folder: 'to' })

  await expectNothingLeft(async () => {
    const { failed } = await copy({ folderIds: [file.folderId] })
    expect(failed[0]?.message).toStartWith('These files need 800 B')
    expect((await copy({ fileIds: [file.id] })).failed[0]?.message).toStartWith('These files need 400 B')
  })
  await setQuota(1600)
  expect((await copy({ folderIds: [file.folderId] })).failed).toEqual([])
  await expectCounted()
})

test('an archive is refused whole', async () => {
  const { editor, used, setQuota, expectCounted, expectNothingLeft } = limited
  await setQuota(100)
  const send = (files: number, onConflict: string) =>
    holdfast.fetch(`/api/folders/import?folder=unpacked&onConflict=${onConflict}`, {
      method: 'POST',
      headers: { ...editor.withSession, 'Content-Type': 'application/zip' },
      body: buildArchive(Array.from({ length: files }, (_, n) => ({ path: `${n}.txt`, content: 'x' }))),
    })

  await expectNothingLeft(async () => {
    expect((await send(101, 'fail')).status).toBe(507)
    // Files that may be left out are checked by the publication. Many are committed on another thread.
    expect((await send(101, 'skip')).status).toBe(507)
    expect((await send(300, 'skip')).status).toBe(507)
  })
  expect((await editor.api.browse()).folders).toEqual([])
  expect((await send(100, 'fail')).status).toBe(200)
  expect((await send(100, 'skip')).status).toBe(200)
  expect(await used()).toBe(100)
  await expectCounted()
})

test('an archive is read no further than its files fit', async () => {
  const { setQuota, expectNothingLeft } = limited
  await setQuota(1000)
  const body = buildArchive(['a', 'b', 'c', 'd'].map((path) => ({ path, content: Buffer.alloc(LENGTH / 4) })))
  await expectNothingLeft(async () => {
    const archive = { path: '/api/folders/import', type: 'application/zip', body, isAnnounced: true }
    expect(await sendLong(archive)).toBe(507)
  })
})

test('files of visitors count for the owner of a drop box', async () => {
  const { editor, used, setQuota, store, expectCounted, expectNothingLeft } = limited
  await store('a.txt', 800)
  await setQuota(1000)
  const folder = await editor.api.createFolder('box')
  const { share } = await editor.api.data<{ share: { slug: string } }>('POST', '/shares', {
    canRead: false,
    canWrite: true,
    folderId: folder.id,
  })
  const drop = (count: number) => {
    const form = new FormData()
    form.append('files', new File([bytes(count)], `${count}.txt`))
    return holdfast.fetch(`/api/s/${share.slug}/files`, { method: 'POST', body: form })
  }
  const beginDrop = (length: number) =>
    holdfast.fetch(`/api/s/${share.slug}/uploads`, {
      method: 'POST',
      headers: {
        ...VERSION,
        'Upload-Length': String(length),
        'Upload-Metadata': metadata({ filename: 'r.bin' }),
      },
    })

  await expectNothingLeft(async () => {
    for (const refused of [await drop(201), await beginDrop(201)]) {
      expect(refused.status).toBe(507)
      expect(await messageOf(refused)).toBe(
        'These files do not fit: the storage of the owner of this share is full',
      )
    }
  })
  expect((await beginDrop(200)).status).toBe(201)
  expect((await drop(200)).status).toBe(200)
  expect(await used()).toBe(1000)
  await expectCounted()
})
