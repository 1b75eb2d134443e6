import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { eventually } from '../support/eventually.ts'
import { withInside } from '../support/fixture.ts'
import { refusalOf, TestClock } from '../support/holdfast.ts'
import { BOUNDARY, MULTIPART } from '../support/multipart.ts'
import { countStaged, offsetOf, pushedBody, sendPiece } from '../uploads/tus.ts'
import { bytes, createLimited } from '../users/limited.ts'
import { createBox, sharesOf, visitorUploadsOf } from './visitors.ts'

const KIB = 1024
/** Bytes that other programs may write or remove on the volume between two looks at its free space. */
const OTHERS_BYTES = 16 * 1024 ** 2
const MINUTE_MS = 60_000
const FULL: [number, string] = [507, 'These files do not fit: the storage of the owner of this share is full']
const BUSY: [number, string] = [503, 'Too much is being sent at the moment. Try again in a few minutes']

const clock = new TestClock()
const holdfast = withInside({ clock, isAlone: true })
const { begin, begun } = visitorUploadsOf(holdfast)
let limited: Awaited<ReturnType<typeof createLimited>>
beforeEach(async () => {
  limited = await createLimited(holdfast)
})
afterEach(async () => {
  for (const { id } of await sharesOf(holdfast.bySession, '?all=1'))
    await holdfast.bySession.data('DELETE', '/shares', { id })
  await holdfast.server.jobs.runAll()
  expect(countStaged(holdfast)).toBe(0)
})

const dropBox = (rules?: object) => createBox(limited.editor.api, rules)
const endShare = (id: string) => limited.editor.api.data('DELETE', '/shares', { id })
const heldBy = (name: string) => holdfast.server.deps.heldBytes.of(name)

/** Begins a form without a length, and returns what sends more of its only file, and its response. */
function sendForm(slug: string) {
  const { body, push, close } = pushedBody()
  push(`--${BOUNDARY}\r\nContent-Disposition: form-data; name="files"; filename="a.bin"\r\n\r\n`)
  const response = holdfast.fetch(`/api/s/${slug}/files`, { method: 'POST', headers: MULTIPART, body })
  return {
    push,
    response,
    end: () => {
      push(`\r\n--${BOUNDARY}--\r\n`)
      close()
      return response
    },
  }
}

