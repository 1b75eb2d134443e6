import { and, asc, desc, eq, gte, lt, sql } from 'drizzle-orm'
import type { AnySQLiteColumn } from 'drizzle-orm/sqlite-core'
import { type Engine, prepareInsert } from '../engine/engine.ts'
import type { Query } from '../engine/query.ts'
import { rowsOf } from '../engine/rows.ts'
import { files, hostingDays, hostingFiles, hostingTotals } from '../schema/schema.ts'
import type { FileRow } from '../tree/files.ts'

/** Hosting traffic of one UTC day. */
export interface DayTraffic {
  day: string
  requests: number
  bytes: number
  notFound: number
}

/** UTC days for which counts are stored by file, today included. */
export const FILE_TRAFFIC_DAYS = 30

/** Hosting traffic of one file on one UTC day. */
export interface FileTraffic {
  day: string
  fileId: string
  requests: number
  bytes: number
}

/** Hosting traffic of one UTC day under the names that statistics use. */
type DatedTraffic = { date: string } & Omit<DayTraffic, 'day'>

/** Hosting traffic of one file over all the days stored by file. */
interface TopFile {
  file: FileRow
  requests: number
  bytes: number
}

/** Days (`YYYY-MM-DD`) before which counts are pruned. */
interface TrafficWindow {
  filesBefore: string
  daysBefore: string
}

const { requests, bytes, notFound } = hostingDays

/** Changes of the hosting counts. */
function trafficChanges(engine: Engine) {
  const { db, dialect, prepare, body } = engine
  const byFile = rowsOf(engine, hostingFiles)
  const byDay = rowsOf(engine, hostingDays)
  const catalogued = prepare(
    db
      .select({ id: files.id })
      .from(files)
      .where(sql`${files.id} IN (${dialect.elementsOf(sql.placeholder('ids'))})`),
  )
  const addToFile = prepareInsert(engine, hostingFiles, {
    target: [hostingFiles.fileId, hostingFiles.day],
    set: {
      requests: sql`${hostingFiles.requests} + excluded.requests`,
      bytes: sql`${hostingFiles.bytes} + excluded.bytes`,
    },
  })
  const addToDay = prepareInsert(engine, hostingDays, {
    target: [hostingDays.day],
    set: {
      requests: sql`${hostingDays.requests} + excluded.requests`,
      bytes: sql`${hostingDays.bytes} + excluded.bytes`,
      notFound: sql`${hostingDays.notFound} + excluded.not_found`,
    },
  })
  return {
    addDay: (counted: DayTraffic): Query<void> => addToDay.row(counted),
    /** Adds to the days of files. Those that were deleted meanwhile are left out. */
    addFiles: (counted: readonly FileTraffic[]): Query<void> =>
      body(function* () {
        if (counted.length === 0) return
        const ids = JSON.stringify(counted.map(({ fileId }) => fileId))
        const known = new Set((yield* catalogued.all({ ids })).map(({ id }) => id))
        yield* addToFile.rows(counted.filter(({ fileId }) => known.has(fileId)))
      }),
    /** True when there are counts to prune. */
    isStale: ({ filesBefore, daysBefore }: TrafficWindow): Query<boolean> =>
      body(function* () {
        if (yield* byFile.has(lt(hostingFiles.day, filesBefore))) return true
        return yield* byDay.has(lt(hostingDays.day, daysBefore))
      }),
    /** Prunes the counts of days, and up to `limit` counts of files. */
    prune: ({ filesBefore, daysBefore }: TrafficWindow, limit: number): Query<void> =>
      body(function* () {
        yield* byFile.removeSome(lt(hostingFiles.day, filesBefore), limit)
        yield* byDay.remove(lt(hostingDays.day, daysBefore)).run()
      }),
  }
}

/** Queries of the hosting counts. */
function trafficLookups(engine: Engine) {
  const { db, dialect, prepare } = engine
  const totals = rowsOf(engine, hostingTotals)
  const byFile = rowsOf(engine, hostingFiles)
  const byDay = rowsOf(engine, hostingDays)
  const among = (column: AnySQLiteColumn, ids: readonly string[]) =>
    sql`${column} IN (${dialect.elementsOf(JSON.stringify(ids))})`
  const sum = (column: AnySQLiteColumn) => sql<number>`sum(${column})`
  return {
    /** Returns the days from `day` on that have counts of some files together. */
    daysOf: (
      fileIds: readonly string[],
      day: string,
    ): Query<{ date: string; requests: number; bytes: number }[]> =>
      prepare(
        db
          .select({
            date: hostingFiles.day,
            requests: sum(hostingFiles.requests),
            bytes: sum(hostingFiles.bytes),
          })
          .from(hostingFiles)
          .where(and(among(hostingFiles.fileId, fileIds), gte(hostingFiles.day, day)))
          .groupBy(hostingFiles.day),
      ).all(),
    /** Returns up to `limit` most requested of some files over the days stored by file; ties by id. */
    topOf: (fileIds: readonly string[], limit: number) =>
      totals
        .select(among(hostingTotals.fileId, fileIds), {
          order: [desc(hostingTotals.requests), asc(hostingTotals.fileId)],
          limit,
        })
        .all(),
    /** Returns up to `limit` most requested files over the days stored by file; ties by id. */
    top: (limit: number): Query<TopFile[]> =>
      prepare(
        db
          .select({ file: files, requests: hostingTotals.requests, bytes: hostingTotals.bytes })
          .from(hostingTotals)
          .innerJoin(files, eq(files.id, hostingTotals.fileId))
          .orderBy(desc(hostingTotals.requests), asc(hostingTotals.fileId))
          .limit(limit),
      ).all(),
    /** Returns the days from `day` on that have counts. */
    daysSince: (day: string): Query<DatedTraffic[]> =>
      prepare(
        db
          .select({ date: hostingDays.day, requests, bytes, notFound })
          .from(hostingDays)
          .where(gte(hostingDays.day, day)),
      ).all(),
    /** Returns the days from `day` on that have counts of one file. */
    fileDaysSince: (
      fileId: string,
      day: string,
    ): Query<{ date: string; requests: number; bytes: number }[]> =>
      prepare(
        db
          .select({ date: hostingFiles.day, requests: hostingFiles.requests, bytes: hostingFiles.bytes })
          .from(hostingFiles)
          .where(and(eq(hostingFiles.fileId, fileId), gte(hostingFiles.day, day))),
      ).all(),
    file: (fileId: string, day: string) =>
      byFile.select(and(eq(hostingFiles.fileId, fileId), eq(hostingFiles.day, day))).get(),
    day: (day: string) => byDay.select(eq(hostingDays.day, day)).get(),
  }
}

/** Queries of the catalog's hosting counts. Sums are only added to, never recounted. */
export const trafficQueries = (engine: Engine) => ({ ...trafficChanges(engine), ...trafficLookups(engine) })
