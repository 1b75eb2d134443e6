import { and, eq, isNull, type SQL, sql } from 'drizzle-orm'
import type { Engine, Statement } from '../engine/engine.ts'
import type { Query } from '../engine/query.ts'
import type { Part } from '../engine/reach.ts'
import { files, folders } from '../schema/schema.ts'
import { type FileAccess, prepareAccess } from '../tree/files.ts'
import type { FolderTree } from '../tree/folders.ts'

/** Maximum depth of a walk, which no tree of valid keys has. */
const MAX_DEPTH = 5000

interface FoundKey {
  key: string | null
  isRooted: boolean | null
}

/** Id of the folder that the placeholders `segments` and `depth` name. */
const FOLDER_AT = sql`WITH RECURSIVE down(id, depth) AS (
    SELECT id, 0 FROM folders WHERE parent_id IS NULL
    UNION ALL SELECT folders.id, down.depth + 1 FROM down JOIN folders ON folders.parent_id = down.id
      AND folders.name = (${sql.placeholder('segments')}::text::json ->> down.depth)
  )
  SELECT id FROM down WHERE depth = ${sql.placeholder('depth')}`

const placeOf = (segments: readonly string[]) => ({
  segments: JSON.stringify(segments),
  depth: segments.length,
})

/** Prepares the query of what decides access to the file at a path, in one round trip. */
export function prepareAccessAt(engine: Engine) {
  const isFile = and(sql`${files.folderId} = (${FOLDER_AT})`, eq(files.name, sql.placeholder('name')))
  const access = prepareAccess(engine, isFile)
  return (segments: readonly string[], name: string): Query<FileAccess | undefined> =>
    access({ ...placeOf(segments), name })
}

/** Tree of PostgreSQL. It has no memory: other nodes change folders, too. Each walk is one query. */
export class FolderWalks implements FolderTree {
  readonly #root: Statement<{ id: string }[], { id: string } | undefined>
  readonly #detached: Statement<{ id: string }[], { id: string } | undefined>
  readonly #up: Statement<FoundKey[], FoundKey | undefined>
  readonly #upWithin: Statement<FoundKey[], FoundKey | undefined>
  readonly #upFromMany: Statement<{ id: string; key: string | null }[], unknown>
  readonly #down: Statement<{ id: string }[], { id: string } | undefined>

  constructor({ db, prepare }: Engine) {
    const select = () => db.select({ id: folders.id }).from(folders)
    this.#root = prepare(select().where(isNull(folders.parentId)))
    this.#detached = prepare(select().where(eq(folders.parentId, folders.id)).limit(1))
    const id = sql`${sql.placeholder('id')}::text`
    const part = sql`${sql.placeholder('part')}::text::json`
    const upwards = (from: SQL, also: SQL) =>
      prepare(
        db.select({ key: sql<string | null>`key`, isRooted: sql<boolean | null>`is_rooted` }).from(sql`(
          WITH RECURSIVE up(id, parent_id, name, depth) AS (
            SELECT id, parent_id, name, 0 FROM folders WHERE id = ${from}
            UNION ALL SELECT folders.id, folders.parent_id, folders.name, up.depth + 1
              FROM folders JOIN up ON folders.id = up.parent_id AND up.parent_id <> up.id AND up.depth < ${MAX_DEPTH}
          )
          SELECT string_agg(name, '/' ORDER BY depth DESC) FILTER (WHERE parent_id IS NOT NULL) AS key,
            bool_or(parent_id IS NULL)${also} AS is_rooted FROM up) AS found`),
      )
    this.#up = upwards(id, sql``)
    // Without such a folder the walk begins at a folder of the part, and so takes as long as from one outside.
    this.#upWithin = upwards(
      sql`coalesce((SELECT id FROM folders WHERE id = ${id}), ${part} -> 0 ->> 0)`,
      sql` AND bool_or(id = ${id}) AND NOT EXISTS (
      SELECT 1 FROM json_array_elements(${part}) AS tops WHERE NOT EXISTS (
        SELECT 1 FROM up JOIN json_array_elements_text(tops) AS top ON top = up.id))`,
    )
    // `OFFSET` has parents looked up one by one: a join reads all folders.
    this.#upFromMany = prepare(
      db.select({ id: sql<string>`id`, key: sql<string | null>`key` }).from(sql`(
        WITH RECURSIVE up(start, id, parent_id, name, depth) AS (
          SELECT id, id, parent_id, name, 0 FROM folders
            WHERE id IN (SELECT json_array_elements_text(${sql.placeholder('ids')}::text::json))
          UNION ALL SELECT up.start, parent.id, parent.parent_id, parent.name, up.depth + 1
            FROM up CROSS JOIN LATERAL (SELECT * FROM folders WHERE id = up.parent_id OFFSET 0) AS parent
            WHERE up.parent_id <> up.id AND up.depth < ${MAX_DEPTH}
        )
        SELECT start AS id, string_agg(name, '/' ORDER BY depth DESC) FILTER (WHERE parent_id IS NOT NULL) AS key
          FROM up GROUP BY start HAVING bool_or(parent_id IS NULL)) AS found`),
    )
    this.#down = prepare(db.select({ id: sql<string>`id` }).from(sql`(${FOLDER_AT}) AS found`))
  }

  root(): Query<string> {
    return this.#root.get().into((row) => {
      if (!row) throw new Error('The catalog has no root folder')
      return row.id
    })
  }

  keyOf(id: string): Query<string | undefined> {
    return this.#up.get({ id }).into((found) => (found?.isRooted ? (found.key ?? '') : undefined))
  }

  keyWithin(id: string, part: Part): Query<string | undefined> {
    const found = this.#upWithin.get({ id, part: JSON.stringify(part) })
    return found.into((up) => (up?.isRooted ? (up.key ?? '') : undefined))
  }

  keysOf(ids: readonly string[]): Query<ReadonlyMap<string, string>> {
    const found = this.#upFromMany.all({ ids: JSON.stringify(ids) })
    return found.into((rows) => new Map(rows.map(({ id, key }) => [id, key ?? ''])))
  }

  idAt(segments: readonly string[]): Query<string | undefined> {
    return this.#down.get(placeOf(segments)).into((row) => row?.id)
  }

  isPurging(): Query<boolean> {
    return this.#detached.get().into((row) => row !== undefined)
  }

  forgetKeys(): void {}
  noteDetached(): void {}
  noteAttached(): void {}
  rolledBack(): void {}
}
