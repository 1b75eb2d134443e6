import { expect, test } from 'bun:test'
import { closeSync, linkSync, openSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Plan } from '../../src/store/folder/plan.ts'
import { type Registered, startAgain, startInsideWithAccount } from '../support/fixture.ts'
import { filesUnder, type Inside } from '../support/holdfast.ts'
import { expectNoIntents } from '../support/intents.ts'
import { refuseRemovals } from '../support/refusing.ts'
import { birthOf, identify, leave } from './crash.ts'

async function alertTypes({ bySession }: Registered<Inside>): Promise<string[]> {
  const { alerts } = await bySession.data<{ alerts: { type: string }[] }>('GET', '/stats')
  return alerts.map(({ type }) => type)
}

test('a start with an intent that it cannot finish serves all other files, and finishes it later', async () => {
  await using first = await startInsideWithAccount()
  await first.api.upload('kept.txt', 'kept', 'held')
  writeFileSync(first.path('held/deleted.txt'), 'deleted')
  const identity = identify(first.path('held/deleted.txt'))
  await leave(first, { kind: 'delete', id: 'gone', key: 'held/deleted.txt', aside: 'dgone', identity })
  await first.stop()
  const refusing = refuseRemovals(first.path('held'))

  await using second = await startAgain(first)
  const { api } = second
  await api.upload('new.txt', 'new')
  const before = await alertTypes(second)
  // The next attempt fails for the same reason, with another descriptor in its text.
  const descriptors = [1, 2, 3].map(() => openSync(first.path('held/kept.txt'), 'r'))
  await second.server.deps.store.unfinished.retry()
  descriptors.forEach(closeSync)
  refusing[Symbol.dispose]()
  await second.server.deps.store.unfinished.retry()

  expect(await api.hosted('held/kept.txt')).toBe('kept')
  expect(second.logged.map(({ message }) => message)).toEqual([
    expect.stringContaining(
      'The delete of the file "held/deleted.txt", set aside as "tmp/dgone", could not be finished',
    ),
  ])
  expect(before).toContain('unfinished')
  expect(await alertTypes(second)).not.toContain('unfinished')
  expect(filesUnder(second, 'uploads')).toEqual(['held', 'held/kept.txt', 'new.txt'])
})

test('a start continues after a plan that it does not understand', async () => {
  await using first = await startInsideWithAccount()
  // As a newer version may have left it.
  await leave(first, { kind: 'of tomorrow' } as unknown as Plan)
  await first.stop()

  await using second = await startAgain(first)

  expect((await second.api.upload('a.txt', 'a')).key).toBe('a.txt')
  expect(await alertTypes(second)).toContain('unfinished')
})

test('a delete that was not committed returns the file or folder at the next start', async () => {
  await using first = await startInsideWithAccount()
  const file = await first.api.upload('a.txt', 'kept', 'in')
  const identity = identify(first.path(file.key))
  await leave(first, { kind: 'delete', id: file.id, key: file.key, aside: 'dfile', identity })
  await first.stop()
  renameSync(first.path('in/a.txt'), join(first.dataPath, 'tmp/dfile'))

  await using second = await startAgain(first)
  expect(filesUnder(second, 'uploads')).toEqual(['in', 'in/a.txt'])
  const birth = birthOf(first.path('in'))
  await leave(second, { kind: 'discard', folderId: file.folderId, key: 'in', birth, aside: 'dfold' })
  await second.stop()
  renameSync(first.path('in'), join(first.dataPath, 'tmp/dfold'))

  await using third = await startAgain(first)
  expect(await third.api.hosted('in/a.txt')).toBe('kept')
  expect(filesUnder(third, 'tmp')).toEqual([])
  await expectNoIntents(third)
})

test('recovery of an unfinished move does not return files that were deleted or renamed since', async () => {
  await using first = await startInsideWithAccount()
  const { api } = first
  const gone = await api.upload('a.txt', 'gone')
  const moved = await api.upload('c.txt', 'moved')
  const left = (file: typeof gone, to: string): Plan => {
    const place = { parentId: file.folderId, name: file.name, key: file.key }
    const identity = identify(first.path(file.key))
    return {
      kind: 'move',
      what: 'file',
      id: file.id,
      from: place,
      to: { ...place, name: to, key: to },
      identity,
    }
  }
  const plans = [left(gone, 'b.txt'), left(moved, 'd.txt')]
  linkSync(first.path('a.txt'), first.path('kept-name'))
  linkSync(first.path('c.txt'), first.path('another-name'))
  await api.data('DELETE', '/files', { id: gone.id })
  await api.data('PUT', '/files', { id: moved.id, name: 'e.txt' })
  // The old names that an unlink(2) has left behind.
  renameSync(first.path('kept-name'), first.path('a.txt'))
  renameSync(first.path('another-name'), first.path('c.txt'))
  for (const [id, plan] of plans.entries()) await leave(first, plan, String(id))
  await first.stop()

  await using second = await startAgain(first)

  expect(filesUnder(second, 'uploads')).toEqual(['e.txt'])
  await expectNoIntents(second)
})
