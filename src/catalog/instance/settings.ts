import { eq, sql } from 'drizzle-orm'
import type { Engine } from '../engine/engine.ts'
import type { Query } from '../engine/query.ts'
import { rowsOf } from '../engine/rows.ts'
import { instance, settings } from '../schema/schema.ts'

/** Queries of the catalog's settings, one row each. */
export function settingQueries(engine: Engine) {
  const { db, prepare } = engine
  const rows = rowsOf(engine, settings)
  const row = { name: sql.placeholder('name'), value: sql.placeholder('value') }
  const all = rows.select()
  const fill = prepare(db.insert(settings).values(row).onConflictDoNothing())
  const set = prepare(
    db
      .insert(settings)
      .values(row)
      .onConflictDoUpdate({ target: settings.name, set: { value: sql`excluded.value` } }),
  )
  const pairsOf = (values: Record<string, unknown>) =>
    Object.entries(values).map(([name, value]) => ({ name, value }))
  return {
    all: (): Query<Record<string, unknown>> =>
      all.all().into((rows) => Object.fromEntries(rows.map(({ name, value }) => [name, value]))),
    /** Adds the settings that have no row yet. The others keep their values. */
    fill: (values: Record<string, unknown>): Query<void> => fill.each(pairsOf(values)),
    /** Changes settings. The others keep their values. */
    set: (values: Record<string, unknown>): Query<void> =>
      set.each(pairsOf(values).filter(({ value }) => value !== undefined)),
  }
}

/** Name of the fact that a command has begun to fill a shared database, and has not ended: no server starts on it. */
export const FILLING = 'filling'

/** Queries of the facts about the instance itself. */
export function instanceQueries(engine: Engine) {
  const { db, prepare } = engine
  const rows = rowsOf(engine, instance)
  return {
    get: (name: string): Query<string | undefined> =>
      rows
        .select(eq(instance.name, name))
        .get()
        .into((row) => row?.value),
    set: (name: string, value: string): Query<void> =>
      prepare(
        db
          .insert(instance)
          .values({ name, value })
          .onConflictDoUpdate({ target: instance.name, set: { value: sql`excluded.value` } }),
      ).run(),
  }
}
