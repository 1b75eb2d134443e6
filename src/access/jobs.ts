import type { Job } from '../platform/jobs.ts'
import { pruneApiRequests } from './caller.ts'
import type { Context } from './context.ts'

/** Jobs of sessions, API keys and the security log. */
export function accessJobs(context: Context): readonly Job[] {
  const { store, clock, sessionUses, keyUsage, securityLog } = context
  return [
    {
      pattern: '* * * * *',
      task: 'Saving when sessions were used',
      run: () => sessionUses.flush(),
      isEverywhere: true,
    },
    {
      pattern: '* * * * * *',
      task: 'Saving the API request counts',
      run: () => keyUsage.flush(),
      isEverywhere: true,
    },
    {
      pattern: '* * * * * *',
      task: 'Saving the security log',
      run: () => securityLog.flush(),
      isEverywhere: true,
    },
    {
      pattern: '17 * * * *',
      task: 'Removing expired sessions',
      run: () => store.removeInSlices((limit) => store.sessions.removeExpired(clock.now(), limit)),
      atStart: true,
    },
    {
      pattern: '31 * * * *',
      task: 'Removing old API request counts',
      run: () => pruneApiRequests(context),
      atStart: true,
    },
  ]
}

/** Saves what is only in memory. */
export const flushAccess = async ({ sessionUses, keyUsage, securityLog }: Context): Promise<void> => {
  await Promise.all([sessionUses.flush(), keyUsage.flush(), securityLog.flush()])
}
