import { refuseForNow } from '../../platform/errors.ts'
import { breaksWords, RANK, type Rank, rankOf } from '../../platform/fold.ts'
import { CODE_NAMES, KINDS, type Kind, MEDIA_PATTERNS } from '../../platform/kinds.ts'
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
import { hasSpellings, IS_SPELLED } from './search-indexes.ts'

type Tables = Pick<ReturnType<typeof tablesOf>, 'files' | 'folders'>

/** Maximum names of a part of a query, which are put in order: the newest ones. */
const MAX_HITS = 250
/** Newest names that are read for a text that the index does not find inside of names. */
const MAX_SCANNED = 10_000
const BUSY = 'Too many searches are running, try again soon'
/** Slots of searches, which may read very many names. They leave connections to all other requests. */
export const createSearchSlots = () => new Slots({ count: 2, maxWaiting: 128, maxWaitMs: 5000, busy: BUSY })
/** Time that a query of a search may take, in milliseconds, so that the server ends it before the connection is closed. */
const MAX_MS = 4000
/** Hits whose rows are read at a time. */
const SLICE = 100
/** Maximum reads of the rows of one page. */
const MAX_READS = 10
/** Three letters or digits, which the index of trigrams finds anywhere in a name. */
const TRIGRAM = /[\p{L}\p{N}]{3}/u
const IS_ASCII = /^[\0-\x7f]*$/
/**
 * Characters before a word, as in `rankOf`: ASCII except letters and digits. The index of trigrams cannot use a class of
 * all other characters, `[^...]`: it would read every name that has the text.
 */
const WORD_START = '[\\u0001-\\u002f\\u003a-\\u0040\\u005b-\\u0060\\u007b-\\u007f]'

