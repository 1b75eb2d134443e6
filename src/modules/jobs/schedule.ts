import { Cron } from 'croner'
import { pruneApiRequests } from '../../access/key-usage.ts'
import type { Deps } from '../../deps.ts'
import { pruneSecurityLog } from '../activity/security.ts'
import { pruneActivity } from '../activity/service.ts'
import { removeExpiredUploads } from '../uploads/service.ts'
import { removeRetired } from '../users/service.ts'

/** How long a large file that was asked for is held open for the next request. */
const IDLE_FILE_MS = 2000

/**
 * What runs by the clock. A job that fails runs again at its next time, and is reported once until it has
 * succeeded; one that is still running is not started twice.
 */
export function scheduleJobs(deps: Deps) {
  const { hotFiles, store, traffic, keyUsage, sessionUses, securityLog, clock, log } = deps
  let isStopped = false
  const schedule = (pattern: string, what: string, work: () => Promise<unknown>) => {
    let isFailing = false
    const run = async () => {
      try {
        await work()
        isFailing = false
      } catch (error) {
        if (!isFailing && !isStopped) log.error(`${what} failed`, error)
        isFailing = true
      }
    }
    return new Cron(pattern, { protect: true, unref: true }, run)
  }
  const keeping = [
    schedule('* * * * *', 'Saving the hosting counts', () => traffic.flush()),
    schedule('* * * * *', 'Saving when sessions were used', () => sessionUses.flush()),
    schedule('* * * * * *', 'Saving the API request counts', () => keyUsage.flush()),
    schedule('* * * * * *', 'Saving the security log', () => securityLog.flush()),
    schedule('* * * * * *', 'Closing files that are not asked for', async () =>
      hotFiles.closeIdle(IDLE_FILE_MS),
    ),
    schedule('* * * * *', 'Finishing operations', () => store.unfinished.retry()),
    schedule('* * * * *', 'Checking stored files', () => store.scrub.advance()),
    schedule('43 4 * * *', 'Checking damaged files again', () => store.scrub.lookAgain()),
  ]
  const forgetting = [
    schedule('17 * * * *', 'Removing expired sessions', () =>
      store.removeInSlices((limit) => store.sessions.removeExpired(clock.now(), limit)),
    ),
    schedule('* * * * *', 'Removing the history of deleted accounts', () => removeRetired(deps)),
    schedule('* * * * *', 'Removing expired uploads', () => removeExpiredUploads(deps)),
    schedule('* * * * *', 'Forgetting old hosting counts', () => traffic.prune()),
    schedule('29 * * * *', 'Forgetting old activity', () => pruneActivity(deps)),
    schedule('29 * * * *', 'Removing old entries of the security log', () => pruneSecurityLog(deps)),
    schedule('31 * * * *', 'Forgetting old API request counts', () => pruneApiRequests(deps)),
  ]
  const jobs = [...keeping, ...forgetting]
  return {
    jobs,
    /** Forgets what should have been forgotten while no server ran. */
    catchUp: () => {
      for (const job of forgetting) void job.trigger()
    },
    stop: () => {
      isStopped = true
      for (const job of jobs) job.stop()
    },
  }
}
