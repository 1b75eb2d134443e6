import { StartError } from '../platform/errors.ts'
import type { ObjectStoreConfig } from '../platform/object-store.ts'
import type { Services } from '../platform/platform.ts'
import { S3Client } from '../s3/client.ts'
import { S3Error } from '../s3/error.ts'
import { probe } from '../s3/probe.ts'
import { spaceOf } from '../volume/disk.ts'
import { Blobs } from './blobs.ts'
import { BlobCache } from './cache.ts'
import { Ownership } from './ownership.ts'
import { BlobReader } from './reader.ts'

interface OpenOptions {
  /** Folder of bytes that are on their way. */
  tmp: string
  /** Folder of local copies. */
  cache: string
  /** Id that ties the objects to their catalog. */
  volumeId: string
  /** True when the catalog knows no file yet: nothing can be lost, so the bucket may be claimed. */
  isNew: boolean
  /** UUID of this start; `undefined` when all servers on the objects share one catalog. */
  owner: string | undefined
}

/** Name in the place of an owner when all servers on the objects share one catalog. */
const SHARED = 'shared'

/** Describes the object store of a configuration: its name for messages, and how it is opened. */
export function objectStoreOf(config: ObjectStoreConfig, services: Services) {
  const { bucket, prefix, cacheBytes } = config
  const { clock, random, log } = services
  const name = prefix === '' ? bucket : `${bucket}/${prefix}`
  const place = `The bucket "${name}" at ${new URL(config.endpoint).origin}`
  return {
    name,
    /** Reads the objects beside a server, or without one. */
    reader: (): BlobReader => new BlobReader(new S3Client(config, { clock, random }), prefix),
    /** @throws {StartError} when the store cannot be read, or the objects do not belong to a catalog with files. */
    assertOurs: async (volumeId: string): Promise<void> => {
      const client = new S3Client(config, { clock, random })
      const ownership = new Ownership({ client, prefix, volumeId, owner: SHARED, ...services })
      try {
        assertOwner(await ownership.readVolumeId(), { volumeId, isNew: false, place })
      } catch (error) {
        throw error instanceof S3Error ? new StartError(error.message, { cause: error }) : error
      }
    },
    /** @throws {StartError} when the store cannot be used, or belongs to another catalog. */
    open: async (options: OpenOptions): Promise<Blobs> => {
      const { tmp } = options
      const client = new S3Client(config, { clock, random })
      const { owner = SHARED } = options
      const claimed = new Ownership({ client, prefix, ...options, owner, ...services })
      await claim(client, claimed, { prefix, place, ...options, ...services })
      const ownership = owner === SHARED ? undefined : claimed
      const cache = await BlobCache.open(options.cache, {
        maxBytes: cacheBytes,
        lacking: spaceOf(tmp).lacking,
        onError: (error) => log.error('A file could not be added to the cache', error),
      })
      return new Blobs(client, { prefix, tmp, cache, ownership, clock, random })
    },
  }
}

type Claim = Services &
  Pick<OpenOptions, 'volumeId' | 'isNew' | 'owner'> & {
    prefix: string
    /** Name and endpoint of the bucket. */
    place: string
  }

/**
 * Checks that the objects belong to the catalog. Two catalogs on one prefix would delete the objects of each other. A new
 * catalog probes the store and claims the prefix.
 */
async function claim(client: S3Client, ownership: Ownership, options: Claim): Promise<void> {
  const { volumeId, isNew, owner, log } = options
  try {
    const found = await ownership.readVolumeId()
    assertOwner(found, options)
    if (found === undefined) {
      const { missing, advice } = await probe(client, options)
      if (missing.length > 0) throw new StartError(missing.join(' '))
      for (const sentence of advice) log.info(sentence)
      // Of servers that start together, each claims the same.
      if (!(await ownership.claim()) && (await ownership.readVolumeId()) !== volumeId)
        throw new StartError(
          'Another Holdfast claimed the bucket just now: set another S3_BUCKET or S3_PREFIX.',
        )
    }
    if (owner !== undefined) await ownership.take()
  } catch (error) {
    if (!(error instanceof S3Error)) throw error
    // A store that is away for a while must not keep the rest from being served.
    if (isNew || error.kind !== 'away') throw new StartError(error.message, { cause: error })
    log.error('The object store is not available; files that are not cached cannot be read', error)
  }
}

/** @throws {StartError} when the objects belong to another catalog, or none claimed them for one that has files. */
function assertOwner(
  found: string | undefined,
  { volumeId, isNew, place }: Pick<Claim, 'volumeId' | 'isNew' | 'place'>,
): void {
  if (found !== undefined && found !== volumeId)
    throw new StartError(
      `${place} has the files of another Holdfast: set another S3_BUCKET or S3_PREFIX. Nothing was changed.`,
    )
  if (found === undefined && !isNew)
    throw new StartError(
      `${place} does not have the files of this Holdfast: check S3_BUCKET and S3_PREFIX. Nothing was changed.`,
    )
}
