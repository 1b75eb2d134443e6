import { integer, text } from 'drizzle-orm/sqlite-core'

/** Makes the column of an id, a UUID. Times in the schema are milliseconds since 1970 in UTC, sizes are bytes. */
export const id = () => text('id').primaryKey()
export const createdAt = () => integer('created_at').notNull()
export const updatedAt = () => integer('updated_at').notNull()
/** Makes the column of the blob that has the bytes; null when they are in the data folder. */
export const blobId = () => text('blob_id')
