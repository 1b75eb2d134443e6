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
  /** Returns the text that a certificate authority expects for a token. */
  textFor: ((token: string) => Promise<string | undefined>) | undefined
}

/** Paths that the plain port serves, because balancers and containers ask there. */
const SERVED = new Set(['/api/health', '/api/health/ready'])
/** Matches where a certificate authority asks for a token (RFC 8555 §8.3). */
const CHALLENGE = /^\/\.well-known\/acme-challenge\/([\w-]{1,128})$/
/** Sends every request to the handler. */
const NO_FAST_PATH = { prefix: '/', cached: () => undefined, fresh: () => undefined }

/**
 * Returns the handlers of the plain port beside HTTPS: they redirect to HTTPS. A trusted proxy, which has ended TLS itself,
 * is served.
 */
export function plainHandlers(deps: PlainDeps, fetch: Fetch) {
  const { isProxy } = createClientAddress(deps.config.trustedProxies)
  const forProxies = { fetch: answering(deps, fetch) }
  const forOthers = { fastPath: NO_FAST_PATH, fetch: answering(deps, redirecting(deps, fetch)) }
  return (peer: string) => (isProxy(peer) ? forProxies : forOthers)
}

/** Returns a handler that answers the challenges of a certificate authority. */
function answering({ textFor }: PlainDeps, fetch: Fetch): Fetch {
  return async (request) => {
    const [, token] = (textFor && CHALLENGE.exec(pathOf(request))) ?? []
    const text = token === undefined ? undefined : await textFor?.(token)
    return text === undefined ? fetch(request) : new Response(text)
  }
}

function redirecting({ config, certificate }: PlainDeps, fetch: Fetch): Fetch {
  const base = new URL(config.baseUrl)
  const port = base.port === '' ? '' : `:${base.port}`
  return async (request) => {
    if (SERVED.has(pathOf(request))) return fetch(request)
    const sent = `http://${request.headers.get('host')}`
    const { hostname } = URL.canParse(sent) ? new URL(sent) : { hostname: '' }
    if (hostname !== base.hostname && !certificate()?.isFor(hostname))
      return problem(new Refusal('not-found', 'There is nothing at this address'), request)
    const target = `https://${hostname}${port}${request.url.replace(/^http:\/\/[^/]*/, '')}`
    return new Response(null, { status: 308, headers: { Location: target } })
  }
}
