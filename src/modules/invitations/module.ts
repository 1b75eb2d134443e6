import type { Context } from '../../access/context.ts'
import { invitationRoutes } from './routes.ts'
import { removeExpired } from './service.ts'

/** Creates the module of invitations: links with which people create accounts. */
export const createInvitations = (context: Context) => ({
  routes: invitationRoutes(context),
  jobs: [
    {
      pattern: '23 * * * *',
      task: 'Removing expired invitations',
      run: () => removeExpired(context),
      atStart: true,
    },
  ],
})
