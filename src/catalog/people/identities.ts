import { and, asc, eq } from 'drizzle-orm'
import { type Engine, prepareInsert } from '../engine/engine.ts'
import { rowsOf } from '../engine/rows.ts'
import { identities } from '../schema/schema.ts'

export type IdentityRow = typeof identities.$inferSelect

/** Queries of the accounts elsewhere that vouch for accounts here. */
export function identityQueries(engine: Engine) {
  const rows = rowsOf(engine, identities)
  return {
    insert: prepareInsert(engine, identities).row,
    bySubject: ({ issuer, subject }: Pick<IdentityRow, 'issuer' | 'subject'>) =>
      rows.select(and(eq(identities.issuer, issuer), eq(identities.subject, subject))).get(),
    /** Returns the identities of an account, the oldest first. */
    ofUser: (userId: string) =>
      rows
        .select(eq(identities.userId, userId), { order: [asc(identities.createdAt), asc(identities.id)] })
        .all(),
    used: (id: string, usedAt: number) => rows.update({ usedAt }, eq(identities.id, id)).run(),
    /** Removes the identities of an account and returns how many. */
    removeOfUser: (userId: string) => rows.remove(eq(identities.userId, userId)).change(),
    remove: (id: string) => rows.remove(eq(identities.id, id)).run(),
  }
}
