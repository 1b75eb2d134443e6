import { breaksWords, RANK, type Rank } from '../../platform/fold.ts'
import { KINDS, type Kind, MEDIA_PATTERNS } from '../../platform/kinds.ts'
import type { Found, NameSearch, Position } from '../search/search.ts'
import { FACETS, IS_SPELLED, KIND, type SearchIndexes } from './search-indexes.ts'

/** Newest names that a sample looks at. */
const SAMPLED = 2000
/** Maximum hits of a sample. */
const MAX_SAMPLE = 400
/** Newest names that are read in order. */
const FAR = 50_000
/** Newest names that are read for a text that the index does not find inside of names. */
const MAX_SCANNED = 10_000
/** Three letters or digits, which the index of trigrams finds anywhere in a name. */
const TRIGRAM = /[\p{L}\p{N}]{3}/u
const IS_ASCII = /^[\0-\x7f]*$/
/**
 * Characters before a word, as in `rankOf`: ASCII except letters and digits. The index of trigrams cannot use a class of
 * all other characters, `[^...]`: it would read every name that has the text.
 */
const WORD_START = '[\\u0001-\\u002f\\u003a-\\u0040\\u005b-\\u0060\\u007b-\\u007f]'
const NEWEST = 'ORDER BY created_at DESC, id DESC'
const HIT = 'id, created_at, folded(name) AS name'

export interface Query {
  text: string
  values: (string | number)[]
}

/** Part of the names of a rank: at most `count` after the position `from`. */
export interface Part {
  from: Position | undefined
  count: number
}

/** Adds a value to a query, and returns its parameter. */
type Bind = (value: string | number, type: 'bigint' | 'text') => string
/** Condition of SQL. */
type Condition = (bind: Bind) => string

const and = (conditions: readonly Condition[], bind: Bind) =>
  ['true', ...conditions.map((condition) => condition(bind))].join(' AND ')

function queryOf(write: (bind: Bind) => string): Query {
  const values: Query['values'] = []
  const text = write((value, type) => `$${values.push(value)}::${type}`)
  return { text, values }
}

/** Writes the queries of a search for the names of files, or of folders. */
export class NameQueries {
  readonly #kind: Found['kind']
  readonly #search: NameSearch
  readonly #isSpelled: boolean
  readonly #hasTrigrams: boolean

