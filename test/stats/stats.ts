import { hashKey, newKeySecret } from '../../src/access/caller.ts'
import type { KeyRow } from '../../src/catalog/people/keys.ts'
import type { Stats } from '../../src/modules/stats.ts'
import { apiOf } from '../support/api.ts'
import {
  type Account,
  type Inside,
  type InsideOptions,
  register,
  startInside,
  TestClock,
} from '../support/holdfast.ts'

/** Request headers that carry a credential. */
export type Credential = Record<string, string>

export const DAY_MS = 86_400_000

/** Server with its admin. Its clock starts at noon of 2026-03-01. */
export interface Started extends AsyncDisposable {
  holdfast: Inside
  clock: TestClock
  account: Account
  withSession: Credential
  /** Returns the statistics for the admin's session or another credential. */
  stats: (credential?: Credential) => Promise<Stats>
}

export async function start(options: Pick<InsideOptions, 'isAlone'> = {}): Promise<Started> {
  const clock = new TestClock()
  const holdfast = await startInside({ ...options, clock })
  const account = await register(holdfast)
  const withSession = { Cookie: account.cookie }
  return {
    holdfast,
    clock,
    account,
    withSession,
    stats: (credential = withSession) =>
      apiOf(holdfast, { withKey: credential }).data<Stats>('GET', '/stats'),
    [Symbol.asyncDispose]: () => holdfast[Symbol.asyncDispose](),
  }
}

/** Returns a section that must exist. */
export function given<Section>(section: Section | null): Section {
  if (section === null) throw new Error('The section is null')
  return section
}

/** Adds an older API key with the three file scopes. */
export async function addKey(
  { holdfast }: Pick<Started, 'holdfast'>,
  key: Pick<KeyRow, 'userId'> & Partial<KeyRow>,
): Promise<{ keyId: string; withKey: { 'API-Key': string } }> {
  const { store, clock, random } = holdfast.server.deps
  const secret = newKeySecret(random)
  const row: KeyRow = {
    id: random.id(),
    name: `key ${random.id()}`,
    keyHash: hashKey(secret),
    scopes: ['files:read', 'files:write', 'files:delete'],
    createdAt: clock.now(),
    usedAt: null,
    expiresAt: null,
    ...key,
  }
  await store.transact(() => store.keys.insert(row))
  return { keyId: row.id, withKey: { 'API-Key': secret } }
}
