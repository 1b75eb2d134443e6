import { expect, test } from 'bun:test'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openDatabase } from '../support/accounts.ts'
import { startInsideWithAccount } from '../support/fixture.ts'
import { filesUnder, type Inside, TestClock } from '../support/holdfast.ts'
import { expectNoIntents } from '../support/intents.ts'

const DAY_MS = 86_400_000

/** Runs each job once, whether it is due or not. */
const runJobs = ({ server }: Inside): Promise<void> => server.jobs.runAll()

test('the schedule tries again to remove deleted folders', async () => {
  await using holdfast = await startInsideWithAccount()
  const { api } = holdfast
  await api.upload('file', 'x', 'folder')
  const [folder] = (await api.browse()).folders
  using database = openDatabase(holdfast)
  database.run(`CREATE TRIGGER refuse BEFORE DELETE ON files BEGIN SELECT RAISE(ABORT, 'refused'); END`)
  await api.send('DELETE', '/folders', { id: folder?.id })
  expect(await holdfast.server.deps.store.intents.all()).toHaveLength(1)
  database.run('DROP TRIGGER refuse')

  await runJobs(holdfast)

  await expectNoIntents(holdfast)
  expect(filesUnder(holdfast, 'uploads')).toEqual([])
})

test('the schedule checks stored files, and those that were damaged once more', async () => {
  const clock = new TestClock()
  await using holdfast = await startInsideWithAccount({ clock })
  const { api } = holdfast
  const { key } = await api.upload('gone', 'x')
  const path = join(holdfast.dataPath, 'uploads', key)
  const damaged = async () => (await holdfast.server.deps.store.integrity.fileIds()).length
  rmSync(path)
  clock.advance(30 * DAY_MS)
  await holdfast.server.deps.store.scrub.advance()
  expect(await damaged()).toBe(1)

  writeFileSync(path, 'x')
  await runJobs(holdfast)
  expect(await damaged()).toBe(0)

  rmSync(path)
  // The first run comes to the end of all files, the next begins again.
  for (let run = 0; run < 2; run += 1) {
    clock.advance(30 * DAY_MS)
    await runJobs(holdfast)
  }
  expect(await damaged()).toBe(1)
})
