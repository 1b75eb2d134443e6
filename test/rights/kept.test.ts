import { expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { AGREES, startWithBackups } from '../support/backups.ts'
import { grantAll, grantedIn } from './limited.ts'

/** Starts an instance with rights in folders, and returns them. */
async function startWithRights() {
  const folder = await startWithBackups()
  const { holdfast } = folder
  await holdfast.api.upload('file', 'x', 'granted/deep', 'private')
  const callers = { ...(await grantAll(holdfast)), admin: holdfast.admin.withSession }
  const granted = await grantedIn(holdfast, callers)
  const [inTree, inTrash] = granted.users[1] ?? []
  expect([inTree?.key, inTrash?.key, inTrash?.name]).toEqual(['granted/deep', null, 'granted trash'])
  expect(granted.callers.map((folders) => folders?.map(({ key }) => key))).toEqual([['granted'], ['granted']])
  return { folder, callers, granted }
}

test('a backup brings back rights in folders, limits, and the folders of keys and invitations', async () => {
  const { folder, callers, granted } = await startWithRights()
  await using _ = folder

  expect(await folder.backup()).toMatchObject({ exitCode: 0 })
  expect(await folder.restore('restored')).toMatchObject({ exitCode: 0 })

  await using restored = await folder.open('restored')
  expect(await grantedIn(restored, callers)).toEqual(granted)
})

test('a repair from a backup keeps accounts limited, with their rights in the folders that it finds', async () => {
  const { folder, callers, granted } = await startWithRights()
  await using _ = folder
  expect(await folder.backup()).toMatchObject({ exitCode: 0 })
  await folder.loseDatabase()

  expect(await folder.repair('--from', folder.backups, '--yes')).toMatchObject({ exitCode: 0 })

  expect(await folder.verify('--deep')).toEqual(AGREES)
  await using repaired = await folder.open()
  const now = await grantedIn(repaired, callers)
  expect(now.callers).toEqual(granted.callers)
  expect(now.people).toEqual(granted.people)
  expect(now.users[1]?.[0]).toEqual(granted.users[1]?.[0])
})

test('a repair removes the rights in folders that are gone from the disk, and keeps accounts limited', async () => {
  const { folder, callers } = await startWithRights()
  await using _ = folder
  await folder.holdfast.stop()
  rmSync(folder.holdfast.path('granted'), { recursive: true })

  expect(await folder.repair('--yes')).toMatchObject({ exitCode: 0 })

  await using repaired = await folder.open()
  expect(repaired.catalog.grants.of(callers.guest.id).map(({ userId }) => userId)).toEqual([callers.guest.id])
  await repaired.api.createFolder('granted/deep')
  const { users, people, callers: seen } = await grantedIn(repaired, callers)
  expect(users[1]?.map(({ name }) => name)).toEqual(['granted trash'])
  expect([people, seen]).toEqual([[], [[], []]])
})
