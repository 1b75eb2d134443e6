import { basename, join } from 'node:path'
import type { Clock } from '../../src/platform/clock.ts'
import { readConfig } from '../../src/platform/config.ts'
import type { S3Client } from '../../src/s3/client.ts'
import type { S3Location } from '../../src/s3/connection.ts'
import { bytesPayload } from '../../src/s3/payload.ts'
import type { ObjectStore } from '../../src/store/store.ts'
import { clientAt, objectStoreAt } from './objects.ts'

/** Kinds of instances that tests can run on: the bytes of files are in the data folder, or in an object store. */
export const KINDS = ['embedded', 'objects'] as const
export type Kind = (typeof KINDS)[number]

export const isKind = (name: string): name is Kind => KINDS.some((kind) => kind === name)

function readKind(name = 'embedded'): Kind {
  if (!isKind(name)) throw new Error(`HOLDFAST_KIND must be one of ${KINDS.join(', ')}`)
  return name
}

/** Kind of instance under test, from `HOLDFAST_KIND`. */
export const KIND = readKind(process.env['HOLDFAST_KIND'])

/** Object store of all tests; `undefined` for the embedded kind. */
const location: S3Location | undefined =
  KIND === 'embedded' ? undefined : (readConfig(process.env).objectStore ?? (await startStore()))

/** Starts a store in memory. It is a process, because `spawnSync` blocks this one while a command uses the store. */
async function startStore(): Promise<S3Location> {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, 's3-server.ts')], {
    stdin: 'pipe',
    stdout: 'pipe',
  })
  child.unref()
  const { value } = await child.stdout.getReader().read()
  return JSON.parse(Buffer.from(value ?? []).toString())
}

/** Objects of one data folder. */
interface Place {
  location: S3Location
  client: S3Client
  /** Prefix of their object keys. */
  prefix: string
}

/** Returns the objects of a data folder; `undefined` for the embedded kind. */
export const placeOf = (dataPath: string): Place | undefined =>
  location && { location, client: clientAt(location), prefix: `${basename(dataPath)}/` }

/** Returns the variables that lead a process with this data folder to its bytes. */
export function kindVariables(dataPath = ''): Record<string, string> {
  const place = placeOf(dataPath)
  if (!place || dataPath === '') return {}
  const { endpoint, bucket, region, accessKeyId, secretAccessKey } = place.location
  return {
    S3_ENDPOINT: endpoint,
    S3_BUCKET: bucket,
    S3_REGION: region,
    S3_ACCESS_KEY_ID: accessKeyId,
    S3_SECRET_ACCESS_KEY: secretAccessKey,
    S3_PREFIX: place.prefix,
  }
}

/** Describes the object store of a data folder for a server; `undefined` for the embedded kind. */
export function objectsFor(dataPath: string, clock: Clock): ObjectStore | undefined {
  const place = placeOf(dataPath)
  if (!place) return undefined
  const { location, client, prefix } = place
  const objects = objectStoreAt(location, { prefix, clock })
  return {
    name: objects.name,
    open: async (options) => {
      // A process that starts on the same folder expects this marker.
      if (options.isNew) await client.put(`${prefix}volume`, bytesPayload(Buffer.from(options.volumeId)))
      return objects.open(options)
    },
  }
}

/** Removes the objects of a data folder. */
export async function removeObjects(dataPath: string): Promise<void> {
  const place = placeOf(dataPath)
  if (!place) return
  const keys = await Array.fromAsync(place.client.list(place.prefix), ({ key }) => key)
  await place.client.removeMany(keys)
}
