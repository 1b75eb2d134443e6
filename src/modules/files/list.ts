import type { Context } from '../../access/context.ts'
import { jsonStream, Slices } from '../../api/json-stream.ts'
import { leavingOf } from '../../http/exchange.ts'
import type { FileList, FileRow, Snapshot } from '../../store/rows.ts'
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

/** Members of a response beside its files. */
interface Beside {
  /** Returns true when they are too many for one piece. */
  isLong: () => boolean
  /** Returns them from the current catalog. */
  now: () => Record<string, unknown>
  /**
   * Returns them from a snapshot.
   *
   * @throws {Refusal} when they are not in it.
   */
  sliced: (snapshot: Snapshot) => Record<string, Slices>
}

const NOTHING: Beside = { isLong: () => false, now: () => ({}), sliced: () => ({}) }

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
  beside = NOTHING,
): Promise<Response> {
  const isSliced = list.limit === undefined || list.limit > PAGE_FILES || beside.isLong()
  if (isSliced || hasGaps(deps, list))
    return streamResponse(deps, request, (snapshot) => ({
      files: new Slices(viewSlices(deps, snapshot, list)),
      ...beside.sliced(snapshot),
    }))
  const page = deps.pages(JSON.stringify(list), () => {
    const files = viewFiles(deps.store.folders, deps.store.lists.page(list))
    return JSON.stringify({ data: { files, ...beside.now() }, error: null })
  })
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
  dataOf: (snapshot: Snapshot) => Record<string, Slices>,
): Promise<Response> {
  const leaving = leavingOf(request)
  const snapshot = await deps.store.readers.snapshot(leaving)
  const texts = jsonStream({ data: orEnd(snapshot, dataOf), error: null })
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
function orEnd<Made>(snapshot: Snapshot, make: (snapshot: Snapshot) => Made): Made {
  try {
    return make(snapshot)
  } catch (error) {
    snapshot.end()
    throw error
  }
}

/** True when a list may contain files of folders being deleted, which would displace others. */
const hasGaps = ({ store }: Pick<Context, 'store'>, list: FileList): boolean =>
  list.folderId === undefined && store.folders.isPurging()

function viewSlices(deps: Pick<Context, 'store'>, snapshot: Snapshot, list: FileList): Iterable<FileView[]> {
  const { rows } = deps.store.lists
  return hasGaps(deps, list)
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
