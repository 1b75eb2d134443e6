import type { Context } from '../../access/context.ts'
import { jsonStream, Slices } from '../../api/json-stream.ts'
import { leavingOf } from '../../http/exchange.ts'
import type { FileList, FileRow, Snapshot, Work } from '../../store/rows.ts'
import type { Store } from '../../store/store.ts'
import { fileKey } from '../../store/target.ts'
import type { FilesContext } from './context.ts'
import { type FileView, fileView, type ListRequest } from './model.ts'
import { ReadAhead } from './read-ahead.ts'

/** Maximum files of a list that is sent in one piece. */
const PAGE_FILES = 1000

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

/** Returns the files as the API shows them, without those of a folder being deleted. */
export function viewFiles(
  folders: { keyOf: (id: string) => string | undefined },
  rows: readonly FileRow[],
): FileView[] {
  return rows.flatMap((row) => {
    const key = fileKey({ folders }, row)
    return key === undefined ? [] : [fileView(row, key)]
  })
}

/** Returns the files as `viewFiles` does: part of a body. */
export function* viewRows(
  { folders }: { folders: Pick<Store['folders'], 'keyOf'> },
  rows: readonly FileRow[],
): Work<FileView[]> {
  const keys = new Map<string, string | undefined>()
  for (const { folderId } of rows) if (!keys.has(folderId)) keys.set(folderId, yield* folders.keyOf(folderId))
  return viewFiles({ keyOf: (id) => keys.get(id) }, rows)
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
  sliced: (snapshot: Snapshot) => Record<string, Slices>
}

/**
 * Responds with `{ files, ...beside }` in the success envelope. A long list is streamed from one snapshot and
 * never held in memory as a whole.
 *
 * @throws {Refusal} `unavailable` when too many long lists are being read.
 */
export async function listResponse(
  deps: Pick<FilesContext, 'store' | 'pages' | 'nextTurn'>,
  request: Request,
  list: FileList,
  beside?: Beside,
): Promise<Response> {
  const isSliced = list.limit === undefined || list.limit > PAGE_FILES || (await beside?.isLong())
  if (isSliced || (await hasGaps(deps, list)))
    return streamResponse(deps, request, async (snapshot) => ({
      files: new Slices(viewSlices(deps, snapshot, { list, hasGaps: await hasGaps(deps, list) })),
      ...beside?.sliced(snapshot),
    }))
  const { store } = deps
  const page = await deps.pages(JSON.stringify(list), () =>
    store.read(function* () {
      const files = yield* viewRows(store, yield* store.lists.page(list))
      return JSON.stringify({ data: { files, ...(beside && (yield* beside.now())) }, error: null })
    }),
  )
  return new Response(page, JSON_TEXT)
}

const JSON_TEXT = { headers: { 'Content-Type': 'application/json;charset=utf-8' } }

/**
 * Streams long arrays from a snapshot of the store, in the success envelope.
 *
 * @throws {Refusal} `unavailable` when too many are being read.
 */
export async function streamResponse(
  deps: Pick<Context, 'store' | 'nextTurn'>,
  request: Request,
  dataOf: (snapshot: Snapshot) => Promise<Record<string, Slices>>,
): Promise<Response> {
  const leaving = leavingOf(request)
  const snapshot = await deps.store.readers.snapshot(leaving)
  const texts = jsonStream({ data: await orEnd(snapshot, dataOf), error: null })
  const reading = new ReadAhead(deps, { snapshot, texts, leaving })
  const stream = new ReadableStream<Uint8Array>(
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
  return new Response(stream, JSON_TEXT)
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

/** True when a list may contain files of folders being deleted, which would displace others. */
const hasGaps = async ({ store }: Pick<Context, 'store'>, list: FileList): Promise<boolean> =>
  list.folderId === undefined && (await store.folders.isPurging())

function viewSlices(
  deps: Pick<Context, 'store'>,
  snapshot: Snapshot,
  { list, hasGaps }: { list: FileList; hasGaps: boolean },
): Iterable<FileView[]> {
  const { rows } = deps.store.lists
  return hasGaps
    ? partOf(viewsOf(snapshot, rows(snapshot, { ...list, offset: 0, limit: undefined })), list)
    : viewsOf(snapshot, rows(snapshot, list))
}

function* viewsOf(snapshot: Snapshot, slices: Iterable<FileRow[]>): Generator<FileView[]> {
  for (const slice of slices) yield viewFiles(snapshot, slice)
}

/** Yields the requested part of a whole list, with an empty slice for each that has nothing of it. */
function* partOf(
  slices: Iterable<FileView[]>,
  { offset, limit = Number.POSITIVE_INFINITY }: FileList,
): Generator<FileView[]> {
  let [skip, left] = [offset, limit]
  for (const views of slices) {
    const part = views.slice(skip, skip + left)
    skip = Math.max(skip - views.length, 0)
    left -= part.length
    yield part
    if (left === 0) return
  }
}
