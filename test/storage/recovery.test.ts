import { describe, expect, test } from 'bun:test'
import { linkSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { done } from '../../src/catalog/engine/query.ts'
import { eventually } from '../support/eventually.ts'
import { type Registered, startInsideWithAccount } from '../support/fixture.ts'
import { filesUnder, type Inside } from '../support/holdfast.ts'
import { expectNoIntents } from '../support/intents.ts'
import { afterCrash, birthOf, identify } from './crash.ts'

/** Stages a file and links it to `target`, as an upload does before its last step. */
function publishHalfway({ dataPath }: Inside, target: string) {
  const staged = join(dataPath, 'tmp', 'staged')
  writeFileSync(staged, 'half published')
  linkSync(staged, target)
  return identify(staged)
}

/** Plan of a delete whose row is gone. */
const DELETED = { kind: 'delete', id: 'gone', aside: 'dgone' } as const

describe('a start after a crash', () => {
  test('takes back an upload that was not committed, with the folders it made', async () => {
    await using holdfast = await afterCrash(async (stopped) => {
      await stopped.api.upload('kept.txt', 'kept', 'old')
      mkdirSync(stopped.path('old/new/deeper'), { recursive: true })
      const identity = publishHalfway(stopped, stopped.path('old/new/deeper/a.txt'))
      return {
        kind: 'upload',
        folders: ['old/new', 'old/new/deeper'],
        files: [{ key: 'old/new/deeper/a.txt', identity }],
      }
    })

    expect(filesUnder(holdfast, 'uploads')).toEqual(['old', 'old/kept.txt'])
    expect(filesUnder(holdfast, 'tmp')).toEqual([])
    await expectNoIntents(holdfast)
    expect(await holdfast.api.hosted('old/kept.txt')).toBe('kept')
  })

  test('leaves a folder that was made since an upload to it was refused', async () => {
    await using holdfast = await afterCrash(async (stopped) => {
      await stopped.api.createFolder('made/since')
      return { kind: 'upload', folders: ['made', 'made/since', 'made/never'], files: [] }
    })

    expect(filesUnder(holdfast, 'uploads')).toEqual(['made', 'made/since'])
  })

  test('takes back an upload of which nothing had reached the volume', async () => {
    await using holdfast = await afterCrash(async () => ({
      kind: 'upload',
      folders: ['never', 'never/made'],
      files: [{ key: 'never/made/a.txt', identity: { inode: '1', size: 1, mtimeMs: 1 } }],
    }))

    expect(filesUnder(holdfast, 'uploads')).toEqual([])
    await expectNoIntents(holdfast)
  })

  test('removes neither a file other than that of the intent nor a folder that is not empty', async () => {
    await using holdfast = await afterCrash(async (stopped) => {
      mkdirSync(stopped.path('new'))
      writeFileSync(stopped.path('new/a.txt'), 'restored from a backup')
      writeFileSync(join(stopped.dataPath, 'tmp', 'other'), 'restored from a backup')
      const identity = identify(join(stopped.dataPath, 'tmp', 'other'))
      return { kind: 'upload', folders: ['new'], files: [{ key: 'new/a.txt', identity }] }
    })

    expect(filesUnder(holdfast, 'uploads')).toEqual(['new', 'new/a.txt'])
  })

  test('finishes a delete whose row was gone already', async () => {
    await using holdfast = await afterCrash(async (stopped) => {
      writeFileSync(stopped.path('a.txt'), 'deleted')
      return { ...DELETED, key: 'a.txt', identity: identify(stopped.path('a.txt')) }
    })

    expect(filesUnder(holdfast, 'uploads')).toEqual([])
    await expectNoIntents(holdfast)
  })

  test('does not finish a delete on a file that took the name since', async () => {
    await using holdfast = await afterCrash(async (stopped) => {
      writeFileSync(join(stopped.dataPath, 'old'), 'deleted')
      const identity = identify(join(stopped.dataPath, 'old'))
      writeFileSync(stopped.path('a.txt'), 'another')
      return { ...DELETED, key: 'a.txt', identity }
    })

    expect(filesUnder(holdfast, 'uploads')).toEqual(['a.txt'])
  })

  test('reports its recoveries and does not touch files unknown to the catalog', async () => {
    await using holdfast = await afterCrash(async (stopped) => {
      writeFileSync(stopped.path('stray'), 'nobody knows me')
      return { kind: 'upload', folders: [], files: [] }
    })

    expect(holdfast.logged).toEqual([{ message: 'Recovered 1 unfinished operation' }])
    expect(filesUnder(holdfast, 'uploads')).toEqual(['stray'])
    expect(await holdfast.api.hosted('stray')).toBe(404)
  })
})

/** Result of an import of `site/`: new folders in an existing one, and files in old and new ones. */
const IMPORT = {
  folders: ['site/css', 'site/css/fonts', 'site/empty'],
  files: ['site/index.html', 'site/css/a.css', 'site/css/b.css', 'site/css/fonts/c.woff'],
}

/** Returns the plan of that import, with the volume after its first `steps` steps. */
async function importedHalfway(stopped: Registered<Inside>, steps: number) {
  await stopped.api.upload('kept.txt', 'kept', 'site')
  const staged = IMPORT.files.map((key, index) => {
    const stagedPath = join(stopped.dataPath, 'tmp', String(index))
    writeFileSync(stagedPath, key)
    return { key, stagedPath, identity: identify(stagedPath) }
  })
  const all = [
    ...IMPORT.folders.map((key) => () => mkdirSync(stopped.path(key))),
    ...staged.map(
      ({ key, stagedPath }) =>
        () =>
          linkSync(stagedPath, stopped.path(key)),
    ),
  ]
  for (const step of all.slice(0, steps)) step()
  return {
    kind: 'upload' as const,
    folders: IMPORT.folders,
    files: staged.map(({ key, identity }) => ({ key, identity })),
  }
}

describe('a start after a crash in an import into several folders', () => {
  test.each(Array.from({ length: 8 }, (_, steps) => steps))('takes %d steps back', async (steps) => {
    await using holdfast = await afterCrash((stopped) => importedHalfway(stopped, steps))

    expect(filesUnder(holdfast, 'uploads')).toEqual(['site', 'site/kept.txt'])
    expect(filesUnder(holdfast, 'tmp')).toEqual([])
    await expectNoIntents(holdfast)
    expect(await holdfast.api.hosted('site/kept.txt')).toBe('kept')
  })

  test('does not remove files that were added to a folder of its own', async () => {
    await using holdfast = await afterCrash(async (stopped) => {
      const plan = await importedHalfway(stopped, 7)
      writeFileSync(stopped.path('site/css/fonts/mine'), 'not theirs')
      return plan
    })

    const left = ['site', 'site/css', 'site/css/fonts', 'site/css/fonts/mine', 'site/kept.txt']
    expect(filesUnder(holdfast, 'uploads')).toEqual(left)
  })
})

const AT = { createdAt: 0, updatedAt: 0 }

/** Creates the file `src/a.txt` and the plan of its move to `dst/b.txt`, completed up to `far`. */
async function movedFile(stopped: Registered<Inside>, far: { linked: boolean; committed: boolean }) {
  const file = await stopped.api.upload('a.txt', 'moved', 'src')
  const { folderId } = await stopped.api.upload('other', 'x', 'dst')
  const identity = identify(stopped.path('src/a.txt'))
  const { store } = stopped.server.deps
  if (far.linked) linkSync(stopped.path('src/a.txt'), stopped.path('dst/b.txt'))
  if (far.committed) await store.transact(() => store.files.update(file.id, { folderId, name: 'b.txt' }))
  const from = { parentId: file.folderId, name: 'a.txt', key: 'src/a.txt' }
  return {
    kind: 'move' as const,
    what: 'file' as const,
    id: file.id,
    from,
    to: { parentId: folderId, name: 'b.txt', key: 'dst/b.txt' },
    identity,
  }
}

/** Creates the folder `src/sub` with a file, and the plan of its move to `dst/moved`. */
async function movedFolder(stopped: Registered<Inside>, far: { renamed: boolean; committed: boolean }) {
  const { folderId: id } = await stopped.api.upload('a.txt', 'moved', 'src/sub')
  const { folderId: parentId } = await stopped.api.upload('other', 'x', 'dst')
  const identity = identify(stopped.path('src/sub'))
  const { store } = stopped.server.deps
  const source = (await store.folders.byId(id))?.parentId ?? ''
  if (far.renamed) renameSync(stopped.path('src/sub'), stopped.path('dst/moved'))
  if (far.committed) await store.transact(() => store.folders.update(id, { parentId, name: 'moved' }))
  const from = { parentId: source, name: 'sub', key: 'src/sub' }
  return {
    kind: 'move' as const,
    what: 'folder' as const,
    id,
    from,
    to: { parentId, name: 'moved', key: 'dst/moved' },
    identity,
  }
}

describe('a start after a crash in a move', () => {
  const everyStep = [
    [{ linked: false, committed: false }, 'src/a.txt', 'dst/b.txt'],
    [{ linked: true, committed: false }, 'src/a.txt', 'dst/b.txt'],
    [{ linked: true, committed: true }, 'dst/b.txt', 'src/a.txt'],
  ] as const

  test.each(everyStep)('of a file that came to %j leaves it at %s alone', async (far, at, notAt) => {
    await using holdfast = await afterCrash((stopped) => movedFile(stopped, far))

    expect(await holdfast.api.hosted(at)).toBe('moved')
    expect(await holdfast.api.hosted(notAt)).toBe(404)
    expect(filesUnder(holdfast, 'uploads')).toEqual(['dst', 'dst/other', 'src', at].sort())
    await expectNoIntents(holdfast)
  })

  test.each([
    [{ renamed: false, committed: false }, 'src/sub/a.txt'],
    [{ renamed: true, committed: false }, 'src/sub/a.txt'],
    [{ renamed: false, committed: true }, 'dst/moved/a.txt'],
    [{ renamed: true, committed: true }, 'dst/moved/a.txt'],
  ])('of a folder that came to %j leaves its file at %s', async (far, at) => {
    await using holdfast = await afterCrash((stopped) => movedFolder(stopped, far))

    expect(await holdfast.api.hosted(at)).toBe('moved')
    expect(filesUnder(holdfast, 'uploads').filter((path) => path.endsWith('a.txt'))).toEqual([at])
    await expectNoIntents(holdfast)
  })
})

describe('a start after a crash in a move to folders that were to be made', () => {
  const everyStep = [
    [{ made: 0, linked: false, committed: false }, ['src', 'src/a.txt']],
    [{ made: 1, linked: false, committed: false }, ['src', 'src/a.txt']],
    [{ made: 2, linked: false, committed: false }, ['src', 'src/a.txt']],
    [{ made: 2, linked: true, committed: false }, ['src', 'src/a.txt']],
    [{ made: 2, linked: true, committed: true }, ['new', 'new/deep', 'new/deep/a.txt', 'src']],
  ] as const

  test.each(everyStep)('and came to %j leaves %j', async (far, left) => {
    await using holdfast = await afterCrash(async (stopped) => {
      const file = await stopped.api.upload('a.txt', 'moved', 'src')
      const identity = identify(stopped.path('src/a.txt'))
      const { store } = stopped.server.deps
      const folders = ['new', 'new/deep']
      for (const folder of folders.slice(0, far.made)) mkdirSync(stopped.path(folder))
      if (far.linked) linkSync(stopped.path('src/a.txt'), stopped.path('new/deep/a.txt'))
      const row = (id: string, parentId: string, name: string) => ({
        ...{ id, parentId, name, madeForKeys: false },
        ...AT,
      })
      if (far.committed) {
        await store.transact(function* () {
          yield* store.folders.insert([row('1', yield* store.folders.root(), 'new'), row('2', '1', 'deep')])
          yield* store.files.update(file.id, { folderId: '2' })
        })
      }
      const from = { parentId: file.folderId, name: 'a.txt', key: 'src/a.txt' }
      const to = { parentId: '2', name: 'a.txt', key: 'new/deep/a.txt' }
      return { kind: 'move', what: 'file', id: file.id, from, to, folders, identity }
    })

    expect(filesUnder(holdfast, 'uploads')).toEqual([...left])
    const at = far.committed ? 'new/deep/a.txt' : 'src/a.txt'
    expect(await holdfast.api.hosted(at)).toBe('moved')
    await expectNoIntents(holdfast)
  })

  test('leaves a folder of that name that was made since', async () => {
    await using holdfast = await afterCrash(async (stopped) => {
      const file = await stopped.api.upload('a.txt', 'x', 'src')
      await stopped.api.createFolder('new')
      const from = { parentId: file.folderId, name: 'a.txt', key: 'src/a.txt' }
      const to = { parentId: 'never-made', name: 'a.txt', key: 'new/a.txt' }
      return { kind: 'move', what: 'file', id: file.id, from, to, folders: ['new'], identity: null }
    })

    expect(filesUnder(holdfast, 'uploads')).toEqual(['new', 'src', 'src/a.txt'])
  })
})

describe('a start after a crash in the delete of a folder', () => {
  test('removes no bytes when the folder had no directory, because the present ones are not its own', async () => {
    await using holdfast = await afterCrash(async (stopped) => {
      const { folderId } = await stopped.api.upload('a.txt', 'old', 'gone')
      const { store } = stopped.server.deps
      await store.transact(() => store.folders.detach(folderId))
      rmSync(stopped.path('gone'), { recursive: true })
      await stopped.api.upload('a.txt', 'new', 'gone')
      return { kind: 'discard', folderId, key: null }
    })

    await expectNoIntents(holdfast)
    expect(await holdfast.api.hosted('gone/a.txt')).toBe('new')
  })

  test('continues where it stopped', async () => {
    await using holdfast = await afterCrash(async (stopped) => {
      const { folderId } = await stopped.api.upload('a.txt', 'x', 'gone')
      await stopped.api.upload('b.txt', 'x', 'gone/gone/er')
      await stopped.api.upload('kept.txt', 'kept', 'kept')
      const { store } = stopped.server.deps
      await store.transact(() => store.folders.detach(folderId))
      return { kind: 'discard', folderId, key: 'gone', birth: birthOf(stopped.path('gone')), aside: 'dgone' }
    })

    await expectNoIntents(holdfast)
    expect(filesUnder(holdfast, 'uploads')).toEqual(['kept', 'kept/kept.txt'])
    expect(
      holdfast.catalog.lists
        .page({ orderBy: 'name', ascending: true, offset: 0, limit: 9 })
        .map(({ name }) => name),
    ).toEqual(['kept.txt'])
  })
})

test('a folder is renamed while one below it is being purged', async () => {
  await using holdfast = await startInsideWithAccount()
  for (let batch = 0; batch < 5; batch += 1) {
    const files = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`${batch}-${index}`, 'x']))
    await holdfast.sendUpload(files, { folder: 'above/gone' })
  }
  const { store } = holdfast.server.deps
  const above = (await store.folders.idAt(['above'])) ?? ''
  const gone = (await store.folders.idAt(['above', 'gone'])) ?? ''

  const changes = store.changes(() => done(undefined))
  const deleting = changes.discardFolder(gone, () => done(undefined))
  await eventually(async () => (await store.folders.keyOf(gone)) === undefined)
  await changes.renameFolder(above, { name: 'renamed' })
  await deleting

  expect(filesUnder(holdfast, 'uploads')).toEqual(['renamed'])
  expect(filesUnder(holdfast, 'tmp')).toEqual([])
})
