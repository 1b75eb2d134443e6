import { and, asc, eq, lt, or, sql } from 'drizzle-orm'
import { countRows, type Engine, prepareInsert } from '../engine/engine.ts'
import type { Query } from '../engine/query.ts'
import { passkeys } from '../schema/schema.ts'

export type PasskeyRow = typeof passkeys.$inferSelect

/** Queries of passkeys, found by the id of their credential. */
export function passkeyQueries(engine: Engine) {
  const { db, prepare } = engine
  const own = (userId: string, id: string) => and(eq(passkeys.id, id), eq(passkeys.userId, userId))
  return {
    insert: prepareInsert(engine, passkeys).row,
    byCredential: (credentialId: string): Query<PasskeyRow | undefined> =>
      prepare(db.select().from(passkeys).where(eq(passkeys.credentialId, credentialId))).get(),
    /** Returns an account's passkeys, the oldest first. */
    ofUser: (userId: string): Query<PasskeyRow[]> =>
      prepare(
        db
          .select()
          .from(passkeys)
          .where(eq(passkeys.userId, userId))
          .orderBy(asc(passkeys.createdAt), asc(passkeys.id)),
      ).all(),
    countOf: (userId: string): Query<number> => countRows(engine, passkeys, eq(passkeys.userId, userId)),
    rename: (userId: string, id: string, name: string): Query<PasskeyRow | undefined> =>
      prepare(db.update(passkeys).set({ name }).where(own(userId, id)).returning()).get(),
    /**
     * Records a use with the counter that the authenticator signed (WebAuthn, section 6.1.1). Returns false when the
     * passkey is gone or the counter has not grown; an authenticator without a counter always sends 0.
     */
    use: (id: string, counter: number, usedAt: number): Query<boolean> => {
      const hasNone = counter === 0 ? eq(passkeys.counter, 0) : undefined
      const grows = or(lt(passkeys.counter, sql`${counter}`), hasNone)
      return prepare(
        db
          .update(passkeys)
          .set({ counter, usedAt })
          .where(and(eq(passkeys.id, id), grows)),
      )
        .change()
        .into((changed) => changed > 0)
    },
    /** Removes an account's passkey and returns it. */
    remove: (userId: string, id: string): Query<PasskeyRow | undefined> =>
      prepare(db.delete(passkeys).where(own(userId, id)).returning()).get(),
  }
}
