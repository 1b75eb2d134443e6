import type { Job } from '../platform/jobs.ts'
import type { Store } from './store.ts'

/** Jobs that keep rows and bytes in agreement. */
export const storeJobs = ({
  finishLeftovers,
  giveUpInterrupted,
  isShared,
  jobs,
  scrub,
  pruneVersions,
}: Store): readonly Job[] => [
  ...jobs,
  {
    // What a server was receiving that has ended is removed soon.
    pattern: isShared ? '*/20 * * * * *' : '* * * * *',
    task: 'Finishing operations',
    run: () => finishLeftovers(),
  },
  {
    // Clients are refused what this server holds in vain.
    pattern: '*/5 * * * * *',
    task: 'Giving up interrupted operations',
    run: giveUpInterrupted,
    isEverywhere: true,
  },
  { pattern: '* * * * *', task: 'Removing old versions', run: pruneVersions },
  { pattern: '* * * * *', task: 'Checking stored files', run: () => scrub.advance() },
  { pattern: '43 4 * * *', task: 'Checking damaged files again', run: () => scrub.lookAgain() },
]
