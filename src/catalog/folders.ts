import { and, asc, eq, gt, isNull, ne, sql } from 'drizzle-orm'
import { type Db, prepareInsert } from './db.ts'
import { folders } from './schema.ts'

export type FolderRow = typeof folders.$inferSelect

/** Maximum number of cached folder keys; beyond it the cache starts empty again. */
const MAX_REMEMBERED = 50_000
/** Maximum characters of all cached keys together. */
const MAX_REMEMBERED_LENGTH = 4_000_000

/** Name of a folder outside the tree; no folder in the tree can have it. */
const NO_NAME = '/'

/** Prepares the query for the folders directly in another, by name. */
function prepareFoldersIn(db: Db): (parentId: string) => FolderRow[] {
  const parentId = sql.placeholder('parentId')
  const statement = db
    .select()
    .from(folders)
    .where(and(eq(folders.parentId, parentId), ne(folders.id, parentId)))
    .orderBy(asc(folders.name))
    .prepare()
  return (id) => statement.all({ parentId: id })
}

export type FolderQueries = ReturnType<typeof folderQueries>

/** Queries of the catalog's tree. Keys are walked through (parent, name), so a rename changes one row. */
export function folderQueries(db: Db) {
  const byId = db
    .select()
    .from(folders)
    .where(eq(folders.id, sql.placeholder('id')))
    .prepare()
  const byName = db
    .select()
    .from(folders)
    .where(and(eq(folders.parentId, sql.placeholder('parentId')), eq(folders.name, sql.placeholder('name'))))
    .prepare()
  const afterName = db
    .select()
    .from(folders)
    .where(
      and(
        eq(folders.parentId, sql.placeholder('parentId')),
        ne(folders.id, sql.placeholder('parentId')),
        gt(folders.name, sql.placeholder('name')),
      ),
    )
    .orderBy(asc(folders.name))
    .limit(sql.placeholder('limit'))
    .prepare()
  const insert = prepareInsert(db, folders)
  const remove = db
    .delete(folders)
    .where(eq(folders.id, sql.placeholder('id')))
    .prepare()
  const keyOfId = new Map<string, string>()
  const idOfKey = new Map<string, string>()
  let rememberedLength = 0
  let rootId: string | undefined
  /** Ids of the folders that left the tree; `undefined` before they are read again. */
  let detachedIds: Set<string> | undefined

  function remember(id: string, key: string): void {
    if (keyOfId.size >= MAX_REMEMBERED || rememberedLength > MAX_REMEMBERED_LENGTH) forgetKeys()
    rememberedLength += key.length
    keyOfId.set(id, key)
    idOfKey.set(key, id)
  }

  /** Invalidates cached keys. Must follow every change of a folder's name, place or existence. */
  function forgetKeys(): void {
    keyOfId.clear()
    idOfKey.clear()
    rememberedLength = 0
  }

  const detached = () => db.select().from(folders).where(eq(folders.parentId, folders.id)).all()

  function knownDetached(): Set<string> {
    detachedIds ??= new Set(detached().map(({ id }) => id))
    return detachedIds
  }

  function root(): string {
    rootId ??= db.select({ id: folders.id }).from(folders).where(isNull(folders.parentId)).get()?.id
    if (rootId === undefined) throw new Error('The catalog has no root folder')
    return rootId
  }

  /** Returns a folder's key, which is empty for the root; `undefined` when the folder does not exist. */
  function keyOf(id: string): string | undefined {
    const upwards: FolderRow[] = []
    let key = keyOfId.get(id)
    for (let at = id; key === undefined; key = keyOfId.get(at)) {
      const row = byId.get({ id: at })
      if (!row || row.parentId === row.id) return undefined
      if (row.parentId === null) {
        remember(at, '')
        continue
      }
      upwards.push(row)
      at = row.parentId
    }
    // Ancestors are cached too, because the next lookup is often for a sibling.
    for (const { id, name } of upwards.reverse()) {
      key = key === '' ? name : `${key}/${name}`
      remember(id, key)
    }
    return key
  }

  /** Returns the id of the folder at `segments` from the root, or `undefined`. */
  function idAt(segments: readonly string[]): string | undefined {
    const key = segments.join('/')
    const remembered = idOfKey.get(key)
    if (remembered !== undefined) return remembered
    const above = idOfKey.get(segments.slice(0, -1).join('/'))
    let id: string | undefined = above ?? root()
    for (const name of above === undefined ? segments : segments.slice(-1)) {
      id = byName.get({ parentId: id, name })?.id
      if (id === undefined) return undefined
    }
    remember(id, key)
    return id
  }

  /**
   * Selects the folders below another with the length in bytes of the path to each, its leading slash
   * included.
   */
  const pathsBelow = (id: string) => sql`
    WITH RECURSIVE below(id, bytes) AS (
      VALUES (${id}, 0)
      UNION ALL SELECT folders.id, below.bytes + 1 + octet_length(folders.name)
        FROM folders JOIN below ON folders.parent_id = below.id AND folders.id <> below.id
    )`

  return {
    root,
    keyOf,
    idAt,
    forgetKeys,
    byId: (id: string): FolderRow | undefined => byId.get({ id }),
    byName: (parentId: string, name: string): FolderRow | undefined => byName.get({ parentId, name }),
    hasRoot: (): boolean =>
      db.select({ id: folders.id }).from(folders).where(isNull(folders.parentId)).get() !== undefined,
    inFolder: prepareFoldersIn(db),
    /** Returns up to `limit` folders by id, after an id. */
    after: (id: string, limit: number): FolderRow[] =>
      db.select().from(folders).where(gt(folders.id, id)).orderBy(asc(folders.id)).limit(limit).all(),
    /** Returns up to `limit` folders directly in another by name, after a name. */
    inFolderAfter: (parentId: string, name: string, limit: number): FolderRow[] =>
      afterName.all({ parentId, name, limit }),
    /** True when more than `count` folders are directly in another. */
    hasMoreThan: (parentId: string, count: number): boolean =>
      db
        .select({ one: sql`1` })
        .from(folders)
        .where(eq(folders.parentId, parentId))
        .limit(1)
        .offset(count)
        .get() !== undefined,
    /** Returns the folders that `detach` took out of the tree. */
    detached: (): FolderRow[] => detached(),
    /** True while rows of detached folders are still there. */
    isPurging: (): boolean => knownDetached().size > 0,
    /** Evicts cached values that may come from changes that were rolled back. */
    rolledBack: (): void => {
      forgetKeys()
      detachedIds = undefined
    },
    /**
     * Returns the bytes of the longest path from a folder to one below it, its leading slash included; 0 when
     * there is none.
     */
    longestPathBelow: (id: string): number =>
      db.all<{ longest: number }>(sql`${pathsBelow(id)} SELECT max(bytes) AS longest FROM below`)[0]
        ?.longest ?? 0,
    /**
     * True when a path from a folder to a folder or file below it, its leading slash included, exceeds
     * `bytes` bytes. No name exceeds `nameBytes`, so files are read only where one could be too long.
     */
    hasPathBelow: (id: string, bytes: number, nameBytes: number): boolean =>
      db.all(sql`${pathsBelow(id)}
        SELECT 1 FROM below WHERE bytes > ${bytes} OR bytes + 1 + ${nameBytes} > ${bytes} AND EXISTS (
          SELECT 1 FROM files WHERE folder_id = below.id AND below.bytes + 1 + octet_length(name) > ${bytes}
        ) LIMIT 1`).length > 0,
    /** Changes a folder's name or place: one row, whatever lies below it. */
    update: (id: string, changes: Partial<Omit<FolderRow, 'id'>>): void => {
      db.update(folders).set(changes).where(eq(folders.id, id)).run()
      forgetKeys()
      if (changes.parentId !== undefined) detachedIds?.delete(id)
    },
    /**
     * Takes a folder out of the tree with everything below it. It becomes its own parent and so has no key.
     * It also loses its name, so that a folder in it may have the same one.
     */
    detach: (id: string): void => {
      db.update(folders).set({ parentId: id, name: NO_NAME }).where(eq(folders.id, id)).run()
      forgetKeys()
      detachedIds?.add(id)
    },
    /** Inserts a folder outside the tree, as `detach` leaves one. */
    insertDetached: (row: Pick<FolderRow, 'id' | 'createdAt' | 'updatedAt'>): void => {
      const { id, createdAt, updatedAt } = row
      insert({ id, parentId: id, name: NO_NAME, createdAt, updatedAt })
      detachedIds?.add(id)
    },
    /** Removes an empty folder. */
    remove: (id: string): void => {
      remove.run({ id })
      forgetKeys()
      detachedIds?.delete(id)
    },
    insert: (rows: readonly FolderRow[]): void => {
      for (const row of rows) insert(row)
    },
  }
}
