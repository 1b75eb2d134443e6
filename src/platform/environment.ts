import * as T from 'typebox'
import Value from 'typebox/value'
import { CdnVariables } from './cdn.ts'
import { DatabaseVariables } from './database.ts'
import { StartError } from './errors.ts'
import { HttpsVariables } from './https.ts'
import { PUBLIC_KEY } from './minisign.ts'
import { ObjectStoreVariables } from './object-store.ts'
import { SIGN_IN_SECRETS, SignInVariables } from './sign-in.ts'
import { parseBytes } from './size.ts'

const KiB = 1024

/** A hundred years: a longer time could end in a year of five digits. */
export const MAX_DAYS = 36_500
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
/** @param zero Effect of 0, where it is allowed. */
const days = (fallback: number, title: string, zero?: string) =>
  whole(fallback, zero === undefined ? 1 : 0, {
    title,
    unit: `days from 1 to ${MAX_DAYS}${zero === undefined ? '' : `; 0 ${zero}`}`,
    maximum: MAX_DAYS,
  })
const seconds = (fallback: number, title: string) =>
  whole(fallback, 1, { title, unit: `seconds from 1 to ${MAX_SECONDS}`, maximum: MAX_SECONDS })
const ids = (fallback: number, title: string) => whole(fallback, 1, { title, unit: 'ids, at least 1' })
const aMinute = (fallback: number, title: string) =>
  whole(fallback, 0, { title, unit: 'requests a minute; 0 turns it off' })
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
    title: 'Address to listen on; `::` serves IPv4 and IPv6.',
    description: 'an address to listen on',
  }),
  BASE_URL: text({
    title: 'Public address. Determines secure cookies, HSTS and the trusted origin.',
    unset: '`http://localhost:<PORT>`, or `https://localhost:<HTTPS_PORT>`; local addresses are trusted',
    pattern: '^$|^https?://[^/?#]+/?$',
    description: 'an http or https origin, such as https://files.example.com',
  }),
  INSTANCE_NAME: T.String({
    default: 'Holdfast',
    pattern: '^[^\\p{Cc}]{1,60}$',
    title: 'Name of the instance: on the sign-in page, the pages for visitors, in titles, and of the app.',
    description: 'a name of 1 to 60 characters',
  }),
  INSTANCE_LOGO: text({
    title: 'Picture that is shown beside the name.',
    unset: 'the logo of Holdfast in the dashboard, none on the pages for visitors',
    description: 'the path of a PNG, JPEG or WebP file of at most 256 KiB',
  }),
  SITES_DOMAIN: text({
    title: 'Domain of sites: the site `www` is at `www.<SITES_DOMAIN>`. Not that of `BASE_URL`.',
    unset: 'no sites',
    description: 'a host name, such as example-sites.net, that is not the host of BASE_URL or above it',
  }),
  ...HttpsVariables,
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
  ...CdnVariables,
  MAX_UPLOAD_SIZE: T.Integer({
    default: 5 * KiB ** 3,
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
    title: 'Maximum size of an uploaded file. Starting value.',
    description: 'a whole number with an optional unit from B to TiB, such as 5GiB, up to 8191TiB',
  }),
  DEFAULT_PRESIGN_TTL_SECONDS: seconds(3600, 'Default lifetime of signed links. Starting value.'),
  MAX_PRESIGN_TTL_SECONDS: seconds(604_800, 'Maximum lifetime of signed links. Starting value.'),
  HOSTING_CACHE_MAX_AGE: whole(0, 0, {
    title: 'How long caches may keep a public file without revalidating. Starting value.',
    unit: 'seconds',
  }),
  ACTIVITY_RETENTION_DAYS: days(90, 'How long activity is kept. Starting value.'),
  API_REQUEST_RETENTION_DAYS: days(90, 'How long request counts of API keys are kept. Starting value.'),
  VERSION_DAYS: days(30, 'How long replaced versions of files are kept. Starting value.', 'keeps none'),
  DEFAULT_FILE_VISIBILITY: T.Union([T.Literal('public'), T.Literal('private')], {
    default: 'public',
    title: "Visibility of uploads that don't specify one. Starting value.",
    description: 'public or private',
  }),
  SHARE_DAYS: days(0, 'When shares expire for which no time is chosen.', 'for never'),
  SHARE_MAX_DAYS: days(0, 'How long shares may last.', 'for no limit'),
  SCRUB_DAYS: days(30, 'How often every stored file is read and verified.', 'turns it off'),
  MAX_FILES_PER_REQUEST: whole(100, 1, {
    title: 'Maximum files per upload form.',
    unit: 'files, at least 1',
  }),
  MAX_MOVE_BATCH: ids(500, 'Maximum ids per batch move or visibility change.'),
  MAX_DELETE_BATCH: ids(500, 'Maximum ids per batch delete.'),
  MAX_DOWNLOAD_BATCH: ids(1000, 'Maximum ids per archive of selected files.'),
  RATE_LIMIT_API: aMinute(300, 'API requests allowed per address and minute.'),
  RATE_LIMIT_HOSTING: aMinute(600, 'Requests for hosted and shared files allowed per address and minute.'),
  RATE_LIMIT_SITES: aMinute(3000, 'Requests for files of sites allowed per address and minute.'),
  RATE_LIMIT_S3: aMinute(12_000, 'Requests by the S3 API allowed per address and minute.'),
  RATE_LIMIT_UPLOADS: aMinute(
    1200,
    'Pieces of resumable uploads, and requests by WebDAV, allowed per address and minute.',
  ),
  MAX_CONNECTIONS: whole(8192, 0, {
    title: 'Maximum open connections; never more than half of the open file limit.',
    unit: 'open connections; 0 turns it off',
  }),
  MAX_CONNECTIONS_PER_ADDRESS: whole(512, 0, {
    title: 'Maximum open connections per address (IPv6: per /64). Proxies in `TRUST_PROXY` are exempt.',
    unit: 'open connections; 0 turns it off',
  }),
  ...SignInVariables,
  REQUIRE_SECOND_FACTOR: T.Union([T.Literal('no'), T.Literal('admins'), T.Literal('all')], {
    default: 'no',
    title: 'Accounts that must have a second factor. Starting value.',
    description: 'no, admins or all',
  }),
  SETUP_TOKEN: secret('Required as `setupToken` to register the first account.'),
  METRICS_TOKEN: secret('Bearer token for `GET /metrics`.', 'no metrics'),
  LOG_FORMAT: T.Union([T.Literal('text'), T.Literal('json')], {
    default: 'text',
    title: 'Log format; json writes one object per line.',
    description: 'text or json',
  }),
  LOG_LEVEL: T.Union([T.Literal('error'), T.Literal('info'), T.Literal('debug')], {
    default: 'info',
    title:
      'Log level. Security events and startup lines are always written; debug adds a line for each request, except cached hosted files.',
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
  FETCH_ALLOW_PRIVATE: text({
    title: 'Private networks that files may be fetched from by URL; public addresses are always allowed.',
    unset: 'none',
    description: 'addresses or CIDR ranges, separated by commas, such as 192.168.1.0/24',
  }),
  FETCH_TIMEOUT_SECONDS: seconds(30, 'How long fetching a file by URL may wait for the next byte.'),
  FETCH_MAX_SECONDS: seconds(3600, 'How long fetching a file by URL may take in all.'),
  TRUSTED_ORIGINS: text({
    title: 'Further trusted origins and app schemes.',
    unset: 'none',
    description: 'origins or app schemes such as holdfast://, separated by commas',
  }),
  UPDATE_CHECK: text({
    title:
      'Address of a `release.json` that is read once a day. If a later release fixes a vulnerability, the log and the overview of admins say so. The request says nothing about the instance.',
    unset: 'no check',
    pattern: '^$|^https?://\\S+$',
    description: 'an address that begins with https:// or http://',
  }),
  UPDATE_CHECK_KEY: text({
    title:
      'Public key of minisign that must have signed the `SHA256SUMS` beside the `release.json` of `UPDATE_CHECK`.',
    unset: 'no signature is verified',
    pattern: `^$|${PUBLIC_KEY}`,
    description: 'a public key of minisign: 56 characters that begin with RW',
  }),
  WEBDAV_LITTER: T.Union([T.Literal('keep'), T.Literal('refuse')], {
    default: 'keep',
    title:
      'What happens to files that macOS and Windows leave in folders by WebDAV: `._*`, `.DS_Store`, `desktop.ini`, `Thumbs.db`.',
    description: 'keep or refuse',
  }),
  THUMBNAILS: T.Union([T.Literal('upload'), T.Literal('request')], {
    default: 'upload',
    title:
      'When thumbnails for lists are made: after the upload, while the server has nothing else to do, or when they are first requested, so that an object store is read less.',
    description: 'upload or request',
  }),
  CORS_ORIGINS: text({
    title: 'Origins whose pages may call the API with an API key (CORS). Sessions stay with the dashboard.',
    unset: 'none',
    description: 'origins such as https://app.example.com, separated by commas, or *',
  }),
})

