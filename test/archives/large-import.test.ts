import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { errorCode } from '../../src/platform/errors.ts'
import { eventually } from '../support/eventually.ts'
import { withInside } from '../support/fixture.ts'
import { createKey, messageOf } from '../support/holdfast.ts'
import { BYTES_IN } from '../support/kind.ts'
import { storedIn } from '../support/stored.ts'
import { buildArchive } from '../zip/build-archive.ts'

/** Opens another connection to the server's database. */
let database: Database
const holdfast = withInside()
const { api } = holdfast
beforeEach(() => {
  database = new Database(join(holdfast.dataPath, 'db', 'holdfast.sqlite'), { strict: true })
})
afterEach(() => database.close())

const post = (folder: string, archive: Buffer<ArrayBuffer>, headers: Record<string, string>) =>
  holdfast.fetch(`/api/folders/import?folder=${folder}`, { method: 'POST', body: archive, headers })

/** Creates an archive of this many files in folders of a hundred. */
const archiveOf = (count: number) =>
  buildArchive(
    Array.from({ length: count }, (_, n) => ({ path: `${Math.floor(n / 100)}/${n}`, content: `${n}` })),
  )

/** Returns true while another connection writes. */
function isWriting(): boolean {
  try {
    database.run('BEGIN IMMEDIATE')
    database.run('ROLLBACK')
    return false
  } catch (error) {
    if (errorCode(error) === 'SQLITE_BUSY') return true
    throw error
  }
}

const countIn = (table: 'files' | 'folders' | 'intents' | "blobs WHERE state = 'arriving'") =>
  database.query<{ count: number }, []>(`SELECT count(*) AS count FROM ${table}`).get()?.count ?? 0

/** Rows of an import before its commit. */
const UNDER_WAY = BYTES_IN === 'folder' ? 'intents' : "blobs WHERE state = 'arriving'"

describe('an import of very many files', () => {
  test('does not delay other requests while it commits', async () => {
    const before = countIn('files')
    let isAnswered = false
    const imported = post('large', archiveOf(1000), holdfast.withKey).finally(() => {
      isAnswered = true
    })

    let answered = 0
    while (!isAnswered) {
      const wasWriting = isWriting()
      const { files } = await api.browse({ key: '' })
      expect(files).toEqual([])
      // Its files become visible all at once.
      if (wasWriting && isWriting() && countIn('files') === before) answered += 1
    }

    expect(answered).toBeGreaterThan(0)
    const { data } = (await (await imported).json()) as { data: { files: number; folders: number } }
    expect({ files: data.files, folders: data.folders }).toEqual({ files: 1000, folders: 11 })
    expect(countIn('files') - before).toBe(1000)
    expect(await api.hosted('large/9/999')).toBe('999')
    expect(holdfast.catalog.activities.newest(holdfast.userId, 1)[0]).toMatchObject({
      type: 'upload.succeeded',
      target: '1000 files',
    })
  })

  test('shows its files in lists that were requested before', async () => {
    const list = () => api.browse({ key: '' }).then(({ folders }) => folders.map(({ name }) => name))
    expect(await list()).not.toContain('listed')

    expect((await post('listed', archiveOf(300), holdfast.withKey)).status).toBe(200)

    expect(await list()).toContain('listed')
  })

  test('creates no file when its API key is revoked before the commit', async () => {
    const key = await createKey(holdfast, holdfast.cookie, { name: 'revoked', scopes: ['files:write'] })
    const before = [countIn('files'), countIn('folders')]

    const importing = post('revoked', archiveOf(500), { 'API-Key': key })
    await eventually(() => countIn(UNDER_WAY) > 0)
    database.run(`DELETE FROM api_keys WHERE name = 'revoked'`)

    const response = await importing
    expect({ status: response.status, message: await messageOf(response) }).toEqual({
      status: 401,
      message: 'Unauthorized',
    })
    expect([countIn('files'), countIn('folders')]).toEqual(before)
    await eventually(() => countIn('intents') === 0)
    expect((await storedIn(holdfast).keys()).filter((path) => path.startsWith('revoked'))).toEqual([])
  })
})
