import { and, eq, lt, sql } from 'drizzle-orm'
import type { Db } from './db.ts'
import { files, hostingDays, hostingFiles } from './schema.ts'

/** Hosting traffic of one UTC day. */
export interface DayTraffic {
  day: string
  requests: number
  bytes: number
  notFound: number
}

/** Hosting traffic of one file on one UTC day. */
export interface FileTraffic {
  day: string
  fileId: string
  requests: number
  bytes: number
}

/** The catalog's hosting counts: sums are added to, never recounted. */
export function trafficQueries(db: Db) {
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
    /** Adds to a file's day; a file that has been deleted meanwhile is left out. */
    addFile: ({ day, fileId, requests, bytes }: FileTraffic): void => {
      if (!db.select({ id: files.id }).from(files).where(eq(files.id, fileId)).get()) return
      db.insert(hostingFiles)
        .values({ day, fileId, requests, bytes })
        .onConflictDoUpdate({
          target: [hostingFiles.fileId, hostingFiles.day],
          set: {
            requests: sql`${hostingFiles.requests} + ${requests}`,
            bytes: sql`${hostingFiles.bytes} + ${bytes}`,
          },
        })
        .run()
    },
    /** Removes the counts of files and of days before the given ones (`YYYY-MM-DD`). */
    prune: ({ filesBefore, daysBefore }: { filesBefore: string; daysBefore: string }): void => {
      db.delete(hostingFiles).where(lt(hostingFiles.day, filesBefore)).run()
      db.delete(hostingDays).where(lt(hostingDays.day, daysBefore)).run()
    },
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
