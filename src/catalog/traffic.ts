import { and, asc, desc, eq, gte, inArray, lt, sql } from 'drizzle-orm'
import { type Db, prepareInsert } from './db.ts'
import type { FileRow } from './files.ts'
import { files, hostingDays, hostingFiles, hostingTotals } from './schema.ts'

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

/** Queries of the catalog's hosting counts. Sums are only added to, never recounted. */
export function trafficQueries(db: Db) {
  const isCatalogued = db
    .select({ id: files.id })
    .from(files)
    .where(eq(files.id, sql.placeholder('fileId')))
    .prepare()
  const addToFile = prepareInsert(db, hostingFiles, {
    target: [hostingFiles.fileId, hostingFiles.day],
    set: {
      requests: sql`${hostingFiles.requests} + excluded.requests`,
      bytes: sql`${hostingFiles.bytes} + excluded.bytes`,
    },
  })
  return {
    addDay: ({ day, requests, bytes, notFound }: DayTraffic): void => {
      db.insert(hostingDays)
        .values({ day, requests, bytes, notFound })
        .onConflictDoUpdate({
          target: hostingDays.day,
          set: {
            requests: sql`${hostingDays.requests} + ${requests}`,
            bytes: sql`${hostingDays.bytes} + ${bytes}`,
            notFound: sql`${hostingDays.notFound} + ${notFound}`,
          },
        })
        .run()
    },
    /** Adds to a file's day. A file that was deleted meanwhile is left out. */
    addFile: (counted: FileTraffic): void => {
      if (isCatalogued.get({ fileId: counted.fileId })) addToFile(counted)
    },
    /** True when there are counts to prune. */
    isStale: ({ filesBefore, daysBefore }: TrafficWindow): boolean => {
      const file = db.select().from(hostingFiles).where(lt(hostingFiles.day, filesBefore)).limit(1).get()
      return (
        file !== undefined ||
        db.select().from(hostingDays).where(lt(hostingDays.day, daysBefore)).limit(1).get() !== undefined
      )
    },
    /** Prunes the counts of days, and up to `limit` counts of files. */
    prune: ({ filesBefore, daysBefore }: TrafficWindow, limit: number): void => {
      const some = db
        .select({ rowid: sql`rowid` })
        .from(hostingFiles)
        .where(lt(hostingFiles.day, filesBefore))
        .limit(limit)
      db.delete(hostingFiles).where(inArray(sql`rowid`, some)).run()
      db.delete(hostingDays).where(lt(hostingDays.day, daysBefore)).run()
    },
    /** Returns up to `limit` most requested files over the days stored by file; ties by id. */
    top: (limit: number): TopFile[] =>
      db
        .select({ file: files, requests: hostingTotals.requests, bytes: hostingTotals.bytes })
        .from(hostingTotals)
        .innerJoin(files, eq(files.id, hostingTotals.fileId))
        .orderBy(desc(hostingTotals.requests), asc(hostingTotals.fileId))
        .limit(limit)
        .all(),
    /** Returns the days from `day` on that have counts. */
    daysSince: (day: string): DatedTraffic[] =>
      db
        .select({ date: hostingDays.day, requests, bytes, notFound })
        .from(hostingDays)
        .where(gte(hostingDays.day, day))
        .all(),
    /** Returns the days from `day` on that have counts of one file. */
    fileDaysSince: (fileId: string, day: string): { date: string; requests: number; bytes: number }[] =>
      db
        .select({ date: hostingFiles.day, requests: hostingFiles.requests, bytes: hostingFiles.bytes })
        .from(hostingFiles)
        .where(and(eq(hostingFiles.fileId, fileId), gte(hostingFiles.day, day)))
        .all(),
    file: (fileId: string, day: string): FileTraffic | undefined =>
      db
        .select()
        .from(hostingFiles)
        .where(and(eq(hostingFiles.fileId, fileId), eq(hostingFiles.day, day)))
        .get(),
    day: (day: string): DayTraffic | undefined =>
      db.select().from(hostingDays).where(eq(hostingDays.day, day)).get(),
  }
}
