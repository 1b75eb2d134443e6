import type { Context } from '../../access/context.ts'
import { readTime } from '../../api/time.ts'
import { refuseInvalid, refuseNotFound } from '../../platform/errors.ts'
import { findFolded, fold, RANK, type Rank } from '../../platform/fold.ts'
import { parseFolderKey } from '../../platform/names.ts'
import type { Found, NameSearch, Position, Work } from '../../store/rows.ts'
import { fileView } from '../../views/files.ts'
import { folderView } from '../../views/folders.ts'
import type { FoundItem, SearchParameters } from './model.ts'

const PAGE_ITEMS = 50

/**
 * Finds files and folders by their names.
 *
 * @throws {Refusal} `invalid` for a time that does not exist or an unknown cursor, `not_found` for an unknown folder, `unavailable`
 *   when too many searches wait.
 */
export async function search(
  { store }: Pick<Context, 'store'>,
  parameters: SearchParameters,
  leaving: AbortSignal,
): Promise<{ items: FoundItem[]; next: string | null }> {
  const folderId = await store.read(() => findFolder(store, parameters.folder ?? ''))
  const names = { ...readSearch(parameters), folderId }
  const { found, next } = await store.search(names, leaving)
  return {
    items: found.map((item) => viewOf(item, names.text)),
    next: next ? writeCursor(next) : null,
  }
}

/** Returns the id of the folder at a key; `undefined` for the root. @throws {Refusal} `not_found`. */
function* findFolder({ folders }: Context['store'], key: string): Work<string | undefined> {
  const segments = parseFolderKey(key)
  if (segments.length === 0) return undefined
  const id = yield* folders.idAt(segments)
  if (id === undefined) throw refuseNotFound(`There is no folder "${segments.join('/')}"`)
  return id
}

function readSearch({
  q = '',
  kind,
  visibility,
  uploader,
  after,
  before,
  size,
  limit,
  cursor,
}: SearchParameters): NameSearch {
  const [minSize, maxSize] = size?.split('..').map(readBytes) ?? []
  return {
    text: fold(q.trim()),
    ...{ kind, visibility, uploader, minSize, maxSize },
    after: readTime('after', after),
    before: readTime('before', before),
    limit: limit ?? PAGE_ITEMS,
    from: cursor === undefined ? undefined : readCursor(cursor),
  }
}

const readBytes = (text: string): number | undefined => (text === '' ? undefined : Number(text))

const writeCursor = ({ rank, createdAt, tie }: Position): string =>
  Buffer.from(JSON.stringify([rank, createdAt, tie])).toString('base64url')

/** Reads a cursor. @throws {Refusal} `invalid` when no page had it. */
function readCursor(cursor: string): Position {
  const [rank, createdAt, tie] = parseList(Buffer.from(cursor, 'base64url').toString())
  if (!isRank(rank) || !isWhole(createdAt) || !(typeof tie === 'string' || isWhole(tie)))
    throw refuseInvalid('"cursor" must be the "next" of the page before')
  return { rank, createdAt, tie }
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

function viewOf(found: Found, text: string): FoundItem {
  const match = text === '' ? null : (findFolded(found.row.name, text) ?? null)
  return found.kind === 'file'
    ? { kind: 'file', file: fileView(found.row, found.key), match }
    : { kind: 'folder', folder: folderView(found.row, found.key), match }
}
