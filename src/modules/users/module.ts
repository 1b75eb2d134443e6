import type { Context } from '../../access/context.ts'
import { userRoutes } from './routes.ts'
import { removeRetired } from './service.ts'

/** Creates the module of the instance's accounts, for its admins. */
export const createUsers = (context: Context) => ({
  routes: userRoutes(context),
  jobs: [
    {
      pattern: '* * * * *',
      task: 'Removing the history of deleted accounts',
      run: () => removeRetired(context),
      atStart: true,
    },
  ],
})
