import { Elysia } from 'elysia'
import type { Context } from '../../access/context.ts'
import { ANY, auth, READ } from '../../access/plugin.ts'
import { whole, within } from '../../access/reach.ts'
import { route } from '../../access/route.ts'
import { FILE } from '../../api/openapi/samples.ts'
import { success } from '../../api/schema.ts'
import { exchangeOf, leavingOf } from '../../http/exchange.ts'
import { FileIdsQuery, viewRows } from '../../views/files.ts'
import { ChangeFeed } from './feed.ts'
import { EVENT_ID, FilesAnswer, LatestAnswer } from './model.ts'

const STREAM_REFUSALS = {
  429: ['Too many requests'],
  503: ['Too many clients wait for changes, try again later', 'The server is stopping, try again soon'],
}

const EXAMPLE = [
  'event: changes',
  'id: 7f3c1c1e-7d3a-4a53-9a7e-2f4f6f0a8f11.42',
  `data: ${JSON.stringify({
    folders: [{ id: FILE.folderId, key: 'photos', files: [FILE.id], folders: [] }],
    gone: { files: [], folders: [] },
    below: [],
    areas: [],
  })}`,
  '',
].join('\n')

const HEADERS = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-store',
  // nginx and other proxies would buffer the events.
  'X-Accel-Buffering': 'no',
}

const WATCH_CHANGES = route('Instance', ANY, {
  id: 'watchChanges',
  summary: 'Watch changes as they happen',
  description:
    'Server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html), at most one a second. ' +
    'An event `changes` names what has changed and the caller may read:\n\n' +
    '- `folders`: folders whose list has changed, each with its key and the ids of new and changed files and folders in it. ' +
    '`files` is null when they are too many: read the list.\n' +
    '- `gone`: ids of files and folders that left the tree. A file that was moved is in the list of its new folder.\n' +
    '- `below`: keys of folders below which anything may have changed. The empty key is the root.\n' +
    '- `areas`: `trash`, `settings`, `shares`, `users`, `webhooks`, and `account` for the caller’s own account with its role, shares, API keys and quota. `settings` ' +
    'requires `settings:manage`; `shares`, `users` and `webhooks` require a session with `users:manage`.\n\n' +
    'With `Last-Event-ID` a stream continues after that event. Without it, the stream begins now. The first event is ' +
    '`ready`, or `reset` when the server does not know the event of `Last-Event-ID`: read everything again. ' +
    '`reset` also comes when the caller reaches other folders than before. ' +
    'The stream ends when the caller signs out, loses access or reads too slowly, and when the server stops. An account ' +
    'can have 20 streams at a time. A proxy must not buffer the response: nginx and others obey its ' +
    '`X-Accel-Buffering: no`.',
  parameters: [
    {
      name: 'Last-Event-ID',
      in: 'header',
      required: false,
      description: 'Id of the last event that the client has received.',
      schema: { type: 'string' },
      example: EVENT_ID,
    },
  ],
  responses: {
    200: {
      description: 'The stream, until either side ends it.',
      content: { 'text/event-stream': { schema: { type: 'string' }, example: EXAMPLE } },
    },
  },
  refusals: STREAM_REFUSALS,
})

const READ_LATEST_EVENT = route('Instance', ANY, {
  id: 'readLatestEvent',
  summary: 'Read the id of the latest event',
  description:
    'Read it before you read lists: a stream of changes that begins within 30 s, with this id as `Last-Event-ID`, names ' +
    'every change since.',
  answer: LatestAnswer,
  returns: 'The id.',
  refusals: STREAM_REFUSALS,
})

const READ_CHANGED_FILES = route('Instance', READ, {
  id: 'readChangedFiles',
  summary: 'Read files by their ids',
  description: 'Reads the files that an event names. Ids of files that left the tree are skipped.',
  query: FileIdsQuery,
  answer: FilesAnswer,
  returns: 'The files, in any order.',
})

/** Creates the module of changes as they happen. */
export function createChanges(context: Context) {
  const feed = new ChangeFeed(whole(context))
  const routes = new Elysia({ prefix: '/api/changes' })
    .use(auth(context))
    .get(
      '/',
      async ({ caller, request }) => {
        const exchange = exchangeOf(request)
        if (exchange.isHead) return new Response(null, { headers: HEADERS })
        const { body, end } = await feed.open({ caller, lastId: request.headers.get('last-event-id') })
        exchange.onDelivered = end
        const leaving = leavingOf(request)
        if (leaving.aborted) end()
        else leaving.addEventListener('abort', end)
        return new Response(body, { headers: HEADERS })
      },
      { ...WATCH_CHANGES },
    )
    .get('/latest', ({ caller }) => success({ id: feed.latest(caller) }), { ...READ_LATEST_EVENT })
    .get(
      '/files',
      async ({ caller, query: { ids } }) => {
        const { store } = within(context, caller)
        return success({
          files: await store.read(function* () {
            return yield* viewRows(store, yield* store.files.byIds(ids.split(',')))
          }),
        })
      },
      { ...READ_CHANGED_FILES },
    )
  return { feed, routes, drain: () => feed.end(), announce: () => feed.announce() }
}
