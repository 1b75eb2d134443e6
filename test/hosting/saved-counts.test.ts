import { describe, expect, test } from 'bun:test'
import { openDatabase } from '../support/accounts.ts'
import { startInsideWithAccount } from '../support/fixture.ts'
import { type Holdfast, startInside, TestClock } from '../support/holdfast.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { ask } from './wire.ts'

const TODAY = '2026-03-01'

/** Returns the saved counts of `TODAY`: of the day, and of each file. */
function saved(holdfast: Pick<Holdfast, 'dataPath'>) {
  using database = openDatabase(holdfast)
  return {
    day: database.query('SELECT requests, bytes, not_found FROM hosting_days WHERE day = ?').get(TODAY),
    files: database
      .query('SELECT file_id, requests, bytes FROM hosting_files WHERE day = ? ORDER BY bytes')
      .all(TODAY),
  }
}

/** Starts a server whose counts are saved by the test alone, and not by its job, every few seconds. */
async function startUnsaved() {
  const holdfast = await startInsideWithAccount({ clock: new TestClock() })
  holdfast.server.jobs.stop()
  return holdfast
}

describe('counts of hosting traffic', () => {
  test('are saved for each file and for the day', async () => {
    await using holdfast = await startUnsaved()
    const one = await holdfast.api.upload('f', '12345')
    const other = await holdfast.api.upload('g', '1234567890')
    for (const { url } of [one, other, other]) await ask(holdfast.port, `/${url}`)
    await ask(holdfast.port, `/${one.url}`, { headers: ['Range: bytes=0-1'] })
    await ask(holdfast.port, '/api/hosting/none')

    await holdfast.server.modules.hosting.traffic.flush()

    expect(saved(holdfast)).toEqual({
      day: { requests: 4, bytes: 27, not_found: 1 },
      files: [
        { file_id: one.id, requests: 2, bytes: 7 },
        { file_id: other.id, requests: 2, bytes: 20 },
      ],
    })
  })

  test('are saved once a save is done, also while another is under way', async () => {
    await using holdfast = await startUnsaved()
    await ask(holdfast.port, '/api/hosting/none')
    const { traffic } = holdfast.server.modules.hosting

    const underWay = traffic.flush()
    await traffic.flush()

    expect(saved(holdfast).day).toEqual({ requests: 0, bytes: 0, not_found: 1 })
    await underWay
  })

  test('stay with the day when their file is deleted before they are saved', async () => {
    await using holdfast = await startUnsaved()
    const { id, url } = await holdfast.api.upload('f', '12345')
    await ask(holdfast.port, `/${url}`)
    await holdfast.api.data('DELETE', '/files', { id })

    await holdfast.server.modules.hosting.traffic.flush()

    expect(saved(holdfast)).toEqual({ day: { requests: 1, bytes: 5, not_found: 0 }, files: [] })
  })

  test('survive a clean stop, and continue from there', async () => {
    using temporary = temporaryFolder()
    const dataPath = temporary.path
    const first = await startInsideWithAccount({ dataPath, clock: new TestClock() })
    const { id, url } = await first.api.upload('f', '12345')
    await ask(first.port, `/${url}`)
    await ask(first.port, '/api/hosting/none')
    await first.stop()
    expect(saved({ dataPath })).toEqual({
      day: { requests: 1, bytes: 5, not_found: 1 },
      files: [{ file_id: id, requests: 1, bytes: 5 }],
    })

    const second = await startInside({ dataPath, clock: new TestClock() })
    await ask(second.port, `/${url}`)
    await second.stop()

    expect(saved({ dataPath })).toEqual({
      day: { requests: 2, bytes: 10, not_found: 1 },
      files: [{ file_id: id, requests: 2, bytes: 10 }],
    })
  })

  test.each(['hosting_days', 'hosting_files'])(
    'survive a failure to save to %s, and are not doubled',
    async (table) => {
      await using holdfast = await startUnsaved()
      const { id, url } = await holdfast.api.upload('f', '12345')
      const { traffic } = holdfast.server.modules.hosting
      await ask(holdfast.port, `/${url}`)
      await ask(holdfast.port, '/api/hosting/none')
      using database = openDatabase(holdfast)
      database.refuse(`INSERT ON ${table}`)

      expect(traffic.flush()).rejects.toThrow()
      await ask(holdfast.port, `/${url}`)
      expect(traffic.flush()).rejects.toThrow()
      expect(saved(holdfast)).toEqual({ day: null, files: [] })
      database.allow()
      await traffic.flush()
      await traffic.flush()

      expect(saved(holdfast)).toEqual({
        day: { requests: 2, bytes: 10, not_found: 1 },
        files: [{ file_id: id, requests: 2, bytes: 10 }],
      })
      expect(holdfast.fatal).toEqual([])
    },
  )

  test('of many files are saved some at a time, and a failure on the way doubles none', async () => {
    await using holdfast = await startUnsaved()
    const names = Array.from({ length: 130 }, (_, n) => `${n}.txt`)
    for (let n = 0; n < names.length; n += 65) {
      const files = Object.fromEntries(names.slice(n, n + 65).map((name) => [name, 'x']))
      await holdfast.sendUpload(files)
    }
    for (const name of names) await ask(holdfast.port, `/api/hosting/${name}`)
    const { traffic } = holdfast.server.modules.hosting
    using database = openDatabase(holdfast)
    const last = database.query<{ id: string }>('SELECT max(id) AS id FROM files').get()?.id
    database.refuse('INSERT ON hosting_files', { when: `new.file_id = '${last}'` })

    await expect(traffic.flush()).rejects.toThrow()
    expect(saved(holdfast).day).toBeNull()
    expect(saved(holdfast).files.length).toBeWithin(1, 130)
    database.allow()
    await traffic.flush()

    const { day, files } = saved(holdfast)
    expect(day).toEqual({ requests: 130, bytes: 130, not_found: 0 })
    expect(files.length).toBe(130)
    expect(files).toEqual(files.map(() => expect.objectContaining({ requests: 1, bytes: 1 })))
  })
})
