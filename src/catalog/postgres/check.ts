import type { Pool } from './pool.ts'

/** Names that rows need, and the names that are there. */
const NAMES_NEEDED = `SELECT folder_id AS parent_id, name, id FROM files
  UNION ALL SELECT parent_id, name, id FROM folders WHERE parent_id <> id`

/** Rows of all bytes that accounts have sent. */
const UPLOADED = `(SELECT uploaded_by, size FROM files UNION ALL SELECT uploaded_by, size FROM trashed_files
  UNION ALL SELECT uploaded_by, size FROM versions) AS uploaded`

interface Total {
  kept: string
  counted: string
}

/** Queries of each total: the one that is kept, and a recount. Parts may add up to zero, which counts as absent. */
const TOTALS: Record<string, Total> = {
  file_totals: {
    kept: 'SELECT mime_type, visibility, "count", size FROM file_totals WHERE "count" <> 0 OR size <> 0',
    counted: 'SELECT mime_type, visibility, count(*), sum(size)::bigint FROM files GROUP BY 1, 2',
  },
  file_days: {
    kept: 'SELECT day, "count", size FROM file_days WHERE "count" <> 0 OR size <> 0',
    counted: 'SELECT utc_day(created_at), count(*), sum(size)::bigint FROM files GROUP BY 1',
  },
  folder_sizes: {
    kept: 'SELECT folder_id, "count", size FROM folder_sizes WHERE "count" <> 0 OR size <> 0',
    counted: 'SELECT folder_id, count(*), sum(size)::bigint FROM files GROUP BY 1',
  },
  folder_total: {
    kept: 'SELECT "count" FROM folder_total',
    counted: 'SELECT count(*) FROM folders',
  },
  version_total: {
    kept: 'SELECT "count", size FROM version_total',
    counted: 'SELECT count(*), coalesce(sum(size), 0)::bigint FROM versions',
  },
  uploader_totals: {
    kept: 'SELECT user_id, "count", size FROM uploader_totals WHERE "count" <> 0 OR size <> 0',
    counted: `SELECT uploaded_by, count(*), sum(size)::bigint FROM ${UPLOADED} WHERE uploaded_by IS NOT NULL GROUP BY 1`,
  },
  names: { kept: 'SELECT parent_id, name, id FROM names', counted: NAMES_NEEDED },
}

/** Statements that count everything again. */
const RECOUNT = [
  'LOCK TABLE files, folders, versions, trashed_files IN SHARE MODE',
  'DELETE FROM total_parts',
  "INSERT INTO total_parts SELECT 'file', mime_type, visibility, count(*), sum(size) FROM files GROUP BY 2, 3",
  "INSERT INTO total_parts SELECT 'day', utc_day(created_at), '', count(*), sum(size) FROM files GROUP BY 2",
  "INSERT INTO total_parts SELECT 'folder', '', '', count(*), 0 FROM folders",
  "INSERT INTO total_parts SELECT 'version', '', '', count(*), coalesce(sum(size), 0) FROM versions",
  `INSERT INTO total_parts SELECT 'uploader', uploaded_by, '', count(*), sum(size) FROM ${UPLOADED}
    WHERE uploaded_by IS NOT NULL GROUP BY 2`,
  'DELETE FROM folder_parts',
  'INSERT INTO folder_parts SELECT folder_id, count(*), sum(size), true FROM files GROUP BY 1',
  'DELETE FROM names',
  `INSERT INTO names ${NAMES_NEEDED}`,
]

const differing = ({ kept, counted }: Total) =>
  `SELECT EXISTS (SELECT * FROM (${kept}) AS a EXCEPT SELECT * FROM (${counted}) AS b)
    OR EXISTS (SELECT * FROM (${counted}) AS a EXCEPT SELECT * FROM (${kept}) AS b)`

/** Queries that return true for a total that differs from a recount, and for `names`, by name. */
export const DIFFERING = Object.entries(TOTALS).map(([name, total]) => [name, differing(total)] as const)

/** Deadline of a query that reads all files, in milliseconds. */
const CHECK_MS = 600_000

/**
 * Checks what triggers maintain. References are the server's to keep, and damaged pages are its operator's to find.
 * Everything is read: seconds for a large catalog.
 */
export function checkQueries(pool: Pool) {
  return {
    /** Returns the names of the totals that differ from a recount, and `names` when those of files or folders do. */
    wrongTotals: (): Promise<string[]> =>
      pool.use(async (connection) => {
        const wrong: string[] = []
        for (const [name, text] of DIFFERING)
          if ((await connection.query(text, [], CHECK_MS)).rows[0]?.[0] === true) wrong.push(name)
        return wrong
      }),
    /** Counts the totals and lists the names again, in one transaction. Changes wait for it. It removes no row. */
    mend: (): Promise<never[]> =>
      pool.use(async (connection) => {
        await connection.script(`BEGIN; ${RECOUNT.join('; ')}; COMMIT`, CHECK_MS)
        return []
      }),
  }
}
