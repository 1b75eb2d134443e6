import type { Context } from '../../access/context.ts'
import type { Device } from '../../http/exchange.ts'
import { endEvent } from '../../views/events.ts'

/** Fact of the instance: time up to which expired shares are announced. */
const EXPIRED_UNTIL = 'announcedExpiredShares'

/** Returns a visitor as events name it. */
export const visitorOf = ({ ipAddress, userAgent }: Device) => ({ address: ipAddress, userAgent })

/** Announces the shares that have expired since the last call. */
export async function announceExpired(deps: Context): Promise<void> {
  const { store, clock } = deps
  const now = clock.now()
  const expiredUntilNow = function* () {
    const until = yield* store.instance.get(EXPIRED_UNTIL)
    return until === undefined ? undefined : yield* store.shares.expired(Number(until), now)
  }
  // Most calls find none, and write nothing.
  if ((await store.read(expiredUntilNow))?.length === 0) return
  await store.transact(function* () {
    for (const share of (yield* expiredUntilNow()) ?? [])
      yield* store.webhookDeliveries.announce(endEvent(deps, share, 'expired'))
    yield* store.instance.set(EXPIRED_UNTIL, String(now))
  })
}