  constructor(search: NameSearch, kind: Found['kind'], { hasTrigrams, hasSpellings }: SearchIndexes) {
    this.#search = search
    this.#kind = kind
    this.#hasTrigrams = hasTrigrams
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
    const isBeginning = this.#search.text !== '' && rank <= RANK.prefix
    return isBeginning || (this.#hasTrigrams && !this.areAllNear(rank))
  }

  /** Returns true when only the newest names are looked at, because no index finds so short a text inside of names. */
  areAllNear(rank: Rank): boolean {
    return rank > RANK.prefix && !TRIGRAM.test(this.#search.text)
  }

  /** Reads the names that have the text among the newest ones. */
  sample(): Query {
    return queryOf(
      (bind) => `SELECT folded(name) FROM
        (SELECT * FROM ${this.#table} WHERE ${and(this.#times, bind)} ${NEWEST} LIMIT ${SAMPLED}) AS ${this.#table}
        WHERE ${and([...this.#filters, this.#anywhere], bind)} LIMIT ${MAX_SAMPLE}`,
    )
  }

  /** Reads all names that have the text; of more than `max`, any `max + 1`. */
  everything(max: number): Query {
    return queryOf((bind) => this.#fromFound(this.#anywhere, bind, { rest: `LIMIT ${max + 1}` }))
  }

  /**
   * Reads the newest names of a rank after a position, with their number; of more than `max`, any of them, with a number
   * beyond `max`. Names of better ranks may be among them.
   */
  few(rank: Rank, { from, count, max }: Part & { max: number }): Query {
    const isInside = rank === RANK.inside
    return queryOf((bind) => {
      // The pattern of words is read slowly, so it is not used for too many.
      const wanted = isInside ? `total > ${max} OR NOT (${this.#isWord('name')(bind)})` : 'true'
      return `SELECT * FROM (
        WITH counted AS MATERIALIZED (${this.#fromFound(this.#ofRank(rank), bind, { from, rest: `LIMIT ${max + 1}` })})
        SELECT * FROM counted, (SELECT count(*) AS total FROM counted) AS totals
        WHERE ${wanted} ${NEWEST} LIMIT ${count}) AS hits`
    })
  }

  /** Reads the newest names of a rank after a position among the newest names of all. */
  near(rank: Rank, { from, count }: Part): Query {
    const [width, inside, outside] = this.areAllNear(rank)
      ? [MAX_SCANNED, this.#within, [...this.#times, ...after(from)]]
      : [FAR, [...this.#times, ...after(from)], []]
    return queryOf(
      (bind) => `SELECT ${HIT} FROM
        (SELECT * FROM ${this.#table} WHERE ${and(inside, bind)} ${NEWEST} LIMIT ${width}) AS ${this.#table}
        WHERE ${and([...outside, ...this.#filters, this.#ofRank(rank)], bind)} ${NEWEST} LIMIT ${count}`,
    )
  }

  /** Reads the newest names of a rank after a position. Names of better ranks may be among them. */
  all(rank: Rank, { from, count }: Part): Query {
    return queryOf((bind) =>
      this.#fromFound(this.#ofRank(rank), bind, { from, rest: `${NEWEST} LIMIT ${count}` }),
    )
  }

  get #table() {
    return this.#kind === 'file' ? 'files' : 'folders'
  }

  /** Writes a query of all names with a condition after a position. Its plan is one for all, whatever its limit is. */
  #fromFound(
    condition: Condition,
    bind: Bind,
    { from, rest }: { from?: Position | undefined; rest: string },
  ): string {
    const conditions = [...this.#times, ...after(from), ...this.#indexedFilters, condition]
    return `SELECT * FROM (
      WITH found AS MATERIALIZED (SELECT ${HIT} FROM ${this.#table} WHERE ${and(conditions, bind)})
      SELECT * FROM found ${rest}) AS found`
  }

  /** Returns the condition of names of a rank, and of some better ranks. */
  #ofRank(rank: Rank): Condition {
    const { text } = this.#search
    if (text === '') return () => 'true'
    if (rank === RANK.exact) return (bind) => `folded(name) = ${bind(text, 'text')}`
    if (rank === RANK.prefix) return (bind) => `folded(name) LIKE ${bind(`${escapedLike(text)}%`, 'text')}`
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

  /** Conditions that need no index, the cheapest first. */
  get #filters(): Condition[] {
    const { visibility, uploader, kind } = this.#search
    const wanted = KINDS.find((known) => known === kind)
    return [
      ...this.#plainFilters,
      ...compared('visibility =', visibility, 'text'),
      ...compared('uploaded_by =', uploader, 'text'),
      ...(wanted ? [isOfKind(wanted)] : []),
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

  /** Condition of what is in the folder of the search, or below it. */
  get #within(): Condition[] {
    const { folderId } = this.#search
    if (folderId === undefined) return []
    return [
      (bind) => `${this.#kind === 'file' ? 'folder_id' : 'parent_id'} IN (
        WITH RECURSIVE below(id) AS (
          SELECT id FROM folders WHERE id = ${bind(folderId, 'text')}
          UNION SELECT folders.id FROM folders JOIN below ON folders.parent_id = below.id
        ) SELECT id FROM below)`,
    ]
  }
}

const escapedLike = (text: string) => text.replace(/[\\%_]/g, '\\$&')

/** Returns a condition, or none without a value. */
function compared(column: string, value: string | number | undefined, type: 'bigint' | 'text'): Condition[] {
  return value === undefined ? [] : [(bind) => `${column} ${bind(value, type)}`]
}

/** Returns the condition of what comes after a position of the same rank. */
function after(from: Position | undefined): Condition[] {
  if (!from) return []
  const { createdAt, tie } = from
  return [(bind) => `(created_at, id) < (${bind(createdAt, 'bigint')}, ${bind(String(tie), 'text')})`]
}

/** Returns the condition of files of a kind. The media type alone excludes most of the others, at less cost. */
function isOfKind(kind: Kind): Condition {
  const pattern = kind === 'code' ? undefined : MEDIA_PATTERNS.find(([known]) => known === kind)?.[1]
  return (bind) =>
    and([...compared('mime_type ~', pattern, 'text'), () => `${KIND} = ${bind(kind, 'text')}`], bind)
}
