import { and, desc, eq, gt, isNull, lte, sql } from 'drizzle-orm'
import { type Engine, prepareInsert } from '../engine/engine.ts'
import type { Query } from '../engine/query.ts'
import { rowsOf } from '../engine/rows.ts'
import { invitations, users } from '../schema/schema.ts'
import type { UserRow } from './users.ts'

export type InvitationRow = typeof invitations.$inferSelect

/** Queries of invitations, found by the hash of their token. */
export function invitationQueries(engine: Engine) {
  const { db, dialect, prepare } = engine
  const rows = rowsOf(engine, invitations)
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
    byId: (id: string) => rows.select(eq(invitations.id, id)).get(),
    /** Returns all invitations, newest first. */
    all: () => rows.select(undefined, { order: [desc(invitations.createdAt), desc(invitations.id)] }).all(),
    countUnused: () => rows.count(isNull(invitations.usedAt)),
    insert: prepareInsert(engine, invitations).row,
    use: (id: string, { usedAt, usedBy }: { usedAt: number; usedBy: string }) =>
      rows.update({ usedAt, usedBy }, eq(invitations.id, id)).run(),
    remove: (id: string) => rows.remove(eq(invitations.id, id)).run(),
    /** Removes up to `limit` invitations, used or not, that expired by `time`, and returns how many. */
    removeExpired: (time: number, limit: number) => rows.removeSome(lte(invitations.expiresAt, time), limit),
  }
}
