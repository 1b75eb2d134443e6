import { and, desc, eq, notInArray } from 'drizzle-orm'
import { type Engine, prepareInsert } from '../engine/engine.ts'
import { rowsOf } from '../engine/rows.ts'
import { favorites } from '../schema/schema.ts'
import { isGone } from './trash.ts'

export type FavoriteRow = typeof favorites.$inferSelect

/** Queries of the files and folders that accounts have marked. */
export function favoriteQueries(engine: Engine) {
  const { db } = engine
  const rows = rowsOf(engine, favorites)
  const isOf = (userId: string) => eq(favorites.userId, userId)
  const isOne = ({ userId, itemId }: Pick<FavoriteRow, 'userId' | 'itemId'>) =>
    and(isOf(userId), eq(favorites.itemId, itemId))
  return {
    /** Returns the marks of an account, the latest first, also those of items in the trash. */
    of: (userId: string) =>
      rows.select(isOf(userId), { order: [desc(favorites.createdAt), desc(favorites.itemId)] }).all(),
    countOf: (userId: string) => rows.count(isOf(userId)),
    has: (row: FavoriteRow) => rows.has(isOne(row)),
    insert: prepareInsert(engine, favorites).row,
    remove: (row: FavoriteRow) => rows.remove(isOne(row)).run(),
    /** Passes the marks of a folder to the one that takes its place. */
    follow: (folderId: string, next: string) => {
      const has = db.select({ userId: favorites.userId }).from(favorites).where(eq(favorites.itemId, next))
      const isMoved = and(eq(favorites.itemId, folderId), notInArray(favorites.userId, has))
      return rows.update({ itemId: next }, isMoved).run()
    },
    /** Removes up to `limit` marks of items that are gone for good, and returns how many. */
    removeOrphans: (limit: number) => rows.removeSome(isGone(engine, favorites.itemId), limit),
  }
}
