import { and, eq, isNull, sql } from 'drizzle-orm'
import type { Engine } from '../engine/engine.ts'
import type { Query } from '../engine/query.ts'
import { rowsOf } from '../engine/rows.ts'
import { quotas, resumables, uploaderTotals } from '../schema/schema.ts'

/** Bytes that an account may have, null for any number, and those that it has. */
export interface Storage {
  quota: number | null
  usedBytes: number
}

/** Prepares the statements that read the storage of one account, and the bytes of uploads that it has not finished. */
export function prepareStorage({ db, prepare }: Engine) {
  const userId = sql.placeholder('userId')
  return {
    quota: prepare(db.select({ bytes: quotas.bytes }).from(quotas).where(eq(quotas.userId, userId))),
    used: prepare(
      db.select({ size: uploaderTotals.size }).from(uploaderTotals).where(eq(uploaderTotals.userId, userId)),
    ),
    unfinished: prepare(
      db
        .select({ bytes: sql<number>`coalesce(sum(${resumables.received}), 0)` })
        .from(resumables)
        .where(
          and(
            eq(resumables.userId, userId),
            isNull(resumables.fileId),
            sql`coalesce(${resumables.partOf}, ${resumables.id}) <> ${sql.placeholder('finishes')}`,
          ),
        ),
    ),
  }
}

/** Queries of the accounts' quotas. Files, files in the trash and versions count for the account that sent them. */
export function quotaQueries(engine: Engine) {
  const { db, notes, prepare, body } = engine
  const uploaderTotalRows = rowsOf(engine, uploaderTotals)
  const quotaRows = rowsOf(engine, quotas)
  const { quota, used, unfinished } = prepareStorage(engine)
  return {
    /** Returns the bytes of unfinished uploads that an account will own, those of visitors included. */
    unfinishedOf: (userId: string): Query<number> =>
      unfinished.get({ userId, finishes: '' }).into((row) => row?.bytes ?? 0),
    of: (userId: string): Query<Storage> =>
      body(function* () {
        const limit = yield* quota.get({ userId })
        return { quota: limit?.bytes ?? null, usedBytes: (yield* used.get({ userId }))?.size ?? 0 }
      }),
    /** Returns the storage of all accounts that have a quota or files. */
    all: (): Query<Map<string, Storage>> =>
      body(function* () {
        const found = new Map<string, Storage>()
        for (const { userId, size } of yield* uploaderTotalRows.select().all())
          found.set(userId, { quota: null, usedBytes: size })
        for (const { userId, bytes } of yield* quotaRows.select().all())
          found.set(userId, { quota: bytes, usedBytes: found.get(userId)?.usedBytes ?? 0 })
        return found
      }),
    /** Sets the quota of an account; null for none. */
    set: (userId: string, bytes: number | null): Query<void> =>
      prepare(
        bytes === null
          ? db.delete(quotas).where(eq(quotas.userId, userId))
          : db
              .insert(quotas)
              .values({ userId, bytes })
              .onConflictDoUpdate({ target: quotas.userId, set: { bytes: sql`excluded.bytes` } }),
      )
        .run()
        .into(() => notes.note({ of: 'account', id: userId })),
  }
}
