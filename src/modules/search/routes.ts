import { Elysia } from 'elysia'
import type { Context } from '../../access/context.ts'
import { auth, READ } from '../../access/plugin.ts'
import { documented } from '../../api/openapi/described.ts'
import { success } from '../../api/schema.ts'
import { leavingOf } from '../../http/exchange.ts'
import { SearchAnswer, SearchQuery } from './model.ts'
import { search } from './service.ts'

/** Builds `/api/search`. */
export const searchRoutes = (deps: Context) =>
  new Elysia({ prefix: '/api/search' })
    .use(auth(deps))
    .get('/', async ({ query, request }) => success(await search(deps, query, leavingOf(request))), {
      ...documented(
        'Files',
        {
          id: 'search',
          summary: 'Search files and folders by name',
          description:
            'Finds text anywhere in the names of files and folders, ignoring case and accents. Names that equal it come first, ' +
            'then those that begin with it, those with a word that begins with it, and all others; the newest first within ' +
            'each. `visibility`, `size`, `uploader` and kinds of files leave out folders. `folder` finds only what is below it. Results are as of the moment of the request.',
          returns: 'The results of the page, and the cursor of the next one.',
          refusals: {
            404: ['There is no folder "photos"'],
            503: ['Too many searches are running, try again soon'],
          },
        },
        { isCompressed: true },
      ),
      access: READ,
      query: SearchQuery,
      response: { 200: SearchAnswer },
    })
