import { beforeEach, expect, test } from 'bun:test'
import { addKey, addUser, openDatabase } from '../support/accounts.ts'
import { apiOf, type FolderView } from '../support/api.ts'
import { withInside } from '../support/fixture.ts'
import { type FileView, filesUnder, refusalOf } from '../support/holdfast.ts'
import { parked } from '../support/parked.ts'
import { storedIn } from '../support/stored.ts'

const SCOPES = ['files:read', 'files:write', 'files:delete', 'settings:manage'] as const

const holdfast = withInside()
const { api: owner } = holdfast

let rounds = 0
let file: FileView
let folder: FolderView
let user: Awaited<ReturnType<typeof addUser>>
let withKey: Record<string, string>
beforeEach(async () => {
  rounds += 1
  file = await owner.upload('file', 'content', `folder ${rounds}`)
  folder = (await owner.browse()).folders.find(({ id }) => id === file.folderId) as FolderView
  user = await addUser(holdfast, { role: 'admin' })
  withKey = await addKey(holdfast, { userId: user.id, scopes: SCOPES.slice(0, 3) })
})

type Request = [method: string, path: string, body: unknown]

const CHANGES: [what: string, request: () => Request][] = [
  ['a file is renamed', () => ['PUT', '/files', { id: file.id, name: 'renamed' }]],
  ['a file becomes private', () => ['PUT', '/files', { id: file.id, visibility: 'private' }]],
  ['a file is moved', () => ['POST', '/files/move', { id: file.id, folder: `new ${rounds}/deep` }]],
  ['several files are moved', () => ['POST', '/files/move', { ids: [file.id], folder: `new ${rounds}` }]],
  ['a file is deleted', () => ['DELETE', '/files', { id: file.id }]],
  ['several files are deleted', () => ['DELETE', '/files', { ids: [file.id] }]],
  ['files become private', () => ['PUT', '/files/visibility', { ids: [file.id], visibility: 'private' }]],
  ['a selection is moved', () => ['POST', '/items/move', { ...selection(), folder: `new ${rounds}` }]],
  ['a selection is copied', () => ['POST', '/items/copy', { ...selection(), folder: `new ${rounds}` }]],
  [
    'a selection becomes private',
    () => ['PUT', '/items/visibility', { ...selection(), visibility: 'private' }],
  ],
  ['a selection is deleted', () => ['DELETE', '/items', selection()]],
  ['a folder is created', () => ['POST', '/folders', { folder: `new ${rounds}/deep` }]],
  ['a folder is renamed', () => ['PUT', '/folders', { id: folder.id, name: `renamed ${rounds}` }]],
  ['a folder becomes private', () => ['PUT', '/folders', { id: folder.id, visibility: 'private' }]],
  ['a folder is moved', () => ['POST', '/folders/move', { id: folder.id, folder: `new ${rounds}` }]],
  ['a folder is deleted', () => ['DELETE', '/folders', { id: folder.id }]],
]

const selection = () => ({ fileIds: [file.id], folderIds: [folder.id] })

/** Returns the state that clients and the disk show. */
const state = async () => ({
  files: await owner.list({ limit: 1000 }),
  folders: (await owner.browse()).folders,
  disk: await storedIn(holdfast).keys(),
  staged: filesUnder(holdfast, 'tmp'),
  hosted: await owner.hosted(file.key),
  activities: holdfast.catalog.activities.newest(user.id, 9),
})

/** Sends a request, and revokes its credentials in the transaction that the server waits for. */
async function sendAndRevoke(send: () => Promise<Response>, revoke: string): Promise<Response> {
  using database = openDatabase(holdfast)
  database.begin()
  const waiting = send()
  await parked(holdfast)
  database.run(revoke, [user.id])
  database.run('COMMIT')
  return waiting
}

test.each(CHANGES)('nothing changes when %s by a key that is deleted meanwhile', async (_, request) => {
  const before = await state()

  const response = await sendAndRevoke(
    () => apiOf(holdfast, { withKey }).send(...request()),
    'DELETE FROM api_keys WHERE user_id = ?',
  )

  expect(await refusalOf(response)).toEqual([401, 'Unauthorized'])
  expect(await state()).toEqual(before)
})

test('nothing changes when all files become private by a session that ends meanwhile', async () => {
  const before = await state()

  const response = await sendAndRevoke(
    () => user.api.send('POST', '/settings/apply-visibility', { visibility: 'private' }),
    'DELETE FROM sessions WHERE user_id = ?',
  )

  expect(response.status).toBe(401)
  expect(await state()).toEqual(before)
})

test('a change is made when its credentials are still valid', async () => {
  const response = await sendAndRevoke(
    () => apiOf(holdfast, { withKey }).send('PUT', '/folders', { id: folder.id, visibility: 'private' }),
    "UPDATE users SET name = 'Another' WHERE id = ?",
  )

  expect(response.status).toBe(200)
  expect((await owner.file(file.id)).visibility).toBe('private')
})

const LOST: [what: string, request: Request][] = [
  ['changes settings', ['PUT', '/settings', { limits: { hostingCacheMaxAge: 77 } }]],
  ['creates an API key', ['POST', '/keys', { name: 'late', scopes: ['files:write'] }]],
]
test.each(LOST)('an account %s no more when it loses the right meanwhile', async (_, request) => {
  const scopes = JSON.stringify(['api-keys:manage', 'files:read'])

  const response = await sendAndRevoke(
    () => user.api.send(...request),
    `UPDATE users SET role = 'custom', custom_scopes = '${scopes}' WHERE id = ?`,
  )

  expect(response.status).toBe(403)
})
