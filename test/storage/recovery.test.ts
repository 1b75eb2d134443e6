import { describe, expect, test } from 'bun:test'
import {
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { done } from '../../src/catalog/engine/query.ts'
import type { Plan } from '../../src/store/folder/plan.ts'
import { apiOf } from '../support/api.ts'
import { eventually } from '../support/eventually.ts'
import { startInsideWithAccount } from '../support/fixture.ts'
import { filesUnder, type Inside, register, sendUpload, startInside, upload } from '../support/holdfast.ts'
import { expectNoIntents } from '../support/intents.ts'

/** Restarts a data folder with an intent that `prepare` left, as after a crash. */
async function afterCrash(prepare: (stopped: Inside, path: (key: string) => string) => Promise<Plan>) {
  const dataPath = mkdtempSync(join(tmpdir(), 'holdfast-'))
  const first = await startInside({ dataPath })
  const { store } = first.server.deps
  const plan = await prepare(first, (key) => join(dataPath, 'uploads', key))
  await store.transact(() => store.intents.insert({ id: 'left-over', plan, createdAt: 0 }))
  await first.stop()
  const holdfast = await startInside({ dataPath })
  return {
    holdfast,
    [Symbol.asyncDispose]: async () => {
      await holdfast.stop()
      rmSync(dataPath, { recursive: true, force: true })
    },
  }
}

function identify(path: string) {
  const { ino, size, mtimeMs } = lstatSync(path)
  return { inode: String(ino), size, mtimeMs }
}

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
    await using crashed = await afterCrash(async (holdfast, path) => {
      const { withKey } = await register(holdfast)
      await upload(holdfast, withKey, { name: 'kept.txt', content: 'kept', folder: 'old' })
      mkdirSync(path('old/new/deeper'), { recursive: true })
      const identity = publishHalfway(holdfast, path('old/new/deeper/a.txt'))
      return {
        kind: 'upload',
        folders: ['old/new', 'old/new/deeper'],
        files: [{ key: 'old/new/deeper/a.txt', identity }],
      }
    })
    const { holdfast } = crashed

    expect(filesUnder(holdfast, 'uploads')).toEqual(['old', 'old/kept.txt'])
    expect(filesUnder(holdfast, 'tmp')).toEqual([])
    await expectNoIntents(holdfast)
    expect(await (await holdfast.fetch('/api/hosting/old/kept.txt')).text()).toBe('kept')
  })

  test('leaves a folder that was made since an upload to it was refused', async () => {
    await using crashed = await afterCrash(async (holdfast) => {
      await apiOf(holdfast, await register(holdfast)).createFolder('made/since')
      return { kind: 'upload', folders: ['made', 'made/since', 'made/never'], files: [] }
    })

    expect(filesUnder(crashed.holdfast, 'uploads')).toEqual(['made', 'made/since'])
  })

  test('takes back an upload of which nothing had reached the volume', async () => {
    await using crashed = await afterCrash(async () => ({
      kind: 'upload',
      folders: ['never', 'never/made'],
      files: [{ key: 'never/made/a.txt', identity: { inode: '1', size: 1, mtimeMs: 1 } }],
    }))

    expect(filesUnder(crashed.holdfast, 'uploads')).toEqual([])
    await expectNoIntents(crashed.holdfast)
  })

  test('removes neither a file other than that of the intent nor a folder that is not empty', async () => {
    await using crashed = await afterCrash(async (holdfast, path) => {
      mkdirSync(path('new'))
      writeFileSync(path('new/a.txt'), 'restored from a backup')
      writeFileSync(join(holdfast.dataPath, 'tmp', 'other'), 'restored from a backup')
      const identity = identify(join(holdfast.dataPath, 'tmp', 'other'))
      return { kind: 'upload', folders: ['new'], files: [{ key: 'new/a.txt', identity }] }
    })

    expect(filesUnder(crashed.holdfast, 'uploads')).toEqual(['new', 'new/a.txt'])
  })

  test('finishes a delete whose row was gone already', async () => {
    await using crashed = await afterCrash(async (_, path) => {
      writeFileSync(path('a.txt'), 'deleted')
      return { ...DELETED, key: 'a.txt', identity: identify(path('a.txt')) }
    })

    expect(filesUnder(crashed.holdfast, 'uploads')).toEqual([])
    await expectNoIntents(crashed.holdfast)
  })

  test('does not finish a delete on a file that took the name since', async () => {
    await using crashed = await afterCrash(async (holdfast, path) => {
      writeFileSync(join(holdfast.dataPath, 'old'), 'deleted')
      const identity = identify(join(holdfast.dataPath, 'old'))
      writeFileSync(path('a.txt'), 'another')
      return { ...DELETED, key: 'a.txt', identity }
    })

    expect(filesUnder(crashed.holdfast, 'uploads')).toEqual(['a.txt'])
  })

  test('reports its recoveries and does not touch files unknown to the catalog', async () => {
    await using crashed = await afterCrash(async (_, path) => {
      writeFileSync(path('stray'), 'nobody knows me')
      return { kind: 'upload', folders: [], files: [] }
    })
    const { holdfast } = crashed

    expect(holdfast.logged).toEqual([{ message: 'Recovered 1 unfinished operation(s)' }])
    expect(filesUnder(holdfast, 'uploads')).toEqual(['stray'])
    expect((await holdfast.fetch('/api/hosting/stray')).status).toBe(404)
  })
})

