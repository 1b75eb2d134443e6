import { and, desc, eq, sql } from 'drizzle-orm'
import { type Engine, prepareInsert } from '../engine/engine.ts'
import type { Query } from '../engine/query.ts'
import { rowsOf } from '../engine/rows.ts'
import { apiKeys, users } from '../schema/schema.ts'
import type { UserRow } from './users.ts'

export type KeyRow = typeof apiKeys.$inferSelect

/** Queries of API keys. */
function keyLookups(engine: Engine) {
  const { db, dialect, prepare } = engine
  const rows = rowsOf(engine, apiKeys)
  const withOwner = prepare(
    db
      .select({ key: apiKeys, user: users })
      .from(apiKeys)
      .innerJoin(users, and(eq(users.id, apiKeys.userId), sql`${users.deleted} = 0`))
      .where(eq(apiKeys.keyHash, dialect.anyValue(sql.placeholder('keyHash')))),
  )
  return {
    /** Returns an API key with its account. */
    withOwner: (keyHash: string): Query<{ key: KeyRow; user: UserRow } | undefined> =>
      withOwner.get({ keyHash }),
    byId: (id: string) => rows.select(eq(apiKeys.id, id)).get(),
    byName: (userId: string, name: string) =>
      rows.select(and(eq(apiKeys.userId, userId), eq(apiKeys.name, name))).get(),
    /** Returns an account's API keys, newest first. */
    ofUser: (userId: string) =>
      rows.select(eq(apiKeys.userId, userId), { order: [desc(apiKeys.createdAt), desc(apiKeys.id)] }).all(),
  }
}

/** Changes of API keys. */
function keyChanges(engine: Engine) {
  const { db, notes, prepare } = engine
  const rows = rowsOf(engine, apiKeys)
  const usedAt = sql.placeholder('usedAt')
  const noteUse = rows.update(
    { usedAt: sql`CASE WHEN ${apiKeys.usedAt} > ${usedAt} THEN ${apiKeys.usedAt} ELSE ${usedAt} END` },
    eq(apiKeys.id, sql.placeholder('id')),
  )
  const insert = prepareInsert(engine, apiKeys).row
  const noteOwner = (key: Pick<KeyRow, 'userId'> | undefined) => {
    if (key) notes.note({ of: 'account', id: key.userId })
  }
  return {
    insert: (key: KeyRow): Query<void> => insert(key).into(() => noteOwner(key)),
    rename: (id: string, name: string): Query<void> =>
      prepare(db.update(apiKeys).set({ name }).where(eq(apiKeys.id, id)).returning())
        .get()
        .into(noteOwner),
    /** Records a use, unless a later one is known. */
    used: (id: string, usedAt: number): Query<void> => noteUse.run({ id, usedAt }),
    /** Removes an account's API keys and returns how many. */
    removeOfUser: (userId: string): Query<number> =>
      rows
        .remove(eq(apiKeys.userId, userId))
        .change()
        .into((removed) => {
          noteOwner({ userId })
          return removed
        }),
    remove: (id: string): Query<void> => rows.take(eq(apiKeys.id, id)).get().into(noteOwner),
  }
}

/** Queries of the catalog's API keys, found by the hash of their secret. */
export const keyQueries = (engine: Engine) => ({ ...keyLookups(engine), ...keyChanges(engine) })
