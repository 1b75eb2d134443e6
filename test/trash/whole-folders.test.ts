import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { apiOf } from '../support/api.ts'
import { register, startInside } from '../support/holdfast.ts'
import { storedIn } from '../support/stored.ts'
import { trashOf } from '../support/trash.ts'

test('a small folder goes to the trash with all its rows, or stays', async () => {
  await using holdfast = await startInside()
  const api = apiOf(holdfast, await register(holdfast))
  await api.upload('a.txt', 'content', 'site/deep')
  const folderIds = (await api.browse()).folders.map(({ id }) => id)
  using database = new Database(join(holdfast.dataPath, 'db', 'holdfast.sqlite'))
  database.run(
    `CREATE TRIGGER refuse BEFORE INSERT ON trashed_files BEGIN SELECT RAISE(ABORT, 'refused'); END`,
  )

  const [status] = await api.refusal('POST', '/trash', { folderIds })

  expect(status).toBe(500)
  expect(await api.hosted('site/deep/a.txt')).toBe('content')
  expect((await trashOf(api).list()).items).toEqual([])
  expect(await storedIn(holdfast).trashed()).toEqual([])

  database.run('DROP TRIGGER refuse')
  await trashOf(api).put({ folderIds })

  expect((await trashOf(api).list()).items).toMatchObject([{ name: 'site', count: 1, size: 7 }])
})
