import { eq, sql } from 'drizzle-orm'
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
    day: (day: string): DayTraffic | undefined =>
      db.select().from(hostingDays).where(eq(hostingDays.day, day)).get(),
  }
}
