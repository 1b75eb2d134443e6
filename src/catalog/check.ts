import { type SQL, sql } from 'drizzle-orm'
import { isDamage } from './damage.ts'
import type { Db } from './db.ts'

/** Maximum number of damaged places that SQLite names. */
const MAX_NAMED = 20

/**
 * Running totals and the queries that recount them. Triggers may leave rows of zeros, which count as absent.
 */
const TOTALS: Record<string, { kept: SQL; counted: SQL; recount: SQL[] }> = {
  file_totals: {
    kept: sql`SELECT mime_type, visibility, "count", size FROM file_totals WHERE "count" <> 0 OR size <> 0`,
    counted: sql`SELECT mime_type, visibility, count(*), sum(size) FROM files GROUP BY 1, 2`,
    recount: [
      sql`DELETE FROM file_totals`,
      sql`INSERT INTO file_totals SELECT mime_type, visibility, count(*), sum(size) FROM files GROUP BY 1, 2`,
    ],
  },
  file_days: {
    kept: sql`SELECT day, "count", size FROM file_days WHERE "count" <> 0 OR size <> 0`,
    counted: sql`SELECT date(created_at / 1000, 'unixepoch'), count(*), sum(size) FROM files GROUP BY 1`,
    recount: [
      sql`DELETE FROM file_days`,
      sql`INSERT INTO file_days
        SELECT date(created_at / 1000, 'unixepoch'), count(*), sum(size) FROM files GROUP BY 1`,
    ],
  },
  folder_total: {
    kept: sql`SELECT "count" FROM folder_total`,
    counted: sql`SELECT count(*) FROM folders`,
    recount: [sql`DELETE FROM folder_total`, sql`INSERT INTO folder_total SELECT 1, count(*) FROM folders`],
  },
  version_total: {
    kept: sql`SELECT "count", size FROM version_total`,
    counted: sql`SELECT count(*), ifnull(sum(size), 0) FROM versions`,
    recount: [
      sql`DELETE FROM version_total`,
      sql`INSERT INTO version_total SELECT 1, count(*), ifnull(sum(size), 0) FROM versions`,
    ],
  },
}

/** Queries that check the catalog's consistency. They read all of it: seconds for a large one. */
export function checkQueries(db: Db) {
  return {
    /** Returns the damage that SQLite finds in the database itself. */
    damage: (): string[] => {
      try {
        return db
          .all<{ integrity_check: string }>(sql.raw(`PRAGMA integrity_check(${MAX_NAMED})`))
          .map(({ integrity_check }) => integrity_check)
          .filter((line) => line !== 'ok')
      } catch (error) {
        if (!isDamage(error)) throw error
        return ['it cannot be checked']
      }
    },
    /** Returns rows that refer to missing rows: how many, of which table, and the table that lacks them. */
    dangling: (): { table: string; parent: string; count: number }[] =>
      db.all(sql`SELECT "table", parent, count(*) AS "count" FROM pragma_foreign_key_check GROUP BY 1, 2`),
    /** Returns the names of the running totals that differ from a recount. */
    wrongTotals: (): string[] =>
      Object.entries(TOTALS)
        .filter(([, { kept, counted }]) => {
          const differing = sql`SELECT EXISTS (SELECT * FROM (${kept}) EXCEPT SELECT * FROM (${counted}))
            OR EXISTS (SELECT * FROM (${counted}) EXCEPT SELECT * FROM (${kept})) AS differing`
          return db.all<{ differing: number }>(differing)[0]?.differing === 1
        })
        .map(([name]) => name),
    /** Recounts the running totals inside the caller's transaction. */
    recount: (): void => {
      for (const { recount } of Object.values(TOTALS)) for (const statement of recount) db.run(statement)
    },
  }
}
