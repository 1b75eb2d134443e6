import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { SQL } from 'bun'
import { apiOf } from '../support/api.ts'
import { eventually } from '../support/eventually.ts'
import type { Inside } from '../support/holdfast.ts'
import { trashOf } from '../support/trash.ts'
import { Switch } from './faults/switch.ts'
import { openPair } from './instances.ts'

const pair = openPair()

/** Number of files in the folder. Their rows move in many slices. */
const ROWS = 1500

let sql: SQL
/** Folder in the trash. */
let folderId: string

beforeAll(() => {
  sql = new SQL({ url: pair.nodes.environment['DATABASE_URL'] ?? '', max: 1 })
})
afterAll(() => sql.close())

beforeEach(async () => {
  const file = await apiOf(pair.one, pair.account).upload('file', 'content', `folder ${Bun.randomUUIDv7()}`)
  folderId = file.folderId
  await sql`INSERT INTO files
    (id, folder_id, name, mime_type, size, crc32, sha256, visibility, uploaded_by, created_at, updated_at)
    SELECT gen_random_uuid()::text, folder_id, 'row ' || n, mime_type, size, crc32, sha256, visibility, uploaded_by,
      created_at, updated_at FROM generate_series(2, ${ROWS}) AS n, files WHERE files.id = ${file.id}`
  await trashOf(apiOf(pair.one, pair.account)).put({ folderIds: [folderId] })
})

/** Returns the number of files in the folder. */
async function countFiles(): Promise<number> {
  const [row] = await sql`SELECT count(*)::int AS count FROM files WHERE folder_id = ${folderId}`
  return row.count
}

/** Waits until some rows of the folder have left the trash. */
const isReturning = () => eventually(async () => (await countFiles()) > 0)

const restoreOn = (node: Inside) => trashOf(apiOf(node, pair.account)).restore(folderId)

test('a server finishes no restore that another is carrying out', async () => {
  let isOver = false
  const restoring = restoreOn(pair.one).finally(() => {
    isOver = true
  })
  await isReturning()
  while (!isOver) await pair.two.server.deps.store.finishLeftovers()

  expect(await restoring).toMatchObject({ restored: [{ id: folderId }], failed: [] })
  expect(await countFiles()).toBe(ROWS)
})

test('a folder that one server restores is refused to the others', async () => {
  const restoring = restoreOn(pair.one)
  await isReturning()
  const refused = {
    restored: [],
    failed: [{ id: folderId, message: expect.stringContaining('still being moved') }],
  }
  expect(await restoreOn(pair.two)).toEqual(refused)

  expect(await restoring).toMatchObject({ restored: [{ id: folderId }] })
})

test('a restore that the database has interrupted is finished by another server', async () => {
  using network = await Switch.open(pair.postgres.port)
  const address = new URL(pair.nodes.environment['DATABASE_URL'] ?? '')
  address.port = String(network.port)
  const node = await pair.nodes.start({ environment: { DATABASE_URL: address.href } })
  const restoring = apiOf(node, pair.account).send('POST', '/trash/restore', { ids: [folderId] })
  await isReturning()
  network.mode = 'refuse'
  await restoring
  network.mode = 'pass'
  await eventually(async () => (await node.fetch('/api/health')).status === 200)

  await node.server.jobs.runAll()
  await pair.two.server.deps.store.finishLeftovers()
  expect(await countFiles()).toBe(0)
  expect((await restoreOn(pair.two)).restored).toMatchObject([{ id: folderId }])
  expect(await countFiles()).toBe(ROWS)
  await node.stop()
})
