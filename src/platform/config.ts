import * as T from 'typebox'
import Value from 'typebox/value'
import { type DatabaseConfig, DatabaseVariables, readDatabase } from './database.ts'
import { StartError } from './errors.ts'
import { parseNetworks } from './networks.ts'
import { type ObjectStoreConfig, ObjectStoreVariables, readObjectStore } from './object-store.ts'
import { parseBytes } from './size.ts'

const KiB = 1024

/** A hundred years: a longer time could end in a year of five digits. */
export const MAX_DAYS = 36_500
/** Days that deleted files stay in the trash, until an admin changes the setting. */
const TRASH_DAYS = 30
export const MAX_SECONDS = MAX_DAYS * 86_400

/** Shortest secret to sign with, in characters. */
export const MIN_SECRET_LENGTH = 16

/** Annotations of a variable, for its documentation. */
interface Documented {
  /** Purpose of the variable. */
  title: string
  /** Values that it accepts, for error messages. */
  description: string
  /** Effect of leaving it out, where that is no value. */
  unset?: string
}

const whole = (
  fallback: number,
  minimum: number,
  { title, unit, maximum = Number.MAX_SAFE_INTEGER }: { title: string; unit: string; maximum?: number },
) => T.Integer({ default: fallback, minimum, maximum, title, description: `a whole number of ${unit}` })
const text = (options: Documented & { pattern?: string }) => T.String({ default: '', ...options })
const secret = (title: string, unset = 'none', characters = '\\S') =>
  text({
    title,
    unset,
    pattern: `^$|^${characters}{${MIN_SECRET_LENGTH},}$`,
    description: `a secret of at least ${MIN_SECRET_LENGTH} characters`,
  })

