import { beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { openDatabase } from '../support/accounts.ts'
import { startInsideWithAccount, withInside } from '../support/fixture.ts'
import { type Holdfast, startInside, TestClock } from '../support/holdfast.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { ask, onWire } from './wire.ts'

const DAY_MS = 86_400_000

const clock = new TestClock()
const holdfast = withInside({ isAlone: true, clock })
const { api } = holdfast
const wire = onWire(holdfast)
// Tests save counts, and not the job of every few seconds. Each has a day of its own.
beforeAll(() => holdfast.server.jobs.stop())
beforeEach(() => clock.advance(DAY_MS))

const today = () => new Date(clock.now()).toISOString().slice(0, 10)
const flush = () => holdfast.server.modules.hosting.traffic.flush()
const missOne = () => wire.ask('/api/hosting/none')
let names = 0
/** Uploads a file of five bytes and requests it. */
async function uploadAndAsk() {
  const file = await api.upload(`f${names++}`, '12345')
  await wire.ask(`/${file.url}`)
  return file
}

/** Returns the saved counts of a day: in all, and of each file. */
function saved(day = today(), { dataPath }: Pick<Holdfast, 'dataPath'> = holdfast) {
  using database = openDatabase({ dataPath })
  return {
    day: database.query('SELECT requests, bytes, not_found FROM hosting_days WHERE day = ?').get(day),
    files: database
      .query('SELECT file_id, requests, bytes FROM hosting_files WHERE day = ? ORDER BY bytes')
      .all(day),
  }
}

describe('counts of hosting traffic', () => {
  test('are saved for each file and for the day', async () => {
    const one = await uploadAndAsk()
    const other = await api.upload('g', '1234567890')
    for (const { url } of [other, other]) await wire.ask(`/${url}`)
    await wire.ask(`/${one.url}`, { headers: ['Range: bytes=0-1'] })
    await missOne()

    await flush()

    expect(saved()).toEqual({
      day: { requests: 4, bytes: 27, not_found: 1 },
      files: [
        { file_id: one.id, requests: 2, bytes: 7 },
        { file_id: other.id, requests: 2, bytes: 20 },
      ],
    })
  })

  test('are saved once a save is done, also while another is under way', async () => {
    await missOne()

    const underWay = flush()
    await flush()

    expect(saved().day).toEqual({ requests: 0, bytes: 0, not_found: 1 })
    await underWay
  })

  test('of a file follow it through a rename and a move', async () => {
    const { id } = await uploadAndAsk()
    await api.data('PUT', '/files', { id, name: 'b.txt' })
    await api.data('POST', '/files/move', { id, folder: 'elsewhere' })
    await api.hosted('elsewhere/b.txt')

    await flush()

    expect(saved().files).toEqual([{ file_id: id, requests: 2, bytes: 10 }])
  })

  test('of files are retained for 30 days and totals for a year', async () => {
    await uploadAndAsk()
    await flush()
    const day = today()
    const kept = async (days: number) => {
      clock.advance(days * DAY_MS)
      await holdfast.server.modules.hosting.traffic.prune()
      return [saved(day).files, saved(day).day ?? []].map((counts) => Object.keys(counts).length > 0)
    }

    expect(await kept(29)).toEqual([true, true])
    expect(await kept(1)).toEqual([false, true])
    expect(await kept(335)).toEqual([false, true])
    expect(await kept(1)).toEqual([false, false])
  })

  test.each([
    ['before they are saved', 1],
    ['between two saves', 2],
  ])('of a file that is deleted %s are removed with it, but not from the day', async (_, requests) => {
    const { id, url } = await uploadAndAsk()
    if (requests === 2) {
      await flush()
      await wire.ask(`/${url}`)
    }
    await api.data('DELETE', '/files', { id })

    await flush()

    expect(saved()).toEqual({ day: { requests, bytes: 5 * requests, not_found: 0 }, files: [] })
  })

  test('survive a clean stop, and continue from there', async () => {
    using temporary = temporaryFolder()
    const dataPath = temporary.path
    const first = await startInsideWithAccount({ dataPath, clock: new TestClock() })
    const { id, url } = await first.api.upload('f', '12345')
    await ask(first.port, `/${url}`)
    await ask(first.port, '/api/hosting/none')
    await first.stop()
    expect(saved('2026-03-01', first)).toEqual({
      day: { requests: 1, bytes: 5, not_found: 1 },
      files: [{ file_id: id, requests: 1, bytes: 5 }],
    })

    const second = await startInside({ dataPath, clock: new TestClock() })
    await ask(second.port, `/${url}`)
    await second.stop()

    expect(saved('2026-03-01', second)).toEqual({
      day: { requests: 2, bytes: 10, not_found: 1 },
      files: [{ file_id: id, requests: 2, bytes: 10 }],
    })
  })

  test.each(['hosting_days', 'hosting_files'])(
    'survive a failure to save to %s, and are not doubled',
    async (table) => {
      const { id, url } = await uploadAndAsk()
      await missOne()
      using database = openDatabase(holdfast)
      database.refuse(`INSERT ON ${table}`)

      expect(flush()).rejects.toThrow()
      await wire.ask(`/${url}`)
      expect(flush()).rejects.toThrow()
      expect(saved()).toEqual({ day: null, files: [] })
      database.allow()
      await flush()
      await flush()

      expect(saved()).toEqual({
        day: { requests: 2, bytes: 10, not_found: 1 },
        files: [{ file_id: id, requests: 2, bytes: 10 }],
      })
      expect(holdfast.fatal).toEqual([])
    },
  )

  test('of many files are saved some at a time, and a failure on the way doubles none', async () => {
    const names = Array.from({ length: 130 }, (_, n) => `${n}.txt`)
    for (let n = 0; n < names.length; n += 65)
      await holdfast.sendUpload(Object.fromEntries(names.slice(n, n + 65).map((name) => [name, 'x'])))
    for (const name of names) await wire.ask(`/api/hosting/${name}`)
    using database = openDatabase(holdfast)
    const last = database.query<{ id: string }>('SELECT max(id) AS id FROM files').get()?.id
    database.refuse('INSERT ON hosting_files', { when: `new.file_id = '${last}'` })

    await expect(flush()).rejects.toThrow()
    expect(saved().day).toBeNull()
    expect(saved().files.length).toBeWithin(1, 130)
    database.allow()
    await flush()

    const { day, files } = saved()
    expect(day).toEqual({ requests: 130, bytes: 130, not_found: 0 })
    expect(files.length).toBe(130)
    expect(files).toEqual(files.map(() => expect.objectContaining({ requests: 1, bytes: 1 })))
  })
})
