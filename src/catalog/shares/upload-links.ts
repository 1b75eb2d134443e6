import { eq, lte } from 'drizzle-orm'
import { Refusal } from '../../platform/errors.ts'
import type { Engine } from '../engine/engine.ts'
import type { Query } from '../engine/query.ts'
import { rowsOf } from '../engine/rows.ts'
import { uploadLinks } from '../schema/schema.ts'

export type UploadLinkRow = typeof uploadLinks.$inferSelect

/** Queries of signed uploads that became a file. */
export function uploadLinkQueries(engine: Engine) {
  const { db, prepare } = engine
  const rows = rowsOf(engine, uploadLinks)
  return {
    byNonce: (nonce: string) => rows.select(eq(uploadLinks.nonce, nonce)).get(),
    /** Records the file that a link was used for. @throws {Refusal} `upload-link-used` for the second one. */
    use: (row: UploadLinkRow): Query<void> =>
      prepare(db.insert(uploadLinks).values(row).onConflictDoNothing())
        .change()
        .into((inserted) => {
          if (inserted === 0) throw new Refusal('upload-link-used')
        }),
    /** Removes up to `limit` that have expired at `now` and returns how many. */
    removeExpired: (now: number, limit: number) => rows.removeSome(lte(uploadLinks.expiresAt, now), limit),
  }
}
