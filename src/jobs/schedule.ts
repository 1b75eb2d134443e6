import { Cron } from 'croner'
import type { Deps } from '../deps.ts'

/**
 * What runs by the clock. A job that fails is reported and runs again at its next time; one that is still
 * running is not started twice.
 */
export function scheduleJobs({
  traffic,
  catalog,
  clock,
  log,
}: Pick<Deps, 'traffic' | 'catalog' | 'clock' | 'log'>) {
  const schedule = (pattern: string, what: string, work: () => Promise<void>) =>
    new Cron(
      pattern,
      { protect: true, unref: true, catch: (error) => log.error(`${what} failed`, error) },
      work,
    )
  const jobs = [
    schedule('* * * * *', 'Saving the hosting counts', () => traffic.flush()),
    schedule('17 3 * * *', 'Removing expired sessions', () =>
      catalog.transact(() => catalog.sessions.removeExpired(clock.now())),
    ),
    schedule('* * * * *', 'Forgetting old hosting counts', () => traffic.prune()),
  ]
  return {
    stop: () => {
      for (const job of jobs) job.stop()
    },
  }
}
