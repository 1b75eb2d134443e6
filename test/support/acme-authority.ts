import { selfSigned } from './certificates.ts'

/** Authority for tests that issues certificates without a proof, and does what no good one does. */
export interface Authority extends Disposable {
  /** Address of its directory. */
  directory: string
  /** Orders so far, as they were sent. */
  orders: { names: string[]; replaces?: string }[]
  /** Names that its certificates lack. */
  left: Set<string>
  /** Name whose proof it demands; `undefined` for none. */
  demands: string | undefined
  /** Text in front of each of its responses in JSON. */
  padding: string
  /** Time at which it suggests to renew, in milliseconds since 1970. */
  renewAt: number
  /** True when it accepts no replacement. */
  refusesReplacement: boolean
}

interface Sent {
  identifiers?: { value: string }[]
  replaces?: string
  csr?: string
}

/** @param pair Certificate for TLS, and its key. */
export function startAuthority(pair: { cert: string; key: string }): Authority {
  let issued = ''
  const nonce = { 'Replay-Nonce': 'bm9uY2U' }
  const server: Bun.Server<undefined> = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    tls: pair,
    fetch: async (request) => {
      const { pathname, origin } = new URL(request.url)
      const at = (name: string) => `${origin}/${name}`
      const json = (value: object, status = 200, headers: Record<string, string> = {}) =>
        new Response(authority.padding + JSON.stringify(value), { status, headers: { ...nonce, ...headers } })
      const order = (status: string) => {
        const authorizations = authority.demands === undefined ? [] : [at('authorization')]
        return { status, authorizations, finalize: at('finalize'), certificate: at('certificate') }
      }
      if (pathname === '/dir') {
        const entries = { newNonce: at('nonce'), newAccount: at('account'), newOrder: at('orders') }
        return json({ ...entries, renewalInfo: at('info') })
      }
      if (pathname.startsWith('/info/')) {
        const [start, end] = [authority.renewAt, authority.renewAt + 1].map((time) =>
          new Date(time).toISOString(),
        )
        return json({ suggestedWindow: { start, end } })
      }
      if (request.method !== 'POST') return new Response(null, { headers: nonce })
      const { payload } = (await request.json()) as { payload: string }
      const sent: Sent = payload === '' ? {} : JSON.parse(Buffer.from(payload, 'base64url').toString())
      const names = authority.orders.at(-1)?.names ?? []
      switch (pathname) {
        case '/account':
          return json({}, 201, { Location: at('account') })
        case '/orders': {
          const { identifiers = [], replaces } = sent
          const ordered = identifiers.map(({ value }) => value)
          authority.orders.push({ names: ordered, ...(replaces !== undefined && { replaces }) })
          if (replaces !== undefined && authority.refusesReplacement)
            return json(
              { type: 'urn:ietf:params:acme:error:alreadyReplaced', detail: 'Replaced before' },
              409,
            )
          return json(order('ready'), 201, { Location: at('order') })
        }
        case '/authorization': {
          const challenges = ['http-01', 'dns-01'].map((type) => ({
            type,
            url: at('challenge'),
            token: 'token',
          }))
          return json({ status: 'pending', identifier: { value: authority.demands }, challenges })
        }
        case '/finalize': {
          const csr = Buffer.from(sent.csr ?? '', 'base64url')
          issued = selfSigned(
            names.filter((name) => !authority.left.has(name)),
            { csr },
          ).cert
          return json(order('valid'))
        }
        case '/certificate':
          return new Response(issued, { headers: nonce })
        default:
          return json(order('valid'))
      }
    },
  })
  const authority: Authority = {
    ...{ directory: `${server.url}dir`, orders: [], left: new Set(), demands: undefined, padding: '' },
    ...{ renewAt: Date.now() + 86_400_000 * 80, refusesReplacement: false },
    [Symbol.dispose]: () => void server.stop(true),
  }
  return authority
}
