import { basename, join } from 'node:path'
import { migrate } from '../../src/catalog/postgres/migrate.ts'
import type { Clock } from '../../src/platform/clock.ts'
import { readConfig } from '../../src/platform/config.ts'
import type { S3Client } from '../../src/s3/client.ts'
import type { S3Location } from '../../src/s3/connection.ts'
import { bytesPayload } from '../../src/s3/payload.ts'
import type { ObjectStore } from '../../src/store/store.ts'
import { askPostgres } from './blocking-postgres.ts'
import { clientAt, objectStoreAt } from './objects.ts'

/**
 * Kinds of instances that tests can run on: the bytes of files are in the data folder, or in an object store, or in one
 * with the database in PostgreSQL and two servers.
 */
export const KINDS = ['embedded', 'objects', 'scale'] as const
export type Kind = (typeof KINDS)[number]

export const isKind = (name: string): name is Kind => KINDS.some((kind) => kind === name)

function readKind(name = 'embedded'): Kind {
  if (!isKind(name)) throw new Error(`HOLDFAST_KIND must be one of ${KINDS.join(', ')}`)
  return name
}

/** Kind of instance under test, from `HOLDFAST_KIND`. */
export const KIND = readKind(process.env['HOLDFAST_KIND'])

/** Place of the bytes of files. */
export const BYTES_IN = KIND === 'embedded' ? 'folder' : 'objects'

/** Object store of all tests; `undefined` for the embedded kind. */
const location: S3Location | undefined =
  KIND === 'embedded'
    ? undefined
    : (readConfig({ ...process.env, DATABASE_URL: '' }).objectStore ?? (await startEngine('s3-server')))

/** Database that those of instances are created beside; `undefined` unless instances are several servers. */
const postgres: string | undefined =
  KIND === 'scale' ? (process.env['DATABASE_URL'] ?? (await startEngine('postgres-server'))) : undefined

/** Starts an engine. It is a process, because `spawnSync` blocks this one while a command uses the engine. */
async function startEngine<Address>(name: string): Promise<Address> {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, `${name}.ts`)], {
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

/** Database with empty tables, which those of data folders are copies of: migrations would take most of a start. */
const TEMPLATE = `holdfast_template_${process.pid}`
if (postgres !== undefined) {
  askPostgres(postgres, `CREATE DATABASE ${TEMPLATE}`)
  await migrate(addressOf(postgres, TEMPLATE))
}

function addressOf(beside: string, name: string): string {
  const url = new URL(beside)
  url.pathname = `/${name}`
  return url.href
}

/** Databases of data folders by name. */
const databases = new Set<string>()

/** Returns the address of the database of a data folder, created at its first use; `undefined` unless it is shared. */
export function databaseOf(dataPath: string): string | undefined {
  if (postgres === undefined) return undefined
  const name = `holdfast_${Bun.hash(dataPath).toString(16)}`
  if (!databases.has(name)) {
    const { rows } = askPostgres(postgres, 'SELECT 1 FROM pg_database WHERE datname = $1', [name])
    if (rows.length === 0) askPostgres(postgres, `CREATE DATABASE ${name} TEMPLATE ${TEMPLATE}`)
    databases.add(name)
  }
  return addressOf(postgres, name)
}

/** Returns the data folders of the servers of an instance, whose first one is at `dataPath`. */
export const foldersOf = (dataPath: string): string[] =>
  KIND === 'scale' ? [dataPath, `${dataPath}-second`] : [dataPath]

/** Returns the variables that lead a process with this data folder to its bytes. */
export function kindVariables(dataPath = ''): Record<string, string> {
  const place = placeOf(dataPath)
  if (!place || dataPath === '') return {}
  const { endpoint, bucket, region, accessKeyId, secretAccessKey } = place.location
  const database = databaseOf(dataPath)
  return {
    ...(database !== undefined && {
      DATABASE_URL: database,
      DATABASE_POOL: '4',
      AUTH_SECRET: 'the secret of all servers of a test',
    }),
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

/** Removes the objects and the database of a data folder. */
export async function removeObjects(dataPath: string): Promise<void> {
  if (postgres !== undefined) {
    const name = `holdfast_${Bun.hash(dataPath).toString(16)}`
    askPostgres(postgres, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
    databases.delete(name)
  }
  const place = placeOf(dataPath)
  if (!place) return
  const keys = await Array.fromAsync(place.client.list(place.prefix), ({ key }) => key)
  await place.client.removeMany(keys)
}
