import * as T from 'typebox'
import { jsonStream, Slices } from '../api/json-stream.ts'
import { oneOf } from '../api/schema.ts'
import { leavingOf } from '../http/exchange.ts'
import type { FileList, FileRow, RowSlices, Snapshot, Work } from '../store/rows.ts'
import type { TreeCore } from '../store/store.ts'
import { type FileView, viewRows } from './files.ts'
import { FILE_ORDERS } from './orders.ts'
import type { Pages } from './pages.ts'
import { listWithin, PAGE_FILES, pageWithin } from './part.ts'
import { ReadAhead } from './read-ahead.ts'

/** Query parameters of lists. `orderDirection` may be in any case. */
export const ListParameters = {
  limit: T.Optional(T.Integer({ minimum: 0, description: 'Maximum number of files.', examples: [100] })),
  offset: T.Optional(T.Integer({ minimum: 0, description: 'Number of files to skip.', examples: [0] })),
  orderBy: T.Optional(oneOf(FILE_ORDERS, { description: '`createdAt` by default.', examples: ['name'] })),
  orderDirection: T.Optional(
    T.String({
      pattern: '^([aA][sS][cC]|[dD][eE][sS][cC])$',
      description: 'ASC or DESC',
      examples: ['DESC'],
    }),
  ),
}

export type ListRequest = T.Static<T.TObject<typeof ListParameters>>

/** Maximum keys of folders that the reading of a list caches. */
const MAX_KEYS = 20_000

/** Builds the list that a request asks for; newest first by default. */
export function toFileList(request: ListRequest, only: Pick<FileList, 'folderId' | 'name'>): FileList {
  return {
    ...only,
    orderBy: request.orderBy ?? 'createdAt',
    ascending: request.orderDirection?.toUpperCase() === 'ASC',
    offset: request.offset ?? 0,
    limit: request.limit,
  }
}

/** Members of a response beside its files. */
interface Beside {
  /** Returns true when they are too many for one piece. */
  isLong: () => PromiseLike<boolean>
  /** Returns them from the current catalog. */
  now: () => Work<Record<string, unknown>>
  /**
   * Returns them from a snapshot.
   *
   * @throws {Refusal} when they are not in it.
   */
  sliced: (snapshot: Snapshot) => Promise<Record<string, Slices>>
}

/**
 * Responds with `{ files, ...beside }` in the success envelope. A long list is streamed from one snapshot and
 * never held in memory as a whole.
 *
 * @throws {Refusal} `unavailable` when too many long lists are being read.
 */
export async function listResponse(
  deps: Pick<TreeCore, 'store' | 'nextTurn'> & { pages: Pages },
  request: Request,
  list: FileList,
  beside?: Beside,
): Promise<Response> {
  const { store } = deps
  if (list.folderId === undefined && !store.reach.isEverything) return partResponse(deps, request, list)
  const isSliced = list.limit === undefined || list.limit > PAGE_FILES || (await beside?.isLong())
  const make = () =>
    store.read(function* () {
      // Files of folders being deleted would displace others.
      if (list.folderId === undefined && (yield* store.folders.isPurging())) return undefined
      const files = yield* viewRows(store, yield* store.lists.page(list))
      return JSON.stringify({ data: { files, ...(beside && (yield* beside.now())) }, error: null })
    })
  const page = isSliced
    ? undefined
    : await deps.pages({ name: nameOf(store, list), version: store.version, make })
  if (page) return new Response(page, JSON_TEXT)
  return streamResponse(deps, request, async (snapshot) => ({
    files: new Slices(viewSlices(snapshot, { list, hasGaps: await hasGaps(snapshot, list) })),
    ...(await beside?.sliced(snapshot)),
  }))
}

