import type { BulkChange } from '../bulk.ts'
import { insertPublication, type Publication, type Terms } from '../publication.ts'
import type { Steps } from '../query.ts'
import { removeInSlices } from '../slices.ts'
import { tablesOf } from '../tables.ts'
import { postgresEngine } from './engine.ts'
import { FolderWalks } from './folder-tree.ts'
import { postgresLists } from './lists.ts'
import { migrate } from './migrate.ts'
import { Pool } from './pool.ts'
import { PostgresReaders } from './readers.ts'
import { Transactions } from './transactions.ts'

/** Deadline of a change of all files in a folder, in milliseconds: a million files have ten million index entries. */
const BULK_MS = 600_000

interface PostgresOptions {
  /** Address of the database, with its credentials. */
  url: string
  /** Maximum connections at a time. */
  pool: number
  /** Milliseconds of a monotonic clock. */
  monotonic: () => number
}

/**
 * Opens the catalog in PostgreSQL, with the functions of the one in SQLite.
 *
 * @throws {StartError} when the database comes from a newer version.
 */
export async function openPostgres({ url, pool: size, monotonic }: PostgresOptions) {
  await migrate(url)
  const pool = new Pool({ url, size })
  /** Number of commits of this process. */
  let version = 0
  const onCommit = () => {
    version += 1
  }
  const { use, transact, transactLoosely, read } = new Transactions({ pool, url, onCommit })
  const readers = new PostgresReaders(url)
  const engine = postgresEngine({ use, transact })
  const tables = tablesOf(engine, new FolderWalks(engine))
  return {
    ...tables,
    lists: postgresLists(engine),
    transact,
    /** Like `transact`: the space of the server is not ours to reserve. */
    transactToFree: transact,
    removeInSlices: removeInSlices(transact, monotonic),
    read,
    readers,
    version: (): number => version,
    setVisibilityBelow: (bulk: BulkChange, authorize: () => Steps<void>): Promise<number> =>
      transactLoosely(function* () {
        yield* authorize()
        return yield* tables.bulk.setVisibilityBelow(bulk)
      }, BULK_MS),
    publish: (publication: Publication, decide: () => Steps<Terms>): Promise<Terms> =>
      transactLoosely(function* () {
        const terms = yield* decide()
        yield* insertPublication(tables, publication, terms)
        return terms
      }),
    longestPathBelow: async (id: string): Promise<number> => await tables.folders.longestPathBelow(id),
    hasPathBelow: async (id: string, bytes: number, nameBytes: number): Promise<boolean> =>
      await tables.folders.hasPathBelow(id, bytes, nameBytes),
    /** Adds up the parts of the totals, which grow with each change. */
    foldTotals: (): Promise<void> =>
      use(async (connection) => {
        await connection.query('SELECT fold_totals()')
      }),
    close: () => {
      readers.close()
      pool.close()
    },
  }
}

export type PostgresCatalog = Awaited<ReturnType<typeof openPostgres>>
