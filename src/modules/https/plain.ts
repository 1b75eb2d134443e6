import { problem } from '../../api/problem.ts'
import { pathOf } from '../../http/exchange.ts'
import { createClientAddress } from '../../platform/client-address.ts'
import type { Config } from '../../platform/config.ts'
import { Refusal } from '../../platform/errors.ts'
import type { Certificate } from './certificate.ts'

type Fetch = (request: Request) => Promise<Response>

interface PlainDeps {
  config: Config
  certificate: () => Certificate | undefined
}

/** Paths that the plain port serves, because balancers and containers ask there. */
const SERVED = new Set(['/api/health', '/api/health/ready'])
/** Sends every request to the handler. */
const NO_FAST_PATH = { prefix: '/', cached: () => undefined, fresh: () => undefined }

/**
 * Returns the handlers of the plain port beside HTTPS: they redirect to HTTPS. A trusted proxy, which has ended TLS itself,
 * is served.
 */
export function plainHandlers(deps: PlainDeps, fetch: Fetch) {
  const { isProxy } = createClientAddress(deps.config.trustedProxies)
  const own = { fastPath: NO_FAST_PATH, fetch: redirecting(deps, fetch) }
  return (peer: string) => (isProxy(peer) ? {} : own)
}

function redirecting({ config, certificate }: PlainDeps, fetch: Fetch): Fetch {
  const base = new URL(config.baseUrl)
  return async (request) => {
    const path = pathOf(request)
    if (SERVED.has(path)) return fetch(request)
    const sent = `http://${request.headers.get('host')}`
    const { hostname } = URL.canParse(sent) ? new URL(sent) : { hostname: '' }
    if (hostname !== base.hostname && !certificate()?.isFor(hostname))
      return problem(new Refusal('not-found', 'There is nothing at this address'), request)
    const port = base.port === '' ? '' : `:${base.port}`
    const target = `https://${hostname}${port}${request.url.replace(/^http:\/\/[^/]*/, '')}`
    return new Response(null, { status: 308, headers: { Location: target } })
  }
}
