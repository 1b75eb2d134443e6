import { ERROR_CODE } from '../platform/error-codes.ts'

/** Headers, limits and metrics that a route belongs to. */
export type ResponseKind = 'app' | 'hosting' | 'site' | 'download' | 'upload' | 'signed' | 's3'

/** Rate limiter that counts the requests of a route. */
export type Limit = 'api' | 'hosting' | 'sites' | 'upload' | 's3' | 'none'

/** Facts of a route beyond its access and schemas; the defaults are `app` and `api`. */
export interface RouteFacts {
  kind?: ResponseKind
  limit?: Limit
  /** True when it responds with pages to browsers. */
  isPage?: boolean
  /** True when it responds also while a shared database is away. */
  isAlwaysThere?: boolean
  /** True when responses to GET are compressed: long ones, without secrets. */
  isCompressed?: boolean
}

interface Route {
  method: string
  path: string
  hooks?: { facts?: RouteFacts }
}

interface Place {
  methods: Set<string>
  facts: Required<RouteFacts>
}

const DEFAULTS = {
  kind: 'app',
  limit: 'api',
  isPage: false,
  isAlwaysThere: false,
  isCompressed: false,
} as const
/** Facts of requests by the S3 API, which are told by their signature and not by their path. */
export const S3_FACTS: Required<RouteFacts> = { ...DEFAULTS, kind: 's3', limit: 's3' }
/** Facts of requests at hosts of sites. */
export const SITE_FACTS: Required<RouteFacts> = { ...DEFAULTS, kind: 'site', limit: 'sites' }
/** Facts outside of the API, where nothing is limited. */
const OUTSIDE: Required<RouteFacts> = { ...DEFAULTS, limit: 'none' }

const defaultsAt = (path: string): Required<RouteFacts> => (path.startsWith('/api/') ? DEFAULTS : OUTSIDE)

/** Facts of routes by their paths, and the methods there for 405 and its `Allow`. */
export class RouteTable {
  readonly #exact = new Map<string, Place>()
  readonly #patterns: { pattern: RegExp; place: Place }[] = []

  constructor(routes: readonly Route[]) {
    const places = Map.groupBy(routes, ({ path }) => withoutFinalSlash(path))
    for (const [path, found] of places) {
      const place = {
        methods: new Set(found.map(({ method }) => method)),
        facts: Object.assign({}, defaultsAt(path), ...found.map(({ hooks }) => hooks?.facts)),
      }
      if (/[:*]/.test(path)) this.#patterns.push({ pattern: toPattern(path), place })
      else this.#exact.set(path, place)
    }
  }

  /** Returns the methods of the routes at `path`; none where there is no route. */
  methodsAt(path: string): string[] {
    const methods = new Set(this.#at(path)?.methods)
    if (methods.has('GET')) methods.add('HEAD')
    return [...methods].sort()
  }

  /** Returns the facts of the routes at `path`. */
  factsAt(path: string): Required<RouteFacts> {
    return this.#at(path)?.facts ?? defaultsAt(path)
  }

  #at(path: string): Place | undefined {
    return (
      this.#exact.get(withoutFinalSlash(path)) ??
      this.#patterns.find(({ pattern }) => pattern.test(path))?.place
    )
  }
}

/** Converts a path of the framework: `:name` is any one segment, a final `*` any rest. */
const toPattern = (path: string) =>
  new RegExp(`^${path.replace(/:\w+/g, '[^/]+').replace(/\*$/, '.*')}${path.endsWith('*') ? '' : '/?'}$`, 's')

const withoutFinalSlash = (path: string) => path.replace(/(?<=.)\/$/, '')

/** Headers of every response except hosted files: no sniffing, no framing, no referrer. */
const APP_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'strict-origin-when-cross-origin',
}

