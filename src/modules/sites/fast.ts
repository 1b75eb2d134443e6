import { acceptsPage } from '../../api/page.ts'
import type { PlainRequest } from '../../http/exchange.ts'
import { RateLimiter } from '../../platform/rate-limit.ts'
import type { FileAccess, Work } from '../../store/rows.ts'
import { type Coding, codingsOf } from './encoded.ts'
import type { Place } from './hosts.ts'
import { findAnswer, type SiteContext } from './respond.ts'

/** File that a site shows at an address. */
interface Shown {
  key: string
  file: FileAccess
  mediaType: string
  headers: Record<string, string>
  decidedBy: 'file' | 'files' | 'request'
  coding: Coding | undefined
  shownId: string
}

type SiteDeps = Omit<SiteContext, 'traffic' | 'misses'>

/** Request at the host of a site. */
class SiteRequest {
  /** Names site, host, codings and target among cached responses. None of them has a space. */
  readonly address: string
  readonly #deps: SiteDeps
  readonly #host: string
  readonly #request: PlainRequest
  readonly #codings: readonly Coding[]

  constructor(deps: SiteDeps, { host, address }: Place, request: PlainRequest) {
    this.#deps = deps
    this.#host = host
    this.#request = request
    const { headers, target } = request
    this.#codings = codingsOf(headers['accept-encoding'], headers['range'])
    this.address = `${address} ${this.#codings} ${target}`
  }

  /** Finds the file that the site shows now; `undefined` for any other answer, and while its rules have not been read. */
  *find(): Work<Shown | undefined> {
    const host = this.#host
    const site = this.#deps.hosts.find(host)
    if (!site || site.passwordHash !== null) return undefined
    const { target, headers: sent } = this.#request
    const path = target.split('?', 1)[0] ?? ''
    const asked = { site, host, path, query: '', wantsPage: acceptsPage(sent['accept']) }
    const codings = this.#codings
    const found = yield* findAnswer(this.#deps, { ...asked, codings })
    if (!found) return undefined
    const { answer, encoded } = found
    if (answer.kind !== 'file' || answer.status !== 200) return undefined
    const { key, file } = encoded ?? answer
    const { 'content-type': mediaType = '', ...headers } = found.headers
    const { decidedBy, file: shown } = answer
    return { key, file, decidedBy, mediaType, headers, coding: encoded?.coding, shownId: shown.id }
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
      const place = hosts.placeOf({ host: headers['host'], forwarded: headers['x-forwarded-host'] }, peer)
      const { site } = place
      // Nothing of a site with a password is cached.
      if (!site || site.passwordHash !== null) return site && null
      return new SiteRequest(deps, place, request)
    },
  }
}
