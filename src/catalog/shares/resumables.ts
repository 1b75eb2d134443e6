import {
  and,
  asc,
  eq,
  getTableColumns,
  gt,
  isNotNull,
  isNull,
  lt,
  lte,
  ne,
  or,
  type SQL,
  sql,
} from 'drizzle-orm'
import { Refusal } from '../../platform/errors.ts'
import { type Engine, prepareInsert } from '../engine/engine.ts'
import type { Query, Work } from '../engine/query.ts'
import { rowsOf } from '../engine/rows.ts'
import type { ObjectFacts } from '../schema/columns.ts'
import { apiKeys, folders, resumables, shares, trashedFolders, users } from '../schema/schema.ts'

export type ResumableRow = typeof resumables.$inferSelect
export type Progress = Pick<ResumableRow, 'received' | 'expiresAt'>

/** Upload that becomes a file. */
export interface Finished {
  id: string
  fileId: string
  expiresAt: number
  /** Progress recorded by the request that finishes it; missing when no other server can continue it. */
  recorded?: number | undefined
  /** True for an upload of the S3 API, whose parts end with it. */
  hasParts?: boolean
}

/** Part of an upload of the S3 API that has arrived. */
export interface ArrivedPart {
  id: string
  uploadId: string
  part: number
  size: number
  facts: ObjectFacts
  /** Time until which the upload waits for more. */
  expiresAt: number
}

/** Returns the refusal of a request whose upload another one continues. */
export const refuseTakenOver = () => new Refusal('upload-taken-over')

/** Returns the condition of an upload that has not become a file. */
const unfinished = (id: string) => and(eq(resumables.id, id), isNull(resumables.fileId))

/** Returns the condition of the parts of an upload of the S3 API. */
const isPartOf = (uploadId: string) => and(eq(resumables.partOf, uploadId), ne(resumables.id, uploadId))

/** Files and bytes that unfinished uploads of a share reserve. */
export interface Reserved {
  files: number
  /** Bytes that were announced. */
  bytes: number
  /** Bytes of these that have arrived. */
  arrived: number
}

const NOTHING: Reserved = { files: 0, bytes: 0, arrived: 0 }

