import type { PlainRequest } from '../../http/exchange.ts'
import { RateLimiter } from '../../platform/rate-limit.ts'
import type { FileAccess, Work } from '../../store/rows.ts'
import { findAnswer, type SiteContext, wantsPage } from './respond.ts'

/** File that a site shows at an address. */
interface Shown {
  key: string
  file: FileAccess
  mediaType: string
  headers: Record<string, string>
  decidedBy: 'file' | 'files' | 'request'
}

type SiteDeps = Omit<SiteContext, 'traffic'>

/** Request at the host of a site. */
class SiteRequest {
  /** Names site, host and target among cached responses. None of them has a space. */
  readonly address: string
  readonly #deps: SiteDeps
  readonly #host: string
  readonly #request: PlainRequest

  constructor(deps: SiteDeps, at: { id: string; host: string; request: PlainRequest }) {
    this.#deps = deps
    this.#host = at.host
    this.#request = at.request
    this.address = `${at.id} ${at.host} ${at.request.target}`
  }

  /** Finds the file that the site shows now; `undefined` for any other answer, and while its rules have not been read. */
  *find(): Work<Shown | undefined> {
    const host = this.#host
    const site = this.#deps.hosts.siteAt(host)
    if (!site) return undefined
    const { target, headers: sent } = this.#request
    const path = target.split('?', 1)[0] ?? ''
    const asked = { site, host, path, query: '', wantsPage: wantsPage(sent['accept']) }
    const found = yield* findAnswer(this.#deps, asked)
    if (found?.answer.kind !== 'file' || found.answer.status !== 200) return undefined
    const { key, file, decidedBy } = found.answer
    const { 'content-type': mediaType = '', ...headers } = found.headers
    return { key, file, decidedBy, mediaType, headers }
  }
}

/** Creates what the fast path of hosting needs to serve sites. */
export function createSiteRequests(deps: SiteDeps) {
  const { config, clock, hosts } = deps
  return {
    isOn: hosts.domain !== undefined,
    limiter: new RateLimiter({ limit: config.siteRequestsPerMinute, monotonic: clock.monotonic }),
    /** Returns a request at a site; null at a host of sites that has none; `undefined` at any other host. */
    at: (request: PlainRequest): SiteRequest | null | undefined => {
      const { headers, peer } = request
      const host = hosts.hostOf({ host: headers['host'], forwarded: headers['x-forwarded-host'] }, peer)
      const site = hosts.siteAt(host)
      return site ? new SiteRequest(deps, { id: site.id, host, request }) : site
    },
  }
}