/** Variables of Holdfast: type, bounds, default, purpose and accepted values of each. */
export const Environment = T.Object({
  PORT: T.Integer({
    default: 3000,
    minimum: 0,
    maximum: 65_535,
    title: 'Port to listen on; 0 picks a free one.',
    description: 'a port number from 0 to 65535',
  }),
  HOST: T.String({
    default: '0.0.0.0',
    title: 'Address to listen on.',
    description: 'an address to listen on',
  }),
  BASE_URL: text({
    title: 'Public address. Decides secure cookies, HSTS and the trusted origin.',
    unset: '`http://localhost:<PORT>`; local addresses are trusted',
    pattern: '^$|^https?://[^/?#]+/?$',
    description: 'an http or https origin, such as https://files.example.com',
  }),
  AUTH_SECRET: secret(
    'Signs sessions and links. Changing it ends all of them.',
    'generated on the first start, stored in `<DATA_PATH>/secret`',
    '.',
  ),
  DATA_PATH: T.String({
    default: './data',
    title: 'Folder for files and database.',
    description: 'a folder',
  }),
  ...ObjectStoreVariables,
  ...DatabaseVariables,
  MAX_UPLOAD_SIZE: T.Integer({
    default: 5 * KiB ** 3,
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
    title: 'Largest file of an upload. Starting value.',
    description: 'a whole number with an optional b, kb, mb, gb or tb, such as 5gb, up to 8191tb',
  }),
  DEFAULT_PRESIGN_TTL_SECONDS: whole(3600, 1, {
    title: 'Lifetime of a signed link. Starting value.',
    unit: `seconds from 1 to ${MAX_SECONDS}`,
    maximum: MAX_SECONDS,
  }),
  MAX_PRESIGN_TTL_SECONDS: whole(604_800, 1, {
    title: 'Longest lifetime of a signed link. Starting value.',
    unit: `seconds from 1 to ${MAX_SECONDS}`,
    maximum: MAX_SECONDS,
  }),
  HOSTING_CACHE_MAX_AGE: whole(0, 0, {
    title: 'Time that caches may keep a public file without asking. Starting value.',
    unit: 'seconds',
  }),
  ACTIVITY_RETENTION_DAYS: whole(90, 1, {
    title: 'Days that activity is kept. Starting value.',
    unit: `days from 1 to ${MAX_DAYS}`,
    maximum: MAX_DAYS,
  }),
  API_REQUEST_RETENTION_DAYS: whole(90, 1, {
    title: 'Days that counts of API key requests are kept. Starting value.',
    unit: `days from 1 to ${MAX_DAYS}`,
    maximum: MAX_DAYS,
  }),
  VERSION_DAYS: whole(30, 0, {
    title: 'Days that replaced versions of files are kept. Starting value.',
    unit: `days from 1 to ${MAX_DAYS}; 0 keeps none`,
    maximum: MAX_DAYS,
  }),
  DEFAULT_FILE_VISIBILITY: T.Union([T.Literal('public'), T.Literal('private')], {
    default: 'public',
    title: 'Visibility of an upload that names none. Starting value.',
    description: 'public or private',
  }),
  SCRUB_DAYS: whole(30, 0, {
    title: 'Period in which every stored file is read and compared once.',
    unit: `days from 1 to ${MAX_DAYS}; 0 turns it off`,
    maximum: MAX_DAYS,
  }),
  MAX_FILES_PER_REQUEST: whole(100, 1, { title: 'Files of one upload form.', unit: 'files, at least 1' }),
  MAX_MOVE_BATCH: whole(500, 1, {
    title: 'Ids of one batch that moves files or changes their visibility.',
    unit: 'ids, at least 1',
  }),
  MAX_DELETE_BATCH: whole(500, 1, { title: 'Ids of one batch delete.', unit: 'ids, at least 1' }),
  MAX_DOWNLOAD_BATCH: whole(1000, 1, {
    title: 'Ids of one archive of several files.',
    unit: 'ids, at least 1',
  }),
  RATE_LIMIT_API: whole(300, 0, {
    title: 'API requests of one address a minute.',
    unit: 'requests a minute; 0 turns it off',
  }),
  RATE_LIMIT_HOSTING: whole(600, 0, {
    title: 'Requests for hosted files of one address a minute.',
    unit: 'requests a minute; 0 turns it off',
  }),
  RATE_LIMIT_UPLOADS: whole(1200, 0, {
    title: 'Pieces of resumable uploads of one address a minute.',
    unit: 'requests a minute; 0 turns it off',
  }),
  MAX_CONNECTIONS: whole(8192, 0, {
    title: 'Open connections, at most half of the limit of open files.',
    unit: 'open connections; 0 turns it off',
  }),
  MAX_CONNECTIONS_PER_ADDRESS: whole(512, 0, {
    title: 'Open connections of one address (IPv6: one /64). Proxies in `TRUST_PROXY` are exempt.',
    unit: 'open connections; 0 turns it off',
  }),
  SETUP_TOKEN: secret('Required as `setupToken` to register the first account.'),
  METRICS_TOKEN: secret('Bearer token for `GET /metrics`.', 'no metrics'),
  LOG_FORMAT: T.Union([T.Literal('text'), T.Literal('json')], {
    default: 'text',
    title: 'Form of the log; json is one object a line.',
    description: 'text or json',
  }),
  LOG_LEVEL: T.Union([T.Literal('error'), T.Literal('info'), T.Literal('debug')], {
    default: 'info',
    title:
      'Detail of the log. Security events and the lines of a start are written at every level; debug has a line for each request, except cached hosted files.',
    description: 'error, info or debug',
  }),
  TRUST_PROXY: text({
    title: 'Proxies whose `X-Forwarded-For`, `-Proto` and `-Host` are trusted.',
    unset: 'none',
    description: 'addresses or CIDR ranges of proxies, separated by commas',
  }),
  WEBHOOK_ALLOW_PRIVATE: text({
    title: 'Private networks that webhooks may reach; public addresses are always allowed.',
    unset: 'none',
    description: 'addresses or CIDR ranges, separated by commas, such as 192.168.1.0/24',
  }),
  TRUSTED_ORIGINS: text({
    title: 'Further trusted origins and app schemes.',
    unset: 'none',
    description: 'origins or app schemes such as holdfast://, separated by commas',
  }),
})

type Variables = T.Static<typeof Environment>

export type Visibility = Variables['DEFAULT_FILE_VISIBILITY']