/** Queries of resumable uploads. */
function resumableLookups(engine: Engine) {
  const { db, prepare } = engine
  const rows = rowsOf(engine, resumables)
  const byId = (id: string) => rows.select(eq(resumables.id, id)).get()
  const reserved = (condition: SQL | undefined) =>
    prepare(
      db
        .select({
          shareId: resumables.shareId,
          files: sql<number>`count(*)`,
          bytes: sql<number>`sum(${resumables.length})`,
          arrived: sql<number>`sum(${resumables.received})`,
        })
        .from(resumables)
        .where(and(condition, isNotNull(resumables.shareId), isNull(resumables.fileId)))
        .groupBy(resumables.shareId),
    ).all()
  return {
    byId,
    unfinishedIds: (): Query<string[]> =>
      prepare(db.select({ id: resumables.id }).from(resumables).where(isNull(resumables.fileId)))
        .all()
        .into((rows) => rows.map(({ id }) => id)),
    /** Returns how many unfinished uploads an account has, without those of visitors and of the S3 API. */
    countUnfinished: (userId: string) =>
      rows.count(
        and(
          eq(resumables.userId, userId),
          isNull(resumables.shareId),
          isNull(resumables.fileId),
          isNull(resumables.partOf),
        ),
      ),
    /**
     * Returns how many uploads of a share are unfinished, how many of them a cookie or an address has begun, and how many
     * of those expire until `soon`, because no byte has arrived.
     */
    countUnfinishedOf: (
      shareId: string,
      { visitor, address, soon }: { visitor: string; address: string; soon: number },
    ) => {
      const isOwn = sql`${resumables.visitor} = ${visitor} OR ${resumables.address} = ${address}`
      const isOwnAndEmpty = sql`(${isOwn}) AND ${resumables.expiresAt} <= ${soon}`
      return prepare(
        db
          .select({
            all: sql<number>`count(*)`,
            own: sql<number>`count(CASE WHEN ${isOwn} THEN 1 END)`,
            empty: sql<number>`count(CASE WHEN ${isOwnAndEmpty} THEN 1 END)`,
          })
          .from(resumables)
          .where(and(eq(resumables.shareId, shareId), isNull(resumables.fileId))),
      )
        .get()
        .into((row) => row ?? { all: 0, own: 0, empty: 0 })
    },
    reservedOf: (shareId: string): Query<Reserved> =>
      reserved(eq(resumables.shareId, shareId)).into(([row]) => row ?? NOTHING),
    reservedOfUser: (userId: string): Query<(Reserved & { shareId: string | null })[]> =>
      reserved(eq(resumables.userId, userId)),
    reservedOfAll: (): Query<(Reserved & { shareId: string | null })[]> => reserved(undefined),
    /** Returns how many unfinished uploads a visitor's cookie or a signed link has. */
    countUnfinishedBy: (visitor: string) =>
      rows.count(and(eq(resumables.visitor, visitor), isNull(resumables.fileId))),
    /** Returns the bytes that have arrived of unfinished uploads to a share or by a signed link, and of all strangers. */
    unfinishedBytes: (id: string) =>
      prepare(
        db
          .select({
            own: sql<number>`coalesce(sum(CASE WHEN ${resumables.shareId} = ${id} OR ${resumables.visitor} = ${id} THEN ${resumables.received} END), 0)`,
            ofAll: sql<number>`coalesce(sum(${resumables.received}), 0)`,
          })
          .from(resumables)
          .where(and(isNotNull(resumables.visitor), isNull(resumables.fileId))),
      )
        .get()
        .into((row) => row ?? { own: 0, ofAll: 0 }),
    /** Returns up to `limit` unfinished uploads whose account, API key, share or drop-box folder had ended at `now`. */
    abandoned: (now: number, limit: number): Query<ResumableRow[]> =>
      prepare(
        db
          .select(getTableColumns(resumables))
          .from(resumables)
          .leftJoin(
            users,
            and(eq(users.id, resumables.userId), sql`${users.deleted} = 0`, eq(users.disabled, false)),
          )
          .leftJoin(
            apiKeys,
            and(eq(apiKeys.id, resumables.keyId), or(isNull(apiKeys.expiresAt), gt(apiKeys.expiresAt, now))),
          )
          .leftJoin(
            shares,
            and(
              eq(shares.id, resumables.shareId),
              eq(shares.canWrite, true),
              or(isNull(shares.expiresAt), gt(shares.expiresAt, now)),
              or(isNull(shares.maxDownloads), lt(shares.downloads, shares.maxDownloads)),
              or(
                sql`EXISTS (SELECT 1 FROM ${folders} WHERE ${folders.id} = ${shares.folderId})`,
                sql`EXISTS (SELECT 1 FROM ${trashedFolders} WHERE ${trashedFolders.id} = ${shares.folderId})`,
              ),
            ),
          )
          .where(
            and(
              isNull(resumables.fileId),
              or(
                isNull(users.id),
                and(isNotNull(resumables.keyId), isNull(apiKeys.id)),
                and(isNotNull(resumables.shareId), isNull(shares.id)),
              ),
            ),
          )
          .limit(limit),
      ).all(),
    /** Returns up to `limit` uploads that had expired at `now`. */
    expired: (now: number, limit: number) =>
      rows.select(lte(resumables.expiresAt, now), { order: [asc(resumables.expiresAt)], limit }).all(),
  }
}

/** Queries of uploads of the S3 API, and of their parts. */
function partQueries(engine: Engine) {
  const { db, prepare, body } = engine
  const rows = rowsOf(engine, resumables)
  const parts = (condition: SQL | undefined, limit: number) =>
    rows.select(condition, { order: [asc(resumables.part), asc(resumables.id)], limit }).all()
  const arrived = (uploadId: string) => and(isPartOf(uploadId), isNotNull(resumables.facts))
  return {
    /** Returns up to `limit` unfinished uploads in parts of an account, in the order in which they began. */
    inParts: (userId: string, limit: number) =>
      rows
        .select(
          and(eq(resumables.userId, userId), isNull(resumables.fileId), eq(resumables.partOf, resumables.id)),
          { order: [asc(resumables.createdAt), asc(resumables.id)], limit },
        )
        .all(),
    /** Returns up to `limit` parts that have arrived, in the order of their numbers, after a number. */
    partsOf: (uploadId: string, { after, limit }: { after: number; limit: number }): Query<ResumableRow[]> =>
      parts(and(arrived(uploadId), gt(resumables.part, after)), limit),
    /** Returns the part with a number, if it has arrived. */
    partAt: (uploadId: string, part: number): Query<ResumableRow | undefined> =>
      parts(and(arrived(uploadId), eq(resumables.part, part)), 1).into(([row]) => row),
    /** Returns the ids of all parts, those included that are arriving. */
    partIds: (uploadId: string): Query<string[]> =>
      prepare(db.select({ id: resumables.id }).from(resumables).where(isPartOf(uploadId)))
        .all()
        .into((rows) => rows.map(({ id }) => id)),
    /** Returns the bytes of all parts that have arrived, without those of one number. */
    bytesInParts: (uploadId: string, without: number): Query<number> =>
      prepare(
        db
          .select({ bytes: sql<number>`coalesce(sum(${resumables.length}), 0)` })
          .from(resumables)
          .where(and(arrived(uploadId), ne(resumables.part, without))),
      )
        .get()
        .into((row) => row?.bytes ?? 0),
    /**
     * Records that a part has arrived, in the place of others with its number. Returns the ids of these, or `undefined` when
     * the upload has ended.
     */
    addPart: ({ id, uploadId, part, size, facts, expiresAt }: ArrivedPart): Query<string[] | undefined> =>
      body(function* () {
        const isOpen = yield* rows.update({ expiresAt }, unfinished(uploadId)).change()
        if (isOpen === 0) return undefined
        const isReplaced = and(arrived(uploadId), eq(resumables.part, part), ne(resumables.id, id))
        const replaced = yield* prepare(
          db.select({ id: resumables.id }).from(resumables).where(isReplaced),
        ).all()
        yield* rows.remove(isReplaced).run()
        const change = db.update(resumables).set({ received: size, facts }).where(eq(resumables.id, id))
        if ((yield* prepare(change).change()) === 0) return undefined
        return replaced.map((row) => row.id)
      }),
  }
}

