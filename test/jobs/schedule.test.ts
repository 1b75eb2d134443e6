import { describe, expect, test } from 'bun:test'
import { openDatabase } from '../support/accounts.ts'
import { eventually } from '../support/eventually.ts'
import { startAgain, startInsideWithAccount } from '../support/fixture.ts'
import { filesUnder, type Inside, postJson, TestClock } from '../support/holdfast.ts'
import { begin, countStaged, sendPiece } from '../uploads/tus.ts'

const DAY_MS = 86_400_000

/** Runs every job once, as if it were due. */
const runJobs = ({ server }: Inside): Promise<void> => server.jobs.runAll()

test('a job that fails again and again is reported once, until it has succeeded', async () => {
  await using holdfast = await startInsideWithAccount({ isAlone: true })
  const { withKey } = holdfast
  const ask = () => holdfast.fetch('/api/files?limit=1', { headers: withKey })
  const reports = () => holdfast.logged.filter(({ message }) => message.startsWith('Saving the API request'))
  using database = openDatabase(holdfast)
  const rename = (from: string, to: string) => database.run(`ALTER TABLE ${from} RENAME TO ${to}`)

  rename('api_requests', 'elsewhere')
  await ask()
  await runJobs(holdfast)
  await runJobs(holdfast)
  const atFirst = reports().length
  rename('elsewhere', 'api_requests')
  await runJobs(holdfast)
  rename('api_requests', 'elsewhere')
  await ask()
  await runJobs(holdfast)

  expect([atFirst, reports().length]).toEqual([1, 2])
  rename('elsewhere', 'api_requests')
})

test('sessions that have expired are forgotten at the start, however many, and no others', async () => {
  await using first = await startInsideWithAccount()
  await first.stop()
  using database = openDatabase(first)
  database.run(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 600)
       INSERT INTO sessions (id, token_hash, user_id, ip_address, user_agent, created_at, used_at, expires_at)
       SELECT 'expired' || i, 'expired' || i, user_id, '', '', created_at, used_at, created_at FROM sessions, n`,
  )

  await using holdfast = await startAgain(first)
  const left = () => database.query('SELECT id FROM sessions').all()
  await eventually(() => left().length === 1)

  expect(await holdfast.bySession.status('GET', '/me')).toBe(200)
})

describe('the schedule', () => {
  test('forgets what strangers have begun at sign-in, once that has expired', async () => {
    const clock = new TestClock()
    const environment = { BASE_URL: 'http://localhost' }
    await using holdfast = await startInsideWithAccount({ clock, environment })
    await holdfast.fetch('/api/auth/passkey/generate-authenticate-options')
    await postJson(holdfast, '/api/auth/device/code', { client_id: 'a' }, { Origin: 'http://localhost' })
    using database = openDatabase(holdfast)
    const leftAfterJobs = async () => {
      await runJobs(holdfast)
      const kept = 'SELECT token_hash FROM sign_in_attempts UNION ALL SELECT device_hash FROM device_codes'
      return database.query(kept).all().length
    }

    const atFirst = await leftAfterJobs()
    clock.advance(600_000)
    expect([atFirst, await leftAfterJobs()]).toEqual([2, 0])
  })

  test('saves hosting counts, key requests and uses of sessions', async () => {
    const clock = new TestClock()
    await using holdfast = await startInsideWithAccount({ clock })
    clock.advance(1000)
    await holdfast.fetch('/api/hosting/missing')
    await holdfast.api.send('GET', '/me')
    await holdfast.bySession.send('GET', '/me')

    await runJobs(holdfast)

    using database = openDatabase(holdfast)
    expect(database.query('SELECT not_found FROM hosting_days').values()).toEqual([[1]])
    expect(database.query('SELECT count FROM api_requests').values()).toEqual([[1]])
    expect(database.query('SELECT used_at FROM sessions').values()).toEqual([[clock.now()]])
  })

  test('removes expired rows', async () => {
    const clock = new TestClock()
    await using holdfast = await startInsideWithAccount({ clock })
    const { withKey } = holdfast
    await holdfast.fetch('/api/hosting/missing')
    const path = await begin(holdfast, withKey, { length: 3, fields: { name: 'unfinished' } })
    await sendPiece(holdfast, withKey, { path, offset: 0, body: 'a' })
    await runJobs(holdfast)
    using database = openDatabase(holdfast)
    const left = () =>
      Object.fromEntries(
        ['resumables', 'activities', 'api_requests', 'hosting_days', 'sessions'].map((table) => [
          table,
          database.query(`SELECT count(*) FROM ${table}`).values()[0]?.[0],
        ]),
      )
    expect(left()).toEqual({
      resumables: 1,
      activities: 1,
      api_requests: 1,
      hosting_days: 1,
      sessions: 1,
    })
    expect(countStaged(holdfast)).toBe(1)

    clock.advance(2 * DAY_MS)
    await runJobs(holdfast)
    expect(left()).toMatchObject({ resumables: 0 })
    expect(countStaged(holdfast)).toBe(0)
    expect(filesUnder(holdfast, 'tmp')).toEqual([])

    clock.advance(400 * DAY_MS)
    await runJobs(holdfast)
    expect(left()).toEqual({
      resumables: 0,
      activities: 0,
      api_requests: 0,
      hosting_days: 0,
      sessions: 0,
    })
  })
})
