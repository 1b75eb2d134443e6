import { Elysia } from 'elysia'
import type { Context } from '../../access/context.ts'
import type { Assets } from '../../api/assets.ts'
import type { ArchiveResponder } from '../archives/respond.ts'
import type { Thumbnails } from '../thumbnails/thumbnails.ts'
import type { Tus } from '../uploads/tus.ts'
import { Downloads } from './downloads.ts'
import { announceExpired } from './events.ts'
import { pageRoutes } from './page/module.ts'
import { shareRoutes } from './routes.ts'
import { pruneVisits } from './service.ts'
import { visitorUploadRoutes } from './uploads/module.ts'
import { visitorRoutes } from './visitors/module.ts'

interface Used {
  respondWithArchive: ArchiveResponder
  tus: Tus
  thumbnails: Thumbnails
  /** Built files, of which pages of shares embed a script. */
  dashboard: Assets
}

/** Creates the module of links by which people without an account read files. */
export function createShares(context: Context, { respondWithArchive, tus, thumbnails, dashboard }: Used) {
  const downloads = new Downloads(context)
  return {
    routes: new Elysia()
      .use(shareRoutes(context))
      .use(visitorRoutes(context, { downloads, respondWithArchive, thumbnails }))
      .use(visitorUploadRoutes(context, tus))
      .use(pageRoutes(context, { dashboard, thumbnails })),
    jobs: [
      {
        pattern: '41 * * * *',
        task: 'Removing old visits of shares',
        run: () => pruneVisits(context),
        atStart: true,
      },
      {
        pattern: '* * * * *',
        task: 'Announcing expired shares',
        run: () => announceExpired(context),
        atStart: true,
      },
    ],
    flush: () => downloads.flush(),
  }
}
