import { alsoAtStart, type Job, onEachServer } from '../platform/jobs.ts'
import { pruneApiRequests } from './caller.ts'
import type { Context } from './context.ts'

/** Jobs of sessions, API keys and the security log. */
export function accessJobs(context: Context): readonly Job[] {
  const { store, clock, sessionUses, keyUsage, securityLog } = context
  return [
    onEachServer('* * * * *', 'Saving when sessions were used', () => sessionUses.flush()),
    onEachServer('* * * * * *', 'Saving the API request counts', () => keyUsage.flush()),
    onEachServer('* * * * * *', 'Saving the security log', () => securityLog.flush()),
    alsoAtStart('17 * * * *', 'Removing expired sessions', () =>
      store.removeInSlices((limit) => store.sessions.removeExpired(clock.now(), limit)),
    ),
    alsoAtStart('*/10 * * * *', 'Removing expired sign-ins and trusted devices', async () => {
      await store.removeInSlices((limit) => store.attempts.removeExpired(clock.now(), limit))
      await store.removeInSlices((limit) => store.trustedDevices.removeExpired(clock.now(), limit))
      await store.removeInSlices((limit) => store.deviceCodes.removeExpired(clock.now(), limit))
    }),
    alsoAtStart('31 * * * *', 'Removing old API request counts', () => pruneApiRequests(context)),
  ]
}

/** Saves what is only in memory. */
export const flushAccess = async ({ sessionUses, keyUsage, securityLog }: Context): Promise<void> => {
  await Promise.all([sessionUses.flush(), keyUsage.flush(), securityLog.flush()])
}
