import { beforeAll, describe, expect, test } from 'bun:test'
import { setAccess, type User } from '../support/accounts.ts'
import { withInside } from '../support/fixture.ts'
import { postJson, refusalOf, TestClock } from '../support/holdfast.ts'
import { offsetOf, sendPiece, terminate, VERSION } from '../uploads/tus.ts'
import { cookieOf, createBox, createShare, PASSWORD, shareOf, visitorUploadsOf } from './visitors.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const TOO_MUCH: [number, string] = [413, 'This drop box has no room for these files']
const RESERVED: [number, string] = [
  413,
  'Uploads in progress use the last room in this share. Try again later',
]

const clock = new TestClock()
let owner: User
const holdfast = withInside({ clock })
beforeAll(async () => {
  owner = await holdfast.addUser('editor')
})

const dropBox = (rules?: object) => createBox(owner.api, rules)

const { begin, begun } = visitorUploadsOf(holdfast)
const received = async (key: string) =>
  (await owner.api.browse({ key })).files.map(({ name, size, visibility }) => [name, size, visibility])
const counts = (id: string) => shareOf(owner.api, id)
/** Returns what a share says of uploads that are under way. */
const reserved = (reservedFiles: number, reservedBytes: number, unfinishedBytes: number) => ({
  reservedFiles,
  reservedBytes,
  unfinishedBytes,
})
const uploadsOf = async (slug: string, headers: Record<string, string>) => {
  const response = await holdfast.fetch(`/api/s/${slug}`, { headers })
  const { data } = (await response.json()) as { data: { uploads: { name: string }[]; files: unknown[] } }
  return data.uploads.map(({ name }) => name)
}

