import { CODE_EXTENSIONS, CODE_NAMES, MEDIA_PATTERNS } from '../../../platform/kinds.ts'
import { changeTables } from '../change-tables.ts'
import type { Connection } from '../connection.ts'
import { PostgresFailure } from '../failure.ts'
import { SPANS } from './spans.ts'

/** Marks that belong to no script, as in `fold`: `Script=Inherited` of Unicode 17. */
const MARKS =
  '\\u0300-\\u036f\\u0485-\\u0486\\u064b-\\u0655\\u0670\\u0951-\\u0954\\u1ab0-\\u1add\\u1ae0-\\u1aeb' +
  '\\u1cd0-\\u1cd2\\u1cd4-\\u1ce0\\u1ce2-\\u1ce8\\u1ced\\u1cf4\\u1cf8-\\u1cf9\\u1dc0-\\u1dff\\u200c-\\u200d' +
  '\\u20d0-\\u20f0\\u302a-\\u302d\\u3099-\\u309a\\ufe00-\\ufe0f\\ufe20-\\ufe2d\\U000101fd\\U000102e0\\U0001133b' +
  '\\U0001cf00-\\U0001cf2d\\U0001cf30-\\U0001cf46\\U0001d167-\\U0001d169\\U0001d17b-\\U0001d182' +
  '\\U0001d185-\\U0001d18b\\U0001d1aa-\\U0001d1ad\\U000e0100-\\U000e01ef'

/**
 * Statement that makes the function `folded`, which does as `fold`, when it is missing or another version's. The
 * database's own collation may know ASCII alone. A function in SQL would be planned for each row that is inserted.
 */
const FOLDED = `DO $do$ DECLARE
  known text := (SELECT prosrc FROM pg_proc WHERE oid = to_regprocedure('folded(text)'));
  body text := format($body$ BEGIN
      IF octet_length(name) = char_length(name) THEN RETURN lower(name COLLATE "C"); END IF;
      RETURN replace(replace(replace(replace(
        translate(lower(regexp_replace(normalize(name, NFKD), '[${MARKS}]', '', 'g') COLLATE %I), 'øđðħıłŧς', 'oddhiltσ'),
        'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th');
    END $body$,
    CASE WHEN EXISTS (SELECT FROM pg_collation WHERE collname = 'und-x-icu') THEN 'und-x-icu' ELSE 'default' END);
BEGIN
  IF known = body THEN RETURN; END IF;
  -- The indexes hold what the other version returned.
  DROP INDEX IF EXISTS files_beginning, folders_beginning, files_found, folders_found, files_found_spelled,
    folders_found_spelled;
  EXECUTE format(
    'CREATE OR REPLACE FUNCTION folded(name text) RETURNS text LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS %L', body);
END $do$`

