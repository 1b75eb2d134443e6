import { beforeAll, expect, test } from 'bun:test'
import { SQL } from 'bun'
import type { NameSearch } from '../../src/catalog/tree/search.ts'
import { fold, RANK } from '../../src/platform/fold.ts'
import { KINDS, kindOf } from '../../src/platform/kinds.ts'
import { fileRow, folderRow, id, NOW, openNode, withBoth } from '../support/engines.ts'
import { eventually } from '../support/eventually.ts'
import { insertFiles } from '../support/file-rows.ts'
import { KIND_SAMPLES } from '../support/kinds.ts'
import { startPostgres } from '../support/postgres.ts'

const NAMES = [
  'Été.txt',
  'e\u0301te\u0301 2',
  'Straße 5',
  'Søren.JPG',
  'ΟΔΟΣ',
  'привет Ёж',
  '你好 世界',
  '100 %_\\ sure',
  '"quoted" it\'s',
  '한글',
  'ﬁle ½ Ａ',
  'smile 😀',
  'İstanbul ılık',
  'Harbour',
  'harbours',
  'my harbour',
  'aharbour',
  '葛\u{e0100}飾',
]
const TEXTS = [
  '',
  'ete',
  'strasse',
  's',
  '5',
  'soren',
  'οδος',
  'прив',
  'еж',
  '好',
  '%_\\',
  '"',
  "'",
  '한',
  'file',
  'a',
  '😀',
  'istan',
  'ilik',
  'harbour',
  'our',
  'nothing',
  'jpg',
  '.jpg',
  ' 5',
  '葛飾',
  'har\0bour',
]
const never = new AbortController().signal
/** Letters and digits that Unicode 14 does not have: an older PostgreSQL leaves them as they are. */
const SINCE_UNICODE_15 =
  /[\u1c89\ua7cb-\ua7dc\ua7f1\u{105c9}\u{105e4}\u{10d50}-\u{10d65}\u{11383}-\u{113c8}\u{16121}-\u{16128}\u{16d68}-\u{16d6a}\u{16ea0}-\u{16eb8}\u{1ccd6}-\u{1ccf9}\u{1e030}-\u{1e06d}]/u

const both = withBoth()
beforeAll(async () => {
  const folders = [folderRow(1, null, ''), folderRow(2, 1, 'one'), folderRow(3, 2, 'Harbour folder')]
  const files = NAMES.map((name, n) =>
    fileRow(100 + n, n % 4 === 3 ? 3 : 2, name, {
      createdAt: NOW + 1 + n,
      mimeType: n % 2 === 0 ? 'image/png' : 'text/plain',
      visibility: n % 3 === 0 ? 'public' : 'private',
    }),
  )
  await both.same.folders.insert(folders)
  await both.same.files.insert(files)
})

async function same(search: NameSearch) {
  const found = await both.postgres.search(search, never)
  const expected = await both.sqlite.search(search, never)
  expect([search, found.found]).toEqual([search, expected.found])
  expect(found.next === undefined).toBe(expected.next === undefined)
  return { found, expected }
}

/** Reads all pages of a search in PostgreSQL. */
async function allPages(search: NameSearch) {
  const found = []
  let { from } = search
  do {
    const page = await both.postgres.search({ ...search, from }, never)
    found.push(...page.found)
    from = page.next
  } while (from)
  return found
}

test.each(TEXTS)('a search for %p finds what SQLite finds', async (text) => {
  const search = { text: fold(text), limit: 100 }
  await same(search)
  for (const kind of ['file', 'folder', 'image', 'document', 'other'] as const)
    await same({ ...search, kind })
  await same({ ...search, visibility: 'public' })
  for (const folder of [1, 2, 3, 4]) await same({ ...search, folderIds: [id(folder)] })
  await same({ ...search, minSize: 105, maxSize: 110, after: NOW + 6, before: NOW + 9 })
})

