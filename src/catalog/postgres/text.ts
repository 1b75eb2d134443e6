import { Column, type ExtractTablesWithRelations, is, type Query, sql } from 'drizzle-orm'
import {
  BaseSQLiteDatabase,
  SQLitePreparedQuery,
  SQLiteSession,
  SQLiteSyncDialect,
} from 'drizzle-orm/sqlite-core'
import type { Dialect } from '../engine/dialect.ts'
import type * as schema from '../schema/schema.ts'

type Schema = typeof schema
type Fields = readonly { path: string[]; field: unknown }[]

/** SQL that PostgreSQL writes in its own way. */
export const POSTGRES: Dialect = {
  elementsOf: (json) => sql`SELECT json_array_elements_text(${json}::text::json)`,
  // A recursion ends when no row of it is asked for any more; a limit within it is not possible.
  upTo: () => sql``,
  anyValue: (value) => sql`${value}`,
  withoutIndex: (column) => sql`${column}`,
  isConcurrent: true,
  newId: () => sql`gen_random_uuid()::text`,
  lockRows: () => sql` FOR SHARE`,
}

/** Writes the builder's statements with the parameters of PostgreSQL. */
class NumberedParameters extends SQLiteSyncDialect {
  override escapeParam(index: number): string {
    return `$${index + 1}`
  }
}

/** Columns after ON CONFLICT, which SQLite's builder writes with the name of their table. */
const CONFLICT_TARGET = / on conflict \([^)]*\)/

const neverRun = (): never => {
  throw new Error('A statement of PostgreSQL was run as one of SQLite')
}

/** Text of a statement, with what its rows become. */
export class StatementText extends SQLitePreparedQuery<{
  type: 'sync'
  run: never
  all: never
  get: never
  values: never
  execute: never
}> {
  readonly text: string
  readonly params: readonly unknown[]
  readonly #fields: Fields

  constructor(query: Query, fields: Fields) {
    super('sync', 'all', query)
    this.text = query.sql.replace(CONFLICT_TARGET, (target) => target.replaceAll(/"\w+"\./g, ''))
    this.params = query.params
    this.#fields = fields
  }

  /** Returns a row as the builder declares it. */
  rowOf(values: readonly unknown[]): Record<string, unknown> {
    const row: Record<string, unknown> = {}
    for (const [index, { path, field }] of this.#fields.entries()) {
      const value = values[index] ?? null
      setAt(row, path, value === null || !is(field, Column) ? value : field.mapFromDriverValue(value))
    }
    return row
  }

  override run = neverRun
  override all = neverRun
  override get = neverRun
  override values = neverRun
}

function setAt(row: Record<string, unknown>, [name = '', ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) {
    row[name] = value
    return
  }
  row[name] ??= {}
  setAt(row[name] as Record<string, unknown>, rest, value)
}

class TextSession extends SQLiteSession<'sync', void, Schema, ExtractTablesWithRelations<Schema>> {
  override prepareQuery(query: Query, fields: Fields | undefined): StatementText {
    return new StatementText(query, fields ?? [])
  }

  override transaction = neverRun
}

/** Returns a builder that only writes text. drizzle's own statements can leave the transaction that they are in. */
export function textBuilder() {
  const dialect = new NumberedParameters()
  return new BaseSQLiteDatabase<'sync', void, Schema>('sync', dialect, new TextSession(dialect), undefined)
}
