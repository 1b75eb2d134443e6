import { and, asc, eq, gte, notExists, sql } from 'drizzle-orm'
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { Engine } from '../engine/engine.ts'
import type { Query } from '../engine/query.ts'
import { resumables } from '../schema/schema.ts'

/** Pieces of unfinished uploads, each a blob, so that every server can continue them. Only PostgreSQL has the table. */
const pieces = sqliteTable('pieces', {
  uploadId: text('upload_id').notNull(),
  /** Offset of the first byte. A piece ends where the next one begins. */
  first: integer('first').notNull(),
  size: integer('size').notNull(),
  blobId: text('blob_id').notNull(),
})

export type PieceRow = typeof pieces.$inferSelect
export type PieceQueries = ReturnType<typeof pieceQueries>

/** Queries of the pieces of unfinished uploads. */
export function pieceQueries({ db, prepare }: Engine) {
  const isFrom = (uploadId: string, first: number) =>
    and(eq(pieces.uploadId, uploadId), gte(pieces.first, first))
  return {
    /** Returns the pieces of an upload in their order. */
    ofUpload: (uploadId: string): Query<PieceRow[]> =>
      prepare(db.select().from(pieces).where(eq(pieces.uploadId, uploadId)).orderBy(asc(pieces.first))).all(),
    /** Returns up to `limit` pieces of uploads that are gone. */
    left: (limit: number): Query<PieceRow[]> =>
      prepare(
        db
          .select()
          .from(pieces)
          .where(
            notExists(db.select({ one: sql`1` }).from(resumables).where(eq(resumables.id, pieces.uploadId))),
          )
          .limit(limit),
      ).all(),
    insert: (row: PieceRow): Query<void> => prepare(db.insert(pieces).values(row)).run(),
    /** Removes the pieces of an upload that begin at `first` or after it. */
    removeFrom: (uploadId: string, first: number): Query<void> =>
      prepare(db.delete(pieces).where(isFrom(uploadId, first))).run(),
  }
}
