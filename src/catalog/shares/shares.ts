import { and, asc, desc, eq, gt, inArray, isNull, lt, lte, ne, or, sql } from 'drizzle-orm'
import { type Engine, prepareInsert } from '../engine/engine.ts'
import type { Query } from '../engine/query.ts'
import { rowsOf } from '../engine/rows.ts'
import type { UserRow } from '../people/users.ts'
import { files, folders, shareItems, shares, users } from '../schema/schema.ts'

export type ShareRow = typeof shares.$inferSelect
export type ShareItemRow = typeof shareItems.$inferSelect
/** Columns of a share that may change. An `undefined` one keeps its value. */
export type ShareColumns = { [Column in keyof Omit<ShareRow, 'id'>]?: ShareRow[Column] | undefined }

/** Item of a share with its present name, which is null while it is not in the tree. */
export type NamedShareItem = ShareItemRow & {
  name: string | null
  mimeType: string | null
  size: number | null
}

/** Item of a share that is below a folder. */
export interface ItemBelow {
  id: string
  kind: ShareItemRow['kind']
  /** Path below the folder, which begins with the folder's own name. */
  path: string
}

/** Queries of shares. */
function shareLookups(engine: Engine) {
  const { db, dialect, prepare } = engine
  const rows = rowsOf(engine, shares)
  const now = sql.placeholder('now')
  const withOwner = prepare(
    db
      .select({ share: shares, owner: users })
      .from(shares)
      .innerJoin(
        users,
        and(eq(users.id, shares.userId), sql`${users.deleted} = 0`, sql`${users.disabled} = 0`),
      )
      .where(
        and(
          eq(shares.slug, dialect.anyValue(sql.placeholder('slug'))),
          or(isNull(shares.expiresAt), gt(shares.expiresAt, dialect.anyValue(now))),
        ),
      ),
  )
  const byId = rows.select(eq(shares.id, sql.placeholder('id')))
  const list = (condition: ReturnType<typeof eq> | undefined) =>
    rows.select(condition, { order: [desc(shares.createdAt), asc(shares.id)] }).all()
  return {
    /**
     * Returns the open share at a slug with its owner, also when it is used up. One statement decides, so a share that
     * is closed takes as long as one that never was.
     */
    openAt: (slug: string, now: number): Query<{ share: ShareRow; owner: UserRow } | undefined> =>
      withOwner.get({ slug, now }),
    byId: (id: string): Query<ShareRow | undefined> => byId.get({ id }),
    idAt: (slug: string): Query<string | undefined> =>
      prepare(db.select({ id: shares.id }).from(shares).where(eq(shares.slug, slug)))
        .get()
        .into((row) => row?.id),
    /** Returns the shares that expired after `since` and until `now`, and were not used up before. */
    expired: (since: number, now: number) =>
      rows
        .select(
          and(
            gt(shares.expiresAt, since),
            lte(shares.expiresAt, now),
            or(isNull(shares.maxDownloads), lt(shares.downloads, shares.maxDownloads)),
          ),
        )
        .all(),
    /** Returns an account's shares, newest first. */
    ofUser: (userId: string): Query<ShareRow[]> => list(eq(shares.userId, userId)),
    /** Returns the shares that an API key made, which end with it. */
    ofKey: (keyId: string): Query<ShareRow[]> => list(eq(shares.keyId, keyId)),
    /** Returns the shares of all accounts, newest first. */
    all: (): Query<ShareRow[]> => list(undefined),
    countOfUser: (userId: string) => rows.count(eq(shares.userId, userId)),
  }
}