test('both engines have the same kinds of names and media types', async () => {
  const files = KIND_SAMPLES.map(([name, mimeType], n) =>
    fileRow(5000 + n, 2, `kind-${n} ${name}`, { createdAt: NOW + 200 + n, mimeType }),
  )
  await both.same.files.insert(files)
  for (const kind of KINDS) {
    const { found } = await same({ text: 'kind-', limit: 100, kind })
    const expected = files.filter((file) => kindOf(file) === kind).map(({ name }) => name)
    expect([kind, found.found.map(({ row }) => row.name).sort()]).toEqual([kind, expected.sort()])
  }
})

/** Names that tell an extension from what only looks like one. */
const NAMES_OF_KINDS = [
  'Makefile',
  'CARGO.LOCK',
  'x.makefile',
  '.env',
  '.ts',
  '..ts',
  'a.ts',
  'a.TS',
  'a.b.ts',
  'a.ts.',
  'a.',
  'ts',
  'a.ts\n',
  'a\n.ts',
  'x.\u017fh',
  'é.sh',
  'x.ın',
]

test('both engines have the same kinds of whole names', async () => {
  const files = NAMES_OF_KINDS.map((name, n) =>
    fileRow(6000 + n, 6, name, { createdAt: NOW + 300 + n, mimeType: 'application/octet-stream' }),
  )
  await both.same.folders.insert([folderRow(6, 1, 'names of kinds')])
  await both.same.files.insert(files)
  for (const kind of ['code', 'other'] as const) {
    const { found } = await same({ text: '', limit: 100, kind, folderIds: [id(6)] })
    const expected = files.filter((file) => kindOf(file) === kind).map(({ name }) => name)
    expect([kind, found.found.map(({ row }) => row.name).sort()]).toEqual([kind, expected.sort()])
  }
})

test('pages of a search follow each other', async () => {
  for (const text of ['', 'a', 'harbour']) {
    const all = (await both.postgres.search({ text, limit: 100 }, never)).found
    expect(await allPages({ text, limit: 2 })).toEqual(all)
  }
})

test('pages include every file of one moment, and leave out files of folders outside the tree', async () => {
  const many = { createdAt: NOW + 1000 }
  const files = Array.from({ length: 2500 }, (_, n) =>
    fileRow(10_000 + n, n < 1200 ? 2 : 4, `many ${n}`, many),
  )
  await both.postgres.transact(() =>
    both.postgres.folders.insert([folderRow(4, 1, 'gone'), folderRow(5, 1, 'many')]),
  )
  await both.postgres.transact(() => both.postgres.files.insert(files))
  await both.postgres.transact(() => both.postgres.folders.detach(id(4)))
  for (const text of ['', 'many', 'any']) {
    const found = await allPages({ text, limit: 200 })
    const names = found.map(({ row }) => row.name).filter((name) => name.startsWith('many'))
    const numbered = Array.from({ length: 1200 }, (_, n) => `many ${n}`)
    // The folder is older.
    expect([text, names.filter((name) => name !== 'many')]).toEqual([text, numbered])
    expect(names).toHaveLength(1201)
  }
  await both.postgres.transact(function* () {
    for (const { id } of files) yield* both.postgres.files.remove(id)
    yield* both.postgres.folders.remove(id(5))
  })
})

test.each(['pier', 'pier (', 'pi'])('pages for %p have old words before many newer names', async (text) => {
  const names = Array.from({ length: 1105 }, (_, n) => (n < 5 ? `my pier (${n})` : `apier (${n})`))
  const files = names.map((name, n) => fileRow(10_000 + n, 2, name, { createdAt: NOW + 1000 + n }))
  await both.postgres.transact(() => both.postgres.files.insert(files))
  const found = await allPages({ text, limit: 200 })
  await both.postgres.transact(function* () {
    for (const { id } of files) yield* both.postgres.files.remove(id)
  })

  const [words, inside] = [names.slice(0, 5).reverse(), names.slice(5).reverse()]
  expect(found.map(({ row }) => row.name)).toEqual([...words, ...inside])
})

