import { afterAll, beforeAll, expect } from 'bun:test'
import { join } from 'node:path'
import type { Catalog } from '../../src/catalog/catalog.ts'
import type { Query, Steps } from '../../src/catalog/engine/query.ts'
import { openPostgres, type PostgresCatalog } from '../../src/catalog/postgres/open.ts'
import { type EmbeddedCatalog, openCatalog } from '../../src/catalog/sqlite/open.ts'
import type { tablesOf } from '../../src/catalog/tables.ts'
import type { FileRow } from '../../src/catalog/tree/files.ts'
import type { FolderRow } from '../../src/catalog/tree/folders.ts'
import { rowOfFile, rowOfFolder } from './file-rows.ts'
import { databaseOf } from './kind.ts'
import { startPostgres, type TestPostgres } from './postgres.ts'
import { temporaryFolder } from './temporary.ts'

type Tables = ReturnType<typeof tablesOf>
/** Functions that both catalogs have. */
type Both = Omit<Tables, 'lists'> & { lists: Pick<Tables['lists'], 'page'> }

/** Opens the catalog of a node in PostgreSQL. */
export const openNode = (url: string, options: Partial<Parameters<typeof openPostgres>[0]> = {}) =>
  openPostgres({
    url,
    pool: 5,
    node: 'node',
    monotonic: () => performance.now(),
    onEvents: () => {},
    onMissed: () => {},
    ...options,
  })

/** Opens the catalog of a running server beside it. */
export async function openBeside({ dataPath }: { dataPath: string }): Promise<Catalog> {
  const url = databaseOf(dataPath)
  if (url !== undefined) {
    const fail = () => {
      throw new Error('A test only changes rows')
    }
    return { ...(await openNode(url, { node: 'beside' })), fail, now: fail }
  }
  return openCatalog({ path: join(dataPath, 'db', 'holdfast.sqlite'), onUnknownOutcome: () => {} })
}

/** Table of a catalog whose functions return promises of results. */
type Asked<Table> = {
  [Name in keyof Table]: Table[Name] extends (...args: infer Args) => Query<infer Value>
    ? (...args: Args) => Promise<Value>
    : never
}

/** Runs work, or one query of a table, in a transaction of each engine, expects equal results and returns them. */
type Same = (<Value>(work: (catalog: Both) => Steps<Value>) => Promise<Value>) & {
  [Table in keyof Both]: Asked<Both[Table]>
}

/** Opens an empty catalog in SQLite and one in PostgreSQL for all tests of a file. */
export function withBoth() {
  let server: TestPostgres
  let sqlite: EmbeddedCatalog
  let postgres: PostgresCatalog
  const folder = temporaryFolder()
  beforeAll(async () => {
    server = await startPostgres()
    sqlite = openCatalog({ path: join(folder.path, 'holdfast.sqlite'), onUnknownOutcome: () => {} })
    postgres = await openNode(server.createDatabase(), { pool: 10 })
  })
  afterAll(() => {
    postgres.close()
    sqlite.close()
    server[Symbol.dispose]()
    folder[Symbol.dispose]()
  })
  const run = async <Value>(work: (catalog: Both) => Steps<Value>): Promise<Value> => {
    const expected = await sqlite.transact(() => work(sqlite))
    const found = await postgres.transact(() => work(postgres))
    expect(found).toEqual(expected)
    return found
  }
  const tableNamed = (table: string | symbol) =>
    new Proxy(
      {},
      {
        get:
          (_, name) =>
          (...args: unknown[]) =>
            run((catalog) => Reflect.get(Reflect.get(catalog, table), name)(...args)),
      },
    )
  return {
    get sqlite() {
      return sqlite
    },
    get postgres() {
      return postgres
    },
    // Both catalogs have every table by its name.
    same: new Proxy(run, { get: (_, table) => tableNamed(table) }) as Same,
  }
}

/** Returns the id of a row by a number. */
export const id = (n: number) => `${String(n).padStart(8, '0')}-0000-7000-8000-000000000000`
export const NOW = 1_700_000_000_000
const DAY = 86_400_000

export const folderRow = (n: number, parent: number | null, name: string): FolderRow =>
  rowOfFolder({
    id: id(n),
    parentId: parent === null ? null : id(parent),
    name,
    createdAt: NOW,
    updatedAt: NOW,
  })

export const fileRow = (n: number, inFolder: number, name: string, more: Partial<FileRow> = {}): FileRow =>
  rowOfFile({
    id: id(n),
    folderId: id(inFolder),
    name,
    size: n,
    createdAt: NOW + (n % 3) * DAY,
    updatedAt: NOW + n,
    ...more,
  })
