import { and, asc, eq, gt, isNull, like, ne, sql } from 'drizzle-orm'
import { type Engine, prepareInsert } from '../engine/engine.ts'
import type { Query } from '../engine/query.ts'
import type { Part } from '../engine/reach.ts'
import { rowsOf } from '../engine/rows.ts'
import { apiKeys, folderGrants, folders, invitations, shareItems, shares, sites } from '../schema/schema.ts'
import { purgesOf } from './purges.ts'

export type FolderRow = typeof folders.$inferSelect

/** Lookups that walk the tree, and what a change of the tree does to values cached for them. */
export interface FolderTree {
  /** Returns the id of the root. */
  root: () => Query<string>
  /** Returns a folder's key, which is empty for the root; `undefined` when the folder is not in the tree. */
  keyOf: (id: string) => Query<string | undefined>
  /** Returns the keys of folders by their ids. Those outside the tree have none. `keyOf` is faster for one. */
  keysOf: (ids: readonly string[]) => Query<ReadonlyMap<string, string>>
  /** Returns the id of the folder at `segments` from the root, or `undefined`. */
  idAt: (segments: readonly string[]) => Query<string | undefined>
  /** Returns a folder's key as `keyOf` does, if the folder is in a part of the tree. Both outcomes cost the same. */
  keyWithin: (id: string, part: Part) => Query<string | undefined>
  /** True while rows of detached folders are still there. */
  isPurging: () => Query<boolean>
  /** Invalidates cached keys. Must follow every change of a folder's name, place or existence. */
  forgetKeys: () => void
  /** Records that a folder left the tree. */
  noteDetached: (id: string) => void
  /** Records that a folder is in the tree again, or that its row is gone. */
  noteAttached: (id: string) => void
  /** Evicts cached values that may come from changes that were rolled back. */
  rolledBack: () => void
}

/** Name of a folder outside the tree; no folder in the tree can have it. */
const NO_NAME = '/'

/**
 * Folders below the one that the placeholder `id` names, with the length in bytes of the path to each, its leading
 * slash included.
 */
const PATHS_BELOW = sql`
  WITH RECURSIVE below(id, bytes) AS (
    SELECT id, 0 FROM folders WHERE id = ${sql.placeholder('id')}
    UNION ALL SELECT folders.id, below.bytes + 1 + octet_length(folders.name)
      FROM folders JOIN below ON folders.parent_id = below.id AND folders.id <> below.id
  )`

/** Queries of the folders directly in the one that the placeholder `parentId` names, by name. */
function childQueries(engine: Engine) {
  const { db, dialect, prepare } = engine
  const rows = rowsOf(engine, folders)
  const parentId = sql.placeholder('parentId')
  const isChild = and(eq(folders.parentId, parentId), ne(folders.id, parentId))
  return {
    byName: rows.select(and(eq(folders.parentId, parentId), eq(folders.name, sql.placeholder('name')))),
    all: rows.select(isChild, { order: [asc(folders.name)] }),
    ofMany: prepare(
      db
        .select({ id: folders.id, parentId: folders.parentId })
        .from(folders)
        .where(
          and(
            sql`${folders.parentId} IN (${dialect.elementsOf(sql.placeholder('parentIds'))})`,
            ne(folders.id, folders.parentId),
          ),
        )
        .limit(sql.placeholder('limit')),
    ),
    afterName: rows.select(and(isChild, gt(folders.name, sql.placeholder('name'))), {
      order: [asc(folders.name)],
      limit: sql.placeholder('limit'),
    }),
  }
}

/** Queries of the lengths of the paths below the folder that the placeholder `id` names. */
function pathQueries({ db, prepare }: Engine) {
  const [bytes, nameBytes] = [sql.placeholder('bytes'), sql.placeholder('nameBytes')]
  return {
    longest: prepare(
      db
        .select({ longest: sql<number>`longest` })
        .from(sql`(${PATHS_BELOW} SELECT max(bytes) AS longest FROM below) AS paths`),
    ),
    longer: prepare(
      db.select({ one: sql`one` }).from(sql`(${PATHS_BELOW}
        SELECT 1 AS one FROM below WHERE bytes > ${bytes} OR bytes + 1 + ${nameBytes} > ${bytes} AND EXISTS (
          SELECT 1 FROM files WHERE folder_id = below.id AND below.bytes + 1 + octet_length(name) > ${bytes}
        ) LIMIT 1) AS longer`),
    ),
  }
}

export type FolderQueries = ReturnType<typeof folderQueries>

const hasId = eq(folders.id, sql.placeholder('id'))

