import { customType, integer, text } from 'drizzle-orm/sqlite-core'

/** Makes the column of an id, a UUID. Times in the schema are milliseconds since 1970 in UTC, sizes are bytes. */
export const id = () => text('id').primaryKey()
export const createdAt = () => integer('created_at').notNull()
export const updatedAt = () => integer('updated_at').notNull()
/** Makes the column of the blob that has the bytes; null when they are in the data folder. */
export const blobId = () => text('blob_id')

/** Sums and metadata of an object, as a client of the S3 API sent them. */
export interface ObjectFacts {
  /** Entity tag without quotes: the MD5 of the bytes, or of the MD5s of all parts with their number. */
  etag?: string
  /** Sizes of the parts that it came in, in their order; missing for one that came whole. */
  parts?: number[]
  /** Checksum of each part, by the algorithm of `checksums`. */
  partSums?: string[]
  /** Checksums in Base64 by their algorithm, such as `CRC32`; those of parts with their number, such as `…-3`. */
  checksums?: Record<string, string>
  /** True when the checksums are those of the whole bytes, not of the checksums of parts. */
  isWhole?: boolean
  /** Headers by lower-case name that come back with the object: `content-type`, `cache-control`, `x-amz-meta-…`. */
  headers?: Record<string, string>
}

/** Makes the column of the sums and headers that a client of the S3 API sent. */
export const facts = () => factsColumn('facts')

/** Maps null to NULL, which a column of JSON would store as a text. */
const factsColumn = customType<{ data: ObjectFacts; driverData: string | null }>({
  dataType: () => 'text',
  toDriver: (value: ObjectFacts | null) => (value === null ? null : JSON.stringify(value)),
  fromDriver: (value): ObjectFacts => JSON.parse(value ?? '{}'),
})

/** Makes the column of folders that exist only because keys of the S3 API have slashes: they go when they are empty. */
export const madeForKeys = () => integer('made_for_keys', { mode: 'boolean' }).notNull().default(false)
