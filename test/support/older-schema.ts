import { Database } from 'bun:sqlite'
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { migrations } from '../../drizzle/migrations.ts'
import { hashKey } from '../../src/access/caller.ts'
import { deriveSecrets } from '../../src/access/secrets.ts'

export const AUTH_SECRET = 'the secret of an older version'
export const KEY = `hf_${'0'.repeat(64)}`
const VOLUME_ID = '01a205b0-cc0c-72d7-b578-514e9ff3031a'
export const PASSWORD = 'correct horse'
/** Rows of each table; the first folder is the root. */
const ROWS = 3

const now = Date.now()
const passwordHash = Bun.password.hashSync(PASSWORD, { algorithm: 'argon2id', memoryCost: 8, timeCost: 1 })
export const contentOf = (n: number) => `content of file ${n}`
export const keyOf = (n: number) => (n === 0 ? 'name 0' : `name ${n}/name ${n}`)

interface Column {
  name: string
  type: string
  /** 1 for a NOT NULL column. */
  notnull: number
}

/** Value of a column. */
type Value = string | number | null
type ValueOf = (n: number) => Value

/**
 * Columns that only accept certain values; a migration that adds one adds a line. All others get any value of their
 * type.
 */
const MEANINGS: Record<string, ValueOf> = {
  'folders.parent_id': (n) => (n === 0 ? null : 'folders id 0'),
  'folders.name': (n) => (n === 0 ? 'files' : `name ${n}`),
  'files.name': (n) => `name ${n}`,
  'files.mime_type': () => 'text/plain',
  'files.size': (n) => contentOf(n).length,
  'files.crc32': (n) => crc32(contentOf(n)),
  'versions.size': (n) => contentOf(n).length,
  'versions.sha256': (n) => new Bun.CryptoHasher('sha256').update(contentOf(n)).digest('hex'),
  'files.sha256': (n) => new Bun.CryptoHasher('sha256').update(contentOf(n)).digest('hex'),
  'blobs.state': () => 'kept',
  'trash.kind': () => 'file',
  'trash.name': (n) => `name ${n}`,
  'trash.entry': (n) => `entry ${n}`,
  'trash.purging': () => 0,
  'trashed_files.trash_id': (n) => `trash id ${n}`,
  'trashed_files.size': (n) => contentOf(n).length,
  'trashed_files.sha256': (n) => new Bun.CryptoHasher('sha256').update(contentOf(n)).digest('hex'),
  'users.email': (n) => `user${n}@example.com`,
  'users.password_hash': () => passwordHash,
  'users.role': () => 'admin',
  'users.image': () => null,
  'api_keys.key_hash': (n) => hashKey(n === 0 ? KEY : `other ${n}`),
  'api_keys.scopes': () => '["files:read","files:write","files:delete"]',
  'settings.name': (n) => ['hostingCacheSeconds', 'defaultPresignSeconds', 'maxPresignSeconds'][n] ?? '',
  'settings.value': (n) => String(77 + n),
  'instance.name': (n) => ['secretFingerprint', 'volumeId', 'scrubPosition'][n] ?? '',
  'instance.value': (n) => [deriveSecrets(AUTH_SECRET).fingerprint, VOLUME_ID, 'files id 0'][n] ?? '',
  'intents.plan': () => '{"kind":"upload","folders":[],"files":[]}',
  'resumables.user_id': (n) => `users id ${n}`,
  // Counts towards the quota.
  'resumables.received': () => 0,
  'webhooks.events': () => '[]',
  'invitations.role': () => 'editor',
}

/** Columns with the same meaning in every table. */
const NAMED: Record<string, ValueOf> = {
  visibility: (n) => (n === 2 ? 'private' : 'public'),
  custom_scopes: () => '[]',
  disabled: () => 0,
  blob_id: () => null,
  facts: () => null,
  deleted: () => 0,
  remembered: (n) => n % 2,
  day: (n) => new Date(now - n * 86_400_000).toISOString().slice(0, 10),
}

