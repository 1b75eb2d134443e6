import { describe, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { SQL } from 'bun'
import { apiOf } from '../support/api.ts'
import { eventually } from '../support/eventually.ts'
import type { Inside } from '../support/holdfast.ts'
import { begin, offsetOf, sendPiece, terminate } from '../uploads/tus.ts'
import { openPair } from './instances.ts'

const pair = openPair()

const MiB = 1024 ** 2
/** Rounds of a race. */
const ROUNDS = 12

const beginOn = (node: Inside, filename: string, length: number) =>
  begin(node, pair.account.withKey, { length, fields: { filename } })

/** Counts the pieces of unfinished uploads. */
const countPieces = async () => (await pair.nodes.query('SELECT 1 FROM pieces')).length

const textOf = async (node: Inside, key: string) =>
  new Uint8Array(await (await node.fetch(`/api/hosting/${key}`)).arrayBuffer())

describe('an upload in pieces', () => {
  test('is continued by each server in turn, and has all bytes', async () => {
    const bytes = new Uint8Array(randomBytes(3 * MiB))
    const path = await beginOn(pair.one, 'turns.bin', bytes.length)
    for (let at = 0, n = 0; at < bytes.length; at += MiB / 2, n += 1) {
      const [here, there] = n % 2 ? [pair.one, pair.two] : [pair.two, pair.one]
      const body = bytes.subarray(at, at + MiB / 2)
      expect((await sendPiece(here, pair.account.withKey, { path, offset: at, body })).status).toBe(204)
      expect(await offsetOf(there, pair.account.withKey, path)).toBe(at + MiB / 2)
    }
    expect(Bun.hash(await textOf(pair.two, 'turns.bin'))).toBe(Bun.hash(bytes))
    expect(await countPieces()).toBe(0)
  })

  test('continues on another server after the received part of an interrupted body', async () => {
    const bytes = new Uint8Array(randomBytes(20 * MiB))
    const path = await beginOn(pair.one, 'broken.bin', bytes.length)
    let sent = 0
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        if (sent >= 18 * MiB) return controller.error(new Error('gone'))
        controller.enqueue(bytes.slice(sent, sent + MiB))
        sent += MiB
      },
    })
    await sendPiece(pair.one, pair.account.withKey, { path, offset: 0, body }).catch(() => {})
    const { resumables } = pair.one.server.modules.uploads
    await eventually(() => !resumables.isBusy(path.slice(path.lastIndexOf('/') + 1)))
    const offset = await offsetOf(pair.two, pair.account.withKey, path)
    expect(offset).toBeGreaterThan(0)
    const rest = bytes.subarray(offset)
    expect((await sendPiece(pair.two, pair.account.withKey, { path, offset, body: rest })).status).toBe(204)

    expect(Bun.hash(await textOf(pair.one, 'broken.bin'))).toBe(Bun.hash(bytes))
    expect(await countPieces()).toBe(0)
  })

  /** Sends two bodies to two servers at the same time. One must be taken. Returns it. */
  async function race(path: string, offset: number, bodies: readonly string[]): Promise<string> {
    const responses = await Promise.all(
      bodies.map((body, n) =>
        sendPiece(n === 0 ? pair.one : pair.two, pair.account.withKey, { path, offset, body }),
      ),
    )
    const statuses = responses.map(({ status }) => status)
    expect(statuses.toSorted((a, b) => a - b)).toEqual([204, 409])
    return bodies[statuses.indexOf(204)] ?? ''
  }

  test.each([
    ['pieces of one length', ['half.', 'HALF.']],
    ['pieces of several lengths', ['half.', 'longer..']],
    ['a piece and all bytes', ['half.', 'ALL BYTES.']],
    ['all bytes twice', ['all bytes.', 'ALL BYTES.']],
    ['all bytes but the last', ['all bytes', 'ALL BYTES']],
  ])('takes one of two that arrive at two servers at the same time: %s', async (what, bodies) => {
    for (let n = 0; n < ROUNDS; n += 1) {
      const name = `${what} ${n}.txt`
      const path = await beginOn(pair.one, name, 10)
      let taken = ''
      while (taken.length < 10) {
        expect(await offsetOf(pair.two, pair.account.withKey, path)).toBe(taken.length)
        const rest =
          taken.length === 0 ? bodies : ['rest.', 'REST.'].map((body) => body.slice(taken.length - 10))
        taken += await race(path, taken.length, rest)
      }
      expect(await apiOf(pair.one, pair.account).hosted(name)).toBe(taken)
    }
    expect(await countPieces()).toBe(0)
  })

  test('is still there for a server that looks for its pieces when another has finished it', async () => {
    const path = await beginOn(pair.one, 'finished.txt', 10)
    await sendPiece(pair.one, pair.account.withKey, { path, offset: 0, body: 'first' })
    await using sql = new SQL({ url: pair.nodes.environment['DATABASE_URL'] ?? '', max: 2 })
    const finishing = await sql.reserve()
    await finishing`BEGIN`
    await finishing`LOCK TABLE pieces`
    const late = sendPiece(pair.two, pair.account.withKey, { path, offset: 5, body: 'later' })
    await eventually(async () => (await sql`SELECT 1 FROM pg_locks WHERE NOT granted`).length > 0)
    await finishing`UPDATE resumables SET file_id = id, received = 10 WHERE file_id IS NULL`
    await finishing`DELETE FROM pieces`
    await finishing`COMMIT`
    await finishing.release()

    expect((await late).status).toBe(409)
    expect(await offsetOf(pair.two, pair.account.withKey, path)).toBe(10)
  })

  test('replaces a file once when its last piece arrives at two servers at the same time', async () => {
    const { id } = await apiOf(pair.one, pair.account).upload('replaced.txt', 'first')
    for (let n = 0; n < ROUNDS; n += 1) {
      const announced = { length: 4, fields: { replaces: id } }
      const path = await begin(pair.one, pair.account.withKey, announced)
      const taken = await race(path, 0, [`${n}`.padStart(4, 'a'), `${n}`.padStart(4, 'b')])
      expect(await apiOf(pair.two, pair.account).hosted('replaced.txt')).toBe(taken)
    }
    const { versions } = await apiOf(pair.one, pair.account).data<{ versions: unknown[] }>(
      'GET',
      `/files/versions?id=${id}`,
    )
    expect(versions).toHaveLength(ROUNDS)
  })

  test('is one object when it arrives at once', async () => {
    const before = pair.nodes.store.objects.size
    const path = await beginOn(pair.one, 'once.txt', 4)
    expect((await sendPiece(pair.two, pair.account.withKey, { path, offset: 0, body: 'text' })).status).toBe(
      204,
    )

    expect(pair.nodes.store.objects.size).toBe(before + 1)
    expect(await apiOf(pair.one, pair.account).hosted('once.txt')).toBe('text')
  })

  test('leaves no piece when another server ends it', async () => {
    const path = await beginOn(pair.one, 'ended.txt', 10)
    await sendPiece(pair.one, pair.account.withKey, { path, offset: 0, body: 'half' })
    expect(await countPieces()).toBe(1)
    expect((await terminate(pair.two, pair.account.withKey, path)).status).toBe(204)

    expect(await countPieces()).toBe(0)
    const rest = await sendPiece(pair.one, pair.account.withKey, { path, offset: 4, body: 'rest' })
    expect(rest.status).toBe(404)
  })
})
