import { refuseForNow } from '../../platform/errors.ts'
import { RANK, rankOf } from '../../platform/fold.ts'
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
import { type SearchIndexes, searchIndexes } from './search-indexes.ts'
import { NameQueries, type Query } from './search-query.ts'

type Tables = Pick<ReturnType<typeof tablesOf>, 'files' | 'folders'>

/** Maximum hits of one read, more than a page has: those in folders outside the tree are left out. */
const MAX_HITS = 250
/** Hits of a sample from which on there are too many in all to read each. */
const MANY_SAMPLED = 40
/** Maximum hits of all ranks that are put in order here. */
const FEW = 3000
/** Maximum hits of one rank that the index of trigrams returns before the newest names are looked at. */
const MAX_COUNTED = 15_000
const BUSY = 'Too many searches are running, try again soon'
/** Slots of searches, which may read very many names. They leave connections to all other requests. */
export const createSearchSlots = () => new Slots({ count: 2, maxWaiting: 128, maxWaitMs: 5000, busy: BUSY })
/** Time that a query of a search may take, in milliseconds, so that the server ends it before the connection is closed. */
const MAX_MS = 4000
/** Hits whose rows are read at a time. */
const SLICE = 100
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

type Name = Position & { tie: string }
type Hit = Name & { kind: Found['kind'] }
interface FoundHit {
  hit: Hit
  item: Found
}

/**
 * Returns one page of results. Rows of folders outside the tree are left out, so it may take several reads; after
 * `MAX_READS` the page may be short, and the next one goes on.
 */
export async function findPage(
  connection: Connection,
  tables: Tables,
  { search, leaving }: { search: NameSearch; leaving: AbortSignal },
): Promise<FoundPage> {
  await connection.query(SETTINGS)
  const indexes = await searchIndexes(connection)
  const { limit } = search
  const found: FoundHit[] = []
  let { from } = search
  for (let reads = 1; ; reads += 1) {
    const { hits, end } = await findHits(connection, indexes, { ...search, from })
    assertConnected(leaving)
    found.push(...(await drive(connection, inTree(tables, hits, limit + 1 - found.length))))
    from = end
    if (found.length <= limit && from && reads < MAX_READS) continue
    const next = found.length > limit ? found[limit - 1]?.hit : from
    const page = { found: found.slice(0, limit).map(({ item }) => item) }
    return next ? { ...page, next: { rank: next.rank, createdAt: next.createdAt, tie: next.tie } } : page
  }
}

/** Returns the best hits of a search after its position, in order, and the position of the next read if there is one. */
async function findHits(connection: Connection, indexes: SearchIndexes, search: NameSearch) {
  const found: Hit[] = []
  const ends: Position[] = []
  for (const kind of ['file', 'folder'] as const) {
    if (!(kind === 'file' ? wantsFiles : wantsFolders)(search)) continue
    const part = await findNames(connection, search, new NameQueries(search, kind, indexes))
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
 * Finds the best names of a search, of files or of folders. The index of trigrams returns all names that have a text, in no
 * order; the index of times all names in order. So few names are read by the former, and the newest of many by the latter.
 */
async function findNames(connection: Connection, search: NameSearch, queries: NameQueries) {
  const run = async ({ text, values }: Query) => (await connection.query(text, values).catch(refuseLate)).rows
  const rankIn = (name: unknown) => (search.text === '' ? RANK.exact : rankOf(String(name), search.text))
  const names = new Map<string, Name>()
  const add = (rows: readonly unknown[][]) => {
    for (const [id, createdAt, name] of rows) {
      const rank = rankIn(name)
      if (rank !== undefined) names.set(String(id), { tie: String(id), createdAt: Number(createdAt), rank })
    }
  }
  const sample = (await run(queries.sample())).map(([name]) => rankIn(name))
  if (sample.length < MANY_SAMPLED && queries.ranks.every((rank) => queries.hasIndex(rank))) {
    const rows = await run(queries.everything(FEW))
    if (rows.length <= FEW) {
      add(rows)
      return { names: names.values() }
    }
  }
  for (const rank of queries.ranks) {
    const { from } = search
    if (from && from.rank > rank) continue
    const after = { from: from?.rank === rank ? from : undefined, count: MAX_HITS }
    const isCommon = sample.filter((sampled) => sampled === rank).length >= MANY_SAMPLED
    const read = async () => {
      if (queries.hasIndex(rank) && !isCommon) {
        const rows = await run(queries.few(rank, { ...after, max: MAX_COUNTED }))
        if (Number(rows[0]?.[3] ?? 0) <= MAX_COUNTED) return rows
      }
      const near = await run(queries.near(rank, after))
      return near.length === MAX_HITS || queries.areAllNear(rank) ? near : await run(queries.all(rank, after))
    }
    const rows = await read()
    add(rows)
    const [id, createdAt] = rows[MAX_HITS - 1] ?? []
    if (id !== undefined)
      return { names: names.values(), end: { rank, createdAt: Number(createdAt), tie: String(id) } }
  }
  return { names: names.values() }
}

/** Refuses a search that took too long. */
function refuseLate(error: unknown): never {
  if (error instanceof PostgresFailure && error.code === '57014') throw refuseForNow(BUSY, error)
  throw error
}

function compare(one: Position, other: Position): number {
  const byTime = one.rank - other.rank || other.createdAt - one.createdAt
  return byTime || (one.tie > other.tie ? -1 : Number(one.tie < other.tie))
}

/** Returns the rows of hits with their keys, without those of folders outside the tree. It stops after `count`. */
function* inTree({ files, folders }: Tables, hits: readonly Hit[], count: number): Work<FoundHit[]> {
  const found: FoundHit[] = []
  const keys = new Map<string, string | undefined>()
  const keyOf = function* (id: string): Work<string | undefined> {
    if (!keys.has(id)) keys.set(id, yield* folders.keyOf(id))
    return keys.get(id)
  }
  for (let at = 0; at < hits.length && found.length < count; at += SLICE) {
    const some = hits.slice(at, at + SLICE)
    const idsOf = (kind: Found['kind']) => some.filter((hit) => hit.kind === kind).map(({ tie }) => tie)
    const fileRows = new Map<string, FileRow>()
    for (const row of yield* files.byIds(idsOf('file'))) fileRows.set(row.id, row)
    const folderRows = new Map<string, FolderRow>()
    for (const row of yield* folders.byIds(idsOf('folder'))) folderRows.set(row.id, row)
    for (const hit of some) {
      const file = fileRows.get(hit.tie)
      const folder = folderRows.get(hit.tie)
      const key = yield* keyOf(file?.folderId ?? hit.tie)
      if (key === undefined) continue
      if (file) found.push({ item: { kind: 'file', row: file, key: joinKey(key, file.name) }, hit })
      else if (folder) found.push({ item: { kind: 'folder', row: folder, key }, hit })
    }
  }
  return found
}
