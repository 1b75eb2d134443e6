import { expect, test } from 'bun:test'
import { openDatabase } from '../support/accounts.ts'
import { apiOf } from '../support/api.ts'
import { eventually } from '../support/eventually.ts'
import { startInsideWithAccount } from '../support/fixture.ts'
import { type Inside, register, startInside } from '../support/holdfast.ts'
import { temporaryFolder } from '../support/temporary.ts'

const ENTRIES = 2000
const NEW = { name: 'Bea', email: 'bea@example.com', password: 'a long passphrase', role: 'viewer' }

const count = (holdfast: Inside, sql: string, id: string) => {
  using database = openDatabase(holdfast)
  return database.query<{ n: number }, [string]>(`SELECT count(*) AS n FROM ${sql} = ?`).get(id)?.n
}

/** Adds an account with a long history, by an admin's session. */
async function addBusyAccount(holdfast: Inside, cookie: string) {
  const api = apiOf(holdfast, { withKey: { Cookie: cookie } })
  const { user } = await api.data<{ user: { id: string } }>('POST', '/users', NEW)
  using database = openDatabase(holdfast)
  database.run(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${ENTRIES})
     INSERT INTO activities (id, user_id, type, target, created_at)
     SELECT users.id || i, users.id, 'upload.succeeded', 'a', i FROM n, users WHERE users.id = ?`,
    [user.id],
  )
  return { api, id: user.id }
}

test('a deleted account is gone at once, and its history in slices', async () => {
  await using holdfast = await startInsideWithAccount({ isAlone: true })
  const { api, id } = await addBusyAccount(holdfast, holdfast.cookie)
  const before = holdfast.server.deps.store.version()

  await api.data('DELETE', '/users', { id })

  const { users } = await api.data<{ users: { email: string }[] }>('GET', '/users')
  expect(users).toHaveLength(1)
  expect((await api.refusal('PUT', '/users', { id, role: 'editor' }))[0]).toBe(404)
  expect((await api.send('POST', '/users', NEW)).status).toBe(200)
  await eventually(() => count(holdfast, 'users WHERE id', id) === 0)
  expect(count(holdfast, 'activities WHERE user_id', id)).toBe(0)
  expect(holdfast.server.deps.store.version() - before).toBeGreaterThan(ENTRIES / 250)
})

test('the next start removes the remaining rows of a deleted account', async () => {
  using temporary = temporaryFolder()
  const dataPath = temporary.path
  const first = await startInside({ dataPath })
  const { cookie } = await register(first)
  const { id } = await addBusyAccount(first, cookie)
  await first.stop()
  using database = openDatabase(first)
  database.run('UPDATE users SET deleted = 1 WHERE id = ?', [id])

  await using second = await startInside({ dataPath })
  await eventually(() => count(second, 'users WHERE id', id) === 0)
  expect(count(second, 'activities WHERE user_id', id)).toBe(0)
})
