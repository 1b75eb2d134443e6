import { expect, test } from 'bun:test'
import { mkdirSync, renameSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { SwapPlan } from '../../src/store/folder/plan.ts'
import { type Registered, startAgain, startInsideWithAccount } from '../support/fixture.ts'
import { filesUnder, type Inside } from '../support/holdfast.ts'
import { expectNoIntents } from '../support/intents.ts'
import { heldFiles } from '../support/trash.ts'
import { identify, leave } from './crash.ts'

interface Crash {
  /** Former place of the other folder. */
  from: 'tree' | 'trash' | 'inside'
  isCommitted: boolean
  /** Renames that are on the disk: first the one of the old folder, then the one of its successor. */
  renames: readonly boolean[]
}

/** Leaves the catalog and the disk as a crash does in an exchange of the folder `site` for `next`. */
async function crash(holdfast: Registered<Inside>, { from, isCommitted, renames }: Crash) {
  const { api, trash, path } = holdfast
  const { store } = holdfast.server.deps
  const held = (place: string) => join(holdfast.dataPath, 'trash', place)
  const heldBy = async (id: string) => `${(await store.trash.byId(id))?.entry}`
  const { folderId: old } = await api.upload('a', 'site', 'site')
  const { folderId: next, key } = await api.upload('a', 'next', from === 'inside' ? 'site/next' : 'next')
  if (from === 'trash') await trash.put({ folderIds: [next] })

  const source = from === 'trash' ? `${await heldBy(next)}/next` : dirname(key)
  const paths = { source: from === 'trash' ? held(source) : path(source), site: path('site') }
  const identities = { site: identify(paths.site), next: identify(paths.source) }
  if (isCommitted) await api.data('POST', '/folders/replace', { id: next, replaces: old })
  const entry = `${isCommitted ? await heldBy(old) : '2026-01-01 00.00.00'}/site`
  const plan: SwapPlan = {
    kind: 'swap',
    key: 'site',
    old: { id: old, held: entry, identity: identities.site },
    next: { id: next, from: source, isTrash: from === 'trash', identity: identities.next },
  }
  await expectNoIntents(holdfast)
  await leave(holdfast, plan)
  await holdfast.stop()

  const move = (path: string, to: string) => {
    mkdirSync(dirname(to), { recursive: true })
    renameSync(path, to)
  }
  if (from === 'inside') paths.source = held(`${entry}/next`)
  const [oldLeft, nextArrived] = renames
  if (isCommitted && !nextArrived) move(paths.site, paths.source)
  if (isCommitted && !oldLeft) move(held(entry), paths.site)
  if (!isCommitted && oldLeft) move(paths.site, held(entry))
  if (!isCommitted && nextArrived) move(paths.source, paths.site)
}

const DISKS = [
  [false, false],
  [true, false],
  [true, true],
] as const
const CRASHES: Crash[] = (['tree', 'trash', 'inside'] as const).flatMap((from) =>
  [false, true].flatMap((isCommitted) => DISKS.map((renames) => ({ from, isCommitted, renames }))),
)

test.each(CRASHES)(
  'a start after a crash in an exchange of folders, %j, finishes or undoes it',
  async (left) => {
    await using first = await startInsideWithAccount()
    await crash(first, left)

    await using second = await startAgain(first)

    await expectNoIntents(second)
    const wasInTree = left.from !== 'trash' && !left.isCommitted
    const before = left.from === 'inside' ? ['site/next', 'site/next/a'] : ['next', 'next/a']
    const expected = [...(wasInTree ? before : []), 'site', 'site/a']
    expect(filesUnder(second, 'uploads')).toEqual(expected.sort())
    expect(heldFiles(second)).toEqual(left.isCommitted ? ['site/a'] : wasInTree ? [] : ['next/a'])
    const entries = filesUnder(second, 'trash').filter((path) => !path.includes('/'))
    expect(entries).toHaveLength(wasInTree ? 0 : 1)
    expect(await second.api.hosted('site/a')).toBe(left.isCommitted ? 'next' : 'site')
    expect(second.logged).toEqual([{ message: 'Recovered 1 unfinished operation' }])
  },
)
