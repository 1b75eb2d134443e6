import type { Database } from 'bun:sqlite'
import type { Query } from '../engine/query.ts'
import { isDamage } from './damage.ts'
import { SqliteQuery } from './engine.ts'

/** Maximum number of damaged places that SQLite names. */
const MAX_NAMED = 20

/**
 * Running totals and the queries that recount them. Triggers may leave rows of zeros, which count as absent.
 */
const TOTALS: Record<string, { kept: string; counted: string }> = {
  file_totals: {
    kept: 'SELECT mime_type, visibility, "count", size FROM file_totals WHERE "count" <> 0 OR size <> 0',
    counted: 'SELECT mime_type, visibility, count(*), sum(size) FROM files GROUP BY 1, 2',
  },
  file_days: {
    kept: 'SELECT day, "count", size FROM file_days WHERE "count" <> 0 OR size <> 0',
    counted: "SELECT date(created_at / 1000, 'unixepoch'), count(*), sum(size) FROM files GROUP BY 1",
  },
  folder_sizes: {
    kept: 'SELECT folder_id, "count", size FROM folder_sizes',
    counted: 'SELECT folder_id, count(*), sum(size) FROM files GROUP BY 1',
  },
  folder_total: {
    kept: 'SELECT id, "count" FROM folder_total',
    counted: 'SELECT 1, count(*) FROM folders',
  },
  version_total: {
    kept: 'SELECT id, "count", size FROM version_total',
    counted: 'SELECT 1, count(*), ifnull(sum(size), 0) FROM versions',
  },
  uploader_totals: {
    kept: 'SELECT user_id, "count", size FROM uploader_totals WHERE "count" <> 0 OR size <> 0',
    counted: `SELECT uploaded_by, count(*), sum(size) FROM (
        SELECT uploaded_by, size FROM files UNION ALL SELECT uploaded_by, size FROM trashed_files
        UNION ALL SELECT uploaded_by, size FROM versions
      ) WHERE uploaded_by IS NOT NULL GROUP BY 1`,
  },
}

/** Number of rows of a table that refer to a missing row of another. */
export interface Dangling {
  table: string
  parent: string
  count: number
}

const danglingIn = (sqlite: Database): Dangling[] =>
  sqlite
    .query<Dangling, []>(
      'SELECT "table", parent, count(*) AS "count" FROM pragma_foreign_key_check GROUP BY 1, 2',
    )
    .all()

/** Removes rows that refer to missing rows, and then those that referred to them. */
function removeDangling(sqlite: Database): Dangling[] {
  const removed: Dangling[] = []
  // Rows that refer to a removed one dangle until the next round.
  sqlite.run('PRAGMA defer_foreign_keys = ON')
  for (let found = danglingIn(sqlite); found.length > 0; found = danglingIn(sqlite)) {
    for (const { table } of found)
      sqlite.run(
        `DELETE FROM "${table}" WHERE rowid IN (SELECT rowid FROM pragma_foreign_key_check WHERE "table" = ?)`,
        [table],
      )
    removed.push(...found)
  }
  return removed
}

/** Queries that check the consistency of a database of SQLite. They read all of it: seconds for a large one. */
export function checkQueries(sqlite: Database) {
  return {
    /** Returns the damage that SQLite finds in the database itself. */
    damage: (): Query<string[]> =>
      new SqliteQuery(() => {
        try {
          return sqlite
            .query<{ integrity_check: string }, []>(`PRAGMA integrity_check(${MAX_NAMED})`)
            .all()
            .map(({ integrity_check }) => integrity_check)
            .filter((line) => line !== 'ok')
        } catch (error) {
          if (!isDamage(error)) throw error
          return ['it cannot be checked']
        }
      }),
    /** Returns rows that refer to missing rows: how many, of which table, and the table that lacks them. */
    dangling: (): Query<Dangling[]> => new SqliteQuery(() => danglingIn(sqlite)),
    /** Returns the names of the running totals that differ from a recount. */
    wrongTotals: (): Query<string[]> =>
      new SqliteQuery(() =>
        Object.entries(TOTALS)
          .filter(([, { kept, counted }]) => {
            const differing = `SELECT EXISTS (SELECT * FROM (${kept}) EXCEPT SELECT * FROM (${counted}))
              OR EXISTS (SELECT * FROM (${counted}) EXCEPT SELECT * FROM (${kept})) AS differing`
            return sqlite.query<{ differing: number }, []>(differing).get()?.differing === 1
          })
          .map(([name]) => name),
      ),
    /**
     * Removes rows that refer to missing rows, and recounts the running totals, inside the caller's transaction. Returns
     * what it removed.
     */
    mend: (): Query<Dangling[]> =>
      new SqliteQuery(() => {
        const removed = removeDangling(sqlite)
        for (const [name, { counted }] of Object.entries(TOTALS)) {
          sqlite.run(`DELETE FROM ${name}`)
          sqlite.run(`INSERT INTO ${name} ${counted}`)
        }
        return removed
      }),
  }
}
