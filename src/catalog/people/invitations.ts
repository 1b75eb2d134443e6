import { and, desc, eq, gt, isNull, lte, sql } from 'drizzle-orm'
import { countRows, type Engine, prepareInsert, removeSome } from '../engine/engine.ts'
import type { Query } from '../engine/query.ts'
import { invitations, users } from '../schema/schema.ts'
import type { UserRow } from './users.ts'

export type InvitationRow = typeof invitations.$inferSelect

/** Queries of invitations, found by the hash of their token. */
export function invitationQueries(engine: Engine) {
  const { db, dialect, prepare } = engine
  const withCreator = prepare(
    db
      .select({ invitation: invitations, creator: users })
      .from(invitations)
      .innerJoin(
        users,
        and(
          eq(users.id, invitations.userId),
          sql`${users.deleted} = 0`,
          sql`${users.disabled} = 0`,
          // Only admins manage users.
          sql`${users.role} = 'admin'`,
        ),
      )
      .where(
        and(
          eq(invitations.tokenHash, dialect.anyValue(sql.placeholder('tokenHash'))),
          isNull(invitations.usedAt),
          gt(invitations.expiresAt, dialect.anyValue(sql.placeholder('now'))),
        ),
      ),
  )
  return {
    /**
     * Returns the open invitation with a token, and its creator. It is one statement, so that its time does not tell a
     * closed invitation from an unknown one.
     */
    openWith: (
      tokenHash: string,
      now: number,
    ): Query<{ invitation: InvitationRow; creator: UserRow } | undefined> =>
      withCreator.get({ tokenHash, now }),
    byId: (id: string): Query<InvitationRow | undefined> =>
      prepare(db.select().from(invitations).where(eq(invitations.id, id))).get(),
    /** Returns all invitations, newest first. */
    all: (): Query<InvitationRow[]> =>
      prepare(db.select().from(invitations).orderBy(desc(invitations.createdAt), desc(invitations.id))).all(),
    countUnused: (): Query<number> => countRows(engine, invitations, isNull(invitations.usedAt)),
    insert: prepareInsert(engine, invitations).row,
    use: (id: string, { usedAt, usedBy }: { usedAt: number; usedBy: string }): Query<void> =>
      prepare(db.update(invitations).set({ usedAt, usedBy }).where(eq(invitations.id, id))).run(),
    remove: (id: string): Query<void> => prepare(db.delete(invitations).where(eq(invitations.id, id))).run(),
    /** Removes up to `limit` invitations, used or not, that expired by `time`, and returns how many. */
    removeExpired: (time: number, limit: number): Query<number> =>
      removeSome(engine, invitations.id, { which: lte(invitations.expiresAt, time), limit }),
  }
}
