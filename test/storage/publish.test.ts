import { expect, test } from 'bun:test'
import { openDatabase } from '../support/accounts.ts'
import { startWithAccount } from '../support/fixture.ts'
import { filesUnder } from '../support/holdfast.ts'
import { expectNoIntents } from '../support/intents.ts'

test('an upload whose rows are refused after its files were linked takes all of it back', async () => {
  await using holdfast = await startWithAccount()
  const { api } = holdfast
  await api.upload('before', 'x', 'there')
  const send = (folder: string) => holdfast.sendUpload({ first: '1', second: '2' }, { folder })
  using database = openDatabase(holdfast)
  database.run(
    `CREATE TRIGGER refuse BEFORE INSERT ON files WHEN NEW.name = 'second'
     BEGIN SELECT RAISE(ABORT, 'refused'); END`,
  )

  expect((await send('there')).status).toBe(500)
  expect((await send('new/deep')).status).toBe(500)

  expect(filesUnder(holdfast, 'uploads')).toEqual(['there', 'there/before'])
  expect(filesUnder(holdfast, 'tmp')).toEqual([])
  await expectNoIntents(holdfast)
  database.run('DROP TRIGGER refuse')
  expect([(await send('there')).status, (await send('new/deep')).status]).toEqual([200, 200])
  expect(await api.hosted('new/deep/second')).toBe('2')
})