/** Time to index all names, in milliseconds. */
const INDEX_MS = 3_600_000
const TABLES = ['files', 'folders']
type Index = readonly [name: string, definition: string]
/** Indexes for whole names and their beginnings. Trigrams alone find every name that has the text as a word. */
const BEGINNINGS = TABLES.map(
  (table): Index => [`${table}_beginning`, `${table} (folded(name) text_pattern_ops)`],
)
const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`
const listed = (texts: readonly string[]) => `(${texts.map(quoted)})`
/** Expression of a name's extension in lower case. By the rules of "C" letters of ASCII alone have one. */
const EXTENSION = `lower(reverse(split_part(reverse(name), '.', 1)) COLLATE "C")`
/** Expression of the kind of a file, as `kindOf` has it. */
export const KIND = `CASE
    WHEN name LIKE '_%.%' AND ${EXTENSION} IN ${listed(CODE_EXTENSIONS)} THEN 'code'
    WHEN lower(name COLLATE "C") IN ${listed(CODE_NAMES)} THEN 'code'
    ${MEDIA_PATTERNS.map(([kind, pattern]) => `WHEN mime_type ~ ${quoted(pattern)} THEN '${kind}'`).join(' ')}
    ELSE 'other' END`
const FACETS_BODY = `BEGIN
    RETURN ARRAY['kind:' || ${KIND}, 'visibility:' || visibility, 'uploader:' || uploader];
  END`
/** Function that returns what searches filter files by. */
const FACETS_FUNCTION = 'facets(name text, mime_type text, visibility text, uploader text)'
/** Expression of the facets of a file: its kind, its visibility and its uploader. */
export const FACETS = 'facets(name, mime_type, visibility, uploaded_by)'
/** Returns indexes of trigrams, facets and spans together. One finds the names of all without reading those of each. */
const foundIndexes = (suffix: string, text: string, condition = ''): Index[] => [
  [`files_found${suffix}`, `files USING gin (${text} gin_trgm_ops, ${FACETS}, ${SPANS})${condition}`],
  [`folders_found${suffix}`, `folders USING gin (${text} gin_trgm_ops, ${SPANS})${condition}`],
]
const FOUND = foundIndexes('', 'folded(name)')
/** Letters of ASCII for bytes of UTF-8 after the first one: those of an alphabet are different. */
const LETTERS = 'abcdefghijklmnopqrstuvwxyz012345'
/** Bytes of UTF-8 beyond ASCII as characters. Those after the 64 that continue a character have no letter. */
const BYTES = String.fromCharCode(...Array.from({ length: 0xf5 - 0x80 }, (_, n) => 0x80 + n))
/**
 * Statement that makes the function `spelled`, which writes text in ASCII. Several texts may have one spelling.
 * Trigrams are made of the letters that the database's locale knows, whatever the collation: of ASCII alone in C.
 */
const SPELLED = `CREATE OR REPLACE FUNCTION spelled(text text) RETURNS text LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
  BEGIN
    RETURN translate(convert_from(convert_to(text, 'UTF8'), 'LATIN1'), '${BYTES}', '${LETTERS.repeat(2)}');
  END $$`
/** Condition of names that have a spelling of their own. */
export const IS_SPELLED = 'octet_length(name) <> char_length(name)'
const FOUND_SPELLED = foundIndexes('_spelled', 'spelled(folded(name))', ` WHERE ${IS_SPELLED}`)
const KNOWS_LETTERS = "SELECT cardinality(show_trgm('яяя')) > 0"
const HAS_TRIGRAMS = "SELECT 1 FROM pg_opclass WHERE opcname = 'gin_trgm_ops' AND pg_opclass_is_visible(oid)"

/** Makes what searches need, and is there already at most starts. Without the extension `pg_trgm` they read all names. */
export async function prepareSearch(connection: Connection): Promise<void> {
  await changeTables(connection, FOLDED)
  await createMissing(connection, BEGINNINGS)
  try {
    await connection.query('CREATE EXTENSION IF NOT EXISTS pg_trgm')
  } catch (error) {
    // The user lacks the rights, or the server does not have it.
    if (error instanceof PostgresFailure && /^(42501|58P01|0A000)$/.test(error.code)) return
    throw error
  }
  // It may be in a schema that is not searched.
  const { rows } = await connection.query(HAS_TRIGRAMS)
  if (rows.length === 0) return
  await prepareFacets(connection)
  await createMissing(connection, FOUND)
  if ((await connection.query(KNOWS_LETTERS)).rows[0]?.[0] === true) return
  await connection.query(SPELLED)
  await createMissing(connection, FOUND_SPELLED)
}

/** Makes the function of facets when it is missing, or another version's: the index holds what that one returned. */
async function prepareFacets(connection: Connection): Promise<void> {
  const known = "SELECT prosrc FROM pg_proc WHERE oid = to_regprocedure('facets(text, text, text, text)')"
  if ((await connection.query(known)).rows[0]?.[0] === FACETS_BODY) return
  await changeTables(
    connection,
    `DROP INDEX IF EXISTS files_found, files_found_spelled;
    CREATE OR REPLACE FUNCTION ${FACETS_FUNCTION} RETURNS text[] LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
      AS $facets$${FACETS_BODY}$facets$`,
  )
}

export interface SearchIndexes {
  /** True when there are indexes of trigrams. */
  hasTrigrams: boolean
  /** True when names beyond ASCII have an index of their spellings. */
  hasSpellings: boolean
  /** Blocks of the tables. */
  blocks: { file: number; folder: number }
}

/** Returns the condition of an index that is complete: one whose build was interrupted is there, but invalid. */
const isValid = (index: string) =>
  `EXISTS (SELECT FROM pg_index WHERE indexrelid = to_regclass('${index}') AND indisvalid)`
const blocksOf = (table: string) => `pg_relation_size('${table}') / current_setting('block_size')::int`
const KNOWN = `SELECT ${isValid('files_found')}, ${isValid('files_found_spelled')},
  ${blocksOf('files')}, ${blocksOf('folders')}`

/** Returns which indexes searches can use, and how large the tables are. */
export async function searchIndexes(connection: Connection): Promise<SearchIndexes> {
  const [hasTrigrams, hasSpellings, files, folders] = (await connection.query(KNOWN)).rows[0] ?? []
  return {
    hasTrigrams: hasTrigrams === true,
    hasSpellings: hasSpellings === true,
    blocks: { file: Number(files), folder: Number(folders) },
  }
}

/**
 * Creates indexes beside servers of an earlier version, whose writes do not wait. `IF NOT EXISTS` locks the table before it
 * looks: starts and writers would wait for each other.
 */
async function createMissing(connection: Connection, indexes: readonly Index[]): Promise<void> {
  let isNew = false
  for (const [name, definition] of indexes) {
    if (await hasIndex(connection, name)) continue
    await connection.query(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`, [], INDEX_MS)
    await connection.query(`CREATE INDEX CONCURRENTLY ${name} ON ${definition}`, [], INDEX_MS)
    isNew = true
  }
  // Plans need to know how often the values of an index occur.
  if (isNew) await connection.query(`ANALYZE ${TABLES}`, [], INDEX_MS)
}

async function hasIndex(connection: Connection, name: string): Promise<boolean> {
  const { rows } = await connection.query(`SELECT ${isValid(name)}`)
  return rows[0]?.[0] === true
}

/** Returns sentences about searches that are slower than they could be. */
export async function searchAdvice(connection: Connection): Promise<string[]> {
  if ((await searchIndexes(connection)).hasTrigrams) return []
  return [
    'Searches read the names of all files, because this user may not create the extension pg_trgm of PostgreSQL, or it is ' +
      'in a schema outside its search_path. Have an administrator run CREATE EXTENSION pg_trgm in this database, or ' +
      'ALTER EXTENSION pg_trgm SET SCHEMA public, and start the server again',
  ]
}