describe('bytes that visitors send', () => {
  test('count for the quota of the owner while unfinished, also without a cookie, and end with the share', async () => {
    await limited.setQuota(10 * KIB)
    const { id, slug } = await dropBox()
    const piece = bytes(3 * KIB)
    const uploads: Awaited<ReturnType<typeof begun>>[] = []
    for (let n = 0; n < 5; n += 1) uploads.push(await begun(slug, `${n}.bin`, 3 * KIB + 1))
    const statuses: number[] = []
    for (const { path, cookie } of uploads)
      statuses.push((await sendPiece(holdfast, cookie, { path, offset: 0, body: piece })).status)

    expect(statuses).toEqual([204, 204, 204, 507, 507])
    const offsets = uploads.map(({ cookie, path }) => offsetOf(holdfast, cookie, path))
    expect(await Promise.all(offsets)).toEqual([3 * KIB, 3 * KIB, 3 * KIB, 0, 0])
    expect(await refusalOf(await begin(slug, 'more.bin', KIB + 1))).toEqual(FULL)
    expect((await limited.send('own.bin', KIB)).status).toBe(200)
    expect(await limited.used()).toBe(KIB)

    await endShare(id)
    await holdfast.server.jobs.runAll()
    expect(countStaged(holdfast)).toBe(0)
    await limited.store('more.bin', 9 * KIB)
  })

  test('in forms without a length count while they arrive, and are cut when the share ends', async () => {
    const { id, slug } = await dropBox({ maxBytes: 10 * KIB })
    const [one, other] = [sendForm(slug), sendForm(slug)]
    one.push(bytes(6 * KIB))
    await eventually(() => heldBy(id) >= 6 * KIB)
    other.push(bytes(5 * KIB))

    expect(await refusalOf(await other.end())).toEqual(BUSY)
    expect(heldBy(id)).toBeWithin(6 * KIB, 7 * KIB)
    await endShare(id)
    clock.advance(MINUTE_MS / 2)
    one.push('x')

    expect(await refusalOf(await one.end())).toEqual([404, 'Share not found'])
    expect([heldBy(id), heldBy('visitors'), heldBy(limited.editor.id)]).toEqual([0, 0, 0])
    expect(countStaged(holdfast)).toBe(0)
  })

  test('have a budget of the share, which a file may not exceed', async () => {
    const setLimit = (maxUploadSize: number) =>
      holdfast.bySession.data('PUT', '/settings', { limits: { maxUploadSize } })
    await setLimit(1024 ** 5)
    const { available } = holdfast.server.deps.store.space()
    const cases = [
      { rules: {}, most: available / 20 },
      { rules: { maxBytes: 1024 ** 5 }, most: available / 10 },
    ]
    for (const { rules, most } of cases) {
      const { slug } = await dropBox(rules)
      const send = (length: number) => begin(slug, 'film.mp4', Math.floor(length))
      const full: [number, string] = [413, 'This drop box has no room for these files']
      expect(await refusalOf(await send(most + OTHERS_BYTES))).toEqual(full)
      expect((await send(most - OTHERS_BYTES)).status).toBe(201)
    }
    await setLimit(5 * 1024 ** 3)
    const { slug } = await dropBox({ maxBytes: 1024 ** 2 })
    expect(await (await holdfast.fetch(`/s/${slug}`)).text()).toContain('Each file can be up to 1 MiB.')
  })

  test('have a budget of all visitors, a tenth of the free space, of which one share leaves half', async () => {
    const [one, other] = [await dropBox(), await dropBox()]
    const held = await begun(one.slug, 'held.bin', 5)
    const { resumables, space, transact } = holdfast.server.deps.store
    const id = held.path.split('/').at(-1) ?? ''
    /** Lets the held upload have a part of the space that is free without it, and `more` bytes. */
    const hold = (part: number, more: number) => {
      const received = Math.floor(space().available / (part - 1)) + more
      return transact(() => resumables.advance(id, { received, expiresAt: clock.now() + MINUTE_MS }))
    }
    const piece = async ({ slug }: { slug: string }, name: string) => {
      const { path, cookie } = await begun(slug, name, 5)
      return () => sendPiece(holdfast, cookie, { path, offset: 0, body: 'hello' })
    }
    const [first, second] = [await piece(other, 'a.bin'), await piece(other, 'b.bin')]
    const [own, more] = [await piece(one, 'a.bin'), await piece(one, 'b.bin')]

    await hold(20, -OTHERS_BYTES)
    expect((await own()).status).toBe(204)
    await hold(20, OTHERS_BYTES)
    expect(await refusalOf(await more())).toEqual(BUSY)
    await hold(10, -OTHERS_BYTES)
    expect((await first()).status).toBe(204)
    await hold(10, OTHERS_BYTES)
    expect(await refusalOf(await second())).toEqual(BUSY)
    await endShare(one.id)
    await holdfast.server.jobs.runAll()
    expect((await second()).status).toBe(204)
  })

  test('are removed within a minute when the share expires, or its owner goes', async () => {
    const one = await dropBox({ expiresAt: new Date(clock.now() + MINUTE_MS).toISOString() })
    const other = await dropBox()
    for (const { slug } of [one, other]) {
      const { path, cookie } = await begun(slug, 'a.bin', 5)
      await sendPiece(holdfast, cookie, { path, offset: 0, body: 'a' })
    }
    expect(countStaged(holdfast)).toBe(2)

    clock.advance(MINUTE_MS)
    await holdfast.server.jobs.runAll()
    expect(countStaged(holdfast)).toBe(1)
    await holdfast.bySession.data('DELETE', '/users', { id: limited.editor.id })
    await holdfast.server.jobs.runAll()
    expect(countStaged(holdfast)).toBe(0)
  })

  test('wait while the folder is in the trash, and are removed with it', async () => {
    const { slug, folderId } = await dropBox()
    const { path, cookie } = await begun(slug, 'a.bin', 5)
    await sendPiece(holdfast, cookie, { path, offset: 0, body: 'a' })

    await holdfast.bySession.data('POST', '/trash', { folderIds: [folderId] })
    await holdfast.server.jobs.runAll()
    expect(countStaged(holdfast)).toBe(1)

    await holdfast.bySession.data('DELETE', '/trash', { ids: [folderId] })
    await holdfast.server.jobs.runAll()
    expect(countStaged(holdfast)).toBe(0)
  })
})
