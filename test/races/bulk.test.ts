import { beforeAll, expect, test } from 'bun:test'
import { openDatabase } from '../support/accounts.ts'
import type { FolderView } from '../support/api.ts'
import { copyFiles } from '../support/file-rows.ts'
import { withInside } from '../support/fixture.ts'

/** Enough rows that their write from the log to the database takes a moment after the commit. */
const ROWS = 10_000

const holdfast = withInside()
const { api } = holdfast
let folder: FolderView
beforeAll(async () => {
  folder = await api.createFolder('folder')
  const { id } = await api.upload('file', 'content', 'folder')
  using database = openDatabase(holdfast)
  database.run(
    `WITH RECURSIVE numbers(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM numbers WHERE n < ?)
     ${copyFiles({ id: "'row ' || n", name: "'row ' || n" }, 'numbers', 'files.id = ?')}`,
    [ROWS, id],
  )
})

test('a file is not hosted from memory once a look-up says that it is private', async () => {
  for (let round = 0; round < 3; round += 1) {
    await api.data('PUT', '/folders', { id: folder.id, visibility: 'public' })
    expect(await api.hosted('folder/file')).toBe('content')
    expect(await api.hosted('folder/file')).toBe('content')
    const changing = api.data('PUT', '/folders', { id: folder.id, visibility: 'private' })
    while ((await api.list({ name: 'file' }))[0]?.visibility === 'public');

    expect(await api.hosted('folder/file')).toBe(404)
    await changing
  }
})

test('a page of a list is not served from the cache once a look-up shows a change', async () => {
  const page = async () => (await api.list({ name: 'file', limit: 1 }))[0]?.visibility
  for (const visibility of ['public', 'private', 'public'] as const) {
    const changing = api.data('PUT', '/folders', { id: folder.id, visibility })
    do {
      await page()
    } while ((await api.list({ name: 'file' }))[0]?.visibility !== visibility)

    expect(await page()).toBe(visibility)
    await changing
  }
})