type Hit = Position & { kind: Found['kind']; tie: string }
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
  // A plan for any text would not know how many names have it.
  await connection.query("SET LOCAL plan_cache_mode = 'force_custom_plan'")
  await connection.query(`SET LOCAL statement_timeout = ${MAX_MS}`)
  const { limit } = search
  const found: FoundHit[] = []
  let { from } = search
  for (let reads = 1; ; reads += 1) {
    const { hits, end } = await findHits(connection, { ...search, from })
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
async function findHits(connection: Connection, search: NameSearch) {
  const isSpelled = !IS_ASCII.test(search.text) && (await hasSpellings(connection))
  const hits = new Map<string, Hit>()
  const ends: Position[] = []
  for (const kind of ['file', 'folder'] as const) {
    if (!(kind === 'file' ? wantsFiles : wantsFolders)(search)) continue
    const { text, values, ranks } = queryOf(search, kind, isSpelled)
    const { rows } = await connection.query(text, values).catch(refuseLate)
    for (const [part, rank] of ranks.entries()) {
      const own = rows
        .filter((row) => Number(row[0]) === part)
        .map(([, id, createdAt, name]) => ({
          tie: String(id),
          createdAt: Number(createdAt),
          name: String(name),
        }))
      for (const { tie, createdAt, name } of own) {
        const place = search.text === '' ? RANK.exact : rankOf(name, search.text)
        if (place !== undefined) hits.set(tie, { kind, tie, createdAt, rank: place })
      }
      const positions = own.map(({ tie, createdAt }) => ({ rank, tie, createdAt })).sort(compare)
      const end = positions[MAX_HITS - 1]
      if (end) ends.push(end)
    }
  }
  // A name after the end of a full part may have others before it that were not read.
  const [end] = ends.sort(compare)
  const { from } = search
  const known = (hit: Hit) => (!from || compare(hit, from) > 0) && (!end || compare(hit, end) <= 0)
  return { hits: [...hits.values()].filter(known).sort(compare), end }
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

/**
 * Returns the query of the newest names of each rank after the position of a search.
 *
 * @param isSpelled True to find words by the spelling of names. Others may have it, too.
 */
function queryOf(search: NameSearch, kind: Found['kind'], isSpelled: boolean) {
  const { text, from } = search
  const table = kind === 'file' ? 'files' : 'folders'
  const { conditions, values, within } = conditionsOf(search, kind)
  /** Ranks of the parts of the query, each of which may find names of better ranks, too. */
  const ranks: Rank[] = []
  const newest = (rank: Rank, condition: string, source = table) => {
    // Hits beyond a full part are those of a later page.
    const before = ranks.map((_, part) => `(SELECT count(*) FROM part${part}) < ${MAX_HITS}`)
    const part = ranks.push(rank) - 1
    return `part${part} AS MATERIALIZED (SELECT ${part} AS part, id, created_at, folded(name) AS name FROM ${source}
      WHERE ${[condition, ...conditions, ...before].join(' AND ')} ORDER BY created_at DESC, id DESC LIMIT ${MAX_HITS})`
  }
  const queryFor = (parts: readonly string[]) => {
    const all = ranks.map((_, part) => `SELECT * FROM part${part}`)
    const text = `SELECT * FROM (WITH ${parts.join(', ')} ${all.join(' UNION ALL ')}) AS hits`
    return { text, values, ranks }
  }
  const rest = from
    ? `(created_at, id) < ($${values.push(from.createdAt)}::bigint, $${values.push(String(from.tie))}::text)`
    : 'true'
  if (text === '') return queryFor([newest(RANK.exact, rest)])
  /** Returns the query of names of a rank; none when the position is behind them. */
  const part = (rank: Rank, condition: () => string, source = table) => {
    if (from && from.rank > rank) return []
    return [newest(rank, from?.rank === rank ? `${condition()} AND ${rest}` : condition(), source)]
  }
  const matches = (operator: string, pattern: string) => {
    const value = `$${values.push(pattern)}::text`
    return isSpelled && TRIGRAM.test(text)
      ? `${IS_SPELLED} AND spelled(folded(name)) ${operator} spelled(${value})`
      : `folded(name) ${operator} ${value}`
  }
  const escaped = text.replace(/[\\%_]/g, '\\$&')
  const isAnywhere = () => matches('LIKE', `%${escaped}%`)
  const word = `${WORD_START}${text.replace(/[\\^$.|?*+()[\]{}]/g, '\\$&')}`
  const some = `(SELECT * FROM ${table} WHERE ${within} ORDER BY created_at DESC LIMIT ${MAX_SCANNED}) AS ${table}`
  const source = TRIGRAM.test(text) ? table : some
  return queryFor([
    ...part(RANK.exact, () => `folded(name) = $${values.push(text)}::text`),
    ...part(RANK.prefix, () => `folded(name) LIKE $${values.push(`${escaped}%`)}::text`),
    ...part(RANK.word, breaksWords(text) ? isAnywhere : () => matches('~', word), source),
    ...(breaksWords(text) ? [] : part(RANK.inside, isAnywhere, source)),
  ])
}

/** Returns the condition that a folder is the one of a parameter, or below it. */
const inOrBelow = (parameter: number) => `IN (
  WITH RECURSIVE below(id) AS (
    SELECT id FROM folders WHERE id = $${parameter}::text
    UNION SELECT folders.id FROM folders JOIN below ON folders.parent_id = below.id
  ) SELECT id FROM below)`

/** Returns the conditions of a search beside its text, with their values; `within` is the one for its folder. */
function conditionsOf(search: NameSearch, kind: Found['kind']) {
  const values: (string | number)[] = []
  const conditions: string[] = []
  const add = (column: string, value: string | number | undefined, type: string) => {
    if (value !== undefined) conditions.push(`${column} $${values.push(value)}::${type}`)
  }
  const folder = search.folderId === undefined ? undefined : values.push(search.folderId)
  const within =
    folder === undefined ? 'true' : `${kind === 'file' ? 'folder_id' : 'parent_id'} ${inOrBelow(folder)}`
  conditions.push(within)
  add('created_at >=', search.after, 'bigint')
  add('created_at <', search.before, 'bigint')
  if (kind === 'folder') {
    conditions.push('parent_id IS NOT NULL', 'parent_id <> id')
    return { conditions, values, within }
  }
  add('visibility =', search.visibility, 'text')
  add('uploaded_by =', search.uploader, 'text')
  add('size >=', search.minSize, 'bigint')
  add('size <=', search.maxSize, 'bigint')
  const wanted = KINDS.find((kind) => kind === search.kind)
  if (wanted !== undefined) conditions.push(ofKind(wanted, values))
  return { conditions, values, within }
}

/** Returns the condition that a file is of a kind, as `kindOf` has it: the first pattern that matches decides. */
function ofKind(wanted: Kind, values: (string | number)[]): string {
  const value = (text: string) => `$${values.push(text)}::text`
  const cases = [
    // By the rules of "C" only letters of ASCII have a case, as in JavaScript.
    `WHEN name COLLATE "C" ~* ${value(CODE_NAMES)} THEN ${value('code')}`,
    ...MEDIA_PATTERNS.map(([kind, pattern]) => `WHEN mime_type ~ ${value(pattern)} THEN ${value(kind)}`),
  ]
  return `CASE ${cases.join(' ')} ELSE ${value('other')} END = ${value(wanted)}`
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
