import { beforeAll, expect, test } from 'bun:test'
import type { Settings } from '../../src/client/types.ts'
import { openDatabase } from '../support/accounts.ts'
import { copyFiles } from '../support/file-rows.ts'
import { withInside } from '../support/fixture.ts'
import type { FileView } from '../support/holdfast.ts'
import { parked } from '../support/parked.ts'
import { trashOf } from '../support/trash.ts'

/** Number of files in the folder. Their rows move in many slices, and take long to count. */
const ROWS = 5000
const OTHERS = 12
/** Days that a test sets first, more than by default: each shows the number of its files. */
const FIRST_DAYS = 100

const holdfast = withInside()
const { api, bySession: admin } = holdfast
let trash: ReturnType<typeof trashOf>
let folderId: string
beforeAll(async () => {
  trash = trashOf(api)
  for (let index = 0; index < OTHERS; index += 1) await api.upload(`other ${index}.txt`, 'content')
  const file = await api.upload('file', 'content', 'folder/sub')
  folderId = (await api.browse()).folders[0]?.id ?? ''
  using database = openDatabase(holdfast)
  database.run(
    `WITH RECURSIVE numbers(n) AS (VALUES (2) UNION ALL SELECT n + 1 FROM numbers WHERE n < ?)
     ${copyFiles({ id: "'row ' || n", name: "'row ' || n" }, 'numbers', 'files.id = ?')}`,
    [ROWS, file.id],
  )
})

const settings = () => admin.data<Settings>('GET', '/settings')

const totals = async () => {
  const { files } = await api.data<{ files: Record<string, unknown> }>('GET', '/stats')
  const { total, folders, types, visibility, added } = files
  return { total, folders, types, visibility, added }
}

/** Calls `look` again and again until `work` has ended. */
async function during(work: Promise<unknown>, look: () => Promise<void>): Promise<void> {
  let isOver = false
  const ended = work.finally(() => {
    isOver = true
  })
  while (!isOver) await look()
  await ended
}

test('a folder leaves the totals all at once when it goes to the trash, and returns all at once', async () => {
  const inTree = await totals()
  const seen: unknown[] = []
  const look = async () => void seen.push(await totals())
  await during(trash.put({ folderIds: [folderId] }), look)
  const inTrash = await totals()
  await during(trash.restore(folderId), look)

  expect(await totals()).toEqual(inTree)
  expect(inTree).toMatchObject({ total: ROWS + OTHERS, folders: 3 })
  expect(inTrash).toMatchObject({ total: OTHERS, folders: 1 })
  expect(seen.filter((told) => !Bun.deepEquals(told, inTree) && !Bun.deepEquals(told, inTrash))).toEqual([])
  // Or nothing was seen of the time between.
  expect(seen.length).toBeGreaterThan(2)
})

test('a change of visibility that meets a move to the trash changes all files of the folder, or none', async () => {
  using database = openDatabase(holdfast)
  database.begin()
  const changing = api.send('PUT', '/folders', { id: folderId, visibility: 'private' })
  // The thread of large changes waits for the lock by now.
  await parked(holdfast)
  const moving = trash.put({ folderIds: [folderId] })
  database.run('ROLLBACK')
  // Long lists leave the thread time between the slices of the move.
  await during(moving, async () => {
    await Promise.all(Array.from({ length: 8 }, () => api.list({ limit: 1000 })))
  })
  const { status } = await changing
  await trash.restore(folderId)

  // On a busy machine the thread may be first.
  const { visibilityCounts } = await settings()
  expect([status, visibilityCounts.private]).toEqual(status === 200 ? [200, ROWS] : [404, 0])
})

test('a batch leaves the visibility of files whose folder is on its way to the trash', async () => {
  await api.data('PUT', '/folders', { id: folderId, visibility: 'public' })
  const { files } = await api.browse({ key: 'folder/sub' })
  const ids = files.filter((_, index) => index % 50 === 0).map(({ id }) => id)
  const changed = new Set<string>()
  await during(trash.put({ folderIds: [folderId] }), async () => {
    const response = await api.send('PUT', '/files/visibility', { ids, visibility: 'private' })
    if (response.status !== 200) return
    const { data } = (await response.json()) as { data: { files: FileView[] } }
    for (const { id } of data.files) changed.add(id)
  })
  await trash.restore(folderId)

  const after = (await api.browse({ key: 'folder/sub' })).files
  const hidden = after.filter(({ visibility }) => visibility === 'private')
  expect(hidden.map(({ id }) => id).sort()).toEqual([...changed].sort())
})

test('the settings are shown with the counts of the same moment while a folder is deleted', async () => {
  const seen: Settings[] = []
  let isDeleting = true
  const deleting = api.data('DELETE', '/folders', { id: folderId }).finally(() => {
    isDeleting = false
  })
  const changing = (async () => {
    for (let added = 0; isDeleting; added += 1) {
      await admin.data('PUT', '/settings', { trashDays: FIRST_DAYS + added })
      await api.upload(`${added}.txt`, 'content', 'days')
    }
  })()
  while (isDeleting) seen.push(await settings())
  await Promise.all([deleting, changing])

  const ahead = seen
    .filter(
      ({ trashDays, visibilityCounts }) => trashDays >= FIRST_DAYS && visibilityCounts.public < ROWS / 2,
    )
    .map(({ trashDays, visibilityCounts }) => trashDays - FIRST_DAYS - (visibilityCounts.public - OTHERS))
  expect(ahead.filter((files) => files !== 0 && files !== -1)).toEqual([])
  expect(ahead.length).toBeGreaterThan(0)
})