/** Changes of the progress of uploads. */
function resumableProgress(engine: Engine) {
  const { db, prepare, body } = engine
  const rows = rowsOf(engine, resumables)
  return {
    insert: prepareInsert(engine, resumables).row,
    /** Records the progress of an unfinished upload, unless more has been recorded. */
    advance: (id: string, progress: Progress) =>
      rows.update(progress, and(unfinished(id), lte(resumables.received, progress.received))).run(),
    /** Records the progress of an unfinished upload that had received `from` bytes; false when it has not. */
    advanceFrom: (id: string, from: number, progress: Progress): Query<boolean> =>
      rows
        .update(progress, and(unfinished(id), eq(resumables.received, from)))
        .change()
        .into((changed) => changed > 0),
    /**
     * Records the file that an upload became.
     *
     * @throws {Refusal} `conflict` when it is finished or gone, or has not the progress that its last request recorded.
     */
    finish: ({ id, fileId, expiresAt, recorded, hasParts = false }: Finished): Query<void> =>
      body(function* () {
        if (hasParts) yield* rows.remove(isPartOf(id)).run()
        const isSame = recorded === undefined ? undefined : eq(resumables.received, recorded)
        const change = db
          .update(resumables)
          .set({ fileId, expiresAt, received: resumables.length })
          .where(and(unfinished(id), isSame))
        if ((yield* prepare(change).change()) === 0) throw refuseTakenOver()
      }),
  }
}

/** Removals of uploads. */
function resumableRemovals(engine: Engine) {
  const { db, prepare, body } = engine
  const rows = rowsOf(engine, resumables)
  const byId = (id: string) => rows.select(eq(resumables.id, id)).get()
  /** Returns to its share what an upload had reserved. */
  function* giveBack({ shareId, fileId, length }: ResumableRow): Work<void> {
    if (shareId === null || fileId !== null) return
    const change = db.update(shares).set({
      receivedFiles: sql`${shares.receivedFiles} - 1`,
      receivedBytes: sql`${shares.receivedBytes} - ${length}`,
    })
    yield* prepare(change.where(eq(shares.id, shareId))).run()
  }
  return {
    remove: (id: string): Query<void> =>
      body(function* () {
        const row = yield* byId(id)
        if (!row) return
        yield* giveBack(row)
        if (row.partOf === id) yield* rows.remove(isPartOf(id)).run()
        yield* rows.remove(eq(resumables.id, id)).run()
      }),
    removeAll: (): Query<void> =>
      body(function* () {
        for (const row of yield* rows.select().all()) yield* giveBack(row)
        yield* rows.remove().run()
      }),
    /** Removes an upload whose bytes are lost, unless it was finished meanwhile. */
    removeUnfinished: (id: string): Query<void> =>
      body(function* () {
        const row = yield* byId(id)
        if (row?.fileId !== null) return
        yield* giveBack(row)
        yield* rows.remove(unfinished(id)).run()
      }),
  }
}

/** Queries of the catalog's resumable uploads. */
export const resumableQueries = (engine: Engine) => ({
  ...resumableLookups(engine),
  ...partQueries(engine),
  ...resumableProgress(engine),
  ...resumableRemovals(engine),
})
