import { Elysia } from 'elysia'
import * as T from 'typebox'
import type { Context, TreeContext } from '../access/context.ts'
import { auth, READ } from '../access/plugin.ts'
import { within } from '../access/reach.ts'
import { route } from '../access/route.ts'
import { EXAMPLE_ID } from '../api/openapi/samples.ts'
import { envelope, nullable, oneOf, queryParameters, success } from '../api/schema.ts'
import { readTime, timeParameter } from '../api/time.ts'
import { leavingOf } from '../http/exchange.ts'
import { Refusal, refuseInvalid } from '../platform/errors.ts'
import { findFolded, fold, RANK, type Rank } from '../platform/fold.ts'
import { KINDS } from '../platform/kinds.ts'
import { isAtOrBelow, parseFolderKey } from '../platform/names.ts'
import { seal, unseal } from '../platform/seal.ts'
import type { Entry, FolderRow, Found, NameSearch, Position, Work } from '../store/rows.ts'
import { FileView, fileView, VisibilitySchema } from '../views/files.ts'
import { FolderView, folderView, seenParent } from '../views/folders.ts'

const SearchParameters = {
  q: T.Optional(
    T.String({
      maxLength: 4096,
      description:
        'Part of a name, in any case, with or without accents. Spaces at its ends are left out. Without it, or with ' +
        'accents alone, the newest come first.',
      examples: ['harbour'],
    }),
  ),
  kind: T.Optional(
    oneOf(['file', 'folder', ...KINDS], {
      description: 'Only files, folders, or files of a kind.',
      examples: ['image'],
    }),
  ),
  visibility: T.Optional(VisibilitySchema),
  uploader: T.Optional(
    T.String({
      description: 'Id of an account: only the files that it uploaded.',
      examples: [EXAMPLE_ID],
    }),
  ),
  folder: T.Optional(
    T.String({ description: 'Key of a folder: only what is in it or below it.', examples: ['photos'] }),
  ),
  after: T.Optional(timeParameter('a date or a time with its zone: only what was added then or later')),
  before: T.Optional(timeParameter('a date or a time with its zone: only what was added earlier')),
  size: T.Optional(
    T.String({
      pattern: '^(\\d{1,15}\\.\\.(\\d{1,15})?|\\.\\.\\d{1,15})$',
      description: 'a range of bytes such as 1000..5000, 1000.. or ..5000: only files of such a size',
      examples: ['1000..'],
    }),
  ),
  limit: T.Optional(
    T.Integer({
      minimum: 1,
      maximum: 200,
      description: 'Maximum number of results; 50 by default.',
      examples: [50],
    }),
  ),
  cursor: T.Optional(
    T.String({ description: '`next` of the page before.', examples: ['WzIsMTc2NDAwMDAwMDAwMCw4XQ'] }),
  ),
}
const SearchQuery = queryParameters(T.Object(SearchParameters))
export type SearchParameters = T.Static<T.TObject<typeof SearchParameters>>

const Match = nullable(
  T.Array(T.Integer(), {
    description:
      'Start and end of the part of the name that matches, in UTF-16 code units; null without `q`.',
    examples: [[0, 7]],
  }),
)
const FoundFile = T.Object({ kind: T.Literal('file'), file: FileView, match: Match })
const FoundFolder = T.Object({ kind: T.Literal('folder'), folder: FolderView, match: Match })

export const SearchAnswer = envelope(
  T.Object({
    items: T.Array(T.Union([FoundFile, FoundFolder])),
    next: nullable(T.String({ description: '`cursor` of the next page; null on the last one.' })),
  }),
)
type FoundItem = T.Static<typeof FoundFile> | T.Static<typeof FoundFolder>

const SEARCH = route('Files', READ, {
  id: 'search',
  summary: 'Search files and folders by name',
  description:
    'Finds text anywhere in the names of files and folders, ignoring case and accents. Names that equal it come first, ' +
    'then those that begin with it, those with a word that begins with it, and all others; the newest first within ' +
    'each, those of one moment by the natural order of their names. `visibility`, `size`, `uploader` and kinds of files leave out folders. `folder` finds only what is below it. Results are as of the moment of the request.',
  query: SearchQuery,
  answer: SearchAnswer,
  facts: { isCompressed: true },
  returns: 'The results of the page, and the cursor of the next one.',
  refusals: {
    404: ['There is no folder "photos"'],
    503: ['Too many searches are running, try again soon'],
  },
})

/** Builds `/api/search`. */
export const searchRoutes = (deps: Context) =>
  new Elysia({ prefix: '/api/search' })
    .use(auth(deps))
    .get(
      '/',
      async ({ caller, query, request }) =>
        success(await search(within(deps, caller), query, leavingOf(request))),
      { ...SEARCH },
    )

const PAGE_ITEMS = 50

type SearchDeps = Pick<TreeContext, 'store' | 'random' | 'secrets'>

