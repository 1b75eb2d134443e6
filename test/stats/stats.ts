import type { Stats } from '../../src/stats/model.ts'
import { type Credential, callerOf } from '../support/accounts.ts'
import { type Account, type Holdfast, register, startHoldfast, TestClock } from '../support/holdfast.ts'

export const DAY_MS = 86_400_000

/** A server whose clock stands at noon of 2026-03-01, with its admin. */
export interface Started extends AsyncDisposable {
  holdfast: Holdfast
  clock: TestClock
  account: Account
  withSession: Credential
  /** The stats as the admin's session reads them, or another credential. */
  stats: (credential?: Credential) => Promise<Stats>
}

export async function start(): Promise<Started> {
  const clock = new TestClock()
  const holdfast = await startHoldfast({ clock })
  const account = await register(holdfast)
  const withSession = { Cookie: account.cookie }
  return {
    holdfast,
    clock,
    account,
    withSession,
    stats: (credential = withSession) => callerOf(holdfast, credential).data<Stats>('GET', '/stats'),
    [Symbol.asyncDispose]: () => holdfast[Symbol.asyncDispose](),
  }
}

/** A section that must be there. */
export function given<Section>(section: Section | null): Section {
  if (section === null) throw new Error('The section is null')
  return section
}