describe('an upload of a visitor', () => {
  test('continues after an interruption, and becomes a private file with a number after a taken name', async () => {
    const { id, slug, folder } = await dropBox()
    await owner.api.upload('film.mp4', 'mine', folder.key)
    const { path, cookie } = await begun(slug, 'film.mp4', 10)

    expect((await sendPiece(holdfast, cookie, { path, offset: 0, body: 'hello' })).status).toBe(204)
    expect(await uploadsOf(slug, cookie)).toEqual([])
    expect(await offsetOf(holdfast, cookie, path)).toBe(5)
    const last = await sendPiece(holdfast, cookie, { path, offset: 5, body: 'world' })

    expect([last.status, last.headers.get('upload-offset')]).toEqual([204, '10'])
    expect(last.headers.get('holdfast-file-id')).toBeNull()
    expect(await received(folder.key)).toContainEqual(['film (2).mp4', 10, 'private'])
    expect(await uploadsOf(slug, cookie)).toEqual(['film.mp4'])
    expect(await counts(id)).toMatchObject({ receivedFiles: 1, receivedBytes: 10 })
  })

  test('shows its visitor neither its key nor the id of its file', async () => {
    const { slug, folder } = await dropBox()
    const { path, cookie } = await begun(slug, 'plain.txt', 3)
    await sendPiece(holdfast, cookie, { path, offset: 0, body: 'abc' })

    const response = await holdfast.fetch(path, { headers: cookie })

    const text = await response.text()
    expect(JSON.parse(text).data.upload).toEqual({
      id: path.split('/').at(-1),
      name: 'plain.txt',
      length: 3,
      offset: 3,
      expiresAt: expect.any(String),
    })
    expect(text).not.toContain(folder.key)
    expect([...response.headers.keys()]).not.toContain('holdfast-file-id')
  })

  test('is 404 for other visitors, in other shares, and for its owner’s own uploads', async () => {
    const [one, other] = [await dropBox(), await dropBox()]
    const { path, cookie } = await begun(one.slug, 'secret.txt', 4)
    const id = path.split('/').at(-1) ?? ''
    const stranger = (await begun(one.slug, 'x.txt', 4)).cookie
    const elsewhere = await begun(other.slug, 'x.txt', 4)

    for (const [at, headers] of [
      [path, {}],
      [path, stranger],
      [`/api/s/${other.slug}/uploads/${id}`, elsewhere.cookie],
      [`/api/s/${other.slug}/uploads/${id}`, cookie],

      [`/api/uploads/${id}`, owner.withSession],
    ] as const) {
      const offset = holdfast.fetch(at, { method: 'HEAD', headers: { ...VERSION, ...headers } })
      expect([at, (await offset).status]).toEqual([at, 404])
      const piece = await sendPiece(holdfast, headers, { path: at, offset: 0, body: 'evil' })
      expect([at, piece.status]).toEqual([at, 404])
      expect((await terminate(holdfast, headers, at)).status).toBe(404)
    }
    expect(await offsetOf(holdfast, cookie, path)).toBe(0)
  })

  test('goes nowhere but to the folder of the share, private, and replaces nothing', async () => {
    const { slug, folder } = await dropBox()
    const file = await owner.api.upload('kept.txt', 'kept', folder.key)
    const fields = { folder: 'elsewhere', visibility: 'public' }

    const response = await begin(slug, '../../up.txt', 0, { fields })
    const replacing = await begin(slug, 'kept.txt', 4, { fields: { replaces: file.id } })

    expect(response.status).toBe(201)
    expect(await received(folder.key)).toEqual(
      [
        ['kept.txt', 4, 'public'],
        ['up.txt', 0, 'private'],
      ].toSorted(),
    )
    expect(await refusalOf(replacing)).toEqual([400, 'A visitor cannot replace files'])
  })

  test('reserves its place, and returns it when it is canceled or expires', async () => {
    const { id, slug } = await dropBox({ maxFiles: 2, maxBytes: 10 })
    const first = await begun(slug, 'one.txt', 6)
    expect(await refusalOf(await begin(slug, 'two.txt', 5))).toEqual(RESERVED)
    expect(await refusalOf(await begin(slug, 'two.txt', 11))).toEqual(TOO_MUCH)
    const second = await begun(slug, 'two.txt', 4)
    expect(await refusalOf(await begin(slug, 'three.txt', 0))).toEqual(RESERVED)
    await sendPiece(holdfast, first.cookie, { ...first, offset: 0, body: 'one' })
    expect(await counts(id)).toMatchObject({ receivedFiles: 0, receivedBytes: 0, ...reserved(2, 10, 3) })
    expect(await (await holdfast.fetch(`/s/${slug}`)).text()).toContain(
      'Files that are being sent take the last room of this link.',
    )

    clock.advance(2 * MINUTE_MS)
    await holdfast.server.jobs.runAll()
    expect(await counts(id)).toMatchObject({ receivedFiles: 0, receivedBytes: 0, ...reserved(1, 6, 3) })
    expect((await terminate(holdfast, first.cookie, first.path)).status).toBe(204)
    expect(await counts(id)).toMatchObject({ receivedFiles: 0, receivedBytes: 0, ...reserved(0, 0, 0) })
    // Visitors write nothing into the history of the owner by what they give up.
    const entries = holdfast.catalog.activities.newest(owner.id, 1000).map(({ type }) => type)
    expect(entries).not.toContain('upload.canceled')
    expect((await sendPiece(holdfast, second.cookie, { ...second, offset: 0, body: 'late' })).status).toBe(
      404,
    )
  })

  test('holds the limits when fifty begin at once', async () => {
    const { id, slug, folder } = await dropBox({ maxFiles: 7, maxBytes: 70 })

    const responses = await Promise.all(
      Array.from({ length: 50 }, (_, at) => begin(slug, `file ${at}.txt`, 10)),
    )

    const taken = responses.filter(({ status }) => status === 201)
    expect(taken.length).toBe(7)
    expect(await counts(id)).toMatchObject(reserved(7, 70, 0))
    const sent = await Promise.all(
      taken.map((response) =>
        sendPiece(holdfast, cookieOf(response), {
          path: response.headers.get('location') ?? '',
          offset: 0,
          body: '0123456789',
        }),
      ),
    )
    expect(sent.map(({ status }) => status)).toEqual(Array(7).fill(204))
    expect((await received(folder.key)).length).toBe(7)
    expect(await counts(id)).toMatchObject({ receivedFiles: 7, receivedBytes: 70 })
  })

  test('has limits of unfinished ones, and of those without a byte, that do not count for the account of the owner', async () => {
    const { slug } = await dropBox()
    const { path, cookie } = await begun(slug, 'first.txt', 2)
    for (let at = 1; at < 20; at += 1) await begun(slug, `${at}.txt`, 2, cookie)
    expect((await begin(slug, 'more.txt', 1)).status).toBe(503)
    await sendPiece(holdfast, cookie, { path, offset: 0, body: 'x' })
    for (let at = 20; at < 100; at += 1) {
      const upload = await begun(slug, `${at}.txt`, 2, cookie)
      await sendPiece(holdfast, cookie, { ...upload, offset: 0, body: 'x' })
    }
    expect((await begin(slug, 'more.txt', 1, { headers: cookie })).status).toBe(413)
    // A visitor without its cookie has its address still.
    expect((await begin(slug, 'more.txt', 1)).status).toBe(413)
    expect(await holdfast.server.deps.store.resumables.countUnfinished(owner.id)).toBe(0)
  })

  test('is refused for a type that the share does not take, and for a share that takes no files', async () => {
    const { slug } = await dropBox({ types: ['image/*'] })
    expect((await begin(slug, 'page.html', 5)).status).toBe(415)
    const file = await owner.api.upload('read only.txt', 'x')
    const share = await createShare(owner.api, { items: [{ fileId: file.id }] })
    expect((await begin(share.slug, 'a.txt', 5)).status).toBe(403)
    expect((await begin('no-such-share', 'a.txt', 5)).status).toBe(404)
  })

  test('is refused at its end for a type that the share does not take any more', async () => {
    const { id, slug, folder } = await dropBox()
    const { path, cookie } = await begun(slug, 'program.exe', 5)
    await sendPiece(holdfast, cookie, { path, offset: 0, body: 'he' })
    await owner.api.data('PUT', '/shares', { id, types: ['image/*'] })

    expect((await sendPiece(holdfast, cookie, { path, offset: 2, body: 'llo' })).status).toBe(415)
    expect(await received(folder.key)).toEqual([])
  })

  test('needs the password, and ends with the share or the rights of its owner', async () => {
    const { id, slug, folder } = await dropBox({ password: PASSWORD })
    expect((await begin(slug, 'a.txt', 5)).status).toBe(401)
    const open = await postJson(holdfast, `/api/s/${slug}/open`, { password: PASSWORD })
    const { path, cookie } = await begun(slug, 'a.txt', 5, cookieOf(open))
    expect((await sendPiece(holdfast, {}, { path, offset: 0, body: 'he' })).status).toBe(401)
    expect((await sendPiece(holdfast, cookie, { path, offset: 0, body: 'he' })).status).toBe(204)

    setAccess(holdfast, owner.id, { role: 'viewer' })
    const denied = await sendPiece(holdfast, cookie, { path, offset: 2, body: 'llo' })
    setAccess(holdfast, owner.id, { role: 'editor' })
    await owner.api.data('DELETE', '/shares', { id })
    const ended = await sendPiece(holdfast, cookie, { path, offset: 4, body: 'o' })

    expect([denied.status, ended.status]).toEqual([404, 404])
    expect(await received(folder.key)).toEqual([])
  })

  test('renews its cookie, so that a long one can be finished', async () => {
    const { slug, folder } = await dropBox()
    const { path, cookie } = await begun(slug, 'long.bin', 3)
    const renewed: (typeof cookie)[] = [cookie]
    for (const [offset, body] of [...'abc'].entries()) {
      const piece = await sendPiece(holdfast, renewed.at(-1) ?? {}, { path, offset, body })
      expect(piece.status).toBe(204)
      if (piece.headers.has('set-cookie')) renewed.push(cookieOf(piece))
      clock.advance(8 * HOUR_MS)
    }
    expect(renewed.length).toBe(3)
    expect(await received(folder.key)).toEqual([['long.bin', 3, 'private']])
  })
})
