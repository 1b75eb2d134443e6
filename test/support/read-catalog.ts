import { join } from 'node:path'
import { fillPlaceholders } from 'drizzle-orm'
import type { Built, Engine, Statement, Values } from '../../src/catalog/engine/engine.ts'
import { Notes } from '../../src/catalog/engine/notes.ts'
import type { Query } from '../../src/catalog/engine/query.ts'
import { DIFFERING } from '../../src/catalog/postgres/check.ts'
import type { Result } from '../../src/catalog/postgres/connection.ts'
import { FolderWalks } from '../../src/catalog/postgres/folder-tree.ts'
import { POSTGRES, StatementText, textBuilder } from '../../src/catalog/postgres/text.ts'
import { runNow, SqliteQuery } from '../../src/catalog/sqlite/engine.ts'
import { readCatalog } from '../../src/catalog/sqlite/open.ts'
import { tablesOf } from '../../src/catalog/tables.ts'
import { askPostgres } from './blocking-postgres.ts'
import { databaseOf } from './kind.ts'

type Catalog = ReturnType<typeof readCatalog>

/** Table whose functions return results instead of queries. */
type Immediate<Table> = {
  [Name in keyof Table]: Table[Name] extends (...args: infer Args) => Query<infer Value>
    ? (...args: Args) => Value
    : Table[Name]
}

/** Catalog opened for reading, with results instead of queries. */
export type CatalogNow = {
  [Table in keyof Catalog]: Catalog[Table] extends (...args: never[]) => unknown
    ? Catalog[Table]
    : Immediate<Catalog[Table]>
}

/** Opens the catalog at `path` for reading while a server has it open. */
export function readCatalogNow(path: string): CatalogNow {
  return immediateOf(readCatalog(path))
}

/** Opens the catalog of a server with this data folder for reading. */
export function readCatalogOf(dataPath: string): CatalogNow {
  const url = databaseOf(dataPath)
  if (url === undefined) return readCatalogNow(join(dataPath, 'db', 'holdfast.sqlite'))
  const engine = blockingEngine(url)
  const check = {
    wrongTotals: () =>
      new SqliteQuery(() =>
        DIFFERING.flatMap(([name, text]) => (askPostgres(url, text).rows[0]?.[0] === true ? name : [])),
      ),
  }
  return immediateOf({ ...tablesOf(engine, new FolderWalks(engine)), check, now: runNow, close: () => {} })
}

const immediateOf = (catalog: object) =>
  Object.fromEntries(Object.entries(catalog).map(([name, table]) => [name, immediate(table)])) as CatalogNow

/** Returns an engine of PostgreSQL whose queries block this thread, as those of SQLite. */
function blockingEngine(url: string): Engine {
  return {
    db: textBuilder(),
    dialect: POSTGRES,
    notes: new Notes(),
    owes: 'nothing',
    prepare: <All, First>(built: Built<All, First>): Statement<All, First> => {
      const statement: unknown = built.prepare()
      if (!(statement instanceof StatementText)) throw new TypeError('A statement of another engine')
      const ask = (values: Values = {}): Result =>
        askPostgres(url, statement.text, fillPlaceholders([...statement.params], values))
      const rowsOf = ({ rows }: Result) => rows.map((row) => statement.rowOf(row))
      return {
        // The builder has declared what its rows become.
        all: (values) => new SqliteQuery(() => rowsOf(ask(values)) as All),
        get: (values) => new SqliteQuery(() => rowsOf(ask(values))[0] as First),
        run: (values) => new SqliteQuery(() => void ask(values)),
        each: (all) =>
          new SqliteQuery(() => {
            for (const values of all) ask(values)
          }),
        change: (values) => new SqliteQuery(() => ask(values).count),
        changeEach: (all) => new SqliteQuery(() => all.reduce((sum, values) => sum + ask(values).count, 0)),
      }
    },
    body: (work) => new SqliteQuery(() => runNow(work())),
  }
}

function immediate(table: object): unknown {
  if (typeof table === 'function') return table
  return Object.fromEntries(
    Object.entries(table).map(([name, ask]: [string, (...args: unknown[]) => unknown]) => [
      name,
      (...args: unknown[]) => {
        const found = ask(...args)
        return isQuery(found) ? runNow(found) : found
      },
    ]),
  )
}

const isQuery = (value: unknown): value is Query<unknown> =>
  typeof value === 'object' && value !== null && 'then' in value && Symbol.iterator in value
