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

/** Host that a request is for. */
export interface Place {
  /** Name in lower case, without its port and the dot of the root. */
  host: string
  /** Site at the host; null at a host of sites that has none; `undefined` at any other host. */
  site: SiteRow | null | undefined
  /** Names site and host among cached responses. */
  address: string
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
  /** Places by the header that names them, while the sites stay as they are: each request has one. */
  readonly #named = new Map<string, Place>()
  #version = Number.NaN
  readonly #isProxy: ((peer: string) => boolean) | undefined

  constructor(deps: Pick<Context, 'config' | 'store' | 'clock'>) {
    const { sitesDomain, trustedProxies } = deps.config
    this.#deps = deps
    this.#own = new Set([deps.config.baseUrl, ...deps.config.trustedOrigins].map(hostOfOrigin))
    this.domain = sitesDomain
    if (trustedProxies.length > 0) this.#isProxy = createClientAddress(trustedProxies).isProxy
  }

  /** Returns true for a request at a host that may have become the domain of a site on another server. */
  mayBeNew(headers: HostHeaders, peer: string): boolean {
    if (this.domain === undefined) return false
    const { host, site } = this.placeOf(headers, peer)
    return site === undefined && !this.#own.has(host) && host.includes('.') && hostName(host) !== undefined
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

  /** Returns the place that a request is for. */
  placeOf({ host, forwarded }: HostHeaders, peer: string): Place {
    const { version } = this.#deps.store.siteIndex
    if (version !== this.#version || this.#named.size >= MAX_NAMED) this.#named.clear()
    this.#version = version
    const named = this.#isProxy?.(peer) ? forwarded?.split(',', 1)[0]?.trim() : undefined
    const text = named || host || ''
    const known = this.#named.get(text)
    if (known) return known
    const name = text.replace(/\.?(?::\d*)?$/, '').toLowerCase()
    const site = this.find(name)
    if (site?.domains.includes(name)) this.reached.add(name)
    const place = { host: name, site, address: `${site?.id} ${name}` }
    // A longer one is the host of no site.
    if (text.length <= MAX_NAME) this.#named.set(text, place)
    return place
  }

  /** Returns the site at a host; null at a host of sites that has none; `undefined` at any other host. */
  find(host: string): SiteRow | null | undefined {
    const { siteIndex } = this.#deps.store
    if (this.domain === undefined || this.#own.has(host)) return undefined
    if (!isAtOrBelowHost(host, this.domain)) return siteIndex.withDomain(host)
    return siteIndex.named(host.slice(0, -this.domain.length - 1)) ?? null
  }
}
