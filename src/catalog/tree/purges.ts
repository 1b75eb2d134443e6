import { and, count, isNotNull, isNull, lte, min, or, type SQL, sql } from 'drizzle-orm'
import { RULE_FILES } from '../../platform/names.ts'
import { type Engine, prepareInsert } from '../engine/engine.ts'
import type { Query, Work } from '../engine/query.ts'
import { rowsOf } from '../engine/rows.ts'
import { purges } from '../schema/schema.ts'

export type PurgeRow = typeof purges.$inferSelect

/** Maximum paths that a cache is owed one by one. Beyond it, it is owed a purge of everything. */
const MAX_OWED = { nothing: 0, folders: 10_000, files: 100_000 }
/** Maximum files below a folder whose purges are owed one by one. */
const MAX_BELOW = 10_000

/**
 * Builds the statement that inserts a purge for each item in the tree. It walks up to the root, which has no parent. Above
 * an item outside the tree is a folder that is its own parent, so it has no path.
 *
 * @param items Query of `(parent, path)`: folders that items are in, and their names.
 */
const owedText = ({ db, dialect }: Engine, items: SQL) =>
  db.insert(purges).select(
    db
      .select({
        id: sql<string>`${dialect.newId()}`.as('id'),
        path: sql<string>`path`.as('path'),
        failedAt: sql<number | null>`CAST(NULL AS bigint)`.as('failed_at'),
        sentAt: sql<number | null>`CAST(NULL AS bigint)`.as('sent_at'),
      })
      .from(sql`(
        WITH RECURSIVE up(parent, path) AS (
          ${items}
          UNION ALL SELECT folders.parent_id, folders.name || '/' || up.path
            FROM up JOIN folders ON folders.id = up.parent AND folders.parent_id <> folders.id
        )
        SELECT up.path FROM up JOIN folders ON folders.id = up.parent AND folders.parent_id IS NULL
      ) AS owed`),
  )

/**
 * Returns the purges that changes of the tree owe a cache in front. They are inserted before the change, by its own
 * transaction: names and visibility are those that the cache knows.
 */
export function purgesOf(engine: Engine) {
  const ids = engine.dialect.elementsOf(sql.placeholder('ids'))
  const ofFiles = engine.prepare(
    owedText(engine, sql`SELECT folder_id, name FROM files WHERE id IN (${ids}) AND visibility = 'public'`),
  )
  const ofRules = engine.prepare(
    owedText(
      engine,
      sql`SELECT folder_id, name FROM files WHERE id IN (${ids}) AND visibility = 'public' AND name IN ${[...RULE_FILES]}`,
    ),
  )
  const ofSite = engine.prepare(
    owedText(
      engine,
      sql`SELECT id, substr(name, 1, 0) FROM folders
        WHERE id = (SELECT folder_id FROM sites WHERE id = ${sql.placeholder('id')})`,
    ),
  )
  const ofFolder = engine.prepare(
    owedText(
      engine, // Made of a name, because PostgreSQL asks for the collation of names.
      sql`SELECT id, substr(name, 1, 0) FROM folders WHERE id = ${sql.placeholder('id')}`,
    ),
  )
  const ofFilesBelow = engine.prepare(
    owedText(
      engine,
      sql`SELECT * FROM (
        SELECT folder_id, name FROM files WHERE visibility = 'public' AND folder_id IN (
          WITH RECURSIVE below(id) AS (
            SELECT id FROM folders WHERE id = ${sql.placeholder('id')}
            UNION SELECT folders.id FROM folders JOIN below ON folders.parent_id = below.id
          )
          SELECT id FROM below
        ) LIMIT ${MAX_BELOW}) AS files_below`,
    ),
  )
  const first = <Value>(owed: () => Query<void>, change: Query<Value>): Query<Value> =>
    engine.owes !== 'nothing'
      ? engine.body(function* () {
          yield* owed()
          return yield* change
        })
      : change
  return {
    /** Adds the purges of the public ones among some files to their change. */
    ofFiles: <Value>(ids: readonly string[], change: Query<Value>): Query<Value> =>
      first(() => ofFiles.run({ ids: JSON.stringify(ids) }), change),
    /** Adds the purges of the rules of sites among some files to the change that makes them effective. */
    ofRules: <Value>(ids: readonly string[], change: Query<Value>): Query<Value> =>
      engine.owes === 'folders' && ids.length > 0
        ? engine.body(function* () {
            const value = yield* change
            yield* ofRules.run({ ids: JSON.stringify(ids) })
            return value
          })
        : change,
    /** Adds the purge of all that a site shows to its change. Without cache keys, no cache keeps any of it. */
    ofSite: <Value>(id: string, change: Query<Value>): Query<Value> =>
      engine.owes === 'folders' ? first(() => ofSite.run({ id }), change) : change,
    /** Owes the purge of everything below a folder. */
    *ofFolder(id: string): Work<void> {
      if (engine.owes === 'nothing') return
      if (engine.owes === 'files') yield* ofFilesBelow.run({ id })
      yield* ofFolder.run({ id })
    },
  }
}

const isOwed = isNull(purges.sentAt)

/** Queries of the outbox of purges. */
export function purgeQueries(engine: Engine) {
  const { db, dialect, prepare, body } = engine
  const rows = rowsOf(engine, purges)
  const insert = prepareInsert(engine, purges).row
  const isAmong = (rows: readonly PurgeRow[]) =>
    sql`${purges.id} IN (${dialect.elementsOf(JSON.stringify(rows.map(({ id }) => id)))})`
  /** Leaves one row for each path, and one for everything when there are too many. */
  function* unite(): Work<void> {
    const kept = db
      .select({ id: min(purges.id) })
      .from(purges)
      .where(isOwed)
      .groupBy(purges.path)
    yield* rows.remove(and(isOwed, sql`${purges.id} NOT IN ${kept}`)).run()
    if ((yield* rows.count(isOwed)) <= MAX_OWED[engine.owes]) return
    const one = yield* prepare(
      db.select({ id: min(purges.id), failedAt: min(purges.failedAt) }).from(purges),
    ).get()
    yield* rows.remove().run()
    if (one?.id) yield* insert({ id: one.id, path: '', failedAt: one.failedAt, sentAt: null })
  }
  return {
    /** Returns up to `limit` purges to send: new ones, and those that were sent first before `again`. */
    due: (again: number, limit: number) =>
      rows.select(or(isOwed, lte(purges.sentAt, again)), { limit }).all(),
    /** Records that the cache has accepted purges. Those that it has accepted twice are done. */
    sent: (accepted: readonly PurgeRow[], time: number): Query<void> =>
      body(function* () {
        yield* rows.remove(and(isAmong(accepted), isNotNull(purges.sentAt))).run()
        yield* rows.update({ sentAt: time, failedAt: null }, and(isAmong(accepted), isOwed)).run()
      }),
    /** Records that the cache has not accepted purges. Those of one path become one. */
    failed: (time: number): Query<void> =>
      body(function* () {
        yield* rows
          .update(
            { failedAt: sql`coalesce((SELECT min(failed_at) FROM purges), ${time})` },
            and(isOwed, isNull(purges.failedAt)),
          )
          .run()
        yield* unite()
      }),
    /** Returns how many paths have failed, and since when; `undefined` without any. */
    overdue: (): Query<{ count: number; since: number } | undefined> =>
      prepare(
        db
          .select({ count: count(), since: min(purges.failedAt) })
          .from(purges)
          .where(and(isOwed, isNotNull(purges.failedAt))),
      )
        .get()
        .into((found) =>
          found && found.since !== null ? { count: found.count, since: found.since } : undefined,
        ),
  }
}
