import { and, asc, eq, lt, or, sql } from 'drizzle-orm'
import { type Engine, prepareInsert } from '../engine/engine.ts'
import type { Query } from '../engine/query.ts'
import { rowsOf } from '../engine/rows.ts'
import { passkeys } from '../schema/schema.ts'

export type PasskeyRow = typeof passkeys.$inferSelect

/** Queries of passkeys, found by the id of their credential. */
export function passkeyQueries(engine: Engine) {
  const { db, prepare } = engine
  const rows = rowsOf(engine, passkeys)
  const own = (userId: string, id: string) => and(eq(passkeys.id, id), eq(passkeys.userId, userId))
  return {
    insert: prepareInsert(engine, passkeys).row,
    byCredential: (credentialId: string) => rows.select(eq(passkeys.credentialId, credentialId)).get(),
    /** Returns an account's passkeys, the oldest first. */
    ofUser: (userId: string) =>
      rows.select(eq(passkeys.userId, userId), { order: [asc(passkeys.createdAt), asc(passkeys.id)] }).all(),
    countOf: (userId: string) => rows.count(eq(passkeys.userId, userId)),
    rename: (userId: string, id: string, name: string): Query<PasskeyRow | undefined> =>
      prepare(db.update(passkeys).set({ name }).where(own(userId, id)).returning()).get(),
    /**
     * Records a use with the counter that the authenticator signed (WebAuthn, section 6.1.1). Returns false when the
     * passkey is gone or the counter has not grown; an authenticator without a counter always sends 0.
     */
    use: (id: string, counter: number, usedAt: number): Query<boolean> => {
      const hasNone = counter === 0 ? eq(passkeys.counter, 0) : undefined
      const grows = or(lt(passkeys.counter, sql`${counter}`), hasNone)
      return rows
        .update({ counter, usedAt }, and(eq(passkeys.id, id), grows))
        .change()
        .into((changed) => changed > 0)
    },
    /** Removes an account's passkey and returns it. */
    remove: (userId: string, id: string) => rows.take(own(userId, id)).get(),
  }
}
