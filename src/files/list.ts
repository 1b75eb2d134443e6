import type { FileRow } from '../catalog/files.ts'
import type { FileList } from '../catalog/lists.ts'
import type { Deps } from '../deps.ts'
import { fileKey } from '../storage/target.ts'
import { type FileView, fileView, type ListRequest } from './model.ts'

/** Lists of at most this many files are answered in one piece. */
const PAGE_FILES = 1000

/** The list that a request asks for; the newest first unless it says otherwise. */
export function toFileList(request: ListRequest, only: Pick<FileList, 'folderId' | 'name'>): FileList {
  return {
    ...only,
    orderBy: request.orderBy ?? 'createdAt',
    ascending: request.orderDirection?.toUpperCase() === 'ASC',
    offset: request.offset ?? 0,
    limit: request.limit,
  }
}

/** The files as clients see them; those of a folder that is being deleted are left out. */
export function viewFiles({ catalog }: Pick<Deps, 'catalog'>, rows: readonly FileRow[]): FileView[] {
  return rows.flatMap((row) => {
    const key = fileKey(catalog, row)
    return key === undefined ? [] : [fileView(row, key)]
  })
}

/**
 * Answers with `{ files, ...beside }` in the success envelope. A long list is streamed: it is read and
 * written in slices, as fast as the client takes it, and never held as a whole.
 */
export function listResponse(
  deps: Pick<Deps, 'catalog' | 'pages' | 'nextTurn'>,
  list: FileList,
  beside: () => Record<string, unknown> = () => ({}),
): Response {
  if (list.limit === undefined || list.limit > PAGE_FILES)
    return textResponse(deps, longList(deps, list, beside()))
  const page = deps.pages(JSON.stringify(list), () => {
    const files = viewFiles(deps, deps.catalog.lists.page(list))
    return JSON.stringify({ data: { files, ...beside() }, error: null })
  })
  return new Response(page, JSON_TEXT)
}

const JSON_TEXT = { headers: { 'Content-Type': 'application/json;charset=utf-8' } }

/** An answer in JSON whose texts are made as fast as the client takes them. */
export const textResponse = (deps: Pick<Deps, 'nextTurn'>, texts: Generator<string>) =>
  new Response(streamOf(deps, texts), JSON_TEXT)

function* longList(
  deps: Pick<Deps, 'catalog'>,
  list: FileList,
  beside: Record<string, unknown>,
): Generator<string> {
  yield '{"data":{"files":['
  let separator = ''
  for (const slice of deps.catalog.lists.slices(list)) {
    const views = viewFiles(deps, slice)
    if (views.length === 0) continue
    yield separator + JSON.stringify(views).slice(1, -1)
    separator = ','
  }
  yield `]${JSON.stringify(beside).replace(/^\{/, Object.keys(beside).length > 0 ? ',' : '')},"error":null}`
}

/** A stream that takes the next text only when the client has taken the last, in a turn of its own. */
function streamOf(
  { nextTurn }: Pick<Deps, 'nextTurn'>,
  texts: Generator<string>,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  return new ReadableStream(
    {
      pull: async (controller) => {
        for (;;) {
          await nextTurn()
          const { value, done } = texts.next()
          if (done) return controller.close()
          // An empty text is nothing but a turn for others.
          if (value !== '') return controller.enqueue(encoder.encode(value))
        }
      },
      cancel: () => {
        texts.return(undefined)
      },
    },
    { highWaterMark: 0 },
  )
}
