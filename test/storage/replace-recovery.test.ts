import { expect, test } from 'bun:test'
import { linkSync, readFileSync, renameSync, rmSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startAgain, startInsideWithAccount } from '../support/fixture.ts'
import { filesUnder } from '../support/holdfast.ts'
import { expectNoIntents } from '../support/intents.ts'
import { refuseRemovals } from '../support/refusing.ts'
import { identify, leave } from './crash.ts'

const [OLD, NEW, OTHER] = ['the old bytes', 'the new', 'put there by hand']

interface Crash {
  /** Bytes at the key. */
  standing: 'old' | 'new' | 'other' | 'none'
  isCommitted: boolean
  /** Links that had reached `versions/`. */
  linked: 'both' | 'none'
}

/** Starts a server after a crash in the replacement of `a.txt`. Returns the bytes at the key. */
async function bytesAfter({ standing, isCommitted, linked }: Crash): Promise<string | undefined> {
  await using first = await startInsideWithAccount()
  const { id } = await first.api.upload('a.txt', OLD)
  const key = first.path('a.txt')
  const version = join(first.dataPath, 'versions/v')
  const staged = `${version}.new`
  writeFileSync(staged, NEW)
  linkSync(key, version)
  const swap = { id, key: 'a.txt', version: 'v', old: identify(key), new: identify(staged) }
  if (standing === 'new') renameSync(staged, key)
  if (standing === 'other' || standing === 'none') unlinkSync(key)
  if (standing === 'other') writeFileSync(key, OTHER)
  if (linked === 'none') for (const path of [version, staged]) rmSync(path, { force: true })
  await leave(first, { kind: 'replace', ...swap, isCommitted, isKept: false })
  await first.stop()

  await using second = await startAgain(first)
  await expectNoIntents(second)
  expect(filesUnder(second, 'versions')).toEqual([])
  return filesUnder(second, 'uploads').includes('a.txt') ? readFileSync(key, 'utf8') : undefined
}

test.each<[Crash, string | undefined]>([
  [{ standing: 'old', isCommitted: false, linked: 'none' }, OLD],
  [{ standing: 'old', isCommitted: false, linked: 'both' }, OLD],
  [{ standing: 'new', isCommitted: false, linked: 'both' }, OLD],
  [{ standing: 'new', isCommitted: true, linked: 'both' }, NEW],
  [{ standing: 'new', isCommitted: true, linked: 'none' }, NEW],
  [{ standing: 'old', isCommitted: true, linked: 'both' }, NEW],
  [{ standing: 'other', isCommitted: false, linked: 'both' }, OTHER],
  [{ standing: 'other', isCommitted: true, linked: 'both' }, OTHER],
  [{ standing: 'none', isCommitted: true, linked: 'both' }, NEW],
  [{ standing: 'none', isCommitted: true, linked: 'none' }, undefined],
])('a start after a crash in a replacement, %j, leaves %j at the key', async (crash, bytes) => {
  expect(await bytesAfter(crash)).toBe(bytes)
})

test.each([
  { isCommitted: true, isRenamed: true, left: { 'to.txt': NEW } },
  { isCommitted: true, isRenamed: false, left: { 'to.txt': NEW } },
  { isCommitted: false, isRenamed: true, left: { 'from.txt': NEW, 'to.txt': OLD } },
  { isCommitted: false, isRenamed: false, left: { 'from.txt': NEW, 'to.txt': OLD } },
])('a start after a crash in the move of a file over another leaves one of them whole, %j', async (crash) => {
  await using first = await startInsideWithAccount()
  const { id } = await first.api.upload('to.txt', OLD)
  const moved = await first.api.upload('from.txt', NEW)
  const [key, from] = [first.path('to.txt'), first.path('from.txt')]
  const version = join(first.dataPath, 'versions/v')
  const identities = { old: identify(key), new: identify(from) }
  linkSync(from, `${version}.new`)
  linkSync(key, version)
  if (crash.isRenamed) renameSync(`${version}.new`, key)
  const { store } = first.server.deps
  if (crash.isCommitted) await store.transact(() => store.files.removeAll([moved.id]))
  const { isCommitted } = crash
  const plan = { id, key: 'to.txt', from: 'from.txt', version: 'v', ...identities, isCommitted }
  await leave(first, { kind: 'replace', ...plan, isKept: false })
  await first.stop()

  await using second = await startAgain(first)
  await expectNoIntents(second)
  const names = filesUnder(second, 'uploads').filter((name) => name.endsWith('.txt'))
  expect(Object.fromEntries(names.map((name) => [name, readFileSync(second.path(name), 'utf8')]))).toEqual(
    crash.left,
  )
  expect(filesUnder(second, 'versions')).toEqual([])
})

test('no removal of a version takes the new bytes of its unfinished replacement', async () => {
  await using first = await startInsideWithAccount()
  const { id } = await first.api.upload('a.txt', OLD)
  expect((await first.api.replace(id, NEW)).status).toBe(200)
  const [version = ''] = filesUnder(first, 'versions')
  // As a power cut leaves it that lost the rename after the commit.
  const [key, versions] = [first.path('a.txt'), join(first.dataPath, 'versions')]
  const [kept, waiting] = [join(versions, version), join(versions, `${version}.new`)]
  renameSync(key, waiting)
  linkSync(kept, key)
  const swap = { id, key: 'a.txt', version, old: identify(key), new: identify(waiting) }
  await leave(first, { kind: 'replace', ...swap, isCommitted: true, isKept: true })
  await first.stop()
  const refusing = refuseRemovals(versions)
  await using second = await startAgain(first)
  refusing[Symbol.dispose]()
  const { store } = second.server.deps

  const refusal = await second.api.refusal('DELETE', `/files/versions?id=${version}`)
  await second.bySession.data('PUT', '/settings', { versionDays: 0 })
  await store.pruneVersions()

  expect(refusal).toEqual([503, 'The replacement of its file is not finished yet, try again soon'])
  // The start could not remove the file either with which it tried the disk.
  const held = () => filesUnder(second, 'versions').filter((name) => name !== '.probe')
  expect(held().sort()).toEqual([version, `${version}.new`])
  await store.unfinished.retry()
  expect(await second.api.hosted('a.txt')).toBe(NEW)
  await second.api.data('DELETE', `/files/versions?id=${version}`)
  expect(held()).toEqual([])
})
