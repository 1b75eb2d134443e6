import { expect } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Catalog } from '../../src/catalog/catalog.ts'
import type { Steps } from '../../src/catalog/engine/query.ts'
import { openPostgres } from '../../src/catalog/postgres/open.ts'
import { openCatalog } from '../../src/catalog/sqlite/open.ts'
import type { tablesOf } from '../../src/catalog/tables.ts'
import type { FileRow } from '../../src/catalog/tree/files.ts'
import type { FolderRow } from '../../src/catalog/tree/folders.ts'
import { rowOfFile, rowOfFolder } from './file-rows.ts'
import { databaseOf } from './kind.ts'
import { startPostgres } from './postgres.ts'

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

/** Opens an empty catalog in SQLite and one in PostgreSQL. */
export async function openBoth() {
  const server = await startPostgres()
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-engines-'))
  const sqlite = openCatalog({ path: join(folder, 'holdfast.sqlite'), onUnknownOutcome: () => {} })
  const postgres = await openNode(server.createDatabase(), { pool: 10 })
  return {
    sqlite,
    postgres,
    /** Runs `work` in a transaction of each engine, expects equal results and returns them. */
    same: async <Value>(work: (catalog: Both) => Steps<Value>): Promise<Value> => {
      const expected = await sqlite.transact(() => work(sqlite))
      const found = await postgres.transact(() => work(postgres))
      expect(found).toEqual(expected)
      return found
    },
    close: () => {
      postgres.close()
      sqlite.close()
      server[Symbol.dispose]()
      rmSync(folder, { recursive: true })
    },
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
