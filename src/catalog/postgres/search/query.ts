import { breaksWords, RANK, type Rank } from '../../../platform/fold.ts'
import { KINDS } from '../../../platform/kinds.ts'
import type { Found, NameSearch, Position } from '../../tree/search.ts'
import { FACETS, IS_SPELLED, KIND, type SearchIndexes } from './indexes.ts'
import { type Period, SPANS, spansOf } from './spans.ts'

/** Number of blocks that a sample reads, spread over the table. */
const SAMPLED_BLOCKS = 600
/** A sample takes one name in so many of a block, because names of one block are alike. */
const SAMPLED_PART = 8
/** Newest names that are read in order before all names are, without an index. */
const FAR = 50_000
/** Newest names that are read for a text that the index does not find inside of names. */
const MAX_SCANNED = 10_000
/** Three letters or digits, which the index of trigrams finds anywhere in a name. */
const TRIGRAM = /[\p{L}\p{N}]{3}/u
const SIGN = /[^\p{L}\p{N}]/gu
const IS_ASCII = /^[\0-\x7f]*$/
/**
 * Characters before a word, as in `rankOf`: ASCII except letters and digits. The index of trigrams cannot use a class of
 * all other characters, `[^...]`: it would read every name that has the text.
 */
const WORD_START = '[\\u0001-\\u002f\\u003a-\\u0040\\u005b-\\u0060\\u007b-\\u007f]'
/** Returns the clause of the newest rows, and of all others of the last one's time. */
const newest = (count: number) => `ORDER BY created_at DESC FETCH FIRST ${count} ROWS WITH TIES`
const HIT = 'id, created_at, folded(name) AS name'

export interface Query {
  text: string
  values: (string | number)[]
}

/** Part of the names of a rank: the newest `count` from the time of `from` on, of a period if there is one. */
export interface Part {
  from: Position | undefined
  count: number
  period?: Period | undefined
}

/** Adds a value to a query, and returns its parameter. */
type Bind = (value: string | number, type: 'bigint' | 'bigint[]' | 'text' | 'text[]') => string
/** Condition of SQL. */
type Condition = (bind: Bind) => string

const and = (conditions: readonly Condition[], bind: Bind) =>
  ['true', ...conditions.map((condition) => condition(bind))].join(' AND ')

function queryOf(write: (bind: Bind) => string): Query {
  const values: Query['values'] = []
  const text = write((value, type) => `$${values.push(value)}::${type}`)
  return { text, values }
}

export interface NameQueriesOptions {
  search: NameSearch
  kind: Found['kind']
  indexes: SearchIndexes
  /** Ids of the folders to search in, unless they are many. */
  fewFolders: readonly string[] | undefined
}

/** Writes the queries of a search for the names of files, or of folders. */
export class NameQueries {
  readonly #kind: Found['kind']
  readonly #search: NameSearch
  readonly #isSpelled: boolean
  readonly #hasTrigrams: boolean
  readonly #blocks: number
  readonly #fewFolders: readonly string[] | undefined

  constructor({ search, kind, indexes, fewFolders }: NameQueriesOptions) {
    const { hasTrigrams, hasSpellings, blocks } = indexes
    this.#search = search
    this.#kind = kind
    this.#hasTrigrams = hasTrigrams
    this.#blocks = blocks[kind]
    this.#fewFolders = fewFolders
    this.#isSpelled = hasSpellings && !IS_ASCII.test(search.text) && TRIGRAM.test(search.text)
  }

  /** Ranks that names can have, the best one first. */
  get ranks(): readonly Rank[] {
    const { text } = this.#search
    if (text === '') return [RANK.exact]
    const ranks = [RANK.exact, RANK.prefix, RANK.word]
    return breaksWords(text) ? ranks : [...ranks, RANK.inside]
  }

  /** Returns true when an index finds the names of a rank. */
  hasIndex(rank: Rank): boolean {
    return this.isBeginning(rank) || this.hasPeriods(rank)
  }

  /** Returns true when a rank is at the beginning of names, which has an index of its own. */
  isBeginning(rank: Rank): boolean {
    return this.#search.text !== '' && rank <= RANK.prefix
  }

  /** Returns true when an index finds the names of a rank in a period. */
  hasPeriods(rank: Rank): boolean {
    return this.#hasTrigrams && !this.areAllNear(rank)
  }

