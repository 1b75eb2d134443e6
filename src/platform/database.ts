import * as T from 'typebox'
import { StartError } from './errors.ts'

/** Variables of a database that several servers share. */
export const DatabaseVariables = {
  DATABASE_URL: T.String({
    default: '',
    title:
      'Address of a PostgreSQL database that several servers share. Requires an object store and `AUTH_SECRET`.',
    unset: 'none: the database is a file in `DATA_PATH`',
    pattern: '^$|^postgres(ql)?://\\S+$',
    description: 'an address, such as postgres://holdfast:password@db.example.com/holdfast',
  }),
  DATABASE_POOL: T.Integer({
    default: 10,
    minimum: 2,
    maximum: 1000,
    title: 'Connections of one server to PostgreSQL; long lists and archives use up to 8 more.',
    description: 'a whole number of connections from 2 to 1000',
  }),
  HOSTING_STALENESS_MS: T.Integer({
    default: 0,
    minimum: 0,
    maximum: 60_000,
    title:
      'With `DATABASE_URL`: time for which hosted files may not reflect a change by another server. 0 asks the database before each response.',
    description: 'a whole number of milliseconds up to 60000',
  }),
}

/** Database that several servers share. */
export interface DatabaseConfig {
  /** Address with its credentials. */
  url: string
  /** Maximum connections at a time. */
  pool: number
  /** Maximum age of what hosting knows of the changes of other servers, in milliseconds. */
  hostingStalenessMs: number
}

type Variables = T.Static<T.TObject<typeof DatabaseVariables>> & { AUTH_SECRET: string }

/**
 * Returns the shared database of the configuration; `undefined` when it has none.
 *
 * @throws {StartError} when something is missing that all servers must share.
 */
export function readDatabase(
  { DATABASE_URL: url, DATABASE_POOL: pool, HOSTING_STALENESS_MS, AUTH_SECRET }: Variables,
  objectStore: object | undefined,
): DatabaseConfig | undefined {
  if (url === '') return undefined
  if (!URL.canParse(url)) throw new StartError('DATABASE_URL is not a valid address')
  if (objectStore === undefined)
    throw new StartError(
      'S3_ENDPOINT is missing: with DATABASE_URL, the bytes of all files must be in an object store that every server reaches',
    )
  if (AUTH_SECRET === '')
    throw new StartError(
      'AUTH_SECRET is missing: with DATABASE_URL, all servers must sign with the same secret',
    )
  return { url, pool, hostingStalenessMs: HOSTING_STALENESS_MS }
}
