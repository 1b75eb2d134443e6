import { beforeAll, expect, test } from 'bun:test'
import type { Stats } from '../../src/modules/stats/model.ts'
import type { FolderView } from '../support/api.ts'
import { eventually } from '../support/eventually.ts'
import { withInside } from '../support/fixture.ts'
import { buildArchive } from '../zip/build-archive.ts'

/** Files of the folder that is deleted: they are purged in many slices. */
const FILES = 800
/** Older files beside it. */
const OTHERS = 12

const holdfast = withInside()
const { api, bySession: admin } = holdfast
let folder: FolderView
beforeAll(async () => {
  for (let index = 0; index < OTHERS; index += 1) await api.upload(`other ${index}.txt`, 'content')
  const files = Array.from({ length: FILES }, (_, at) => ({ path: `sub/${at}.png`, content: `${at}` }))
  await api.sendBody('POST', '/folders/import?folder=folder&visibility=private', buildArchive(files))
  folder = (await api.browse()).folders.find(({ name }) => name === 'folder') as FolderView
})

async function totals() {
  const { files } = await api.data<{ files: NonNullable<Stats['files']> }>('GET', '/stats')
  const { total, folders, types, visibility, largest, added, storage } = files
  const keys = largest.map(({ key }) => key)
  return { total, folders, used: storage.used, types, visibility, keys, added: added.at(-1) }
}

test('a folder that is being deleted leaves totals and pages all at once', async () => {
  const before = await totals()
  const seen: unknown[] = []
  const counts: unknown[] = []
  const pages: number[] = []
  let isOver = false
  let isDeleting = false
  /** Number of looks that ended during the delete. */
  let during = 0
  const watch = async (look: () => Promise<unknown>) => {
    while (!isOver) {
      await look()
      if (isDeleting) during += 1
    }
  }
  const list = async (order = {}) => pages.push((await api.list({ limit: OTHERS, ...order })).length)
  const watching = Promise.all([
    watch(async () => seen.push(await totals())),
    watch(async () => {
      counts.push((await admin.data<{ visibilityCounts: unknown }>('GET', '/settings')).visibilityCounts)
    }),
    watch(() => list()),
    watch(() => list({ offset: 0, orderBy: 'name', orderDirection: 'ASC' })),
  ])
  await eventually(() => seen.length > 0 && counts.length > 0 && pages.length > 1)
  isDeleting = true
  await api.data('DELETE', '/folders', { id: folder.id }).finally(() => {
    isDeleting = false
    isOver = true
  })
  await watching

  const after = await totals()
  expect(after).toMatchObject({ total: OTHERS, folders: 1 })
  expect(before).toMatchObject({ total: FILES + OTHERS, folders: 3 })
  expect(seen.filter((told) => !Bun.deepEquals(told, before) && !Bun.deepEquals(told, after))).toEqual([])
  const possible = [
    { public: OTHERS, private: FILES },
    { public: OTHERS, private: 0 },
  ]
  expect(counts.filter((told) => !possible.some((one) => Bun.deepEquals(told, one)))).toEqual([])
  expect(pages.filter((length) => length !== OTHERS)).toEqual([])
  // Or nothing was seen of the time between.
  expect(during).toBeGreaterThan(0)
})
