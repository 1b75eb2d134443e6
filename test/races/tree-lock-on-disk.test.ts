import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { addKey, addUser, openDatabase } from '../support/accounts.ts'
import { apiOf } from '../support/api.ts'
import { eventually } from '../support/eventually.ts'
import { startInsideWithAccount } from '../support/fixture.ts'
import { parked } from '../support/parked.ts'
import { sendBegin } from '../uploads/tus.ts'

test('a change that waits for the tree lock is refused when its key is deleted over HTTP', async () => {
  await using holdfast = await startInsideWithAccount()
  const { api: owner } = holdfast
  const file = await owner.upload('file', 'content', 'folder')
  const user = await addUser(holdfast, { role: 'admin' })
  const withKey = await addKey(holdfast, { userId: user.id, scopes: ['files:read', 'files:write'] })
  const before = (await owner.browse()).folders
  using database = openDatabase(holdfast)
  const keys = await user.api.data<{ keys: { id: string }[] }>('GET', '/keys')
  database.begin()
  // The first one has the lock, and its transaction waits together with the one that deletes the key.
  const first = owner.send('PUT', '/files', { id: file.id, name: 'first' })
  await parked(holdfast)
  const second = apiOf(holdfast, { withKey }).send('PUT', '/files', { id: file.id, name: 'second' })
  await parked(holdfast)
  const deleting = user.api.send('DELETE', '/keys', { id: keys.keys[0]?.id })
  await parked(holdfast)
  database.run('COMMIT')

  const statuses = (await Promise.all([first, second, deleting])).map(({ status }) => status)

  expect(statuses).toEqual([200, 401, 200])
  expect((await owner.file(file.id)).name).toBe('first')
  expect((await owner.browse()).folders).toEqual(before)
})

test.each(['begin of an upload', 'upload'])(
  'a name that another upload is taking refuses the %s once it is committed',
  async (kind) => {
    const environment = { MAX_FILES_PER_REQUEST: '1000' }
    await using holdfast = await startInsideWithAccount({ environment })
    const name = 'file 0'
    const files = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`file ${index}`, 'content']))
    const uploading = holdfast.sendUpload(files)
    await eventually(() => existsSync(join(holdfast.dataPath, 'uploads', name)))

    const { status } = await (kind === 'upload'
      ? holdfast.sendUpload({ [name]: 'content' })
      : sendBegin(holdfast, holdfast.withKey, { length: 1, fields: { filename: name } }))

    expect(status).toBe(409)
    expect((await holdfast.api.list()).map((file) => file.name)).toContain(name)
    expect((await uploading).status).toBe(200)
  },
)
