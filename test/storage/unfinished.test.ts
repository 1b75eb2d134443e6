import { expect, test } from 'bun:test'
import {
  closeSync,
  linkSync,
  lstatSync,
  mkdtempSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Plan } from '../../src/store/folder/plan.ts'
import { apiOf } from '../support/api.ts'
import { startInsideWithAccount } from '../support/fixture.ts'
import { type Account, filesUnder, type Inside, startInside } from '../support/holdfast.ts'
import { expectNoIntents } from '../support/intents.ts'
import { refuseRemovals } from '../support/refusing.ts'

/** Creates a data folder for several servers, one after the other. */
function dataFolder() {
  const dataPath = mkdtempSync(join(tmpdir(), 'holdfast-'))
  return {
    dataPath,
    at: (key: string) => join(dataPath, 'uploads', key),
    aside: (name: string) => join(dataPath, 'tmp', name),
    [Symbol.dispose]: () => rmSync(dataPath, { recursive: true, force: true }),
  }
}

function identify(path: string) {
  const { ino, size, mtimeMs } = lstatSync(path)
  return { inode: String(ino), size, mtimeMs }
}

const announce = ({ server }: Inside, plan: Plan) =>
  server.deps.store.transact(() => server.deps.store.intents.insert({ id: 'left-over', plan, createdAt: 0 }))

async function alertTypes(holdfast: Inside, { cookie }: Account): Promise<string[]> {
  const answer = await holdfast.fetch('/api/stats', { headers: { Cookie: cookie } })
  const { data } = (await answer.json()) as { data: { alerts: { type: string }[] } }
  return data.alerts.map(({ type }) => type)
}

test('a start with an intent that it cannot finish serves all other files, and finishes it later', async () => {
  using folder = dataFolder()
  const first = await startInsideWithAccount(folder)
  await first.api.upload('kept.txt', 'kept', 'held')
  writeFileSync(folder.at('held/deleted.txt'), 'deleted')
  const identity = identify(folder.at('held/deleted.txt'))
  await announce(first, { kind: 'delete', id: 'gone', key: 'held/deleted.txt', aside: 'dgone', identity })
  await first.stop()
  const refusing = refuseRemovals(folder.at('held'))

  await using second = await startInside(folder)
  const api = apiOf(second, first)
  await api.upload('new.txt', 'new')
  const before = await alertTypes(second, first)
  // The next attempt fails for the same reason, with another descriptor in its text.
  const descriptors = [1, 2, 3].map(() => openSync(folder.at('held/kept.txt'), 'r'))
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
  expect(await alertTypes(second, first)).not.toContain('unfinished')
  expect(filesUnder(second, 'uploads')).toEqual(['held', 'held/kept.txt', 'new.txt'])
})

test('a start continues after a plan that it does not understand', async () => {
  using folder = dataFolder()
  const first = await startInsideWithAccount(folder)
  // As a newer version may have left it.
  await announce(first, { kind: 'of tomorrow' } as unknown as Plan)
  await first.stop()

  await using second = await startInside(folder)

  expect((await apiOf(second, first).upload('a.txt', 'a')).key).toBe('a.txt')
  expect(await alertTypes(second, first)).toContain('unfinished')
})

test('a delete that was not committed returns the file or folder at the next start', async () => {
  using folder = dataFolder()
  const first = await startInsideWithAccount(folder)
  const file = await first.api.upload('a.txt', 'kept', 'in')
  const identity = identify(folder.at(file.key))
  await announce(first, { kind: 'delete', id: file.id, key: file.key, aside: 'dfile', identity })
  await first.stop()
  renameSync(folder.at('in/a.txt'), folder.aside('dfile'))

  const second = await startInside(folder)
  expect(filesUnder(second, 'uploads')).toEqual(['in', 'in/a.txt'])
  const { ino, birthtimeMs } = statSync(folder.at('in'))
  const birth = `${ino} ${birthtimeMs}`
  await announce(second, { kind: 'discard', folderId: file.folderId, key: 'in', birth, aside: 'dfold' })
  await second.stop()
  renameSync(folder.at('in'), folder.aside('dfold'))

  await using third = await startInside(folder)
  expect(await apiOf(third, first).hosted('in/a.txt')).toBe('kept')
  expect(filesUnder(third, 'tmp')).toEqual([])
  await expectNoIntents(third)
})

test('recovery of an unfinished move does not return files that were deleted or renamed since', async () => {
  using folder = dataFolder()
  const first = await startInsideWithAccount(folder)
  const { api } = first
  const gone = await api.upload('a.txt', 'gone')
  const moved = await api.upload('c.txt', 'moved')
  const { store } = first.server.deps
  const left = (file: typeof gone, to: string): Plan => {
    const place = { parentId: file.folderId, name: file.name, key: file.key }
    const identity = identify(folder.at(file.key))
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
  linkSync(folder.at('a.txt'), folder.at('kept-name'))
  linkSync(folder.at('c.txt'), folder.at('another-name'))
  await api.data('DELETE', '/files', { id: gone.id })
  await api.data('PUT', '/files', { id: moved.id, name: 'e.txt' })
  // The old names that an unlink(2) has left behind.
  renameSync(folder.at('kept-name'), folder.at('a.txt'))
  renameSync(folder.at('another-name'), folder.at('c.txt'))
  await store.transact(function* () {
    for (const [id, plan] of plans.entries())
      yield* store.intents.insert({ id: String(id), plan, createdAt: 0 })
  })
  await first.stop()

  await using second = await startInside(folder)

  expect(filesUnder(second, 'uploads')).toEqual(['e.txt'])
  await expectNoIntents(second)
})