/** Result of an import of `site/`: new folders in an existing one, and files in old and new ones. */
const IMPORT = {
  folders: ['site/css', 'site/css/fonts', 'site/empty'],
  files: ['site/index.html', 'site/css/a.css', 'site/css/b.css', 'site/css/fonts/c.woff'],
}

/** Returns the plan of that import, with the volume after its first `steps` steps. */
async function importedHalfway(stopped: Inside, path: (key: string) => string, steps: number) {
  const { withKey } = await register(stopped)
  await upload(stopped, withKey, { name: 'kept.txt', content: 'kept', folder: 'site' })
  const staged = IMPORT.files.map((key, index) => {
    const stagedPath = join(stopped.dataPath, 'tmp', String(index))
    writeFileSync(stagedPath, key)
    return { key, stagedPath, identity: identify(stagedPath) }
  })
  const all = [
    ...IMPORT.folders.map((key) => () => mkdirSync(path(key))),
    ...staged.map(
      ({ key, stagedPath }) =>
        () =>
          linkSync(stagedPath, path(key)),
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
    await using crashed = await afterCrash((stopped, path) => importedHalfway(stopped, path, steps))
    const { holdfast } = crashed

    expect(filesUnder(holdfast, 'uploads')).toEqual(['site', 'site/kept.txt'])
    expect(filesUnder(holdfast, 'tmp')).toEqual([])
    await expectNoIntents(holdfast)
    expect(await (await holdfast.fetch('/api/hosting/site/kept.txt')).text()).toBe('kept')
  })

  test('does not remove files that were added to a folder of its own', async () => {
    await using crashed = await afterCrash(async (stopped, path) => {
      const plan = await importedHalfway(stopped, path, 7)
      writeFileSync(path('site/css/fonts/mine'), 'not theirs')
      return plan
    })

    const left = ['site', 'site/css', 'site/css/fonts', 'site/css/fonts/mine', 'site/kept.txt']
    expect(filesUnder(crashed.holdfast, 'uploads')).toEqual(left)
  })
})

const AT = { createdAt: 0, updatedAt: 0 }

