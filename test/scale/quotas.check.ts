import { expect, test } from 'bun:test'
import { SQL } from 'bun'
import { DIFFERING } from '../../src/catalog/postgres/check.ts'
import type { AccountStorage, User } from '../../src/client/types.ts'
import { type Api, apiOf } from '../support/api.ts'
import { cookieOf, type Inside, postJson, sendUpload } from '../support/holdfast.ts'
import { begin, sendPiece } from '../uploads/tus.ts'
import { openPair } from './instances.ts'

const pair = openPair()

const QUOTA = 1000
const ROUNDS = 6

const EDITOR = { email: 'editor@example.com', password: 'a long passphrase' }

const addEditor = async (admin: Api) =>
  (await admin.data<{ user: User }>('POST', '/users', { ...EDITOR, name: 'Grace', role: 'editor' })).user

test('two servers never store more together than an account may have', async () => {
  const { one, two, account } = pair
  const admin = apiOf(one, { withKey: { Cookie: account.cookie } })
  const { id: userId } = await addEditor(admin)
  const signedIn = await postJson(two, '/api/auth/sign-in/email', EDITOR)
  const headers = { Cookie: cookieOf(signedIn) }
  const replace = (node: Inside, id: string, size: number) =>
    node.fetch(`/api/files/content?id=${id}`, { method: 'PUT', headers, body: 'x'.repeat(size) })
  const send = (node: Inside, name: string, size: number) =>
    sendUpload(node, headers, { files: { [name]: 'x'.repeat(size) } })
  const end = async (node: Inside, filename: string, size: number) => {
    const path = await begin(node, headers, { length: size, fields: { filename } })
    return sendPiece(node, headers, { path, offset: 0, body: 'x'.repeat(size) })
  }

  for (let round = 1; round <= ROUNDS; round += 1) {
    await admin.data('PUT', '/users/quota', { id: userId, quota: round * QUOTA })
    const [node, other] = round % 2 === 0 ? [one, two] : [two, one]
    const first = await send(node, `${round}.txt`, 100)
    const { data } = (await first.json()) as { data: { files: { id: string }[] } }
    const id = data.files[0]?.id ?? ''
    // Each fits alone, no two together.
    const sizes = [600, 601, 602, 603, 604, 605]
    const raced = await Promise.all([
      send(node, `${round} a.txt`, 600),
      send(other, `${round} b.txt`, 601),
      replace(node, id, 602),
      replace(other, id, 603),
      end(node, `${round} c.txt`, 604).catch(() => undefined),
      end(other, `${round} d.txt`, 605).catch(() => undefined),
    ])
    const stored = raced.flatMap((response, at) => (response?.ok ? [sizes[at] ?? 0] : []))
    expect(stored).toHaveLength(1)
    for (const response of raced) expect([200, 204, 507, undefined]).toContain(response?.status)

    for (const server of [one, two]) {
      const response = await server.fetch('/api/me/usage', { headers })
      const { data: storage } = (await response.json()) as { data: AccountStorage }
      expect(storage.usedBytes).toBe((round - 1) * QUOTA + 100 + (stored[0] ?? 0))
    }
    // The next round begins full.
    const filled = await send(node, `${round} e.txt`, QUOTA - 100 - (stored[0] ?? 0))
    expect(filled.status).toBe(200)
    expect((await send(other, `${round} f.txt`, 1)).status).toBe(507)
  }
  await using sql = new SQL({ url: pair.nodes.environment['DATABASE_URL'] ?? '', max: 1 })
  for (const [name, differing] of DIFFERING)
    expect([name, ...(await sql.unsafe(differing).values())]).toEqual([name, [false]])
})
