import { expect, test } from 'bun:test'
import { openDatabase } from '../support/accounts.ts'
import { startInsideWithAccount } from '../support/fixture.ts'
import { storedIn } from '../support/stored.ts'

test('a small folder goes to the trash with all its rows, or stays', async () => {
  await using holdfast = await startInsideWithAccount()
  const { api } = holdfast
  await api.upload('a.txt', 'content', 'site/deep')
  const folderIds = (await api.browse()).folders.map(({ id }) => id)
  using database = openDatabase(holdfast)
  database.refuse('INSERT ON trashed_files')

  const [status] = await api.refusal('POST', '/trash', { folderIds })

  expect(status).toBe(500)
  expect(await api.hosted('site/deep/a.txt')).toBe('content')
  expect((await holdfast.trash.list()).items).toEqual([])
  expect(await storedIn(holdfast).trashed()).toEqual([])

  database.allow()
  await holdfast.trash.put({ folderIds })

  expect((await holdfast.trash.list()).items).toMatchObject([{ name: 'site', count: 1, size: 7 }])
})
