import { readCatalog } from '../../src/catalog/open.ts'
import type { Query } from '../../src/catalog/query.ts'
import { runNow } from '../../src/catalog/sqlite.ts'

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
  return Object.fromEntries(
    Object.entries(readCatalog(path)).map(([name, table]) => [name, immediate(table)]),
  ) as CatalogNow
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
