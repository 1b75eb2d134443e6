import { and, eq, isNotNull, lt, lte, sql } from 'drizzle-orm'
import { type Engine, prepareInsert } from '../engine/engine.ts'
import type { Query } from '../engine/query.ts'
import { rowsOf } from '../engine/rows.ts'
import { authenticators } from '../schema/schema.ts'

export type AuthenticatorRow = typeof authenticators.$inferSelect

/** Wrong codes in a row that lock an account's codes. */
const MAX_WRONG = 10
/** Time for which codes stay locked, in milliseconds. */
const LOCKED_MS = 900_000

/** Queries of the accounts' authenticator apps. */
export function authenticatorQueries(engine: Engine) {
  const { db, prepare } = engine
  const rows = rowsOf(engine, authenticators)
  const ofUser = (userId: string) => eq(authenticators.userId, userId)
  const excluded = (name: string) => sql.raw(`excluded.${name}`)
  const insert = prepareInsert(engine, authenticators, {
    target: [authenticators.userId],
    set: {
      secret: excluded('secret'),
      lastStep: excluded('last_step'),
      enabledAt: excluded('enabled_at'),
      wrong: excluded('wrong'),
      lockedUntil: excluded('locked_until'),
    },
  })
  return {
    /** Inserts an app, in place of the one that the account had. */
    replace: insert.row,
    ofUser: (userId: string) => rows.select(ofUser(userId)).get(),
    countEnabled: () => rows.count(isNotNull(authenticators.enabledAt)),
    /**
     * Counts a code before it is compared, and returns the app with this code counted; `undefined` while codes are
     * locked. The tenth in a row locks them.
     */
    count: (userId: string, now: number): Query<AuthenticatorRow | undefined> => {
      const isLast = sql`${authenticators.wrong} + 1 >= ${MAX_WRONG}`
      return prepare(
        db
          .update(authenticators)
          .set({
            wrong: sql`CASE WHEN ${isLast} THEN 0 ELSE ${authenticators.wrong} + 1 END`,
            lockedUntil: sql`CASE WHEN ${isLast} THEN ${now + LOCKED_MS} ELSE ${authenticators.lockedUntil} END`,
          })
          .where(and(ofUser(userId), lte(authenticators.lockedUntil, now)))
          .returning(),
      ).get()
    },
    /**
     * Uses the code of a step, and enables an app that waits for its first one. Of two requests with one code, one gets
     * true: a code works once.
     */
    use: (app: AuthenticatorRow, step: number, now: number): Query<boolean> =>
      rows
        .update(
          {
            lastStep: step,
            enabledAt: sql`coalesce(${authenticators.enabledAt}, ${now})`,
            wrong: 0,
            lockedUntil: 0,
          },
          and(ofUser(app.userId), eq(authenticators.secret, app.secret), lt(authenticators.lastStep, step)),
        )
        .change()
        .into((changed) => changed > 0),
    /** Removes the app of an account; returns false when it had none. */
    remove: (userId: string): Query<boolean> =>
      rows
        .remove(ofUser(userId))
        .change()
        .into((changed) => changed > 0),
    /** Forgets the wrong codes of an account after a recovery code. */
    unlock: (userId: string) => rows.update({ wrong: 0, lockedUntil: 0 }, ofUser(userId)).run(),
  }
}
