import { hashKey, newKeySecret } from '../../src/access/caller.ts'
import type { KeyRow } from '../../src/catalog/people/keys.ts'
import type { Stats } from '../../src/modules/stats/model.ts'
import { apiOf } from '../support/api.ts'
import { startInsideWithAccount } from '../support/fixture.ts'
import { type Holdfast, type Inside, type InsideOptions, TestClock } from '../support/holdfast.ts'

/** Request headers that carry a credential. */
export type Credential = Record<string, string>

export const DAY_MS = 86_400_000

/** Returns the statistics for a credential. */
export const statsFor = (holdfast: Pick<Holdfast, 'fetch'>, withKey: Credential): Promise<Stats> =>
  apiOf(holdfast, { withKey }).data<Stats>('GET', '/stats')

export type Started = Awaited<ReturnType<typeof start>>

/** Starts a server for a test about all of an instance. Its clock begins at noon of 2026-03-01. */
export async function start(options: Pick<InsideOptions, 'isAlone'> = {}) {
  const clock = new TestClock()
  const holdfast = await startInsideWithAccount({ ...options, clock })
  return Object.assign(holdfast, {
    clock,
    /** Returns the statistics for the admin's session. */
    stats: () => statsFor(holdfast, { Cookie: holdfast.cookie }),
  })
}

/** Returns a section that must exist. */
export function given<Section>(section: Section | null): Section {
  if (section === null) throw new Error('The section is null')
  return section
}

/** Adds an older API key with the three file scopes. */
export async function addKey(
  { server }: Pick<Inside, 'server'>,
  key: Pick<KeyRow, 'userId'> & Partial<KeyRow>,
): Promise<{ keyId: string; withKey: { 'API-Key': string } }> {
  const { store, clock, random } = server.deps
  const secret = newKeySecret(random)
  const row: KeyRow = {
    id: random.id(),
    name: `key ${random.id()}`,
    keyHash: hashKey(secret),
    scopes: ['files:read', 'files:write', 'files:delete'],
    createdAt: clock.now(),
    usedAt: null,
    expiresAt: null,
    folderId: null,
    ...key,
  }
  await store.transact(() => store.keys.insert(row))
  return { keyId: row.id, withKey: { 'API-Key': secret } }
}
