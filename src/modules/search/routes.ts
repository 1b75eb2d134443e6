import { Elysia } from 'elysia'
import type { Context } from '../../access/context.ts'
import { auth, READ } from '../../access/plugin.ts'
import { success } from '../../api/schema.ts'
import { leavingOf } from '../../http/exchange.ts'
import * as docs from './docs.ts'
import { SearchAnswer, SearchQuery } from './model.ts'
import { search } from './service.ts'

/** Builds `/api/search`. */
export const searchRoutes = (deps: Context) =>
  new Elysia({ prefix: '/api/search' })
    .use(auth(deps))
    .get('/', async ({ query, request }) => success(await search(deps, query, leavingOf(request))), {
      ...docs.search,
      access: READ,
      query: SearchQuery,
      response: { 200: SearchAnswer },
    })
