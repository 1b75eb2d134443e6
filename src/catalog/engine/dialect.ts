import { type Column, type Placeholder, type SQL, sql } from 'drizzle-orm'

/** SQL that the engines write in different ways. */
export interface Dialect {
  /** Query for the texts of a JSON array, which one parameter passes: statements have a maximum of parameters. */
  elementsOf: (json: string | Placeholder) => SQL
  /** Ends a recursion after some rows, when the rows that it has found are not asked for one by one. */
  upTo: (rows: Placeholder) => SQL
  /** Column as a value that no index is used for. */
  withoutIndex: (column: Column) => SQL
  /**
   * Value that the plan of a statement does not depend on. SQLite prepares a join, and a `LIKE`, again whenever a value
   * is bound that stands alone beside a column. That takes longer than running it.
   */
  anyValue: (value: Placeholder) => SQL
  /** True when transactions run beside each other. */
  isConcurrent: boolean
  /** New id for each row of a query. */
  newId: () => SQL
  /** Ends a query whose rows no other transaction may change before this one ends. */
  lockRows: () => SQL
}

export const SQLITE: Dialect = {
  elementsOf: (json) => sql`SELECT value FROM json_each(${json})`,
  upTo: (rows) => sql`LIMIT ${rows}`,
  withoutIndex: (column) => sql`+${column}`,
  anyValue: (value) => sql`+${value}`,
  isConcurrent: false,
  newId: () => sql`lower(hex(randomblob(16)))`,
  // No other transaction runs meanwhile.
  lockRows: () => sql``,
}
