import { expect, test } from 'bun:test'
import { addKey, addUser, openDatabase } from '../support/accounts.ts'
import { apiOf } from '../support/api.ts'
import { register, startInside } from '../support/holdfast.ts'

/** Time for requests to reach their transactions. If it is too short, a test checks less but does not fail. */
const ARRIVAL_MS = 100

test('a change that waits for the tree lock is refused when its key is deleted over HTTP', async () => {
  await using holdfast = await startInside()
  const owner = apiOf(holdfast, await register(holdfast))
  const file = await owner.upload('file', 'content', 'folder')
  const user = await addUser(holdfast, { role: 'admin' })
  const withKey = await addKey(holdfast, { userId: user.id, scopes: ['files:read', 'files:write'] })
  const before = (await owner.browse()).folders
  using database = openDatabase(holdfast)
  const keys = await user.api.data<{ keys: { id: string }[] }>('GET', '/keys')
  database.begin()
  // The first one has the lock, and its transaction waits together with the one that deletes the key.
  const first = owner.send('PUT', '/files', { id: file.id, name: 'first' })
  await Bun.sleep(ARRIVAL_MS)
  const second = apiOf(holdfast, { withKey }).send('PUT', '/files', { id: file.id, name: 'second' })
  await Bun.sleep(ARRIVAL_MS)
  const deleting = user.api.send('DELETE', '/keys', { id: keys.keys[0]?.id })
  await Bun.sleep(ARRIVAL_MS)
  database.run('COMMIT')

  const statuses = (await Promise.all([first, second, deleting])).map(({ status }) => status)

  expect(statuses).toEqual([200, 401, 200])
  expect((await owner.file(file.id)).name).toBe('first')
  expect((await owner.browse()).folders).toEqual(before)
})