/** Queries of folders. */
function folderLookups(engine: Engine, tree: FolderTree) {
  const { db, dialect, prepare } = engine
  const folderRows = rowsOf(engine, folders)
  const folderGrantRows = rowsOf(engine, folderGrants)
  const apiKeyRows = rowsOf(engine, apiKeys)
  const shareRows = rowsOf(engine, shares)
  const siteRows = rowsOf(engine, sites)
  const invitationRows = rowsOf(engine, invitations)
  const shareItemRows = rowsOf(engine, shareItems)
  const byId = folderRows.select(hasId)
  const byIds = folderRows.select(sql`${folders.id} IN (${dialect.elementsOf(sql.placeholder('ids'))})`)
  const children = childQueries(engine)
  const paths = pathQueries(engine)
  return {
    root: tree.root.bind(tree),
    keyOf: tree.keyOf.bind(tree),
    keysOf: tree.keysOf.bind(tree),
    idAt: tree.idAt.bind(tree),
    keyWithin: tree.keyWithin.bind(tree),
    isPurging: tree.isPurging.bind(tree),
    byId: (id: string): Query<FolderRow | undefined> => byId.get({ id }),
    /** Returns the folders among `ids`, in no order. */
    byIds: (ids: readonly string[]): Query<FolderRow[]> => byIds.all({ ids: JSON.stringify(ids) }),
    byName: (parentId: string, name: string): Query<FolderRow | undefined> =>
      children.byName.get({ parentId, name }),
    /** Returns true for a folder that an API key, an account, an invitation, a share or a site names by its id. */
    isNamed: (id: string): Query<boolean> =>
      engine.body(function* () {
        return (
          (yield* folderGrantRows.has(eq(folderGrants.folderId, id))) ||
          (yield* apiKeyRows.has(eq(apiKeys.folderId, id))) ||
          (yield* shareRows.has(eq(shares.folderId, id))) ||
          (yield* siteRows.has(eq(sites.folderId, id))) ||
          (yield* invitationRows.has(like(invitations.grants, `%"${id}"%`))) ||
          (yield* shareItemRows.has(eq(shareItems.itemId, id)))
        )
      }),
    hasRoot: () => folderRows.has(isNull(folders.parentId)),
    /** Returns the folders directly in another by name. */
    inFolder: (parentId: string): Query<FolderRow[]> => children.all.all({ parentId }),
    /** Returns up to `limit` folders by id, after an id. */
    after: (id: string, limit: number) =>
      folderRows.select(gt(folders.id, id), { order: [asc(folders.id)], limit }).all(),
    /** Returns up to `limit` folders directly in another by name, after a name. */
    inFolderAfter: (parentId: string, name: string, limit: number): Query<FolderRow[]> =>
      children.afterName.all({ parentId, name, limit }),
    /** Returns up to `limit` folders directly in any of some others, in no order. */
    inFolders: (parentIds: readonly string[], limit: number): Query<Pick<FolderRow, 'id' | 'parentId'>[]> =>
      children.ofMany.all({ parentIds: JSON.stringify(parentIds), limit }),
    /** True when more than `count` folders are directly in another. */
    hasMoreThan: (parentId: string, count: number): Query<boolean> =>
      prepare(
        db.select({ one: sql`1` }).from(folders).where(eq(folders.parentId, parentId)).limit(1).offset(count),
      )
        .get()
        .into((row) => row !== undefined),
    /** Returns the folders that `detach` took out of the tree. */
    detached: () => folderRows.select(eq(folders.parentId, folders.id)).all(),
    /**
     * Returns the bytes of the longest path from a folder to one below it, its leading slash included; 0 when
     * there is none.
     */
    longestPathBelow: (id: string): Query<number> =>
      paths.longest.get({ id }).into((row) => row?.longest ?? 0),
    /**
     * True when a path from a folder to a folder or file below it, its leading slash included, exceeds
     * `bytes` bytes. No name exceeds `nameBytes`, so files are read only where one could be too long.
     */
    hasPathBelow: (id: string, bytes: number, nameBytes: number): Query<boolean> =>
      paths.longer.get({ id, bytes, nameBytes }).into((row) => row !== undefined),
  }
}

/** Changes of the tree. */
function folderChanges(engine: Engine, tree: FolderTree) {
  const { db, notes, prepare, body } = engine
  const rows = rowsOf(engine, folders)
  const parentOf = prepare(db.select({ parentId: folders.parentId }).from(folders).where(hasId))
  const remove = rows.remove(hasId)
  const insert = prepareInsert(engine, folders)
  const owed = purgesOf(engine)
  return {
    /** Changes a folder's name or place: one row, whatever lies below it. */
    update: (id: string, changes: Partial<Omit<FolderRow, 'id'>>): Query<void> =>
      body(function* () {
        const hasOtherParent = changes.parentId !== undefined
        if (hasOtherParent || changes.name !== undefined) yield* owed.ofFolder(id)
        const before = hasOtherParent ? yield* parentOf.get({ id }) : undefined
        yield* rows.update(changes, eq(folders.id, id)).run()
        tree.forgetKeys()
        if (hasOtherParent) tree.noteAttached(id)
        notes.note({ of: 'moved folder', id, hasOtherParent, from: before?.parentId ?? undefined })
      }),
    /**
     * Takes a folder out of the tree with everything below it. It becomes its own parent and so has no key.
     * It also loses its name, so that a folder in it may have the same one.
     */
    detach: (id: string): Query<void> =>
      body(function* () {
        const before = yield* parentOf.get({ id })
        yield* owed.ofFolder(id)
        yield* rows.update({ parentId: id, name: NO_NAME }, eq(folders.id, id)).run()
        tree.forgetKeys()
        tree.noteDetached(id)
        notes.note({ of: 'detached folder', id, from: before?.parentId ?? undefined })
      }),
    /** Inserts a folder outside the tree, as `detach` leaves one. */
    insertDetached: (row: Omit<FolderRow, 'parentId' | 'name'>): Query<void> => {
      return insert.row({ ...row, parentId: row.id, name: NO_NAME }).into(() => tree.noteDetached(row.id))
    },
    /** Removes an empty folder. */
    remove: (id: string): Query<void> =>
      remove.run({ id }).into(() => {
        tree.forgetKeys()
        tree.noteAttached(id)
      }),
    insert: (rows: readonly FolderRow[]): Query<void> =>
      insert.rows(rows).into(() => notes.note({ of: 'new folders', rows })),
  }
}

/** Queries of the catalog's tree. Keys are walked through (parent, name), so a rename changes one row. */
export const folderQueries = (engine: Engine, tree: FolderTree) => ({
  ...folderLookups(engine, tree),
  ...folderChanges(engine, tree),
})
