import { refuseForNow } from '../../platform/errors.ts'
import { RANK, type Rank, rankOf } from '../../platform/fold.ts'
import { joinKey } from '../../platform/names.ts'
import { assertConnected, Slots } from '../../platform/slots.ts'
import type { FileRow } from '../files.ts'
import type { FolderRow } from '../folders.ts'
import type { Work } from '../query.ts'
import {
  type Found,
  type FoundPage,
  type NameSearch,
  type Position,
  wantsFiles,
  wantsFolders,
} from '../search/search.ts'
import type { tablesOf } from '../tables.ts'
import type { Connection } from './connection.ts'
import { drive } from './engine.ts'
import { PostgresFailure } from './failure.ts'
import type { FolderWalks } from './folder-tree.ts'
import { searchIndexes } from './search-indexes.ts'
import { foldersBelow, NameQueries, type NameQueriesOptions, type Query } from './search-query.ts'
import { endOfSpan, periodsOf } from './search-spans.ts'

/** Tables and tree whose rows a search returns. */
export interface SearchedRows extends Pick<ReturnType<typeof tablesOf>, 'files' | 'folders'> {
  tree: FolderWalks
}

/** Maximum hits of one read, more than a page has: those in folders outside the tree are left out. */
const MAX_HITS = 250
/** Maximum hits of all ranks that are put in order here. */
const FEW = 3000
/** Hits that a period has about, more than a read returns. */
const PART = 500
/** Maximum periods of a read. */
const MAX_PERIODS = 10
/** Maximum folders to search in that are named one by one: indexes find their files. */
const FEW_FOLDERS = 1000
const BUSY = 'Too many searches are running, try again soon'
/** Slots of searches, which may read very many names. They leave connections to all other requests. */
export const createSearchSlots = () => new Slots({ count: 2, maxWaiting: 128, maxWaitMs: 5000, busy: BUSY })
/** Time that a query of a search may take, in milliseconds, so that the server ends it before the connection is closed. */
const MAX_MS = 4000
/** Maximum reads of the rows of one page. */
const MAX_READS = 10
/**
 * Settings of a search. A plan for any text would not know how many names have it. To compile a query, or to start other
 * processes for it, takes longer than most searches.
 */
const SETTINGS = `SELECT ${Object.entries({
  plan_cache_mode: 'force_custom_plan',
  jit: 'off',
  max_parallel_workers_per_gather: '0',
  statement_timeout: `${MAX_MS}`,
}).map(([name, value]) => `set_config('${name}', '${value}', true)`)}`

/** Indexes and folders that every read uses. */
type Known = Pick<NameQueriesOptions, 'indexes' | 'fewFolders'>
type Run = (query: Query) => Promise<unknown[][]>
/** Times of the names of a rank in a sample, and of the newest of all names. */
interface Sampled {
  times: readonly number[]
  newest: number
}
type Name = Position & { tie: string }
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
  const known = {
    indexes: await searchIndexes(connection),
    fewFolders: await fewFoldersBelow(connection, search.folderId),
  }
  const { limit } = search
  const found: FoundHit[] = []
  let { from } = search
  for (let reads = 1; ; reads += 1) {
    const { hits, end } = await findHits(connection, known, { ...search, from })
    assertConnected(leaving)
    found.push(...(await drive(connection, inTree(searched, hits, limit + 1 - found.length))))
    from = end
    if (found.length <= limit && from && reads < MAX_READS) continue
    const next = found.length > limit ? found[limit - 1]?.hit : from
    const page = { found: found.slice(0, limit).map(({ item }) => item) }
    return next ? { ...page, next: { rank: next.rank, createdAt: next.createdAt, tie: next.tie } } : page
  }
}

/** Returns the ids of a folder and of those below it, or `undefined` when they are many. */
async function fewFoldersBelow(connection: Connection, folderId: string | undefined) {
  if (folderId === undefined) return undefined
  const { text, values } = foldersBelow(folderId, FEW_FOLDERS)
  const { rows } = await connection.query(text, values)
  return rows.length > FEW_FOLDERS ? undefined : rows.map(([id]) => String(id))
}

