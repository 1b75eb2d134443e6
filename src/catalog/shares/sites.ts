import { asc, eq } from 'drizzle-orm'
import { countRows, type Engine, prepareInsert } from '../engine/engine.ts'
import type { Query } from '../engine/query.ts'
import { sites } from '../schema/schema.ts'

export type SiteRow = typeof sites.$inferSelect
/** Columns of a site that may change. An `undefined` one keeps its value. */
export type SiteColumns = { [Column in keyof Omit<SiteRow, 'id'>]?: SiteRow[Column] | undefined }

/** Queries of websites. */
export function siteQueries(engine: Engine) {
  const { db, prepare } = engine
  const all = prepare(db.select().from(sites).orderBy(asc(sites.name)))
  const insert = prepareInsert(engine, sites).row
  let revision = 0
  const noted = () => {
    revision += 1
  }
  return {
    /** Returns all sites by name. */
    all: (): Query<SiteRow[]> => all.all(),
    byId: (id: string): Query<SiteRow | undefined> =>
      prepare(db.select().from(sites).where(eq(sites.id, id))).get(),
    count: (): Query<number> => countRows(engine, sites),
    insert: (row: SiteRow): Query<void> => insert(row).into(noted),
    update: (id: string, changes: SiteColumns): Query<void> =>
      prepare(db.update(sites).set(changes).where(eq(sites.id, id)))
        .run()
        .into(noted),
    remove: (id: string): Query<void> =>
      prepare(db.delete(sites).where(eq(sites.id, id)))
        .run()
        .into(noted),
    /** Passes the sites of a folder to the one that takes its place. */
    follow: (folderId: string, next: string): Query<void> =>
      prepare(db.update(sites).set({ folderId: next }).where(eq(sites.folderId, folderId)))
        .run()
        .into(noted),
    /** Grows with each change by this process, also with one that is rolled back. */
    revision: (): number => revision,
  }
}
