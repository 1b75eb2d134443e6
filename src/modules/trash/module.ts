import type { Context } from '../../access/context.ts'
import { makeRoom, purgeExpired } from '../../store/trash/purge.ts'
import { trashRoutes } from './routes.ts'

/** Creates the module of deleted files and folders that can be restored. */
export const createTrash = (context: Context) => ({
  routes: trashRoutes(context),
  jobs: [
    {
      pattern: '11 * * * *',
      task: 'Removing old items of the trash',
      run: () => purgeExpired(context),
      atStart: true,
    },
    {
      pattern: '* * * * *',
      task: 'Making room on the disk',
      run: () => makeRoom(context),
      isEverywhere: true,
    },
  ],
})
