import { Elysia } from 'elysia'
import * as T from 'typebox'
import { type Caller, principalOf } from '../../access/caller.ts'
import type { Context, TreeContext } from '../../access/context.ts'
import { auth, WRITE } from '../../access/plugin.ts'
import { within } from '../../access/reach.ts'
import { route } from '../../access/route.ts'
import { FILE, FOLDER, OTHER_ID } from '../../api/openapi/samples.ts'
import {
  envelope,
  IsoTime,
  jsonBody,
  named,
  nullable,
  oneOf,
  queryParameters,
  success,
} from '../../api/schema.ts'
import { OutgoingError } from '../../platform/addresses.ts'
import { Refusal, refuseInvalid } from '../../platform/errors.ts'
import { alsoAtStart, onEachServer } from '../../platform/jobs.ts'
import { assertName, parseFolderKey } from '../../platform/names.ts'
import { DAY_MS, iso } from '../../platform/time.ts'
import { readOnConflict, readVisibility } from '../../reception/conflicts.ts'
import { receivingFolder } from '../../reception/receive.ts'
import type { FetchRow } from '../../store/rows.ts'
import { DestinationFields, VisibilitySchema } from '../../views/files.ts'
import { Fetcher, shownUrl } from './fetcher.ts'
import { assertFetchable } from './source.ts'

const MAX_URL_BYTES = 2048
/** Fetches of an account that wait or run, and those that are listed. */
const MAX_OPEN = 100
const MAX_LISTED = 1000

const FetchView = named(
  'Fetch',
  T.Object({
    id: T.String(),
    url: T.String({ description: 'Without its query.' }),
    name: nullable(T.String({ description: 'Null until the source has told it.' })),
    folderId: nullable(T.String({ description: 'Null for a folder by its key.' })),
    state: oneOf(['waiting', 'running', 'done', 'failed', 'canceled']),
    receivedBytes: T.Integer(),
    size: nullable(T.Integer({ description: 'Null while it is unknown.' })),
    fileId: nullable(T.String()),
    error: nullable(T.Object({ message: T.String(), code: T.String() })),
    createdAt: IsoTime,
    updatedAt: IsoTime,
  }),
  {
    id: OTHER_ID,
    url: 'https://example.com/harbour.jpg',
    name: FILE.name,
    folderId: null,
    state: 'running',
    receivedBytes: 4096,
    size: FILE.size,
    fileId: null,
    error: null,
    createdAt: FILE.createdAt,
    updatedAt: FILE.updatedAt,
  },
)
type FetchView = T.Static<typeof FetchView>
export const FetchAnswer = envelope(T.Object({ fetch: FetchView }))
const FetchesAnswer = envelope(
  T.Union([T.Object({ fetches: T.Array(FetchView) }), T.Object({ fetch: FetchView })]),
)

export const FetchBody = jsonBody(
  T.Object({
    url: T.String(),
    ...DestinationFields,
    name: T.Optional(T.String({ description: 'Else the name that the source gives it.' })),
    maxBytes: T.Optional(T.Integer({ minimum: 1 })),
    visibility: T.Optional(VisibilitySchema),
    onConflict: T.Optional(oneOf(['fail', 'replace', 'rename', 'skip'])),
  }),
)
const IdBody = jsonBody(T.Object({ id: T.String() }))
const IdQuery = queryParameters(
  T.Object({ id: T.Optional(T.String({ description: 'Id of one fetch.', examples: [OTHER_ID] })) }),
)

const view = (row: FetchRow): FetchView => ({
  id: row.id,
  url: shownUrl(row.url),
  name: row.name,
  folderId: row.folderId,
  state: row.state,
  receivedBytes: row.receivedBytes,
  size: row.size,
  fileId: row.fileId,
  error: row.error === null ? null : { message: row.error, code: row.code ?? 'fetch-failed' },
  createdAt: iso(row.createdAt),
  updatedAt: iso(row.updatedAt),
})

const NO_FETCH = 'Fetch not found'

const CREATE_FETCH = route('Files', WRITE, {
  id: 'createFetch',
  summary: 'Fetch a file by URL',
  description:
    'The server fetches the file, whatever the caller does meanwhile. Only public addresses are allowed, and those of ' +
    '`FETCH_ALLOW_PRIVATE`.',
  example: { url: 'https://example.com/harbour.jpg', folder: FOLDER.key },
  takes: FetchBody,
  responses: {},
  returns: 'The fetch, which waits for its turn.',
  refusals: { 400: ['"url" must be an http or https address'], 404: ['Folder not found'], 429: [] },
})

const LIST_FETCHES = route('Files', WRITE, {
  id: 'listFetches',
  summary: 'List what is fetched by URL',
  description: 'Those of the caller’s account, newest first, for a day after they ended; or one, by `id`.',
  query: IdQuery,
  answer: FetchesAnswer,
  returns: 'The fetches, or one as `fetch`.',
  refusals: { 404: [NO_FETCH] },
})