/** Headers that scripts of other origins may read. */
export const EXPOSED = {
  api: `Location, Upload-Offset, Upload-Length, Tus-Resumable, ETag, Content-Disposition, Content-Range, Retry-After, X-Request-Id, ${ERROR_CODE}, Holdfast-File-Id`,
  hosting: `Content-Range, Content-Length, ETag, Accept-Ranges, ${ERROR_CODE}`,
}

/**
 * Headers of every hosting response, errors included: uploaded files run nothing in our origin, and any site
 * may embed them.
 */
const HOSTING_HEADERS = {
  'Accept-Ranges': 'bytes',
  'Content-Security-Policy': 'sandbox',
  'X-Content-Type-Options': 'nosniff',
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': EXPOSED.hosting,
  'Cross-Origin-Resource-Policy': 'cross-origin',
}

const HEADERS = {
  app: APP_HEADERS,
  hosting: HOSTING_HEADERS,
  /** Headers of sites: their pages run scripts, and may be framed, in an origin of their own. */
  site: {
    'Accept-Ranges': 'bytes',
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'strict-origin-when-cross-origin',
  },
  /** Headers of tus responses, which all carry the protocol's version. */
  upload: { ...APP_HEADERS, 'Tus-Resumable': '1.0.0' },
  /** Headers of the S3 API: as for hosting, because a presigned URL is opened in our origin, and by pages of any. */
  s3: {
    'Content-Security-Policy': 'sandbox',
    'X-Content-Type-Options': 'nosniff',
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Expose-Headers': '*, ETag',
    'Cross-Origin-Resource-Policy': 'cross-origin',
  },
  /** Headers of uploads by a signed URL, which pages of any origin may send. */
  signed: {
    ...APP_HEADERS,
    'Tus-Resumable': '1.0.0',
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Expose-Headers': EXPOSED.api,
  },
  /** Headers of uploaded files outside of hosting: they run nothing here either. A route may set a policy of its own. */
  download: { ...APP_HEADERS, 'Accept-Ranges': 'bytes', 'Content-Security-Policy': 'sandbox' },
}

/** Value that makes browsers use https only, for a year (RFC 6797). */
export const HTTPS_ONLY = 'max-age=31536000'

interface CommonHeaders {
  kind: ResponseKind
  /** True when the instance is served over https. */
  isSecure: boolean
}

/** Returns the headers that every response of a kind carries. */
export const commonHeaders = (kind: keyof typeof HEADERS, isSecure: boolean): Record<string, string> =>
  isSecure ? { ...HEADERS[kind], 'Strict-Transport-Security': HTTPS_ONLY } : HEADERS[kind]

/** Adds the headers that every response of its kind carries. Sites add their own, because their rules may take them away. */
export function addCommonHeaders(response: Response, { kind, isSecure }: CommonHeaders): Response {
  if (kind === 'site') return response
  const policy = kind === 'download' ? response.headers.get('Content-Security-Policy') : null
  for (const [name, value] of Object.entries(commonHeaders(kind, isSecure))) response.headers.set(name, value)
  if (policy !== null) response.headers.set('Content-Security-Policy', policy)
  const isJson = response.headers.get('Content-Type')?.startsWith('application/json')
  if (isJson && !response.headers.has('Cache-Control')) response.headers.set('Cache-Control', 'no-store')
  return response
}

/** Requests of one kind with one status. */
interface RequestCount {
  kind: ResponseKind
  status: number
  count: number
  /** Total time until the first byte of the responses. */
  milliseconds: number
}

/** Counts responses since the start. Hosted files from the cache bypass it, because traffic counts them. */
export class RequestCounts {
  readonly #counts = new Map<string, RequestCount>()

  answered(kind: ResponseKind, status: number, milliseconds: number): void {
    const name = `${kind} ${status}`
    const counted = this.#counts.getOrInsert(name, { kind, status, count: 0, milliseconds: 0 })
    counted.count += 1
    counted.milliseconds += milliseconds
  }

  all(): RequestCount[] {
    return [...this.#counts.values()]
  }
}
