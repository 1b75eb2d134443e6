import { and, asc, eq } from 'drizzle-orm'
import { type Engine, prepareInsert } from '../engine/engine.ts'
import type { Query } from '../engine/query.ts'
import { identities } from '../schema/schema.ts'

export type IdentityRow = typeof identities.$inferSelect

/** Queries of the accounts elsewhere that vouch for accounts here. */
export function identityQueries(engine: Engine) {
  const { db, prepare } = engine
  return {
    insert: prepareInsert(engine, identities).row,
    bySubject: ({
      issuer,
      subject,
    }: Pick<IdentityRow, 'issuer' | 'subject'>): Query<IdentityRow | undefined> =>
      prepare(
        db
          .select()
          .from(identities)
          .where(and(eq(identities.issuer, issuer), eq(identities.subject, subject))),
      ).get(),
    /** Returns the identities of an account, the oldest first. */
    ofUser: (userId: string): Query<IdentityRow[]> =>
      prepare(
        db
          .select()
          .from(identities)
          .where(eq(identities.userId, userId))
          .orderBy(asc(identities.createdAt), asc(identities.id)),
      ).all(),
    used: (id: string, usedAt: number): Query<void> =>
      prepare(db.update(identities).set({ usedAt }).where(eq(identities.id, id))).run(),
    /** Removes the identities of an account and returns how many. */
    removeOfUser: (userId: string): Query<number> =>
      prepare(db.delete(identities).where(eq(identities.userId, userId))).change(),
    remove: (id: string): Query<void> => prepare(db.delete(identities).where(eq(identities.id, id))).run(),
  }
}