test('a search in a folder with more than a thousand others finds what is below it', async () => {
  const wide = Array.from({ length: 1100 }, (_, n) =>
    folderRow(2000 + n, n < 10 ? 2 : 2000 + (n % 10), `w${n}`),
  )
  const files = [2001, 2500, 3099, 3].map((folder, n) =>
    fileRow(9000 + n, folder, `wide ${n}`, { createdAt: NOW + n }),
  )
  await both.same.folders.insert(wide)
  await both.same.files.insert(files)

  for (const folder of [1, 2, 3, 2000, 2001])
    await same({ text: 'wide', limit: 100, folderIds: [id(folder)] })
  expect((await same({ text: 'wide', limit: 100, folderIds: [id(2)] })).found.found).toHaveLength(4)
  for (const { id } of files) await both.same.files.remove(id)
  for (const { id } of wide.reverse()) await both.same.folders.remove(id)
})

test('a folder outside the tree is not found', async () => {
  await both.same.folders.detach(id(3))

  for (const text of ['harbour', '', '/']) await same({ text, limit: 100 })
})

test.each(['public', 'apart'])(
  'a server with pg_trgm in the schema %s starts beside a transaction that writes',
  async (schema) => {
    using server = await startPostgres()
    const url = server.createDatabase()
    await using sql = new SQL(url)
    await sql
      .unsafe(`CREATE SCHEMA IF NOT EXISTS ${schema}; CREATE EXTENSION pg_trgm SCHEMA ${schema}`)
      .simple()
    const first = await openNode(url)
    first.close()
    await sql.unsafe("ALTER ROLE CURRENT_USER SET lock_timeout = '1s'")
    await using writer = await sql.reserve()
    await writer.unsafe('BEGIN; LOCK TABLE files, folders IN ROW EXCLUSIVE MODE').simple()
    const catalog = await openNode(url)
    const advice = (await catalog.advice()).join()

    if (schema === 'public') expect(advice).not.toContain('search_path')
    else expect(advice).toContain('search_path')
    expect((await catalog.search({ text: 'harbour', limit: 1 }, never)).found).toEqual([])
    await writer.unsafe('ROLLBACK')
    catalog.close()
  },
)

test('the database folds every character as the server does, after another version, too', async () => {
  using server = await startPostgres()
  const url = server.createDatabase()
  await using sql = new SQL(url)
  const start = async () => {
    const catalog = await openNode(url)
    catalog.close()
    const names = "'files_beginning', 'folders_beginning', 'files_found', 'folders_found'"
    const rows: [number][] = await sql.unsafe(`SELECT oid FROM pg_class WHERE relname IN (${names})`).values()
    return rows.map(([oid]) => oid).sort()
  }
  const before = await start()
  await sql.unsafe(
    "CREATE OR REPLACE FUNCTION folded(name text) RETURNS text LANGUAGE sql IMMUTABLE AS 'SELECT name'",
  )
  const indexes = await start()
  expect(indexes).toHaveLength(4)
  expect(before.filter((index) => indexes.includes(index))).toEqual([])
  expect(await start()).toEqual(indexes)

  const rows: [string, string][] = await sql
    .unsafe(
      `SELECT chr(n), folded(chr(n)) FROM generate_series(1, ${0x10ffff}) n WHERE n NOT BETWEEN ${0xd800} AND ${0xdfff}`,
    )
    .values()
  expect(rows).toHaveLength(0x10ffff - 0x800)
  const others = rows.filter(
    ([character, folded]) =>
      folded !== fold(character) && !(folded === character && SINCE_UNICODE_15.test(character)),
  )
  expect(others.map(([character, folded]) => [character.codePointAt(0)?.toString(16), folded])).toEqual([])
})

