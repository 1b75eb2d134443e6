import type { Context } from '../../access/context.ts'
import { pruneActivity } from '../../access/history.ts'
import { pruneSecurityLog } from '../../access/security-log.ts'
import { activityRoutes } from './routes.ts'

/** Creates the module of the accounts' history and the security log. */
export const createActivity = (context: Context) => ({
  routes: activityRoutes(context),
  jobs: [
    {
      pattern: '29 * * * *',
      task: 'Removing old activity',
      run: () => pruneActivity(context),
      atStart: true,
    },
    {
      pattern: '29 * * * *',
      task: 'Removing old entries of the security log',
      run: () => pruneSecurityLog(context),
      atStart: true,
    },
  ],
})
