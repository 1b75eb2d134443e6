import { and, asc, desc, eq, gte, inArray, or, type SQL, sql } from 'drizzle-orm'
import { type Engine, prepareInsert } from '../engine/engine.ts'
import type { Query } from '../engine/query.ts'
import { rowsOf } from '../engine/rows.ts'
import { siteMisses, sites } from '../schema/schema.ts'

export type SiteRow = typeof sites.$inferSelect
/** Columns of a site that may change. An `undefined` one keeps its value. */
export type SiteColumns = { [Column in keyof Omit<SiteRow, 'id'>]?: SiteRow[Column] | undefined }

/** Path of a site that visitors asked for in vain: how often, and when last. */
export type SiteMiss = typeof siteMisses.$inferSelect

/** Time after which a path that no visitor asks for any longer is forgotten. */
const MISS_MS = 7 * 86_400_000
/** Paths kept of a site: this many that are missed most, and as many that were missed last. */
const MISSES_OF_A_KIND = 100

/** Queries of the paths that sites lack. */
function missQueries(engine: Engine) {
  const { db, prepare, body } = engine
  const rows = rowsOf(engine, siteMisses)
  const { siteId, path, count, lastAt } = siteMisses
  const ofSite = eq(siteId, sql.placeholder('site'))
  const since = sql.placeholder('since')
  const add = prepareInsert(engine, siteMisses, {
    target: [siteId, path],
    set: { count: sql`${count} + excluded.count`, lastAt: sql`excluded.last_at` },
  })
  const first = (...order: SQL[]) =>
    db
      .select({ path })
      .from(siteMisses)
      .where(ofSite)
      .orderBy(...order)
      .limit(MISSES_OF_A_KIND)
  const isKept = or(
    inArray(path, first(desc(count), desc(lastAt), asc(path))),
    inArray(path, first(desc(lastAt), asc(path))),
  )
  const prune = rows.remove(and(ofSite, sql`(${lastAt} < ${since} OR NOT (${isKept}))`))
  const known = prepare(
    db
      .select({ id: sites.id })
      .from(sites)
      .where(eq(sites.id, sql.placeholder('site'))),
  )
  const latest = rows.select(and(ofSite, gte(lastAt, since)), { order: [desc(lastAt), asc(path)] })
  return {
    /** Adds to the counts of paths. Those of sites that were deleted meanwhile are left out. */
    addMisses: (misses: readonly SiteMiss[], now: number): Query<void> =>
      body(function* () {
        for (const site of new Set(misses.map((miss) => miss.siteId))) {
          if ((yield* known.get({ site })) === undefined) continue
          yield* add.rows(misses.filter((miss) => miss.siteId === site))
          yield* prune.run({ site, since: now - MISS_MS })
        }
      }),
    /** Returns the paths of a site that were missed in the last days, the latest first. */
    misses: (site: string, now: number): Query<SiteMiss[]> => latest.all({ site, since: now - MISS_MS }),
  }
}

/**
 * Queries of websites.
 *
 * @param purging Adds the purge of all that a site shows to its change.
 */
export function siteQueries(
  engine: Engine,
  purging: <Value>(id: string, change: Query<Value>) => Query<Value>,
) {
  const rows = rowsOf(engine, sites)
  const all = rows.select(undefined, { order: [asc(sites.name)] })
  const insert = prepareInsert(engine, sites).row
  let revision = 0
  const noted = () => {
    revision += 1
  }
  return {
    ...missQueries(engine),
    /** Returns all sites by name. */
    all: (): Query<SiteRow[]> => all.all(),
    byId: (id: string) => rows.select(eq(sites.id, id)).get(),
    count: () => rows.count(),
    insert: (row: SiteRow): Query<void> => insert(row).into(noted),
    update: (id: string, changes: SiteColumns): Query<void> =>
      purging(id, rows.update(changes, eq(sites.id, id)).run().into(noted)),
    remove: (id: string): Query<void> => purging(id, rows.remove(eq(sites.id, id)).run().into(noted)),
    /** Passes the sites of a folder to the one that takes its place. */
    follow: (folderId: string, next: string): Query<void> =>
      rows.update({ folderId: next }, eq(sites.folderId, folderId)).run().into(noted),
    /** Grows with each change by this process, also with one that is rolled back. */
    revision: (): number => revision,
  }
}
