import { Elysia } from 'elysia'
import type { Context } from '../../access/context.ts'
import { auth, READ } from '../../access/plugin.ts'
import { locateFile } from '../../views/files.ts'
import * as docs from './docs.ts'
import { readWidth, ThumbnailQuery } from './model.ts'
import { Thumbnails } from './thumbnails.ts'

/** Creates the module of thumbnails. */
export function createThumbnails(context: Context) {
  const thumbnails = new Thumbnails(context)
  return {
    thumbnails,
    routes: new Elysia({ prefix: '/api/files/thumbnail' }).use(auth(context)).get(
      '/:id',
      async ({ params: { id }, query, request }) => {
        const width = readWidth(query.width)
        const { row, key } = await locateFile(context, { id })
        return thumbnails.respond(request, { ...row, key }, width)
      },
      { ...docs.getThumbnail, access: READ, query: ThumbnailQuery },
    ),
    jobs: [
      {
        pattern: '23 * * * *',
        task: 'Removing old thumbnails',
        run: () => thumbnails.cache.prune(),
        isEverywhere: true,
      },
    ],
  }
}
