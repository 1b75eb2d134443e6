import { and, asc, count, eq, exists, max, ne, or, sql } from 'drizzle-orm'
import { type Engine, prepareInsert } from '../engine/engine.ts'
import type { Query } from '../engine/query.ts'
import { rowsOf } from '../engine/rows.ts'
import { heldIntegrity, integrity, trashedFiles, versions } from '../schema/schema.ts'

type IntegrityRow = typeof integrity.$inferSelect
/** Problem of a file in the trash, or of a version. */
export type HeldProblem = typeof heldIntegrity.$inferSelect

/** Numbers of damaged files, and the time at which the latest was found. */
interface Damage {
  files: number
  trash: number
  versions: number
  latest: number
}

/** Queries of how much is damaged. */
function damageQueries({ db, prepare, body }: Engine) {
  const ofFiles = prepare(db.select({ count: count(), latest: max(integrity.foundAt) }).from(integrity))
  const isIn = (table: typeof trashedFiles | typeof versions, place: HeldProblem['place']) =>
    and(
      eq(heldIntegrity.place, place),
      exists(db.select({ one: sql`1` }).from(table).where(eq(table.id, heldIntegrity.id))),
    )
  const byPlace = prepare(
    db
      .select({ place: heldIntegrity.place, count: count(), latest: max(heldIntegrity.foundAt) })
      .from(heldIntegrity)
      .where(or(isIn(trashedFiles, 'trash'), isIn(versions, 'version')))
      .groupBy(heldIntegrity.place),
  )
  return {
    /** Returns how much is damaged; `undefined` when nothing is. */
    summary: (): Query<Damage | undefined> =>
      body(function* () {
        const inTree = yield* ofFiles.get()
        const held = yield* byPlace.all()
        const latest = Math.max(...[inTree, ...held].map((found) => found?.latest ?? 0))
        if (latest === 0) return undefined
        const of = (place: HeldProblem['place']) => held.find((found) => found.place === place)?.count ?? 0
        return { files: inTree?.count ?? 0, trash: of('trash'), versions: of('version'), latest }
      }),
  }
}

/** Queries of the problems of versions and of files in the trash. */
function heldProblemQueries(engine: Engine) {
  const rows = rowsOf(engine, heldIntegrity)
  const excluded = {
    place: sql`excluded.place`,
    problem: sql`excluded.problem`,
    foundAt: sql`excluded.found_at`,
  }
  return {
    held: () => rows.select(undefined, { order: [asc(heldIntegrity.id)] }).all(),
    heldById: (id: string) => rows.select(eq(heldIntegrity.id, id)).get(),
    /** Records a problem, with the time when it was found last. */
    putHeld: prepareInsert(engine, heldIntegrity, { target: [heldIntegrity.id], set: excluded }).row,
    clearHeld: (id: string) => rows.remove(eq(heldIntegrity.id, id)).run(),
  }
}

/** Queries of the problems of files. */
function fileProblemQueries(engine: Engine) {
  const { db, prepare } = engine
  const rows = rowsOf(engine, integrity)
  return {
    byFile: (fileId: string) => rows.select(eq(integrity.fileId, fileId)).get(),
    fileIds: (): Query<string[]> =>
      prepare(db.select({ fileId: integrity.fileId }).from(integrity).orderBy(asc(integrity.fileId)))
        .all()
        .into((rows) => rows.map(({ fileId }) => fileId)),
    /** Records a problem. A known one keeps the time when it was found first. */
    put: (row: IntegrityRow): Query<void> =>
      prepare(
        db
          .insert(integrity)
          .values(row)
          .onConflictDoUpdate({
            target: integrity.fileId,
            set: { problem: row.problem, foundAt: row.foundAt },
            setWhere: ne(integrity.problem, sql`excluded.problem`),
          }),
      ).run(),
    clear: (fileId: string) => rows.remove(eq(integrity.fileId, fileId)).run(),
  }
}

/** Queries of problems found with bytes. Deleting a file or version removes its problem. */
export const integrityQueries = (engine: Engine) => ({
  ...damageQueries(engine),
  ...heldProblemQueries(engine),
  ...fileProblemQueries(engine),
})