/** Creates a data folder whose database has only the first `version` migrations, with rows in each table. */
export function dataOfVersion(version: number): string {
  const dataPath = mkdtempSync(join(tmpdir(), 'holdfast-'))
  mkdirSync(join(dataPath, 'db'))
  using database = new Database(pathOf(dataPath), { create: true })
  for (const migration of migrations.slice(0, version))
    for (const statement of migration.split('--> statement-breakpoint')) database.run(statement)
  database.run(`PRAGMA user_version = ${version}`)
  fill(database)
  const hasVersions = tablesOf(database).includes('versions')
  const hasTrash = tablesOf(database).includes('trash')
  if (hasVersions) mkdirSync(join(dataPath, 'versions'))
  for (let n = 0; n < ROWS; n += 1) {
    if (hasVersions) writeFileSync(join(dataPath, 'versions', `versions id ${n}`), contentOf(n))
    const places = [
      join('uploads', keyOf(n)),
      ...(hasTrash ? [join('trash', `entry ${n}`, `name ${n}`)] : []),
    ]
    for (const path of places.map((place) => join(dataPath, place))) {
      mkdirSync(join(path, '..'), { recursive: true })
      writeFileSync(path, contentOf(n))
    }
  }
  writeFileSync(join(dataPath, 'uploads', '.holdfast-volume'), VOLUME_ID)
  return dataPath
}

export const pathOf = (dataPath: string) => join(dataPath, 'db', 'holdfast.sqlite')

export const tablesOf = (database: Database): string[] =>
  database
    .query<{ name: string }, []>(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
    )
    .all()
    .map(({ name }) => name)

/** Returns every row of every table. */
export const rowsOf = (database: Database): Record<string, Record<string, unknown>[]> =>
  Object.fromEntries(
    tablesOf(database).map((table) => [
      table,
      database.query<Record<string, unknown>, []>(`SELECT * FROM ${table}`).all(),
    ]),
  )

/** Adds rows to every table that no trigger fills. */
function fill(database: Database): void {
  database.run('PRAGMA foreign_keys = OFF')
  const triggers = database
    .query<{ sql: string }, []>("SELECT sql FROM sqlite_master WHERE type = 'trigger'")
    .all()
  const filled = new Set(
    triggers.flatMap(({ sql }) =>
      [...sql.matchAll(/(?:INSERT INTO|UPDATE) `(\w+)`/g)].map(([, table]) => table),
    ),
  )
  // Triggers set one column of it.
  filled.delete('users')
  for (const table of tablesOf(database)) {
    if (filled.has(table)) continue
    for (let n = 0; n < ROWS; n += 1) insertRow(database, table, n)
  }
}

function insertRow(database: Database, table: string, n: number): void {
  const columns = database.query<Column, []>(`PRAGMA table_info(${table})`).all()
  const references = database.query<{ from: string; table: string; to: string }, []>(
    `PRAGMA foreign_key_list(${table})`,
  )
  const parents = new Map(references.all().map(({ from, table, to }) => [from, `${table} ${to} ${n}`]))
  const values = columns.map((column) => {
    const meant = MEANINGS[`${table}.${column.name}`] ?? NAMED[column.name]
    return meant ? meant(n) : (parents.get(column.name) ?? anyValue(table, column, n))
  })
  const places = columns.map(() => '?').join(', ')
  database.run(`INSERT INTO ${table} VALUES (${places})`, values)
}

/** Returns a value that is unique in its column. Numbers are times of the last hour or the next. */
function anyValue(table: string, { name, type, notnull }: Column, n: number): Value {
  if (notnull === 0 && name !== 'id' && n === 0) return null
  if (type.toUpperCase() !== 'INTEGER') return `${table} ${name} ${n}`
  return name.startsWith('expires') ? now + 3_600_000 + n : now - 3_600_000 + n
}
