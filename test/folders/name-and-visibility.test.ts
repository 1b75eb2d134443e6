import { expect, test } from 'bun:test'
import { addKey, openDatabase } from '../support/accounts.ts'
import { apiOf, type FolderView } from '../support/api.ts'
import { type Inside, register, startInside } from '../support/holdfast.ts'
import { expectNoIntents } from '../support/intents.ts'
import { plantFiles } from '../support/many-files.ts'
import { storedIn } from '../support/stored.ts'

/** More files than one transaction on the request's thread changes. */
const MANY = 2001

async function start(clock?: { now: () => number; monotonic: () => number }) {
  const holdfast = await startInside(clock ? { clock } : {})
  const account = await register(holdfast)
  return { holdfast, account, api: apiOf(holdfast, account) }
}

const topFolders = async (holdfast: Inside) =>
  (await storedIn(holdfast).keys()).filter((key) => !key.includes('/'))

const visibilities = (holdfast: Inside) => {
  using database = openDatabase(holdfast)
  return database.query('SELECT visibility, count(*) FROM files GROUP BY 1').values()
}

test('a new name and a visibility that cannot be set change neither', async () => {
  const { holdfast, api } = await start()
  await using _ = holdfast
  await api.upload('f', 'public', 'before/deep')
  const [folder] = (await api.browse()).folders
  using database = openDatabase(holdfast)
  database.refuse('UPDATE OF visibility ON files')

  const refused = await api.send('PUT', '/folders', { id: folder?.id, name: 'after', visibility: 'private' })

  expect(refused.status).toBe(500)
  expect((await api.browse()).folders.map(({ name }) => name)).toEqual(['before'])
  expect(await topFolders(holdfast)).toEqual(['before'])
  expect(await api.hosted('before/deep/f')).toBe('public')
  await expectNoIntents(holdfast)

  database.allow()
  const { folder: changed } = await api.data<{ folder: FolderView }>('PUT', '/folders', {
    id: folder?.id,
    name: 'after',
    visibility: 'private',
  })
  expect(changed.key).toBe('after')
  expect(await Promise.all(['before/deep/f', 'after/deep/f'].map(api.hosted))).toEqual([404, 404])
  expect((await api.list()).map(({ key, visibility }) => [key, visibility])).toEqual([
    ['after/deep/f', 'private'],
  ])
})

test('a folder of many files gets its name back when its visibility cannot be set', async () => {
  let isRenamed = () => false
  // The key expires once the folder has its new name.
  const clock = { now: () => Date.now() + (isRenamed() ? 7_200_000 : 0), monotonic: () => performance.now() }
  const { holdfast, account } = await start(clock)
  await using _ = holdfast
  plantFiles(holdfast, 'before', MANY)
  const scopes = ['files:read', 'files:write']
  const [short, long] = [
    await addKey(holdfast, { userId: account.userId, scopes, expiresAt: Date.now() + 3_600_000 }),
    await addKey(holdfast, { userId: account.userId, scopes }),
  ].map((withKey) => apiOf(holdfast, { withKey }))
  const id = (await long?.browse())?.folders[0]?.id
  isRenamed = () => holdfast.catalog.folders.byName(holdfast.catalog.folders.root(), 'after') !== undefined

  const body = { id, name: 'after', visibility: 'public' }
  expect(await short?.refusal('PUT', '/folders', body)).toEqual([401, 'Unauthorized'])
  expect((await long?.browse())?.folders.map(({ name }) => name)).toEqual(['before'])
  expect(await topFolders(holdfast)).toEqual(['before'])
  expect(visibilities(holdfast)).toEqual([['private', MANY]])
  await expectNoIntents(holdfast)

  await long?.data('PUT', '/folders', body)
  expect((await long?.browse())?.folders.map(({ name }) => name)).toEqual(['after'])
  expect(visibilities(holdfast)).toEqual([['public', MANY]])
})