export type Variables = T.Static<typeof Environment>

/**
 * Reads the variables. An unset, empty or invalid one takes its default.
 *
 * @param complain Receives the error of each invalid value: the variable and its accepted values.
 */
export function readVariables(
  environment: Record<string, string | undefined>,
  complain: (name: string, error: StartError) => void,
): Variables {
  const values: Record<string, unknown> = {}
  for (const [name, schema] of Object.entries(Environment.properties)) {
    const given = environment[name]?.trim()
    values[name] = given ? readValue(name, given) : optionsOf(schema).default
  }
  if (Value.Check(Environment, values)) return values
  for (const [name, schema] of Object.entries(Environment.properties)) {
    if (Value.Check(schema, values[name])) continue
    complain(name, mustBe(name, `, not "${shown(name, environment[name]?.trim())}"`))
    values[name] = optionsOf(schema).default
  }
  return Value.Parse(Environment, values)
}

function readValue(name: string, given: string): unknown {
  if (name === 'MAX_UPLOAD_SIZE' || name === 'CACHE_SIZE') return parseBytes(given)
  return T.IsInteger(schemaOf(name)) ? parseWhole(given) : given
}

const schemaOf = (name: string): T.TSchema => Environment.properties[name as keyof Variables]

/** Returns the annotations of a schema, which typebox has at run time but not in the type. */
const optionsOf = (schema: T.TSchema): T.TSchemaOptions => ({ ...schema })

/** Returns the error of a variable with a value that it does not accept. */
export const mustBe = (name: string, why: string): StartError =>
  new StartError(`${name} must be ${optionsOf(schemaOf(name)).description}${why}`)

/** Variables whose values are never shown. */
const SECRETS = new Set([
  'AUTH_SECRET',
  'SETUP_TOKEN',
  'METRICS_TOKEN',
  'S3_SECRET_ACCESS_KEY',
  'DATABASE_URL',
  'CDN_TOKEN',
  'ACME_EAB_KEY',
  ...SIGN_IN_SECRETS,
])

/** Returns a value as messages show it: no secret, and no credentials of an address. */
export const shown = (name: string, given: string | undefined) =>
  SECRETS.has(name) ? '(hidden)' : given?.replace(/\/\/[^/]*@/, '//(hidden)@')

const parseWhole = (given: string) => (/^\d{1,16}$/.test(given) ? Number(given) : undefined)