/** Returns the best hits of a search after its position, in order, and the position of the next read if there is one. */
async function findHits(connection: Connection, known: Known, search: NameSearch) {
  const found: Hit[] = []
  const ends: Position[] = []
  for (const kind of ['file', 'folder'] as const) {
    if (!(kind === 'file' ? wantsFiles : wantsFolders)(search)) continue
    const part = await findNames(connection, search, new NameQueries({ search, kind, ...known }))
    for (const hit of part.names) found.push({ ...hit, kind })
    if (part.end) ends.push(part.end)
  }
  // A name after the end of a part may have others before it that were not read.
  const [end] = ends.sort(compare)
  const { from } = search
  const isKnown = (hit: Hit) => (!from || compare(hit, from) > 0) && (!end || compare(hit, end) <= 0)
  return { hits: found.filter(isKnown).sort(compare), end }
}

/**
 * Finds the best names of a search, of files or of folders. An index returns the names that have the text, but in no order.
 * Few of them are read whole. A sample divides the time of many into periods, and the newest ones are read.
 */
async function findNames(connection: Connection, search: NameSearch, queries: NameQueries) {
  const run: Run = async ({ text, values }) => (await connection.query(text, values)).rows
  const rankIn = (name: unknown) => (search.text === '' ? RANK.exact : rankOf(String(name), search.text))
  const names = new Map<string, Name>()
  const add = (rows: readonly unknown[][]) => {
    for (const [id, createdAt, name] of rows) {
      const rank = rankIn(name)
      if (rank !== undefined) names.set(String(id), { tie: String(id), createdAt: Number(createdAt), rank })
    }
  }
  const sample = await run(queries.sample())
  if (
    sample.length * queries.namesPerSampled <= FEW &&
    queries.ranks.every((rank) => queries.hasIndex(rank))
  ) {
    const rows = await run(queries.everything(FEW))
    if (rows.length <= FEW) {
      add(rows)
      return { names: names.values() }
    }
  }
  const newest = Number(sample[0]?.[2])
  for (const rank of queries.ranks) {
    const { from } = search
    if (from && from.rank > rank) continue
    // To find text inside of words, names with such words are read, too.
    const isRead = (name: unknown) => rank === RANK.inside || rankIn(name) === rank
    const times = sample.filter(([, name]) => isRead(name)).map(([createdAt]) => Number(createdAt))
    const sampled = { times, newest }
    const { rows, end } = await readRank(
      { run, queries, sampled },
      rank,
      from?.rank === rank ? from : undefined,
    )
    add(rows)
    if (end) return { names: names.values(), end }
  }
  return { names: names.values() }
}

/**
 * Reads the newest names of a rank after a position. Names of better ranks may be among them. Returns the position of what
 * it has not read.
 */
async function readRank(
  { run, queries, sampled }: { run: Run; queries: NameQueries; sampled: Sampled },
  rank: Rank,
  from: Position | undefined,
): Promise<{ rows: unknown[][]; end?: Position | undefined }> {
  if (!queries.hasIndex(rank)) {
    const near = await run(queries.near(rank, { from, count: MAX_HITS }))
    const isEnough = near.length === MAX_HITS || queries.areAllNear(rank)
    const rows = isEnough ? near : await run(queries.part(rank, { from, count: MAX_HITS }))
    return { rows, end: endOf(rows, rank) }
  }
  const rows: unknown[][] = []
  const last = from?.createdAt ?? endOfSpan(sampled.newest)
  let reads = 0
  for (const period of periodsOf(sampled.times, Math.ceil(PART / queries.namesPerSampled), last)) {
    const count = MAX_HITS - rows.length
    rows.push(...(await run(queries.part(rank, { from, count, period }))))
    const end = endOf(rows, rank)
    if (end) return { rows, end }
    reads += 1
    if (reads === MAX_PERIODS && period) return { rows, end: { rank, createdAt: period.first, tie: '' } }
  }
  return { rows }
}

/** Returns the position of the last row when there may be more. */
function endOf(rows: readonly unknown[][], rank: Rank): Position | undefined {
  const [id, createdAt] = rows[MAX_HITS - 1] ?? []
  return id === undefined ? undefined : { rank, createdAt: Number(createdAt), tie: String(id) }
}

function compare(one: Position, other: Position): number {
  const byTime = one.rank - other.rank || other.createdAt - one.createdAt
  return byTime || (one.tie > other.tie ? -1 : Number(one.tie < other.tie))
}

/** Returns the rows of hits with their keys, without those of folders outside the tree. It stops after `count`. */
function* inTree(
  { files, folders, tree }: SearchedRows,
  hits: readonly Hit[],
  count: number,
): Work<FoundHit[]> {
  const found: FoundHit[] = []
  for (let at = 0; at < hits.length && found.length < count; ) {
    const some = hits.slice(at, at + count - found.length)
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
