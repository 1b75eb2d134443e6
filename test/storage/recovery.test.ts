import { describe, expect, test } from 'bun:test'
import { linkSync, lstatSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Plan } from '../../src/storage/plan.ts'
import { filesUnder, type Holdfast, register, startHoldfast, upload } from '../support/holdfast.ts'

/** What a crash left: an intent, made by `prepare`, in a data folder that is started again. */
async function afterCrash(prepare: (stopped: Holdfast, path: (key: string) => string) => Promise<Plan>) {
  const dataPath = mkdtempSync(join(tmpdir(), 'holdfast-'))
  const first = await startHoldfast({ dataPath })
  const { catalog } = first.server.deps
  const plan = await prepare(first, (key) => join(dataPath, 'uploads', key))
  await catalog.transact(() => catalog.intents.insert({ id: 'left-over', plan, createdAt: 0 }))
  await first.stop()
  const holdfast = await startHoldfast({ dataPath })
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
function publishHalfway({ dataPath }: Holdfast, target: string) {
  const staged = join(dataPath, 'tmp', 'staged')
  writeFileSync(staged, 'half published')
  linkSync(staged, target)
  return identify(staged)
}

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
    expect(holdfast.server.deps.catalog.intents.all()).toEqual([])
    expect(await (await holdfast.fetch('/api/hosting/old/kept.txt')).text()).toBe('kept')
  })

  test('takes back an upload of which nothing had reached the volume', async () => {
    await using crashed = await afterCrash(async () => ({
      kind: 'upload',
      folders: ['never', 'never/made'],
      files: [{ key: 'never/made/a.txt', identity: { inode: '1', size: 1, mtimeMs: 1 } }],
    }))

    expect(filesUnder(crashed.holdfast, 'uploads')).toEqual([])
    expect(crashed.holdfast.server.deps.catalog.intents.all()).toEqual([])
  })

  test('leaves a file that is not the one the intent speaks of, and a folder that is not empty', async () => {
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
      return { kind: 'remove', files: [{ key: 'a.txt', identity: identify(path('a.txt')) }] }
    })

    expect(filesUnder(crashed.holdfast, 'uploads')).toEqual([])
    expect(crashed.holdfast.server.deps.catalog.intents.all()).toEqual([])
  })

  test('does not finish a delete on a file that took the name since', async () => {
    await using crashed = await afterCrash(async (holdfast, path) => {
      writeFileSync(join(holdfast.dataPath, 'old'), 'deleted')
      const identity = identify(join(holdfast.dataPath, 'old'))
      writeFileSync(path('a.txt'), 'another')
      return { kind: 'remove', files: [{ key: 'a.txt', identity }] }
    })

    expect(filesUnder(crashed.holdfast, 'uploads')).toEqual(['a.txt'])
  })

  test('reports what it recovered and leaves alone what the catalog does not know', async () => {
    await using crashed = await afterCrash(async (_, path) => {
      writeFileSync(path('stray'), 'nobody knows me')
      return { kind: 'remove', files: [] }
    })
    const { holdfast } = crashed

    expect(holdfast.logged).toEqual([{ message: 'Recovered 1 unfinished operation(s)' }])
    expect(filesUnder(holdfast, 'uploads')).toEqual(['stray'])
    expect((await holdfast.fetch('/api/hosting/stray')).status).toBe(404)
  })
})