/** Responds with the part of a list that a limited caller reaches. */
async function partResponse(
  deps: Pick<TreeCore, 'store' | 'nextTurn'> & { pages: Pages },
  request: Request,
  list: FileList,
): Promise<Response> {
  const { store } = deps
  const make = () =>
    store.read(function* () {
      const files = yield* pageWithin(store, list)
      return files && JSON.stringify({ data: { files }, error: null })
    })
  const isPage = list.limit !== undefined && list.limit <= PAGE_FILES
  const page = isPage
    ? await deps.pages({ name: nameOf(store, list), version: store.filesVersion, make })
    : undefined
  if (page) return new Response(page, JSON_TEXT)
  return streamResponse(deps, request, async (snapshot) => {
    const inside = await snapshot.read(() => listWithin(snapshot, list))
    return { files: new Slices(viewSlices(snapshot, { list: inside ?? list, hasGaps: !inside })) }
  })
}

/** Returns the name under which a page is cached: another for each reach. */
const nameOf = ({ reach }: Pick<TreeCore['store'], 'reach'>, list: FileList) =>
  JSON.stringify(reach.isEverything ? list : [list, reach.fingerprint])

const JSON_TEXT = { headers: { 'Content-Type': 'application/json;charset=utf-8' } }

/**
 * Streams long arrays from a snapshot of the store, in the success envelope.
 *
 * @throws {Refusal} `unavailable` when too many are being read.
 */
export async function streamResponse(
  deps: Pick<TreeCore, 'store' | 'nextTurn'>,
  request: Request,
  dataOf: (snapshot: Snapshot) => Promise<Record<string, Slices>>,
): Promise<Response> {
  const leaving = leavingOf(request)
  const snapshot = await deps.store.readers.snapshot(leaving)
  const texts = jsonStream({ data: await orEnd(snapshot, dataOf), error: null })
  return new Response(textStream(deps, { snapshot, texts, leaving }), JSON_TEXT)
}

/** Returns the bytes of texts that are read from a snapshot, which ends with them. */
export function textStream(
  deps: Pick<TreeCore, 'store' | 'nextTurn'>,
  source: ConstructorParameters<typeof ReadAhead>[1],
): ReadableStream<Uint8Array> {
  const reading = new ReadAhead(deps, source)
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const bytes = await reading.next()
        if (bytes) return controller.enqueue(bytes)
        reading.close()
        controller.close()
      },
      cancel: reading.close,
    },
    { highWaterMark: 0 },
  )
}

/** Returns the result of `make`; ends the snapshot when it throws. */
async function orEnd<Made>(snapshot: Snapshot, make: (snapshot: Snapshot) => Promise<Made>): Promise<Made> {
  try {
    return await make(snapshot)
  } catch (error) {
    snapshot.end()
    throw error
  }
}

/** True when a list may contain files of folders being deleted. */
const hasGaps = async ({ folders }: Snapshot, list: FileList): Promise<boolean> =>
  list.folderId === undefined && (await folders.detached()).length > 0

function viewSlices(
  snapshot: Snapshot,
  { list, hasGaps }: { list: FileList; hasGaps: boolean },
): AsyncIterable<FileView[]> {
  return hasGaps
    ? partOf(viewsOf(snapshot, snapshot.files({ ...list, offset: 0, limit: undefined })), list)
    : viewsOf(snapshot, snapshot.files(list))
}

async function* viewsOf(snapshot: Snapshot, slices: RowSlices<FileRow>): AsyncGenerator<FileView[]> {
  const keys = new Map<string, string | undefined>()
  for await (const slice of slices) {
    yield await snapshot.read(() => viewRows(snapshot, slice, keys))
    if (keys.size > MAX_KEYS) keys.clear()
  }
}

/** Yields the requested part of a whole list, with an empty slice for each that has nothing of it. */
async function* partOf(
  slices: AsyncIterable<FileView[]>,
  { offset, limit = Number.POSITIVE_INFINITY }: FileList,
): AsyncGenerator<FileView[]> {
  let [skip, left] = [offset, limit]
  for await (const views of slices) {
    const part = views.slice(skip, skip + left)
    skip = Math.max(skip - views.length, 0)
    left -= part.length
    yield part
    if (left === 0) return
  }
}