test.each(['C', 'C.UTF-8'])(
  'a search for letters beyond ASCII reads few of many names with the locale %s',
  async (locale) => {
    using server = await startPostgres()
    const url = new URL(server.createDatabase())
    await using admin = new SQL(url.href)
    await admin.unsafe(`CREATE DATABASE local TEMPLATE template0 LOCALE '${locale}'`)
    url.pathname = 'local'
    await using sql = new SQL(url.href)
    const names = Array.from({ length: 2000 }, (_, n) => `отчёт ${n}`)
    const files = [...names, 'Наша Сводка', 'метасводка', 'сводка.txt'].map((name, n) =>
      fileRow(n + 2, 1, name, { createdAt: NOW + n }),
    )
    const filling = await openNode(url.href)
    await filling.transact(() => filling.folders.insert([folderRow(1, null, '')]))
    await filling.transact(() => filling.files.insert(files))
    filling.close()
    const first = async (text: string) => Number((await sql.unsafe(text).values())[0]?.[0])
    // A connection counts what it has read when it ends.
    const connected = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'holdfast'"
    await eventually(async () => (await first(connected)) === 0)
    await sql.unsafe('ANALYZE; SELECT pg_stat_reset()').simple()

    const catalog = await openNode(url.href)
    const { found } = await catalog.search({ text: fold('СВОДКА'), limit: 10 }, never)
    catalog.close()

    expect(found.map(({ row }) => row.name)).toEqual(['сводка.txt', 'Наша Сводка', 'метасводка'])
    const read = `SELECT sum(idx_tup_read) FROM pg_stat_user_indexes
      WHERE indexrelname IN ('files_found', 'files_found_spelled')`
    await eventually(async () => (await first(connected)) === 0)
    expect(await first(read)).toBeWithin(1, 100)
  },
)

/** Inserts files with names and media types of their numbers, and counts what is read from then on. */
const insertMany = (sql: SQL, names: string, count: number) =>
  sql
    .unsafe(
      `SET session_replication_role = replica;
      ${insertFiles(
        {
          id: "lpad(n::text, 8, '0') || '-0000-7000-8000-000000000000'",
          folder_id: `'${id(1)}'`,
          ...{ name: 'name', mime_type: 'mime_type', size: 'n', visibility: "'public'" },
          ...{ created_at: `${NOW} + n * 1000`, updated_at: `${NOW} + n` },
        },
        `(SELECT n, ${names} FROM generate_series(2, ${count + 1}) n) AS names`,
      )};
      ANALYZE files; SELECT pg_stat_reset()`,
    )
    .simple()

/** Returns how many rows of files ended connections have read. */
async function rowsRead(sql: SQL, columns = 'seq_tup_read + idx_tup_fetch') {
  let rows = 0
  await eventually(async () => {
    const read = `SELECT ${columns} FROM pg_stat_user_tables WHERE relname = 'files'`
    rows = Number((await sql.unsafe(read).values())[0]?.[0])
    return rows > 0
  })
  return rows
}

test('a common text with a filter that few files pass reads few of them', async () => {
  using server = await startPostgres()
  const url = server.createDatabase()
  await using sql = new SQL(url)
  const filling = await openNode(url)
  await filling.transact(() => filling.folders.insert([folderRow(1, null, '')]))
  filling.close()
  const isFilm = 'CASE WHEN n % 4 = 0 THEN'
  await insertMany(
    sql,
    `${isFilm} 'film ' || n || '.mp4' ELSE 'photo ' || n || '.jpg' END AS name,
      ${isFilm} 'video/mp4' ELSE 'image/jpeg' END AS mime_type`,
    60_000,
  )

  const catalog = await openNode(url)
  const found = await catalog.search({ text: 'jpg', kind: 'video', limit: 10 }, never)
  const hidden = await catalog.search({ text: 'mp4', visibility: 'private', limit: 10 }, never)
  catalog.close()

  expect([found, hidden]).toEqual([{ found: [] }, { found: [] }])
  // A sample of each search reads 600 blocks, a third of all.
  expect(await rowsRead(sql)).toBeWithin(1, 60_000)
})