/**
 * Finds files and folders by their names.
 *
 * @throws {Refusal} `invalid` for a time that does not exist or an unknown cursor, `not-found` for an unknown folder, `unavailable`
 *   when too many searches wait.
 */
async function search(
  deps: SearchDeps,
  parameters: SearchParameters,
  leaving: AbortSignal,
): Promise<{ items: FoundItem[]; next: string | null }> {
  const { store } = deps
  const { tops, rootId } = await store.read(() => findTops(store, parameters.folder ?? ''))
  if (tops?.length === 0) return { items: [], next: null }
  const folderIds = tops?.map(({ folderId }) => folderId)
  const names = { ...readSearch(deps, parameters), folderIds, withThem: rootId !== undefined }
  const { found, next } = await store.search(names, leaving)
  // A folder may have left since, and its present key is no business of a caller that does not reach it.
  const isInside = ({ key }: Found) =>
    store.reach.isEverything || tops?.some((top) => isAtOrBelow(key, top.key))
  const parentOf = (row: FolderRow) =>
    rootId === undefined ? row.parentId : seenParent(row, folderIds ?? [], rootId)
  return {
    items: found.filter(isInside).map((item) => viewOf(item, names.text, parentOf)),
    next: next ? writeCursor(deps, next) : null,
  }
}

/** Part of the tree that a search looks in. */
interface Searched {
  /** Topmost folders; missing for the whole tree. */
  tops?: Entry[]
  /** Id of the root, in which a caller sees its topmost folders, when it searches a place above them. */
  rootId?: string
}

/**
 * Finds the folder at a key, or the topmost folders below it that the caller reaches.
 *
 * @throws {Refusal} `not-found`.
 */
function* findTops({ reach, folders, entries }: TreeContext['store'], key: string): Work<Searched> {
  const segments = parseFolderKey(key)
  if (segments.length === 0 && reach.isEverything) return {}
  const path = segments.join('/')
  const folderId = segments.length === 0 ? undefined : yield* folders.idAt(segments)
  if (folderId !== undefined) return { tops: [{ folderId, key: path }] }
  const tops = (yield* entries()).filter((entry) => isAtOrBelow(entry.key, path))
  if (tops.length === 0 && path !== '') throw new Refusal('folder-not-found', `There is no folder "${path}"`)
  return { tops, rootId: yield* folders.root() }
}

function readSearch(
  deps: SearchDeps,
  { q = '', kind, visibility, uploader, after, before, size, limit, cursor }: SearchParameters,
): NameSearch {
  const [minSize, maxSize] = size?.split('..').map(readBytes) ?? []
  return {
    text: fold(q.trim()),
    ...{ kind, visibility, uploader, minSize, maxSize },
    after: readTime('after', after),
    before: readTime('before', before),
    limit: limit ?? PAGE_ITEMS,
    from: cursor === undefined ? undefined : readCursor(deps, cursor),
  }
}

const readBytes = (text: string): number | undefined => (text === '' ? undefined : Number(text))

const sealingOf = ({ secrets }: SearchDeps) => ({ key: secrets.position, subject: 'search' })

/** Writes a cursor. The tie may be a number that counts all files: a limited caller cannot read it. */
function writeCursor(deps: SearchDeps, { rank, createdAt, tie, name }: Position): string {
  const text = JSON.stringify([rank, createdAt, tie, name])
  if (!deps.store.reach.isEverything) return seal(deps, sealingOf(deps), text)
  return Buffer.from(text).toString('base64url')
}

/** Reads a cursor. @throws {Refusal} `invalid` when no page had it. */
function readCursor(deps: SearchDeps, cursor: string): Position {
  const { isEverything } = deps.store.reach
  const bytes = isEverything ? Buffer.from(cursor, 'base64url') : unseal(sealingOf(deps), cursor)
  const [rank, createdAt, tie, name] = parseList(new TextDecoder().decode(bytes))
  if (!isRank(rank) || !isWhole(createdAt) || !(typeof tie === 'string' || isWhole(tie)))
    throw refuseInvalid('"cursor" must be the "next" of the page before')
  return { rank, createdAt, tie, ...(typeof name === 'string' && { name }) }
}

const RANKS: unknown[] = Object.values(RANK)

const isRank = (value: unknown): value is Rank => RANKS.includes(value)

const isWhole = (value: unknown): value is number => Number.isSafeInteger(value)

function parseList(text: string): unknown[] {
  try {
    const value: unknown = JSON.parse(text)
    return Array.isArray(value) ? value : []
  } catch {
    return []
  }
}

function viewOf(found: Found, text: string, parentOf: (row: FolderRow) => string | null): FoundItem {
  const match = text === '' ? null : (findFolded(found.row.name, text) ?? null)
  return found.kind === 'file'
    ? { kind: 'file', file: fileView(found.row, found.key), match }
    : {
        kind: 'folder',
        folder: folderView({ ...found.row, parentId: parentOf(found.row) }, found.key),
        match,
      }
}