const CANCEL_FETCH = route('Files', WRITE, {
  id: 'cancelFetch',
  summary: 'Cancel fetching a file',
  description: 'Its bytes are removed. One that has ended stays as it is.',
  takes: IdBody,
  example: { id: OTHER_ID },
  answer: FetchAnswer,
  returns: 'The fetch.',
  refusals: { 404: [NO_FETCH] },
})

async function create(
  deps: TreeContext,
  caller: Caller,
  fetcher: Fetcher,
  body: T.Static<typeof FetchBody.schema>,
) {
  const { store, clock, random } = deps
  const { url, name = null, maxBytes = null, folderId = null } = body
  assertAddress(fetcher, url)
  if (name !== null) assertName(name, '"name"')
  const visibility = readVisibility(body.visibility)
  const onConflict = readOnConflict(body.onConflict)
  const named = parseFolderKey(body.folder ?? '')
  if (folderId !== null) await store.assertDestination({ folderId }, visibility)
  const folder = folderId === null ? (await receivingFolder(deps, named, visibility)).join('/') : null
  const now = clock.now()
  const row: FetchRow = {
    ...principalOf(caller),
    ...{ id: random.id(), url, name, folder, folderId, maxBytes, visibility: visibility ?? null, onConflict },
    ...{ state: 'waiting', receivedBytes: 0, size: null, fileId: null, error: null, code: null, run: null },
    ...{ leaseUntil: 0, createdAt: now, updatedAt: now },
  }
  await store.transact(function* () {
    if ((yield* store.fetches.countOpen(row.userId)) >= MAX_OPEN)
      throw new Refusal('rate-limited', `At most ${MAX_OPEN} files of an account wait to be fetched`, {
        headers: { 'Retry-After': '60' },
      })
    yield* store.fetches.insert(row)
  })
  return row
}

/** @throws {Refusal} `invalid`, `address-not-allowed`. */
function assertAddress({ allowed }: Fetcher, text: string): void {
  if (Buffer.byteLength(text) > MAX_URL_BYTES)
    throw refuseInvalid(`"url" must have at most ${MAX_URL_BYTES} bytes`)
  if (!URL.canParse(text)) throw refuseInvalid('"url" must be an http or https address')
  const url = new URL(text)
  try {
    assertFetchable(url, allowed)
  } catch (error) {
    if (!(error instanceof OutgoingError)) throw error
    if (!allowed.mayHave(url))
      throw new Refusal(
        'address-not-allowed',
        '"url" must have a public address, or one that FETCH_ALLOW_PRIVATE allows',
      )
    throw refuseInvalid(`"url" is refused: ${error.message}`)
  }
}

function fetchRoutes(deps: Context, fetcher: Fetcher) {
  const { store, clock, log } = deps
  const require = async (userId: string, id: string) => {
    const row = await store.fetches.own(userId, id)
    if (!row) throw new Refusal('fetch-not-found')
    return row
  }
  return new Elysia({ prefix: '/api/files/fetch' })
    .use(auth(deps))
    .post(
      '/',
      async ({ caller, body }) => {
        const row = await create(within(deps, caller), caller, fetcher, body)
        fetcher.advance().catch((error) => log.error('Files could not be fetched', error))
        return Response.json(success({ fetch: view(row) }), { status: 202 })
      },
      { ...CREATE_FETCH, response: { 202: FetchAnswer } },
    )
    .get(
      '/',
      async ({ caller: { user }, query: { id } }) => {
        if (id !== undefined) return success({ fetch: view(await require(user.id, id)) })
        return success({ fetches: (await store.fetches.ofUser(user.id, MAX_LISTED)).map(view) })
      },
      { ...LIST_FETCHES },
    )
    .delete(
      '/',
      async ({ caller: { user }, body: { id } }) => {
        await require(user.id, id)
        await store.transact(() => store.fetches.change(id, { state: 'canceled', updatedAt: clock.now() }))
        await fetcher.cancel(id)
        return success({ fetch: view(await require(user.id, id)) })
      },
      { ...CANCEL_FETCH },
    )
}

/** Creates the module of files that are fetched by URL. */
export function createFetches(context: Context) {
  const fetcher = new Fetcher(context)
  const { store, clock } = context
  return {
    routes: fetchRoutes(context, fetcher),
    fetcher,
    listening: (port: number) => {
      fetcher.port = port
    },
    jobs: [
      onEachServer('* * * * * *', 'Fetching files', () => fetcher.advance()),
      alsoAtStart('17 * * * *', 'Removing ended fetches', async () => {
        await store.removeInSlices((limit) => store.fetches.removeEnded(clock.now() - DAY_MS, limit))
      }),
    ],
    stop: () => fetcher.stop(),
  }
}
