import { Blobs } from '../../src/blobs/blobs.ts'
import { BlobCache } from '../../src/blobs/cache.ts'
import type { Clock } from '../../src/platform/clock.ts'
import { S3Client } from '../../src/s3/client.ts'
import type { S3Location } from '../../src/s3/connection.ts'
import type { ObjectStore } from '../../src/store/store.ts'

const CACHE_BYTES = 1024 ** 3
const random = {
  bytes: (count: number) => crypto.getRandomValues(new Uint8Array(count)),
  id: () => Bun.randomUUIDv7(),
}

interface Options {
  /** Prefix of all object keys. */
  prefix?: string
  clock?: Clock
  cacheBytes?: number
}

/** Clock that no test sets. */
const REAL_CLOCK = {
  now: () => Math.floor(performance.timeOrigin + performance.now()),
  monotonic: () => performance.now(),
}

/** Connects to the object store at `location`, which refuses signatures of a clock that stands still. */
export const clientAt = (location: S3Location) => new S3Client(location, { clock: REAL_CLOCK, random })

/** Describes the object store at `location` for a server. */
export function objectStoreAt(
  location: S3Location,
  { prefix = '', cacheBytes = CACHE_BYTES, clock = REAL_CLOCK }: Options = {},
): ObjectStore {
  return {
    name: prefix === '' ? location.bucket : `${location.bucket}/${prefix}`,
    open: async ({ tmp, cache }) => {
      const blobCache = await BlobCache.open(cache, { maxBytes: cacheBytes, onError: () => {} })
      return new Blobs(clientAt(location), {
        prefix,
        tmp,
        cache: blobCache,
        clock,
        random,
      })
    },
  }
}
