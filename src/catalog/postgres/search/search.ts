import { refuseForNow } from '../../../platform/errors.ts'
import { joinKey } from '../../../platform/names.ts'
import { assertConnected, Slots } from '../../../platform/slots.ts'
import type { Work } from '../../engine/query.ts'
import type { tablesOf } from '../../tables.ts'
import type { FileRow } from '../../tree/files.ts'
import type { FolderRow } from '../../tree/folders.ts'
import {
  comparePositions,
  type Found,
  type FoundPage,
  type NameSearch,
  type Position,
  wantsFiles,
  wantsFolders,
} from '../../tree/search.ts'
import type { Connection } from '../connection.ts'
import { drive } from '../engine.ts'
import { PostgresFailure } from '../failure.ts'
import type { FolderWalks } from '../folder-tree.ts'
import { searchIndexes } from './indexes.ts'
import { type Name, NameReader } from './names.ts'
import { foldersBelow } from './query.ts'

/** Tables and tree whose rows a search returns. */
export interface SearchedRows extends Pick<ReturnType<typeof tablesOf>, 'files' | 'folders'> {
  tree: FolderWalks
}

/** Maximum folders that a query has by their ids, so that indexes find their files. */
const FEW_FOLDERS = 1000
const BUSY = 'Too many searches are running, try again soon'
/** Slots of searches, which may read very many names. They leave connections to all other requests. */
export const createSearchSlots = () => new Slots({ count: 2, maxWaiting: 128, maxWaitMs: 5000, busy: BUSY })
/** Time that a query of a search may take, in milliseconds, so that the server ends it before the connection is closed. */
const MAX_MS = 4000
/** Minimum hits whose rows are read at a time: many may be in folders outside the tree. */
const MIN_SLICE = 50
/** Maximum reads of the rows of one page. */
const MAX_READS = 10
/**
 * Settings of a search. A plan for any text would not know how many names have it. To start other processes takes longer
 * than most searches.
 */
const SETTINGS = `SELECT ${Object.entries({
  plan_cache_mode: 'force_custom_plan',
  max_parallel_workers_per_gather: '0',
  statement_timeout: `${MAX_MS}`,
}).map(([name, value]) => `set_config('${name}', '${value}', true)`)}`

type Hit = Name & { kind: Found['kind'] }
interface FoundHit {
  hit: Hit
  item: Found
}

/**
 * Returns one page of results. Rows of folders outside the tree are left out, so it may take several reads; after
 * `MAX_READS` the page may be short, and the next one goes on.
 *
 * @throws {Refusal} `unavailable` when it takes too long.
 */
export async function findPage(...read: Parameters<typeof readPage>): Promise<FoundPage> {
  try {
    return await readPage(...read)
  } catch (error) {
    throw error instanceof PostgresFailure && error.code === '57014' ? refuseForNow(BUSY, error) : error
  }
}

async function readPage(
  connection: Connection,
  searched: SearchedRows,
  { search, leaving }: { search: NameSearch; leaving: AbortSignal },
): Promise<FoundPage> {
  await connection.query(SETTINGS)
  const readers = await openReaders(connection, search)
  const { limit } = search
  const found: FoundHit[] = []
  let { from } = search
  for (let reads = 1; ; reads += 1) {
    const { hits, end } = await findHits(readers, from)
    assertConnected(leaving)
    found.push(...(await drive(connection, inTree(searched, hits, limit + 1 - found.length))))
    from = end
    if (found.length <= limit && from && reads < MAX_READS) continue
    const next = found.length > limit ? found[limit - 1]?.hit : from
    const page = { found: found.slice(0, limit).map(({ item }) => item) }
    return next ? { ...page, next } : page
  }
}

/** Opens readers of what a search wants: files, folders or both. */
async function openReaders(connection: Connection, search: NameSearch): Promise<NameReader[]> {
  const indexes = await searchIndexes(connection)
  const fewFolders = await fewFoldersBelow(connection, search.folderIds)
  const readers: NameReader[] = []
  for (const [kind, wants] of [['file', wantsFiles] as const, ['folder', wantsFolders] as const])
    if (wants(search)) readers.push(await NameReader.open(connection, { search, kind, indexes, fewFolders }))
  return readers
}

/** Returns the ids of some folders and of those below them, or `undefined` when they are many. */
async function fewFoldersBelow(connection: Connection, folderIds: readonly string[] | undefined) {
  if (folderIds === undefined) return undefined
  const { text, values } = foldersBelow(folderIds, FEW_FOLDERS)
  const { rows } = await connection.query(text, values)
  return rows.length > FEW_FOLDERS ? undefined : rows.map(([id]) => String(id))
}

/** Returns the best hits after a position, in order, and the position of the next read if there is one. */
async function findHits(readers: readonly NameReader[], from: Position | undefined) {
  const found: Hit[] = []
  const ends: Position[] = []
  for (const reader of readers) {
    const { names, end } = await reader.read(from)
    for (const name of names) found.push({ ...name, kind: reader.kind })
    if (end) ends.push(end)
  }
  // A name after the end of one reader may have others before it that were not read.
  const [end] = ends.sort(compare)
  const isKnown = (hit: Hit) => (!from || compare(hit, from) > 0) && (!end || compare(hit, end) <= 0)
  return { hits: found.filter(isKnown).sort(compare), end }
}

const compare = (one: Position, other: Position): number =>
  comparePositions(one, other) || (one.tie > other.tie ? -1 : Number(one.tie < other.tie))

/** Returns the rows of hits with their keys, without those of folders outside the tree. It stops after `count`. */
function* inTree(
  { files, folders, tree }: SearchedRows,
  hits: readonly Hit[],
  count: number,
): Work<FoundHit[]> {
  const found: FoundHit[] = []
  for (let at = 0; at < hits.length && found.length < count; ) {
    const some = hits.slice(at, at + Math.max(count - found.length, MIN_SLICE))
    at += some.length
    const idsOf = (kind: Found['kind']) => some.filter((hit) => hit.kind === kind).map(({ tie }) => tie)
    const fileRows = new Map<string, FileRow>()
    for (const row of yield* files.byIds(idsOf('file'))) fileRows.set(row.id, row)
    const folderRows = new Map<string, FolderRow>()
    for (const row of yield* folders.byIds(idsOf('folder'))) folderRows.set(row.id, row)
    const keys = yield* tree.keysOf([
      ...new Set([...fileRows.values()].map(({ folderId }) => folderId)),
      ...folderRows.keys(),
    ])
    for (const hit of some) {
      const file = fileRows.get(hit.tie)
      const folder = folderRows.get(hit.tie)
      const key = keys.get(file?.folderId ?? hit.tie)
      if (key === undefined) continue
      if (file) found.push({ item: { kind: 'file', row: file, key: joinKey(key, file.name) }, hit })
      else if (folder) found.push({ item: { kind: 'folder', row: folder, key }, hit })
    }
  }
  return found
}
