import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '../support/accounts.ts'
import { eventually } from '../support/eventually.ts'
import { register, startInside } from '../support/holdfast.ts'

test('a job that fails again and again is reported once, until it has succeeded', async () => {
  await using holdfast = await startInside()
  const { withKey } = await register(holdfast)
  const ask = () => holdfast.fetch('/api/files?limit=1', { headers: withKey })
  const reports = () => holdfast.logged.filter(({ message }) => message.startsWith('Saving the API request'))
  using database = openDatabase(holdfast)
  const rename = (from: string, to: string) => database.run(`ALTER TABLE ${from} RENAME TO ${to}`)

  rename('api_requests', 'elsewhere')
  await ask()
  await Bun.sleep(2200)
  const atFirst = reports().length
  rename('elsewhere', 'api_requests')
  await Bun.sleep(1100)
  rename('api_requests', 'elsewhere')
  await ask()
  await Bun.sleep(1100)

  expect([atFirst, reports().length]).toEqual([1, 2])
  rename('elsewhere', 'api_requests')
}, 20_000)

test('sessions that have expired are forgotten at the start, however many, and no others', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-'))
  try {
    const first = await startInside({ dataPath: folder })
    const { cookie } = await register(first)
    await first.stop()
    using database = openDatabase(first)
    const expired = Array.from({ length: 600 }, (_, n) => `expired ${n}`)
    database.run(
      `INSERT INTO sessions (id, token_hash, user_id, ip_address, user_agent, created_at, used_at, expires_at)
       SELECT value, value, user_id, '', '', created_at, used_at, created_at FROM sessions, json_each(?)`,
      [JSON.stringify(expired)],
    )

    await using holdfast = await startInside({ dataPath: folder })
    const left = () => database.query('SELECT id FROM sessions').all()
    await eventually(() => left().length === 1)

    expect((await holdfast.fetch('/api/me', { headers: { Cookie: cookie } })).status).toBe(200)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
