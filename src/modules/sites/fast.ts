import type { Context } from '../../access/context.ts'
import type { PlainRequest } from '../../http/exchange.ts'
import { RateLimiter } from '../../platform/rate-limit.ts'
import type { FileAccess, Work } from '../../store/rows.ts'
import type { SiteHosts } from './hosts.ts'
import { findAnswer, SITE_CACHING, siteContentType, wantsPage } from './respond.ts'

/** File that a site shows at an address. */
interface Shown {
  key: string
  file: FileAccess
  mediaType: string
  decidedBy: 'file' | 'files' | 'request'
}

/** Request at the host of a site. */
class SiteRequest {
  /** Names site and target among cached responses. No target has a space. */
  readonly address: string
  readonly #deps: Context
  readonly #hosts: SiteHosts
  readonly #host: string
  readonly #request: PlainRequest

  constructor(deps: Context, hosts: SiteHosts, at: { id: string; host: string; request: PlainRequest }) {
    this.#deps = deps
    this.#hosts = hosts
    this.#host = at.host
    this.#request = at.request
    this.address = `${at.id} ${at.request.target}`
  }

  /** Finds the file that the site shows now; `undefined` for any other answer. */
  *find(): Work<Shown | undefined> {
    const site = this.#hosts.siteAt(this.#host)
    if (!site) return undefined
    const { target, headers } = this.#request
    const path = target.split('?', 1)[0] ?? ''
    const asked = { path, query: '', wantsPage: wantsPage(headers['accept']) }
    const answer = yield* findAnswer(this.#deps, site, asked)
    if (answer.kind !== 'file' || answer.status !== 200) return undefined
    const { key, file, decidedBy } = answer
    return { key, file, decidedBy, mediaType: siteContentType(file) }
  }
}

/** Creates what the fast path of hosting needs to serve sites. */
export function createSiteRequests(context: Context, hosts: SiteHosts) {
  const { config, clock } = context
  return {
    isOn: hosts.domain !== undefined,
    limiter: new RateLimiter({ limit: config.siteRequestsPerMinute, monotonic: clock.monotonic }),
    cacheControl: SITE_CACHING,
    /** Returns a request at a site; null at a host of sites that has none; `undefined` at any other host. */
    at: (request: PlainRequest): SiteRequest | null | undefined => {
      const { headers, peer } = request
      const host = hosts.hostOf({ host: headers['host'], forwarded: headers['x-forwarded-host'] }, peer)
      const site = hosts.siteAt(host)
      return site ? new SiteRequest(context, hosts, { id: site.id, host, request }) : site
    },
  }
}
