import { type CdnConfig, CdnVariables, readCdn } from './cdn.ts'
import { type DatabaseConfig, DatabaseVariables, readDatabase } from './database.ts'
import { mustBe, readVariables, shown, type Variables } from './environment.ts'
import { StartError } from './errors.ts'
import { hostName, hostOfOrigin, isAtOrBelowHost } from './hosts.ts'
import { type HttpsConfig, HttpsVariables, readHttps } from './https.ts'
import { parseNetworks } from './networks.ts'
import { type ObjectStoreConfig, ObjectStoreVariables, readObjectStore } from './object-store.ts'
import { PASSWORDS_ONLY, readSignIn, type SignInConfig, SignInVariables } from './sign-in.ts'

/** Days that deleted files stay in the trash, until an admin changes the setting. */
const TRASH_DAYS = 30

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
  requireSecondFactor: Variables['REQUIRE_SECOND_FACTOR']
}

export interface Config {
  host: string
  port: number
  /** HTTPS without a proxy; `undefined` when it is off. */
  https: HttpsConfig | undefined
  /** Origin of the instance, without a trailing slash. */
  baseUrl: string
  /** True when `BASE_URL` is set. Then it is the only address at which people use the instance. */
  hasBaseUrl: boolean
  /** Name of the instance, and path of its logo; `undefined` for none. */
  instanceName: string
  instanceLogo: string | undefined
  /** Domain whose labels are the names of websites; `undefined` when there are none. */
  sitesDomain: string | undefined
  /** Secret to sign with; `undefined` when the data folder holds it. */
  authSecret: string | undefined
  dataPath: string
  /** Object store with the bytes of all files; `undefined` when they are in the data folder. */
  objectStore: ObjectStoreConfig | undefined
  /** Database that several servers share; `undefined` when it is a file in the data folder. */
  database: DatabaseConfig | undefined
  /** Cache in front of the server, which gets purges; `undefined` when there is none. */
  cdn: CdnConfig | undefined
  /** Ways to sign in. */
  signIn: SignInConfig
  startingSettings: StartingSettings
  /** Days in which every stored file is read and compared once; 0 for never. */
  scrubDays: number
  /** Days of a share for which no time is chosen, and the most that a share may have; 0 for no limit. */
  shareDays: number
  maxShareDays: number
  maxFilesPerUpload: number
  maxMoveIds: number
  maxDeleteIds: number
  maxDownloadIds: number
  apiRequestsPerMinute: number
  hostingRequestsPerMinute: number
  s3RequestsPerMinute: number
  siteRequestsPerMinute: number
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
  /** Networks that files may be fetched from although they are private. */
  fetchNetworks: string[]
  /** Times without a byte, and in all, that fetching a file may take. */
  fetchTimeoutMs: number
  fetchMaxMs: number
  trustedOrigins: string[]
  /** Address of the `release.json` to read; `undefined` for no check. */
  updateCheck: string | undefined
  /** Public key of minisign that must have signed it; `undefined` for none. */
  updateKey: string | undefined
  /** Origins of pages that may call the API with an API key; `*` for all. */
  corsOrigins: string[]
  webdavLitter: Variables['WEBDAV_LITTER']
  thumbnails: Variables['THUMBNAILS']
}

/** Problems of all variables, so that one start names them all. */
class Problems {
  readonly #messages = new Map<string, string>()

  readonly add = (name: string, { message }: StartError): void => {
    this.#messages.set(name, message)
  }

