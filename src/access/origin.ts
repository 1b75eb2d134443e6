import { exchangeOf, SAFE_METHODS } from '../http/exchange.ts'
import type { Config } from '../platform/config.ts'
import { Refusal } from '../platform/errors.ts'

/** Matches hosts that public DNS cannot point at: addresses, single labels, and names of local networks. */
const LOCAL_HOST = /^(?:\[.+\]|\d+\.\d+\.\d+\.\d+|[^.]+|.+\.(?:local|lan|home\.arpa|internal))$/

interface OriginOptions {
  config: Pick<Config, 'baseUrl' | 'hasBaseUrl' | 'trustedOrigins'>
  /** True for the address of a proxy whose `X-Forwarded-*` headers are trusted. */
  isProxy: (peer: string) => boolean
}

/**
 * Protects against cross-site requests: a change that names its origin must name a trusted one. Without
 * `BASE_URL` the address at which the request arrived is trusted as well, if its host is local. A public name
 * is not, because its owner can rebind it to a private address.
 */
export class Origins {
  readonly #options: OriginOptions

  constructor(options: OriginOptions) {
    this.#options = options
  }

  /**
   * Refuses a change by a session from an untrusted origin. Apps send `expo-origin`, which counts when there
   * is no `Origin`.
   *
   * @throws {Refusal} `forbidden`.
   */
  assertTrusted(request: Request): void {
    const { headers, method } = request
    const origin = headers.get('origin') ?? headers.get('expo-origin')
    if (!SAFE_METHODS.has(method) && origin !== null && !this.#isTrusted(request, origin))
      throw invalidOrigin()
  }

  /**
   * Refuses to register, sign in or sign out for another site, with or without a cookie. Otherwise a page
   * could claim a new instance, or sign its visitor in to an account of its own. A client that sends a cookie
   * must name its origin.
   *
   * @throws {Refusal} `forbidden`.
   */
  assertMaySign(request: Request): void {
    if (SAFE_METHODS.has(request.method)) return
    const { headers } = request
    if (headers.get('sec-fetch-site') === 'cross-site') throw invalidOrigin()
    const hasCookie = headers.has('cookie')
    // Without a cookie `expo-origin` proves nothing, although no browser sends it for another site.
    const app = hasCookie ? headers.get('expo-origin') : null
    const origin = headers.get('origin') ?? app ?? refererOrigin(headers)
    if (origin === null && hasCookie) throw new Refusal('missing-or-null-origin')
    if (origin === null || this.#isTrusted(request, origin) || origin === this.#localOrigin(request)) return
    throw invalidOrigin()
  }

  /** Returns true if changes are accepted from the origin that `request` names, or from its own host. */
  accepts(request: Request): boolean {
    const { headers } = request
    const named = headers.get('origin') ?? headers.get('expo-origin') ?? refererOrigin(headers)
    const origin = named ?? this.#ownOrigin(request)
    return origin !== undefined && this.#isTrusted(request, origin)
  }

  /** Returns true if a URL has the host that `request` was sent to, whatever its scheme: a proxy may have ended TLS. */
  isOwnHost(request: Request, { host }: URL): boolean {
    const { baseUrl } = this.#options.config
    const own = [baseUrl, this.#ownOrigin(request), `http://${request.headers.get('host')}`]
    return own.some((url) => url !== undefined && URL.canParse(url) && new URL(url).host === host)
  }

  #isTrusted(request: Request, origin: string): boolean {
    const { baseUrl, hasBaseUrl, trustedOrigins } = this.#options.config
    const isListed = [baseUrl, ...trustedOrigins].some((trusted) =>
      trusted.endsWith('://') ? origin.startsWith(trusted) : origin === trusted,
    )
    return isListed || (!hasBaseUrl && origin === this.#localOrigin(request))
  }

  /** Returns the address at which `request` arrived, if its host is local. */
  #localOrigin(request: Request): string | undefined {
    const origin = this.#ownOrigin(request)
    return origin !== undefined && LOCAL_HOST.test(new URL(origin).hostname) ? origin : undefined
  }

  /** Returns the address at which `request` arrived, from its `Host` or from a trusted proxy's headers. */
  #ownOrigin(request: Request): string | undefined {
    const { headers } = request
    const { peer, isEncrypted } = exchangeOf(request)
    const forwarded = (name: string) =>
      this.#options.isProxy(peer) ? headers.get(`x-forwarded-${name}`)?.split(',', 1)[0]?.trim() : undefined
    const scheme = isEncrypted || forwarded('proto') === 'https' ? 'https' : 'http'
    return originOf(`${scheme}://${forwarded('host') || headers.get('host')}`)
  }
}

const invalidOrigin = () => new Refusal('invalid-origin')

function refererOrigin(headers: Headers): string | null {
  const referer = headers.get('referer')
  return referer === null ? null : (originOf(referer) ?? 'null')
}

const originOf = (url: string): string | undefined => (URL.canParse(url) ? new URL(url).origin : undefined)

/** Messages of `assertMaySign`, for the documentation. */
export const ORIGIN = ['Invalid origin', 'Missing or null Origin']
