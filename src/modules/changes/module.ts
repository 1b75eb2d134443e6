import { Elysia } from 'elysia'
import type { Context } from '../../access/context.ts'
import { auth, READ } from '../../access/plugin.ts'
import { success } from '../../api/schema.ts'
import { exchangeOf, leavingOf } from '../../http/exchange.ts'
import { viewRows } from '../../views/files.ts'
import * as docs from './docs.ts'
import { ChangeFeed } from './feed.ts'
import { FilesAnswer, FilesQuery, LatestAnswer } from './model.ts'

const HEADERS = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-store',
  // nginx and other proxies would buffer the events.
  'X-Accel-Buffering': 'no',
}

/** Creates the module of changes as they happen. */
export function createChanges(context: Context) {
  const feed = new ChangeFeed(context)
  const { store } = context
  const routes = new Elysia({ prefix: '/api/changes' })
    .use(auth(context))
    .get(
      '/',
      ({ caller, request }) => {
        const exchange = exchangeOf(request)
        if (exchange.isHead) return new Response(null, { headers: HEADERS })
        const { body, end } = feed.open({ caller, lastId: request.headers.get('last-event-id') })
        exchange.onDelivered = end
        leavingOf(request).addEventListener('abort', end)
        return new Response(body, { headers: HEADERS })
      },
      { ...docs.watchChanges, access: { by: 'key or session' } },
    )
    .get('/latest', ({ caller }) => success({ id: feed.latest(caller) }), {
      ...docs.readLatestEvent,
      access: { by: 'key or session' },
      response: { 200: LatestAnswer },
    })
    .get(
      '/files',
      async ({ query: { ids } }) =>
        success({
          files: await store.read(function* () {
            return yield* viewRows(store, yield* store.files.byIds(ids.split(',')))
          }),
        }),
      { ...docs.readChangedFiles, access: READ, query: FilesQuery, response: { 200: FilesAnswer } },
    )
  return { feed, routes, drain: () => feed.end() }
}