  /** Returns what `read` makes of sound variables; `otherwise` when one of them has a problem. */
  read<Value>(names: readonly string[], read: () => Value, otherwise: Value): Value {
    if (names.some((name) => this.#messages.has(name))) return otherwise
    try {
      return read()
    } catch (error) {
      if (!(error instanceof StartError)) throw error
      for (const name of names.slice(0, 1)) this.add(name, error)
      return otherwise
    }
  }

  /** @throws {StartError} with a line for each problem. */
  assertNone(): void {
    if (this.#messages.size > 0) throw new StartError([...this.#messages.values()].join('\n'))
  }
}

const LIFETIMES = ['DEFAULT_PRESIGN_TTL_SECONDS', 'MAX_PRESIGN_TTL_SECONDS'] as const
const SHARE_LIFETIMES = ['SHARE_DAYS', 'SHARE_MAX_DAYS'] as const
const STORE = Object.keys(ObjectStoreVariables)
const SIGN_IN = [...Object.keys(SignInVariables), 'BASE_URL']
const HTTPS = [...Object.keys(HttpsVariables), 'BASE_URL']
const CDN = Object.keys(CdnVariables)
const DATABASE = [...Object.keys(DatabaseVariables), ...STORE, 'AUTH_SECRET']

/**
 * Reads the configuration from environment variables.
 *
 * @throws {StartError} with a line for each invalid value: the variable and its accepted values.
 */
export function readConfig(environment: Record<string, string | undefined>): Config {
  const problems = new Problems()
  const variables = readVariables(environment, problems.add)
  problems.read(LIFETIMES, () => assertLifetimes(variables), undefined)
  problems.read(SHARE_LIFETIMES, () => assertShareLifetimes(variables), undefined)
  const isGiven = (name: string) => (environment[name]?.trim() ?? '') !== ''
  const objectStore = problems.read(STORE, () => readObjectStore(variables, isGiven), undefined)
  const list = <Name extends ListName>(name: Name, read: (name: Name, list: string) => string[]) =>
    problems.read([name], () => read(name, variables[name]), [])
  const trustedOrigins = list('TRUSTED_ORIGINS', readOrigins)
  const https = problems.read(HTTPS, () => readHttps(variables), undefined)
  const baseUrl = problems.read(
    ['BASE_URL'],
    () => readBaseUrl(variables.BASE_URL || localAddress(variables, https)),
    '',
  )
  const config: Config = {
    host: variables.HOST,
    port: variables.PORT,
    https,
    baseUrl,
    hasBaseUrl: variables.BASE_URL !== '',
    instanceName: variables.INSTANCE_NAME,
    instanceLogo: variables.INSTANCE_LOGO || undefined,
    sitesDomain: problems.read(
      ['SITES_DOMAIN', 'BASE_URL', 'TRUSTED_ORIGINS'],
      () => readSitesDomain(variables.SITES_DOMAIN, [baseUrl, ...trustedOrigins]),
      undefined,
    ),
    authSecret: variables.AUTH_SECRET || undefined,
    dataPath: variables.DATA_PATH,
    objectStore,
    database: problems.read(DATABASE, () => readDatabase(variables, objectStore), undefined),
    cdn: problems.read(CDN, () => readCdn(variables), undefined),
    signIn: problems.read(SIGN_IN, () => readSignIn(variables), PASSWORDS_ONLY),
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
      requireSecondFactor: variables.REQUIRE_SECOND_FACTOR,
    },
    scrubDays: variables.SCRUB_DAYS,
    shareDays: variables.SHARE_DAYS || variables.SHARE_MAX_DAYS,
    maxShareDays: variables.SHARE_MAX_DAYS,
    maxFilesPerUpload: variables.MAX_FILES_PER_REQUEST,
    maxMoveIds: variables.MAX_MOVE_BATCH,
    maxDeleteIds: variables.MAX_DELETE_BATCH,
    maxDownloadIds: variables.MAX_DOWNLOAD_BATCH,
    apiRequestsPerMinute: variables.RATE_LIMIT_API,
    hostingRequestsPerMinute: variables.RATE_LIMIT_HOSTING,
    s3RequestsPerMinute: variables.RATE_LIMIT_S3,
    siteRequestsPerMinute: variables.RATE_LIMIT_SITES,
    uploadRequestsPerMinute: variables.RATE_LIMIT_UPLOADS,
    maxConnections: variables.MAX_CONNECTIONS,
    maxConnectionsPerAddress: variables.MAX_CONNECTIONS_PER_ADDRESS,
    setupToken: variables.SETUP_TOKEN || undefined,
    metricsToken: variables.METRICS_TOKEN || undefined,
    updateCheck: variables.UPDATE_CHECK || undefined,
    updateKey: variables.UPDATE_CHECK_KEY || undefined,
    logFormat: variables.LOG_FORMAT,
    logLevel: variables.LOG_LEVEL,
    trustedProxies: list('TRUST_PROXY', readNetworks),
    webhookNetworks: list('WEBHOOK_ALLOW_PRIVATE', readNetworks),
    fetchNetworks: list('FETCH_ALLOW_PRIVATE', readNetworks),
    fetchTimeoutMs: variables.FETCH_TIMEOUT_SECONDS * 1000,
    fetchMaxMs: variables.FETCH_MAX_SECONDS * 1000,
    trustedOrigins,
    webdavLitter: variables.WEBDAV_LITTER,
    thumbnails: variables.THUMBNAILS,
    corsOrigins: variables.CORS_ORIGINS === '*' ? ['*'] : list('CORS_ORIGINS', readOrigins),
  }
  problems.assertNone()
  return config
}

type NetworkList = 'TRUST_PROXY' | 'WEBHOOK_ALLOW_PRIVATE' | 'FETCH_ALLOW_PRIVATE'
type OriginList = 'TRUSTED_ORIGINS' | 'CORS_ORIGINS'
type ListName = NetworkList | OriginList

function assertLifetimes(variables: Variables): void {
  if (variables.DEFAULT_PRESIGN_TTL_SECONDS > variables.MAX_PRESIGN_TTL_SECONDS)
    throw new StartError('DEFAULT_PRESIGN_TTL_SECONDS must not be greater than MAX_PRESIGN_TTL_SECONDS')
}

function assertShareLifetimes({ SHARE_DAYS, SHARE_MAX_DAYS }: Variables): void {
  if (SHARE_MAX_DAYS > 0 && SHARE_DAYS > SHARE_MAX_DAYS)
    throw new StartError('SHARE_DAYS must not be greater than SHARE_MAX_DAYS')
}

const splitList = (list: string) =>
  list
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')

function readNetworks(name: NetworkList, list: string): string[] {
  try {
    return parseNetworks(list)
  } catch (error) {
    throw mustBe(name, `: ${error instanceof Error ? error.message : error}`)
  }
}

function readBaseUrl(url: string): string {
  if (URL.canParse(url)) return asBrowsersWrite(url)
  throw mustBe('BASE_URL', `, not "${shown('BASE_URL', url)}"`)
}

const localAddress = ({ PORT }: Variables, https: HttpsConfig | undefined): string =>
  https ? `https://localhost:${https.port}` : `http://localhost:${PORT}`

/** Returns an origin as in an `Origin` header: in lower case, without a slash or a default port. */
const asBrowsersWrite = (url: string): string => new URL(url).origin

/** Reads the domain of websites. A site must not be where the instance, or a page that it trusts, is. */
function readSitesDomain(given: string, origins: readonly string[]): string | undefined {
  if (given === '') return undefined
  const domain = hostName(given)
  const isTaken = origins.some((origin) => isAtOrBelowHost(hostOfOrigin(origin) ?? '', domain ?? given))
  if (domain === undefined || isTaken)
    throw mustBe('SITES_DOMAIN', `, or of a trusted origin, not "${shown('SITES_DOMAIN', given)}"`)
  return domain
}

/** Matches an app's scheme. `https://` alone would trust every site, because a scheme trusts every origin that begins with it. */
const SCHEME = /^(?!https?:)[a-z][a-z0-9+.-]*:\/\/\/?$/i
const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]+\/?$/i

function readOrigins(name: OriginList, list: string): string[] {
  const origins = splitList(list)
  const unreadable = origins.find(
    (origin) => !ORIGIN.test(origin) && !(name === 'TRUSTED_ORIGINS' && SCHEME.test(origin)),
  )
  if (unreadable !== undefined) throw mustBe(name, `, not "${shown(name, unreadable)}"`)
  return origins.map((origin) => {
    if (origin.endsWith('://')) return origin
    return /^https?:/i.test(origin) && URL.canParse(origin)
      ? asBrowsersWrite(origin)
      : origin.replace(/\/$/, '')
  })
}
