import type { Context } from '../../access/context.ts'
import { createClientAddress } from '../../platform/client-address.ts'
import { isAtOrBelowHost } from '../../platform/hosts.ts'
import type { SiteRow } from '../../store/rows.ts'

/** Headers that name the host of a request. */
export interface HostHeaders {
  /** `Host`, or the authority of a request target that has one. */
  host: string | null | undefined
  /** `X-Forwarded-Host`. */
  forwarded: string | null | undefined
}

/** Finds the site that a request is for by its host. */
export class SiteHosts {
  /** Domain whose labels are the names of sites; `undefined` for none, which turns sites off. */
  readonly domain: string | undefined
  readonly #deps: Pick<Context, 'store'>
  readonly #isProxy: ((peer: string) => boolean) | undefined

  constructor(deps: Pick<Context, 'config' | 'store'>) {
    const { sitesDomain, trustedProxies } = deps.config
    this.#deps = deps
    this.domain = sitesDomain
    if (trustedProxies.length > 0) this.#isProxy = createClientAddress(trustedProxies).isProxy
  }

  /** Returns the site of a request; null at a host of sites that has none; `undefined` at any other host. */
  siteOf(headers: HostHeaders, peer: string): SiteRow | null | undefined {
    if (this.domain === undefined) return undefined
    const forwarded = this.#isProxy?.(peer) ? headers.forwarded?.split(',', 1)[0]?.trim() : undefined
    return this.siteAt(hostOf(forwarded || headers.host || ''))
  }

  /** Returns the site at a host, as `siteOf` does. */
  siteAt(host: string): SiteRow | null | undefined {
    const { siteIndex } = this.#deps.store
    if (this.domain === undefined) return undefined
    if (!isAtOrBelowHost(host, this.domain)) return siteIndex.withDomain(host)
    return siteIndex.named(host.slice(0, -this.domain.length - 1)) ?? null
  }
}

/** Returns a host in lower case, without its port and the dot of the root. */
const hostOf = (authority: string): string => authority.replace(/\.?(?::\d*)?$/, '').toLowerCase()