/** Settings that the environment sets at the first start only; afterwards the database holds them. */
export interface StartingSettings {
  defaultVisibility: Visibility
  maxUploadBytes: number
  defaultPresignSeconds: number
  maxPresignSeconds: number
  hostingCacheSeconds: number
  activityRetentionDays: number
  apiRequestRetentionDays: number
  trashDays: number
  versionDays: number
}

export interface Config {
  host: string
  port: number
  /** Origin of the instance, without a trailing slash. */
  baseUrl: string
  /** True when `BASE_URL` is set. Then it is the only address at which people use the instance. */
  hasBaseUrl: boolean
  /** Secret to sign with; `undefined` when the data folder holds it. */
  authSecret: string | undefined
  dataPath: string
  /** Object store with the bytes of all files; `undefined` when they are in the data folder. */
  objectStore: ObjectStoreConfig | undefined
  /** Database that several servers share; `undefined` when it is a file in the data folder. */
  database: DatabaseConfig | undefined
  startingSettings: StartingSettings
  /** Days in which every stored file is read and compared once; 0 for never. */
  scrubDays: number
  maxFilesPerUpload: number
  maxMoveIds: number
  maxDeleteIds: number
  maxDownloadIds: number
  apiRequestsPerMinute: number
  hostingRequestsPerMinute: number
  uploadRequestsPerMinute: number
  /** Open connections of all clients together, and of one; 0 for no limit. */
  maxConnections: number
  maxConnectionsPerAddress: number
  /** Token for registering the first account; `undefined` when it takes none. */
  setupToken: string | undefined
  /** Token for reading the metrics; `undefined` when there are none. */
  metricsToken: string | undefined
  logFormat: Variables['LOG_FORMAT']
  logLevel: Variables['LOG_LEVEL']
  trustedProxies: string[]
  /** Networks that webhooks may reach although they are private. */
  webhookNetworks: string[]
  trustedOrigins: string[]
}

/**
 * Reads the configuration from environment variables. An unset or empty variable takes its default.
 *
 * @throws {StartError} With the variable and its accepted values, when a value is invalid.
 */
export function readConfig(environment: Record<string, string | undefined>): Config {
  const variables = readVariables(environment)
  if (variables.DEFAULT_PRESIGN_TTL_SECONDS > variables.MAX_PRESIGN_TTL_SECONDS) {
    throw new StartError('DEFAULT_PRESIGN_TTL_SECONDS must not be greater than MAX_PRESIGN_TTL_SECONDS')
  }
  const objectStore = readObjectStore(variables, (name) => (environment[name]?.trim() ?? '') !== '')
  return {
    host: variables.HOST,
    port: variables.PORT,
    baseUrl: readBaseUrl(variables.BASE_URL || `http://localhost:${variables.PORT}`),
    hasBaseUrl: variables.BASE_URL !== '',
    authSecret: variables.AUTH_SECRET || undefined,
    dataPath: variables.DATA_PATH,
    objectStore,
    database: readDatabase(variables, objectStore),
    startingSettings: {
      defaultVisibility: variables.DEFAULT_FILE_VISIBILITY,
      maxUploadBytes: variables.MAX_UPLOAD_SIZE,
      defaultPresignSeconds: variables.DEFAULT_PRESIGN_TTL_SECONDS,
      maxPresignSeconds: variables.MAX_PRESIGN_TTL_SECONDS,
      hostingCacheSeconds: variables.HOSTING_CACHE_MAX_AGE,
      activityRetentionDays: variables.ACTIVITY_RETENTION_DAYS,
      apiRequestRetentionDays: variables.API_REQUEST_RETENTION_DAYS,
      trashDays: TRASH_DAYS,
      versionDays: variables.VERSION_DAYS,
    },
    scrubDays: variables.SCRUB_DAYS,
    maxFilesPerUpload: variables.MAX_FILES_PER_REQUEST,
    maxMoveIds: variables.MAX_MOVE_BATCH,
    maxDeleteIds: variables.MAX_DELETE_BATCH,
    maxDownloadIds: variables.MAX_DOWNLOAD_BATCH,
    apiRequestsPerMinute: variables.RATE_LIMIT_API,
    hostingRequestsPerMinute: variables.RATE_LIMIT_HOSTING,
    uploadRequestsPerMinute: variables.RATE_LIMIT_UPLOADS,
    maxConnections: variables.MAX_CONNECTIONS,
    maxConnectionsPerAddress: variables.MAX_CONNECTIONS_PER_ADDRESS,
    setupToken: variables.SETUP_TOKEN || undefined,
    metricsToken: variables.METRICS_TOKEN || undefined,
    logFormat: variables.LOG_FORMAT,
    logLevel: variables.LOG_LEVEL,
    trustedProxies: readNetworks('TRUST_PROXY', variables.TRUST_PROXY),
    webhookNetworks: readNetworks('WEBHOOK_ALLOW_PRIVATE', variables.WEBHOOK_ALLOW_PRIVATE),
    trustedOrigins: readOrigins(variables.TRUSTED_ORIGINS),
  }
}