/** Creates the file `src/a.txt` and the plan of its move to `dst/b.txt`, completed up to `far`. */
async function movedFile(
  stopped: Inside,
  path: (key: string) => string,
  far: { linked: boolean; committed: boolean },
) {
  const { withKey } = await register(stopped)
  const file = await upload(stopped, withKey, { name: 'a.txt', content: 'moved', folder: 'src' })
  const { folderId } = await upload(stopped, withKey, { name: 'other', content: 'x', folder: 'dst' })
  const identity = identify(path('src/a.txt'))
  const { store } = stopped.server.deps
  if (far.linked) linkSync(path('src/a.txt'), path('dst/b.txt'))
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
async function movedFolder(
  stopped: Inside,
  path: (key: string) => string,
  far: { renamed: boolean; committed: boolean },
) {
  const { withKey } = await register(stopped)
  const { folderId: id } = await upload(stopped, withKey, {
    name: 'a.txt',
    content: 'moved',
    folder: 'src/sub',
  })
  const { folderId: parentId } = await upload(stopped, withKey, {
    name: 'other',
    content: 'x',
    folder: 'dst',
  })
  const identity = identify(path('src/sub'))
  const { store } = stopped.server.deps
  const source = (await store.folders.byId(id))?.parentId ?? ''
  if (far.renamed) renameSync(path('src/sub'), path('dst/moved'))
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
    await using crashed = await afterCrash((stopped, path) => movedFile(stopped, path, far))
    const { holdfast } = crashed

    expect(await (await holdfast.fetch(`/api/hosting/${at}`)).text()).toBe('moved')
    expect((await holdfast.fetch(`/api/hosting/${notAt}`)).status).toBe(404)
    expect(filesUnder(holdfast, 'uploads')).toEqual(['dst', 'dst/other', 'src', at].sort())
    await expectNoIntents(holdfast)
  })

  test.each([
    [{ renamed: false, committed: false }, 'src/sub/a.txt'],
    [{ renamed: true, committed: false }, 'src/sub/a.txt'],
    [{ renamed: false, committed: true }, 'dst/moved/a.txt'],
    [{ renamed: true, committed: true }, 'dst/moved/a.txt'],
  ])('of a folder that came to %j leaves its file at %s', async (far, at) => {
    await using crashed = await afterCrash((stopped, path) => movedFolder(stopped, path, far))
    const { holdfast } = crashed

    expect(await (await holdfast.fetch(`/api/hosting/${at}`)).text()).toBe('moved')
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
    await using crashed = await afterCrash(async (stopped, path) => {
      const { withKey } = await register(stopped)
      const file = await upload(stopped, withKey, { name: 'a.txt', content: 'moved', folder: 'src' })
      const identity = identify(path('src/a.txt'))
      const { store } = stopped.server.deps
      const folders = ['new', 'new/deep']
      for (const folder of folders.slice(0, far.made)) mkdirSync(path(folder))
      if (far.linked) linkSync(path('src/a.txt'), path('new/deep/a.txt'))
      const row = (id: string, parentId: string, name: string) => ({ id, parentId, name, ...AT })
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
    const { holdfast } = crashed

    expect(filesUnder(holdfast, 'uploads')).toEqual([...left])
    const at = far.committed ? 'new/deep/a.txt' : 'src/a.txt'
    expect(await (await holdfast.fetch(`/api/hosting/${at}`)).text()).toBe('moved')
    await expectNoIntents(holdfast)
  })

  test('leaves a folder of that name that was made since', async () => {
    await using crashed = await afterCrash(async (stopped) => {
      const { withKey } = await register(stopped)
      const file = await upload(stopped, withKey, { name: 'a.txt', content: 'x', folder: 'src' })
      await apiOf(stopped, { withKey }).createFolder('new')
      const from = { parentId: file.folderId, name: 'a.txt', key: 'src/a.txt' }
      const to = { parentId: 'never-made', name: 'a.txt', key: 'new/a.txt' }
      return { kind: 'move', what: 'file', id: file.id, from, to, folders: ['new'], identity: null }
    })

    expect(filesUnder(crashed.holdfast, 'uploads')).toEqual(['new', 'src', 'src/a.txt'])
  })
})

describe('a start after a crash in the delete of a folder', () => {
  test('removes no bytes when the folder had no directory, because the present ones are not its own', async () => {
    await using crashed = await afterCrash(async (stopped) => {
      const { withKey } = await register(stopped)
      const { folderId } = await upload(stopped, withKey, { name: 'a.txt', content: 'old', folder: 'gone' })
      const { store } = stopped.server.deps
      await store.transact(() => store.folders.detach(folderId))
      rmSync(join(stopped.dataPath, 'uploads', 'gone'), { recursive: true })
      await upload(stopped, withKey, { name: 'a.txt', content: 'new', folder: 'gone' })
      return { kind: 'discard', folderId, key: null }
    })
    const { holdfast } = crashed
    const { store } = holdfast.server.deps

    await eventually(async () => (await store.intents.all()).length === 0)
    expect(await (await holdfast.fetch('/api/hosting/gone/a.txt')).text()).toBe('new')
  })

  test('continues where it stopped', async () => {
    await using crashed = await afterCrash(async (stopped) => {
      const { withKey } = await register(stopped)
      const { folderId } = await upload(stopped, withKey, { name: 'a.txt', content: 'x', folder: 'gone' })
      await upload(stopped, withKey, { name: 'b.txt', content: 'x', folder: 'gone/gone/er' })
      await upload(stopped, withKey, { name: 'kept.txt', content: 'kept', folder: 'kept' })
      const { store } = stopped.server.deps
      await store.transact(() => store.folders.detach(folderId))
      const { ino, birthtimeMs } = statSync(join(stopped.dataPath, 'uploads', 'gone'))
      return { kind: 'discard', folderId, key: 'gone', birth: `${ino} ${birthtimeMs}`, aside: 'dgone' }
    })
    const { holdfast } = crashed
    const { store } = holdfast.server.deps

    await eventually(async () => (await store.intents.all()).length === 0)
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
  const { withKey } = holdfast
  for (let batch = 0; batch < 5; batch += 1) {
    const files = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`${batch}-${index}`, 'x']))
    await sendUpload(holdfast, withKey, { files, folder: 'above/gone' })
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
