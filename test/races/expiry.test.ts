import { beforeEach, describe, expect, test } from 'bun:test'
import { addKey, addUser, openDatabase, setAccess, setDisabled } from '../support/accounts.ts'
import { apiOf, type Failure } from '../support/api.ts'
import { eventually } from '../support/eventually.ts'
import { withInside } from '../support/fixture.ts'
import { type FileView, stagedBytes, TestClock } from '../support/holdfast.ts'
import { filePart, MULTIPART, multipartBody } from '../support/multipart.ts'
import { storedIn } from '../support/stored.ts'
import { begin, sendPiece } from '../uploads/tus.ts'
import { buildArchive } from '../zip/build-archive.ts'

const SECOND_MS = 1000
const WEEK_MS = 7 * 86_400_000
const SCOPES = ['files:read', 'files:write', 'files:delete'] as const

const clock = new TestClock()
const holdfast = withInside({ clock })
const { api: admin } = holdfast

/** Editor with its credentials, new for each test. */
interface Editor {
  id: string
  withSession: Record<string, string>
  withKey: Record<string, string>
}

let editor: Editor
let files = 0
let name: string
beforeEach(async () => {
  const { id, withSession } = await addUser(holdfast, { role: 'editor' })
  const withKey = await addKey(holdfast, { userId: id, scopes: SCOPES, expiresAt: clock.now() + SECOND_MS })
  editor = { id, withSession, withKey }
  files += 1
  name = `file ${files}`
})

/** Ways to lose the right to upload and to delete, and the status of a request that has lost it. */
const LOSSES: [how: string, by: 'withKey' | 'withSession', lose: () => void, status: number][] = [
  ['the key expires', 'withKey', () => clock.advance(SECOND_MS), 401],
  ['the session expires', 'withSession', () => clock.advance(WEEK_MS), 401],
  ['the key is deleted', 'withKey', () => runSql('DELETE FROM api_keys WHERE user_id = ?'), 401],
  ['the session is ended', 'withSession', () => runSql('DELETE FROM sessions WHERE user_id = ?'), 401],
  ['the account is disabled', 'withKey', () => setDisabled(holdfast, editor.id, true), 401],
  ['the role loses the scope', 'withSession', () => setAccess(holdfast, editor.id, { role: 'viewer' }), 403],
]

function runSql(statement: string): void {
  using database = openDatabase(holdfast)
  database.run(statement, [editor.id])
}

/** Length at which the first half exceeds the buffers of both sides. */
const CONTENT = 'x'.repeat(4 * 1024 ** 2)

/** Returns a body that sends its second half after `between`. By then some of the first half is in staging. */
function inHalves(bytes: Uint8Array, between: () => void): ReadableStream {
  const half = bytes.length / 2
  return new ReadableStream({
    async start(controller) {
      const before = stagedBytes(holdfast)
      controller.enqueue(bytes.subarray(0, half))
      await eventually(() => stagedBytes(holdfast) > before)
      between()
      controller.enqueue(bytes.subarray(half))
      controller.close()
    },
  })
}

type Send = (headers: Record<string, string>, between: () => void) => Promise<Response>

const post = (path: string, withKey: Record<string, string>, body: ReadableStream) =>
  apiOf(holdfast, { withKey }).sendBody('POST', path, body)

const UPLOADS: [how: string, send: Send][] = [
  [
    'in a form',
    (headers, between) => {
      const body = inHalves(multipartBody([filePart(name, CONTENT)]), between)
      return post('/files', { ...headers, ...MULTIPART }, body)
    },
  ],
  [
    'as an archive',
    (headers, between) =>
      post('/folders/import', headers, inHalves(buildArchive([{ path: name, content: CONTENT }]), between)),
  ],
  [
    'that can be continued',
    async (headers, between) => {
      const path = await begin(holdfast, headers, { length: CONTENT.length, fields: { name } })
      const body = inHalves(Buffer.from(CONTENT), between)
      return sendPiece(holdfast, headers, { path, offset: 0, body })
    },
  ],
]

describe.each(UPLOADS)('an upload %s', (_, send) => {
  test.each(LOSSES)('is refused when %s before its end, and nothing is stored', async (...loss) => {
    const [, by, lose, status] = loss

    const response = await send(editor[by], lose)

    expect(response.status).toBe(status)
    expect(await admin.list({ name })).toEqual([])
    expect(await storedIn(holdfast).keys()).not.toContain(name)
    expect(holdfast.catalog.activities.newest(editor.id, 1)).toEqual([])
  })

  test('is published when its caller may still upload', async () => {
    const response = await send(editor.withKey, () => {})

    expect(response.ok).toBe(true)
    expect(await admin.list({ name })).toMatchObject([{ name, size: CONTENT.length }])
  })
})

test.each(UPLOADS.slice(0, 2))(
  'an upload %s to a taken name is refused for its key alone',
  async (_, send) => {
    await admin.upload(name, 'other bytes')

    const response = await send(editor.withKey, () => clock.advance(SECOND_MS))

    expect(response.status).toBe(401)
  },
)

interface Outcome {
  deleted?: string[]
  files?: FileView[]
  failed: Failure[]
}

describe.each([
  ['that deletes', 'DELETE', '/files', {}],
  ['that moves', 'POST', '/files/move', { folder: 'moved' }],
])('a batch %s', (_, method, path, destination) => {
  const COUNT = 100

  test.each(LOSSES)('stops when %s, and the others have failed', async (...loss) => {
    const [, by, lose, status] = loss
    const ids = await Promise.all(
      Array.from({ length: COUNT }, async (_, at) => (await admin.upload(`${at}`, 'x', `in ${name}`)).id),
    )
    const sending = apiOf(holdfast, { withKey: editor[by] }).send(method, path, { ids, ...destination })

    await eventually(async () => isGone(ids[1]))
    lose()
    const { data } = (await (await sending).json()) as { data: Outcome }

    const done = data.deleted ?? data.files?.map(({ id }) => id) ?? []
    expect(done.length).toBeLessThan(COUNT)
    expect(done).toEqual(ids.slice(0, done.length))
    const message = status === 401 ? 'Unauthorized' : expect.stringContaining('Missing required scope')
    expect(data.failed).toEqual(ids.slice(done.length).map((id) => ({ id, message })))
    for (const id of ids.slice(done.length)) expect(isGone(id)).toBe(false)
    // The next one finds this folder empty.
    await admin.send('DELETE', '/files', { ids })
  })

  /** Returns true once the batch has processed this id. */
  const isGone = (id = '') => {
    const file = holdfast.catalog.files.byId(id)
    return holdfast.catalog.folders.keyOf(file?.folderId ?? '') !== `in ${name}`
  }
})