test('a search in a folder with very many others takes less than its limit', async () => {
  using server = await startPostgres()
  const url = server.createDatabase()
  await using sql = new SQL(url)
  const catalog = await openNode(url)
  await catalog.transact(() => catalog.folders.insert([folderRow(1, null, '')]))
  await insertMany(sql, "'pier ' || n AS name, 'image/png' AS mime_type", 20_000)
  await sql
    .unsafe(
      `SET session_replication_role = replica;
      INSERT INTO folders (id, parent_id, name, created_at, updated_at)
        SELECT lpad(n::text, 8, '0') || '-0000-7000-8000-000000000000', '${id(1)}', 'f' || n, ${NOW}, ${NOW}
        FROM generate_series(100000, 160000) n;
      UPDATE files SET folder_id = '${id(160_000)}';
      ANALYZE files, folders`,
    )
    .simple()
  const { found } = await catalog.search({ text: 'pier', limit: 2, folderIds: [id(1)] }, never)
  catalog.close()

  expect(found.map(({ row }) => row.name)).toEqual(['pier 20001', 'pier 20000'])
})

test('old names are found in order, however many are newer', async () => {
  using server = await startPostgres()
  const url = server.createDatabase()
  await using sql = new SQL(url)
  const catalog = await openNode(url)
  await catalog.transact(() => catalog.folders.insert([folderRow(1, null, '')]))
  const name = "CASE WHEN n < 1000 THEN 'apier ' WHEN n < 16000 THEN 'my pier ' ELSE 'new ' END || n AS name"
  await insertMany(sql, `${name}, 'image/png' AS mime_type`, 70_000)
  const numbers = (found: readonly { row: { name: string } }[]) =>
    found.map(({ row }) => Number(row.name.split(' ').at(-1)))
  const from = (start: number) => Array.from({ length: 200 }, (_, n) => start - n)

  const first = await catalog.search({ text: 'pier', limit: 200 }, never)
  const second = await catalog.search({ text: 'pier', limit: 200, from: first.next }, never)
  catalog.close()
  expect(await rowsRead(sql, 'idx_tup_fetch')).toBeWithin(1, 5000)
  const later = await openNode(url)
  const last = { rank: RANK.word, createdAt: NOW + 1_050_000, tie: id(1050) }
  const end = await later.search({ text: 'pier', limit: 200, from: last }, never)
  later.close()

  expect(numbers(first.found)).toEqual(from(15_999))
  expect(numbers(second.found)).toEqual(from(15_799))
  expect(numbers(end.found).slice(0, 60)).toEqual([...from(1049).slice(0, 50), ...from(999).slice(0, 10)])
})

test('searches that take long are refused, and leave connections to others', async () => {
  using server = await startPostgres()
  const url = server.createDatabase()
  const catalog = await openNode(url)
  await using sql = new SQL(url)
  await using locked = await sql.reserve()
  await locked.unsafe('BEGIN; LOCK TABLE files IN ACCESS EXCLUSIVE MODE').simple()
  const client = new AbortController()
  const search = (leaving: AbortSignal) =>
    catalog.search({ text: 'harbour', limit: 1 }, leaving).catch((error: Error) => error.message)
  const some = [search(never), search(never), search(client.signal)]
  client.abort()

  expect(await some[2]).toContain('disconnected')
  expect(catalog.poolUse().held).toBe(2)
  expect(await some[0]).toContain('Too many searches')
  expect(await some[1]).toContain('Too many searches')
  await locked.unsafe('ROLLBACK')
  expect(await search(never)).toEqual({ found: [] })
  catalog.close()
})
