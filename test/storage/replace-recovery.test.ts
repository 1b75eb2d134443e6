import { expect, test } from 'bun:test'
import {
  linkSync,
  lstatSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { apiOf } from '../support/api.ts'
import { startInsideWithAccount } from '../support/fixture.ts'
import { filesUnder, startInside, upload } from '../support/holdfast.ts'
import { expectNoIntents } from '../support/intents.ts'
import { refuseRemovals } from '../support/refusing.ts'

const [OLD, NEW, OTHER] = ['the old bytes', 'the new', 'put there by hand']

function identify(path: string) {
  const { ino, size, mtimeMs } = lstatSync(path)
  return { inode: String(ino), size, mtimeMs }
}

interface Crash {
  /** Bytes at the key. */
  standing: 'old' | 'new' | 'other' | 'none'
  isCommitted: boolean
  /** Links that had reached `versions/`. */
  linked: 'both' | 'none'
}

/** Starts a server after a crash in the replacement of `a.txt`. Returns the bytes at the key. */
async function bytesAfter({ standing, isCommitted, linked }: Crash): Promise<string | undefined> {
  const dataPath = mkdtempSync(join(tmpdir(), 'holdfast-'))
  const [key, version, staged] = ['uploads/a.txt', 'versions/v', 'versions/v.new'].map((path) =>
    join(dataPath, path),
  ) as [string, string, string]
  try {
    const first = await startInsideWithAccount({ dataPath })
    const { withKey } = first
    const { id } = await upload(first, withKey, { name: 'a.txt', content: OLD })
    writeFileSync(staged, NEW)
    linkSync(key, version)
    const plan = {
      kind: 'replace',
      id,
      key: 'a.txt',
      version: 'v',
      old: identify(key),
      new: identify(staged),
      isCommitted,
      isKept: false,
    }
    if (standing === 'new') renameSync(staged, key)
    if (standing === 'other' || standing === 'none') unlinkSync(key)
    if (standing === 'other') writeFileSync(key, OTHER)
    if (linked === 'none') for (const path of [version, staged]) rmSync(path, { force: true })
    const { store } = first.server.deps
    await store.transact(() => store.intents.insert({ id: 'left-over', plan, createdAt: 0 }))
    await first.stop()

    await using second = await startInside({ dataPath })
    await expectNoIntents(second)
    expect(filesUnder(second, 'versions')).toEqual([])
    return filesUnder(second, 'uploads').includes('a.txt') ? readFileSync(key, 'utf8') : undefined
  } finally {
    rmSync(dataPath, { recursive: true, force: true })
  }
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

test('no removal of a version takes the new bytes of its unfinished replacement', async () => {
  const dataPath = mkdtempSync(join(tmpdir(), 'holdfast-'))
  const [key, versions] = [join(dataPath, 'uploads/a.txt'), join(dataPath, 'versions')]
  try {
    const first = await startInsideWithAccount({ dataPath })
    const { id } = await first.api.upload('a.txt', OLD)
    const body = { method: 'PUT', body: NEW, headers: first.withKey }
    expect((await first.fetch(`/api/files/content?id=${id}`, body)).status).toBe(200)
    const [version = ''] = filesUnder(first, 'versions')
    // As a power cut leaves it that lost the rename after the commit.
    const [kept, waiting] = [join(versions, version), join(versions, `${version}.new`)]
    renameSync(key, waiting)
    linkSync(kept, key)
    const swap = { id, key: 'a.txt', version, old: identify(key), new: identify(waiting) }
    const plan = { kind: 'replace', ...swap, isCommitted: true, isKept: true }
    const { store } = first.server.deps
    await store.transact(() => store.intents.insert({ id: 'left-over', plan, createdAt: 0 }))
    await first.stop()
    const refusing = refuseRemovals(versions)
    await using second = await startInside({ dataPath })
    refusing[Symbol.dispose]()
    const api = apiOf(second, first)

    const refusal = await api.refusal('DELETE', `/files/versions?id=${version}`)
    await apiOf(second, { withKey: { Cookie: first.cookie } }).data('PUT', '/settings', { versionDays: 0 })
    await second.server.deps.store.pruneVersions()

    expect(refusal).toEqual([503, 'The replacement of its file is not finished yet, try again soon'])
    expect(filesUnder(second, 'versions').sort()).toEqual([version, `${version}.new`])
    await second.server.deps.store.unfinished.retry()
    expect(await api.hosted('a.txt')).toBe(NEW)
    await api.data('DELETE', `/files/versions?id=${version}`)
    expect(filesUnder(second, 'versions')).toEqual([])
  } finally {
    rmSync(dataPath, { recursive: true, force: true })
  }
})
