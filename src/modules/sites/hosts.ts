import type { Context } from '../../access/context.ts'
import { createClientAddress } from '../../platform/client-address.ts'
import { hostName, hostOfOrigin, isAtOrBelowHost } from '../../platform/hosts.ts'
import type { SiteRow } from '../../store/rows.ts'

/** Headers that name the host of a request. */
export interface HostHeaders {
  /** `Host`, or the authority of a request target that has one. */
  host: string | null | undefined
  /** `X-Forwarded-Host`. */
  forwarded: string | null | undefined
}

/** Maximum length of a host with its port, in characters. */
const MAX_NAME = 260
/** Number of headers whose hosts are kept. */
const MAX_NAMED = 1000
/** Reads for unknown hosts that may come at once, and the time in which there is another, in milliseconds. */
const MAX_LOOKS = 20
const LOOK_MS = 100

/** Finds the site that a request is for by its host. */
export class SiteHosts {
  /** Domain whose labels are the names of sites; `undefined` for none, which turns sites off. */
  readonly domain: string | undefined
  /** Domains of sites at which a request has arrived since the start. */
  readonly reached = new Set<string>()
  readonly #deps: Pick<Context, 'store' | 'clock'>
  /** Hosts of the instance itself, and of pages that it trusts: no site takes one that was named first. */
  readonly #own: ReadonlySet<string | undefined>
  /** Time up to which the reads for unknown hosts are spent, in milliseconds of the monotonic clock. */
  #spent = Number.NEGATIVE_INFINITY
  /** Hosts by the header that names them: each request has one. */
  readonly #named = new Map<string, string>()
  readonly #isProxy: ((peer: string) => boolean) | undefined

  constructor(deps: Pick<Context, 'config' | 'store' | 'clock'>) {
    const { sitesDomain, trustedProxies } = deps.config
    this.#deps = deps
    this.#own = new Set([deps.config.baseUrl, ...deps.config.trustedOrigins].map(hostOfOrigin))
    this.domain = sitesDomain
    if (trustedProxies.length > 0) this.#isProxy = createClientAddress(trustedProxies).isProxy
  }

  /** Returns the site of a request; null at a host of sites that has none; `undefined` at any other host. */
  siteOf(headers: HostHeaders, peer: string): SiteRow | null | undefined {
    return this.domain === undefined ? undefined : this.siteAt(this.hostOf(headers, peer))
  }

  /** Returns true for a request at a host that may have become the domain of a site on another server. */
  mayBeNew(headers: HostHeaders, peer: string): boolean {
    if (this.siteOf(headers, peer) !== undefined || this.domain === undefined) return false
    const host = this.hostOf(headers, peer)
    return !this.#own.has(host) && host.includes('.') && hostName(host) !== undefined
  }

  /** Reads sites that other servers have made, at most ten times a second: strangers choose how often. */
  async look(): Promise<void> {
    const { clock, store } = this.#deps
    const now = clock.monotonic()
    const next = Math.max(this.#spent, now - MAX_LOOKS * LOOK_MS) + LOOK_MS
    if (next > now) return
    this.#spent = next
    // While the database is away, a request that needs it is refused on its own.
    await store.fence()?.catch(() => {})
  }

  /** Returns the own hosts that are domains of sites, which do not get their requests. */
  withheld(): string[] {
    const { domains } = this.#deps.store.siteIndex.all()
    return domains.filter((domain) => this.#own.has(domain))
  }

  /** Returns the host that a request names, in lower case, without its port and the dot of the root. */
  hostOf({ host, forwarded }: HostHeaders, peer: string): string {
    const named = this.#isProxy?.(peer) ? forwarded?.split(',', 1)[0]?.trim() : undefined
    const text = named || host || ''
    const known = this.#named.get(text)
    if (known !== undefined) return known
    const name = text.replace(/\.?(?::\d*)?$/, '').toLowerCase()
    // A longer one is the host of no site.
    if (text.length > MAX_NAME) return name
    if (this.#named.size >= MAX_NAMED) this.#named.clear()
    this.#named.set(text, name)
    return name
  }

  /** Returns the site at a host, as `siteOf` does. */
  siteAt(host: string): SiteRow | null | undefined {
    const site = this.find(host)
    if (site && !this.reached.has(host) && site.domains.includes(host)) this.reached.add(host)
    return site
  }

  /** Returns the site at a host as `siteAt` does, for a question about it. */
  find(host: string): SiteRow | null | undefined {
    const { siteIndex } = this.#deps.store
    if (this.domain === undefined || this.#own.has(host)) return undefined
    if (!isAtOrBelowHost(host, this.domain)) return siteIndex.withDomain(host)
    return siteIndex.named(host.slice(0, -this.domain.length - 1)) ?? null
  }
}
