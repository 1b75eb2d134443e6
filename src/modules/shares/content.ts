import type { Context, TreeContext } from '../../access/context.ts'
import { exchangeOf } from '../../http/exchange.ts'
import { fileResponse } from '../../http/file-response.ts'
import { contentType } from '../../store/bytes.ts'
import type { FileRow, FolderRow, ShareRow, Work } from '../../store/rows.ts'
import { fileNotFound } from '../../views/files.ts'
import { requireFile, requireFolder, visitOpened } from './access.ts'
import type { Download, Downloads } from './downloads.ts'
import { Sending } from './sending.ts'
import type { Visit } from './visits.ts'

/** Maximum files and folders of one page. */
const PAGE_ITEMS = 1000

/**
 * Policy of films and sounds. In a sandbox the player of a browser may not read its own address, and without one this
 * policy allows no script either.
 */
const PLAYER_POLICY =
  "default-src 'none'; media-src 'self'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
/** Policy of PDFs, which the page of their share shows in a frame. */
const PDF_POLICY = "sandbox; frame-ancestors 'self'"
/** Types that browsers hand to a player. Those with a `+` may be XML. */
const PLAYER_TYPE = /^(video|audio)\/[\w.-]+$/

/** Files and folders of a share, or of a folder in it, by name. */
export interface Content {
  files: FileRow[]
  folders: FolderRow[]
  /** Name after which the next page begins; null for the last page. */
  next: string | null
}

/** Returns the items of a share that are in the tree. */
export function* itemsOf({ store }: TreeContext, share: ShareRow): Work<Content> {
  const items = share.canRead ? yield* store.shares.items(share.id) : []
  const files: FileRow[] = []
  const folders: FolderRow[] = []
  for (const { itemId, kind, name } of items) {
    if (name === null) continue
    const file = kind === 'file' ? yield* store.files.byId(itemId) : undefined
    const folder = kind === 'folder' ? yield* store.folders.byId(itemId) : undefined
    // A folder above it may be moving to the trash.
    const isInTree = (yield* store.folders.keyOf(file?.folderId ?? itemId)) !== undefined
    if (file && isInTree) files.push(file)
    if (folder && isInTree) folders.push(folder)
  }
  return { files: files.toSorted(byName), folders: folders.toSorted(byName), next: null }
}

const byName = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)

/** Maximum folders whose files are counted for a page. */
const MAX_COUNTED = 1000

/** Returns the number and size of some files, and of those in and below some folders; undefined for too many folders. */
export function* sumOf(
  { store: { totals } }: TreeContext,
  { files, folders }: Pick<Content, 'files' | 'folders'>,
): Work<{ count: number; size: number } | undefined> {
  const ids = folders.map(({ id }) => id)
  const below = ids.length === 0 ? [] : yield* totals.below(ids, MAX_COUNTED)
  if (below.length === MAX_COUNTED) return undefined
  const inFolders = yield* totals.inFolders(below.map(({ id }) => id))
  const sizes = [...files.map(({ size }) => ({ count: 1, size })), ...inFolders]
  return sizes.reduce(
    (sum, part) => ({ count: sum.count + part.count, size: sum.size + part.size }),
    NO_FILES,
  )
}

const NO_FILES = { count: 0, size: 0 }

interface FolderPart {
  /** Id of the folder. */
  folder: string
  /** Name after which the page begins. */
  after?: string | undefined
  /** Maximum files and folders. */
  limit?: number
}

/** Returns a page of the files and folders directly in a folder of the share. @throws {Refusal} `not-found`. */
export function* folderContent(
  deps: TreeContext,
  share: ShareRow,
  { folder: id, after = '', limit = PAGE_ITEMS }: FolderPart,
): Work<Content> {
  const { store } = deps
  const folder = yield* requireFolder(deps, share, id)
  const files = yield* store.files.inFolderAfter(folder.id, after, limit)
  const folders = yield* store.folders.inFolderAfter(folder.id, after, limit)
  // Each list may end earlier than the other: the page ends where the first of them does.
  const last = [...files, ...folders].toSorted(byName)[limit - 1]?.name
  if (last === undefined) return { files, folders, next: null }
  const isOnPage = ({ name }: { name: string }) => name <= last
  return { files: files.filter(isOnPage), folders: folders.filter(isOnPage), next: last }
}

interface FileRequest {
  slug: string
  id: string
  isDownload: boolean
  request: Request
}

/**
 * Responds with a file of a share. It counts as a download when all of its bytes have left.
 *
 * @throws {Refusal} `not-found`, `unauthorized`, `precondition-failed`, `range-not-satisfiable`.
 */
export async function serveFile(
  deps: Context,
  downloads: Downloads,
  { slug, id, isDownload, request }: FileRequest,
): Promise<Response> {
  const visit = await visitOpened(deps, slug, request, id)
  const { tree, share } = visit
  const file = await deps.store.read(() => requireFile(tree, share, id))
  const opened = await deps.store.openFile(file)
  if (!opened) throw fileNotFound()
  const response = fileResponse(request, opened, {
    name: file.name,
    mediaType: contentType(file),
    disposition: isDownload ? 'attachment' : 'inline',
    cacheControl: 'private, no-store',
    revalidatable: true,
    now: deps.clock.now(),
  })
  if (file.mimeType === 'application/pdf') response.headers.set('Content-Security-Policy', PDF_POLICY)
  if (PLAYER_TYPE.test(file.mimeType)) response.headers.set('Content-Security-Policy', PLAYER_POLICY)
  const download = { item: file.id, size: opened.size, fileId: file.id, name: file.name }
  return counted({ visit, downloads, download, request, response })
}

interface Counted {
  visit: Visit
  downloads: Downloads
  download: Download
  request: Request
  response: Response
}

/** Takes a place under the limit, and counts the bytes that leave. @throws {Refusal} `not-found`, `share-busy`. */
export async function counted({ visit, downloads, download, request, response }: Counted): Promise<Response> {
  const exchange = exchangeOf(request)
  if (exchange.isHead || response.status === 304) return response
  const [, first = '0'] = /^bytes (\d+)-/.exec(response.headers.get('content-range') ?? '') ?? []
  const length = Number(response.headers.get('content-length'))
  const sending = new Sending(downloads, { visit, download, first: Number(first), length })
  try {
    await sending.begin()
  } catch (error) {
    await response.body?.cancel()
    throw error
  }
  exchange.onDelivered = (bytes) => sending.delivered(bytes)
  const counted = new Response(response.body && sending.follow(response.body), response)
  for (const cookie of visit.cookies) counted.headers.append('Set-Cookie', cookie)
  return counted
}