/** Queries of the items of shares, and of the folders that receive files. */
function shareItemQueries(engine: Engine) {
  const { db, prepare, body } = engine
  const shareItemRows = rowsOf(engine, shareItems)
  const shareRows = rowsOf(engine, shares)
  const holds = prepare(holdsText(engine))
  const insertItems = prepareInsert(engine, shareItems)
  const below = prepare(itemsBelowText(engine))
  const items = (condition: ReturnType<typeof eq> | undefined): Query<NamedShareItem[]> =>
    prepare(
      db
        .select({
          shareId: shareItems.shareId,
          itemId: shareItems.itemId,
          kind: shareItems.kind,
          // The parent of a folder that is being removed is the folder itself.
          name: sql<
            string | null
          >`coalesce(${files.name}, CASE WHEN ${folders.parentId} <> ${folders.id} THEN ${folders.name} END)`,
          mimeType: files.mimeType,
          size: files.size,
        })
        .from(shareItems)
        .innerJoin(shares, eq(shares.id, shareItems.shareId))
        .leftJoin(files, eq(files.id, shareItems.itemId))
        .leftJoin(folders, eq(folders.id, shareItems.itemId))
        .where(condition)
        .orderBy(asc(shareItems.shareId), asc(shareItems.itemId)),
    ).all()
  const named = (condition: ReturnType<typeof eq> | undefined): Query<{ shareId: string; name: string }[]> =>
    prepare(
      db
        .select({ shareId: shares.id, name: folders.name })
        .from(shares)
        .innerJoin(folders, eq(folders.id, shares.folderId))
        // A folder that is being removed is its own parent.
        .where(and(condition, or(isNull(folders.parentId), ne(folders.parentId, folders.id)))),
    ).all()
  return {
    items: (shareId: string): Query<NamedShareItem[]> => items(eq(shareItems.shareId, shareId)),
    itemsOfUser: (userId: string): Query<NamedShareItem[]> => items(eq(shares.userId, userId)),
    /** Returns the names of the folders that receive files, without those that are gone. */
    folderNames: (shareId: string): Query<{ shareId: string; name: string }[]> =>
      named(eq(shares.id, shareId)),
    folderNamesOfUser: (userId: string): Query<{ shareId: string; name: string }[]> =>
      named(eq(shares.userId, userId)),
    folderNamesOfAll: (): Query<{ shareId: string; name: string }[]> => named(undefined),
    itemsOfAll: (): Query<NamedShareItem[]> => items(undefined),
    /** True when an item, or a folder that it is in, belongs to the share. `folderId` is that of the item. */
    holds: (shareId: string, itemId: string, folderId: string): Query<boolean> =>
      holds.get({ shareId, itemId, folderId }).into((row) => row !== undefined),
    setItems: (shareId: string, rows: readonly ShareItemRow[]): Query<void> =>
      body(function* () {
        yield* shareItemRows.remove(eq(shareItems.shareId, shareId)).run()
        yield* insertItems.rows(rows)
      }),
    /** Returns the shared files and folders below a folder, and the folders there that receive files, with their paths. */
    itemsBelow: (folderId: string): Query<ItemBelow[]> => below.all({ folderId }),
    /** Lets the shares of an item share another one in its place. A folder also receives their files. */
    follow: (from: string, to: string): Query<void> =>
      body(function* () {
        const both = db.select({ id: shareItems.shareId }).from(shareItems).where(eq(shareItems.itemId, to))
        const isOld = eq(shareItems.itemId, from)
        yield* shareItemRows.remove(and(isOld, inArray(shareItems.shareId, both))).run()
        yield* shareItemRows.update({ itemId: to }, isOld).run()
        yield* shareRows.update({ folderId: to }, eq(shares.folderId, from)).run()
      }),
  }
}