  /** Returns true when only the newest names are looked at, because no index finds so short a text inside of names. */
  areAllNear(rank: Rank): boolean {
    return rank > RANK.prefix && !TRIGRAM.test(this.#search.text)
  }

  /** Number of names in the table for each one in a sample. */
  get namesPerSampled(): number {
    return (SAMPLED_PART * 100) / this.#sampledPercent
  }

  /**
   * Reads the times and names in a sample that an index of trigrams would return for the text, with the time of the newest of
   * all names. `OFFSET` has the names of a block chosen before anything else is evaluated.
   */
  sample(): Query {
    return queryOf(
      (bind) => `SELECT created_at, folded(name), (SELECT max(created_at) FROM ${this.#table})
        FROM (SELECT * FROM ${this.#table} TABLESAMPLE SYSTEM (${this.#sampledPercent}) REPEATABLE (1)
          WHERE hashtext(id) % ${SAMPLED_PART} = 0 OFFSET 0) AS ${this.#table}
        WHERE ${and([...this.#times, ...this.#filters, this.#withSameTrigrams], bind)}`,
    )
  }

  /** Reads all names that have the text; of more than `max`, any `max + 1`. */
  everything(max: number): Query {
    const conditions = [...this.#times, ...this.#indexedFilters, this.#anywhere]
    return queryOf((bind) => this.#fromFound(conditions, bind, `LIMIT ${max + 1}`))
  }

  /** Reads the newest names of a rank after a position among the newest names of all. */
  near(rank: Rank, { from, count }: Part): Query {
    const [width, inside, outside] = this.areAllNear(rank)
      ? [MAX_SCANNED, this.#within, [...this.#times, ...after(from)]]
      : [FAR, [...this.#times, ...after(from)], []]
    return queryOf(
      (bind) => `SELECT ${HIT} FROM
        (SELECT * FROM ${this.#table} WHERE ${and(inside, bind)} ${newest(width)}) AS ${this.#table}
        WHERE ${and([...outside, ...this.#filters, this.#ofRank(rank)], bind)} ${newest(count)}`,
    )
  }

  /** Reads the newest names of a part, by an index if there is one. */
  part(rank: Rank, { from, count, period }: Part): Query {
    const times = period ? this.#during(period) : this.#times
    const conditions = [...times, ...this.#indexedFilters, ...after(from), this.#ofRank(rank)]
    return queryOf((bind) => {
      const isBetter = () => `name LIKE ${bind(this.#prefix, 'text')} OR ${this.#isWord('name')(bind)}`
      const wanted = rank === RANK.inside ? `NOT (${isBetter()})` : 'true'
      return this.#fromFound(conditions, bind, `WHERE ${wanted} ${newest(count)}`)
    })
  }

  get #sampledPercent() {
    return Math.min(100, (100 * SAMPLED_BLOCKS) / this.#blocks)
  }

  get #table() {
    return this.#kind === 'file' ? 'files' : 'folders'
  }

  /** Writes a query of the names with conditions. Its plan is one for all of them, whatever the limit in `rest` is. */
  #fromFound(conditions: readonly Condition[], bind: Bind, rest: string): string {
    return `SELECT * FROM (
      WITH found AS MATERIALIZED (SELECT ${HIT} FROM ${this.#table} WHERE ${and(conditions, bind)})
      SELECT * FROM found ${rest}) AS found`
  }

  /** Returns the condition of names of a rank, and of some better ranks. */
  #ofRank(rank: Rank): Condition {
    const { text } = this.#search
    if (text === '') return () => 'true'
    if (rank === RANK.exact) return (bind) => `folded(name) = ${bind(text, 'text')}`
    if (rank === RANK.prefix) return (bind) => `folded(name) LIKE ${bind(this.#prefix, 'text')}`
    if (rank === RANK.inside || breaksWords(text)) return this.#anywhere
    // Most names that the pattern would read more slowly do not even have the text.
    return (bind) => and([this.#anywhere, this.#isWord('folded(name)')], bind)
  }

  /** Returns the condition of names with a word that begins with the text. */
  #isWord(name: string): Condition {
    return this.#matches(
      '~',
      `${WORD_START}${this.#search.text.replace(/[\\^$.|?*+()[\]{}]/g, '\\$&')}`,
      name,
    )
  }

  get #anywhere(): Condition {
    const { text } = this.#search
    return text === '' ? () => 'true' : this.#matches('LIKE', `%${escapedLike(text)}%`)
  }

  /** Condition of names whose trigrams are those of the text: all signs are alike to them. */
  get #withSameTrigrams(): Condition {
    const { text } = this.#search
    return TRIGRAM.test(text) ? this.#matches('LIKE', `%${text.replace(SIGN, '_')}%`) : this.#anywhere
  }

  get #prefix() {
    return `${escapedLike(this.#search.text)}%`
  }

  #matches(operator: string, pattern: string, name = 'folded(name)'): Condition {
    if (!this.#isSpelled) return (bind) => `${name} ${operator} ${bind(pattern, 'text')}`
    return (bind) => `${IS_SPELLED} AND spelled(${name}) ${operator} spelled(${bind(pattern, 'text')})`
  }

  get #times(): Condition[] {
    return [
      ...compared('created_at >=', this.#search.after, 'bigint'),
      ...compared('created_at <', this.#search.before, 'bigint'),
    ]
  }

  /**
   * Returns the conditions of what was created in a period. `created_at + 0` keeps the index of times from use: to combine
   * both indexes takes longer.
   */
  #during({ first, last }: Period): Condition[] {
    const from = Math.max(first, this.#search.after ?? first)
    const to = Math.min(last, (this.#search.before ?? last + 1) - 1)
    return [
      (bind) => `${SPANS} && ${bind(`{${spansOf(from, to)}}`, 'bigint[]')}`,
      ...compared('created_at + 0 >=', from, 'bigint'),
      ...compared('created_at + 0 <=', to, 'bigint'),
    ]
  }

  /** Conditions that need no index, the cheapest first. */
  get #filters(): Condition[] {
    const { visibility, uploader, kind } = this.#search
    const wanted = KINDS.find((known) => known === kind)
    return [
      ...this.#plainFilters,
      ...compared('visibility =', visibility, 'text'),
      ...compared('uploaded_by =', uploader, 'text'),
      ...compared(`${KIND} =`, wanted, 'text'),
    ]
  }

  /** The same conditions for an index. */
  get #indexedFilters(): Condition[] {
    if (this.#kind === 'folder' || !this.#hasTrigrams) return this.#filters
    const { visibility, uploader, kind } = this.#search
    const facets = [
      ...(KINDS.some((known) => known === kind) ? [`kind:${kind}`] : []),
      ...(visibility === undefined ? [] : [`visibility:${visibility}`]),
      ...(uploader === undefined ? [] : [`uploader:${uploader}`]),
    ]
    if (facets.length === 0) return this.#plainFilters
    return [
      ...this.#plainFilters,
      (bind) => `${FACETS} @> ARRAY[${facets.map((facet) => bind(facet, 'text'))}]`,
    ]
  }

  get #plainFilters(): Condition[] {
    const { minSize, maxSize } = this.#search
    if (this.#kind === 'folder') return [...this.#within, () => 'parent_id IS NOT NULL AND parent_id <> id']
    return [
      ...this.#within,
      ...compared('size >=', minSize, 'bigint'),
      ...compared('size <=', maxSize, 'bigint'),
    ]
  }

  /** Condition of what is in the folders of the search, or below them. */
  get #within(): Condition[] {
    const { folderIds, withThem } = this.#search
    if (folderIds === undefined) return []
    const column = this.#kind === 'file' ? 'folder_id' : withThem ? 'id' : 'parent_id'
    const few = this.#fewFolders
    if (few) return [(bind) => `${column} = ANY(${bindIds(bind, few)})`]
    // `IS TRUE` prevents a join, which would find the folders again for each name. `DISTINCT` has PostgreSQL expect few
    // enough to hash.
    const ids = (bind: Bind) =>
      `SELECT DISTINCT id FROM (${idsBelow(bindIds(bind, folderIds))}) AS folders_below`
    return [(bind) => `(${column} IN (${ids(bind)})) IS TRUE`]
  }
}

const bindIds = (bind: Bind, ids: readonly string[]) => bind(`{${ids}}`, 'text[]')

/** Returns a query of the ids of some folders and of those below them, each once. */
const idsBelow = (ids: string) => `WITH RECURSIVE below(id) AS (
    SELECT id FROM folders WHERE id = ANY(${ids})
    UNION SELECT folders.id FROM folders JOIN below ON folders.parent_id = below.id
  ) SELECT id FROM below`

/** Reads the ids of some folders and of those below them; of more than `max`, any `max + 1`. */
export const foldersBelow = (folderIds: readonly string[], max: number): Query =>
  queryOf((bind) => `${idsBelow(bindIds(bind, folderIds))} LIMIT ${max + 1}`)

const escapedLike = (text: string) => text.replace(/[\\%_]/g, '\\$&')

/** Returns a condition, or none without a value. */
function compared(column: string, value: string | number | undefined, type: 'bigint' | 'text'): Condition[] {
  return value === undefined ? [] : [(bind) => `${column} ${bind(value, type)}`]
}

/** Returns the condition of the times of what comes after a position of the same rank. */
const after = (from: Position | undefined): Condition[] =>
  compared(`created_at ${from?.name === undefined ? '<' : '<='}`, from?.createdAt, 'bigint')
