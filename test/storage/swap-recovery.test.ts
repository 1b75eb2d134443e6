import { expect, test } from 'bun:test'
import { lstatSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { SwapPlan } from '../../src/store/folder/plan.ts'
import { apiOf } from '../support/api.ts'
import { startInsideWithAccount } from '../support/fixture.ts'
import { type Account, filesUnder, type Inside, startInside } from '../support/holdfast.ts'
import { expectNoIntents } from '../support/intents.ts'
import { heldFiles, trashOf } from '../support/trash.ts'

interface Crash {
  /** Former place of the other folder. */
  from: 'tree' | 'trash'
  isCommitted: boolean
  /** Renames that are on the disk: first the one of the old folder, then the one of its successor. */
  renames: readonly boolean[]
}

const identify = (path: string) => {
  const { ino, size, mtimeMs } = lstatSync(path)
  return { inode: String(ino), size, mtimeMs }
}

/** Leaves the catalog and the disk as a crash does in an exchange of the folder `site` for `next`. */
async function crash(holdfast: Inside, account: Account, { from, isCommitted, renames }: Crash) {
  const api = apiOf(holdfast, account)
  const { store } = holdfast.server.deps
  const inData = (path: string) => join(holdfast.dataPath, path)
  const heldBy = async (id: string) => `${(await store.trash.byId(id))?.entry}`
  for (const name of ['site', 'next']) await api.upload('a', name, name)
  const { folders } = await api.browse()
  const idOf = (key: string) => folders.find((folder) => folder.key === key)?.id ?? ''
  const [old, next] = [idOf('site'), idOf('next')]
  if (from === 'trash') await trashOf(api).put({ folderIds: [next] })

  const source = from === 'trash' ? `${await heldBy(next)}/next` : 'next'
  const paths = {
    source: inData(from === 'trash' ? `trash/${source}` : 'uploads/next'),
    site: inData('uploads/site'),
  }
  const identities = { site: identify(paths.site), next: identify(paths.source) }
  if (isCommitted) await api.data('POST', '/folders/replace', { id: next, replaces: old })
  const held = `${isCommitted ? await heldBy(old) : '2026-01-01 00.00.00'}/site`
  const plan: SwapPlan = {
    kind: 'swap',
    key: 'site',
    old: { id: old, held, identity: identities.site },
    next: { id: next, from: source, isTrash: from === 'trash', identity: identities.next },
  }
  await expectNoIntents(holdfast)
  await store.transact(() => store.intents.insert({ id: 'left-over', plan, createdAt: 0 }))
  await holdfast.stop()

  const move = (path: string, to: string) => {
    mkdirSync(dirname(to), { recursive: true })
    renameSync(path, to)
  }
  const [oldLeft, nextArrived] = renames
  if (isCommitted && !nextArrived) move(paths.site, paths.source)
  if (isCommitted && !oldLeft) move(inData(`trash/${held}`), paths.site)
  if (!isCommitted && oldLeft) move(paths.site, inData(`trash/${held}`))
  if (!isCommitted && nextArrived) move(paths.source, paths.site)
}

const DISKS = [
  [false, false],
  [true, false],
  [true, true],
] as const
const CRASHES: Crash[] = (['tree', 'trash'] as const).flatMap((from) =>
  [false, true].flatMap((isCommitted) => DISKS.map((renames) => ({ from, isCommitted, renames }))),
)

test.each(CRASHES)(
  'a start after a crash in an exchange of folders, %j, finishes or undoes it',
  async (left) => {
    const dataPath = mkdtempSync(join(tmpdir(), 'holdfast-'))
    try {
      const first = await startInsideWithAccount({ dataPath })
      await crash(first, first, left)

      await using second = await startInside({ dataPath })

      await expectNoIntents(second)
      const wasInTree = left.from === 'tree' && !left.isCommitted
      expect(filesUnder(second, 'uploads')).toEqual([
        ...(wasInTree ? ['next', 'next/a'] : []),
        'site',
        'site/a',
      ])
      expect(heldFiles(second)).toEqual(left.isCommitted ? ['site/a'] : wasInTree ? [] : ['next/a'])
      expect(filesUnder(second, 'trash').filter((path) => !path.includes('/'))).toHaveLength(
        wasInTree ? 0 : 1,
      )
      expect(await apiOf(second, first).hosted('site/a')).toBe(left.isCommitted ? 'next' : 'site')
      expect(second.logged).toEqual([{ message: 'Recovered 1 unfinished operation(s)' }])
    } finally {
      rmSync(dataPath, { recursive: true, force: true })
    }
  },
)