/** Changes of shares, which their owners see. */
function shareChanges(engine: Engine) {
  const { db, notes, prepare } = engine
  const rows = rowsOf(engine, shares)
  const insert = prepareInsert(engine, shares).row
  const noteOwner = (share: Pick<ShareRow, 'userId'> | undefined) => {
    if (share) notes.note({ of: 'account', id: share.userId })
  }
  return {
    insert: (share: ShareRow): Query<void> => insert(share).into(() => noteOwner(share)),
    update: (id: string, changes: ShareColumns): Query<void> =>
      prepare(db.update(shares).set(changes).where(eq(shares.id, id)).returning({ userId: shares.userId }))
        .get()
        .into(noteOwner),
    /** Adds completed downloads to a share. */
    addDownload: (id: string): Query<void> =>
      prepare(
        db
          .update(shares)
          .set({ downloads: sql`${shares.downloads} + 1` })
          .where(eq(shares.id, id))
          .returning({ userId: shares.userId }),
      )
        .get()
        .into(noteOwner),
    /** Adds received files to a share within its limits, and returns false when they would pass these. */
    addReceived: (id: string, { files, bytes }: { files: number; bytes: number }): Query<boolean> =>
      prepare(
        db
          .update(shares)
          .set({
            receivedFiles: sql`${shares.receivedFiles} + ${files}`,
            receivedBytes: sql`${shares.receivedBytes} + ${bytes}`,
          })
          .where(
            and(
              eq(shares.id, id),
              or(isNull(shares.maxFiles), sql`${shares.receivedFiles} + ${files} <= ${shares.maxFiles}`),
              or(isNull(shares.maxBytes), sql`${shares.receivedBytes} + ${bytes} <= ${shares.maxBytes}`),
            ),
          )
          .returning({ userId: shares.userId }),
      )
        .get()
        .into((share) => {
          noteOwner(share)
          return share !== undefined
        }),
    /** Removes an account's shares with their items, and returns how many. */
    removeOfUser: (userId: string): Query<number> =>
      rows
        .remove(eq(shares.userId, userId))
        .change()
        .into((removed) => {
          noteOwner({ userId })
          return removed
        }),
    /** Removes a share with its items. */
    remove: (id: string): Query<void> =>
      prepare(db.delete(shares).where(eq(shares.id, id)).returning({ userId: shares.userId }))
        .get()
        .into(noteOwner),
  }
}

/** Queries of shares and their items. */
export const shareQueries = (engine: Engine) => ({
  ...shareLookups(engine),
  ...shareItemQueries(engine),
  ...shareChanges(engine),
})

/** Builds the query that walks from the folder of an item up to the root. A removed folder is its own parent. */
function holdsText({ db }: Engine) {
  const [shareId, itemId] = [sql.placeholder('shareId'), sql.placeholder('itemId')]
  const above = sql`
    WITH RECURSIVE above(id, parent_id) AS (
      SELECT id, parent_id FROM folders WHERE id = ${sql.placeholder('folderId')}
      UNION ALL SELECT folders.id, folders.parent_id
        FROM folders JOIN above ON folders.id = above.parent_id AND folders.id <> above.id
    )`
  return db.select({ one: sql<number>`one` }).from(sql`(${above}
    SELECT 1 AS one FROM share_items
      WHERE share_id = ${shareId} AND (item_id = ${itemId} OR item_id IN (SELECT id FROM above))
      LIMIT 1) AS held`)
}

/**
 * Builds the query that walks from a folder down to the items of shares. The cross join begins with these: a folder may
 * hold far more files.
 */
function itemsBelowText({ db }: Engine) {
  const below = sql`
    WITH RECURSIVE below(id, path) AS (
      SELECT id, name FROM folders WHERE id = ${sql.placeholder('folderId')}
      UNION ALL SELECT folders.id, below.path || '/' || folders.name
        FROM folders JOIN below ON folders.parent_id = below.id AND folders.id <> below.id
    )`
  return db
    .select({ id: sql<string>`id`, kind: sql<ItemBelow['kind']>`kind`, path: sql<string>`path` })
    .from(sql`(${below}
    SELECT files.id AS id, 'file' AS kind, below.path || '/' || files.name AS path
      FROM share_items CROSS JOIN files JOIN below ON below.id = files.folder_id
      WHERE files.id = share_items.item_id
    UNION SELECT below.id, 'folder', below.path FROM below
      WHERE below.id <> ${sql.placeholder('folderId')}
        AND (below.id IN (SELECT item_id FROM share_items) OR below.id IN (SELECT folder_id FROM shares))) AS found`)
}
