import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { register, startInside } from '../support/holdfast.ts'

test('a job that fails again and again is reported once, until it has succeeded', async () => {
  await using holdfast = await startInside()
  const { withKey } = await register(holdfast)
  const ask = () => holdfast.fetch('/api/files?limit=1', { headers: withKey })
  const reports = () => holdfast.logged.filter(({ message }) => message.startsWith('Saving the API request'))
  using database = new Database(join(holdfast.dataPath, 'db', 'holdfast.sqlite'))
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