function readVariables(environment: Record<string, string | undefined>): Variables {
  const values: Record<string, unknown> = {}
  for (const [name, schema] of Object.entries(Environment.properties)) {
    const given = environment[name]?.trim()
    values[name] = given ? readValue(name, given) : optionsOf(schema).default
    if (!Value.Check(schema, values[name])) throw mustBe(schema, name, `, not "${shown(name, given)}"`)
  }
  return Value.Parse(Environment, values)
}

function readValue(name: string, given: string): unknown {
  if (name === 'MAX_UPLOAD_SIZE' || name === 'CACHE_SIZE') return parseBytes(given)
  const schema: T.TSchema = Environment.properties[name as keyof Variables]
  return T.IsInteger(schema) ? parseWhole(given) : given
}

/** Returns the annotations of a schema, which typebox has at run time but not in the type. */
const optionsOf = (schema: T.TSchema): T.TSchemaOptions => ({ ...schema })

const mustBe = (schema: T.TSchema, name: string, why: string) =>
  new StartError(`${name} must be ${optionsOf(schema).description}${why}`)

/** Variables whose values are never shown. */
const SECRETS = new Set([
  'AUTH_SECRET',
  'SETUP_TOKEN',
  'METRICS_TOKEN',
  'S3_SECRET_ACCESS_KEY',
  'DATABASE_URL',
])

const shown = (name: string, given: string | undefined) => (SECRETS.has(name) ? '(hidden)' : given)

const parseWhole = (given: string) => (/^\d{1,16}$/.test(given) ? Number(given) : undefined)

const splitList = (list: string) =>
  list
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')

function readNetworks(name: 'TRUST_PROXY' | 'WEBHOOK_ALLOW_PRIVATE', list: string): string[] {
  try {
    return parseNetworks(list)
  } catch (error) {
    throw mustBe(Environment.properties[name], name, `: ${error instanceof Error ? error.message : error}`)
  }
}

function readBaseUrl(url: string): string {
  if (URL.canParse(url)) return asBrowsersWrite(url)
  throw mustBe(Environment.properties.BASE_URL, 'BASE_URL', `, not "${url}"`)
}

/** Returns an origin as in an `Origin` header: in lower case, without a slash or a default port. */
const asBrowsersWrite = (url: string): string => new URL(url).origin

function readOrigins(list: string): string[] {
  const origins = splitList(list)
  // `https://` alone would trust every site, because a scheme trusts every origin that begins with it.
  const unreadable = origins.find(
    (origin) => !/^(?!https?:\/\/\/?$)[a-z][a-z0-9+.-]*:\/\/[^/?#]*\/?$/i.test(origin),
  )
  if (unreadable !== undefined) {
    throw mustBe(Environment.properties.TRUSTED_ORIGINS, 'TRUSTED_ORIGINS', `, not "${unreadable}"`)
  }
  return origins.map((origin) => {
    if (origin.endsWith('://')) return origin
    return /^https?:/i.test(origin) && URL.canParse(origin)
      ? asBrowsersWrite(origin)
      : origin.replace(/\/$/, '')
  })
}
