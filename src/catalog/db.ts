import type { BunSQLiteDatabase } from 'drizzle-orm/bun-sqlite'
import type * as schema from './schema.ts'

/** The database as the query files see it. */
export type Db = BunSQLiteDatabase<typeof schema>
