import { exchangeOf } from '../http/exchange.ts'
import { Refusal } from '../platform/errors.ts'
import { Networks } from '../platform/networks.ts'
import { isSameSecret } from '../platform/same-secret.ts'
import type { ForwardAuthConfig } from '../platform/sign-in.ts'
import type { Work } from '../store/rows.ts'
import { normalizeEmail } from './profile.ts'
import { findSession, type OpenSession } from './sessions.ts'

/** Header that proves the proxy to a server that shares a network with others. */
const SECRET_HEADER = 'x-forward-auth-secret'

/** Person that the proxy names. */
export interface Forwarded {
  email: string
  groups: string[]
}

/**
 * Reads the header in which a trusted proxy names the person that makes a request. Only the address of the socket tells
 * that a request comes from the proxy: every other header could be a visitor's.
 */
export class ForwardAuth {
  readonly #config: ForwardAuthConfig
  readonly #proxies: Networks

  constructor(config: ForwardAuthConfig) {
    this.#config = config
    this.#proxies = new Networks(config.from)
  }

  /**
   * Returns the person that the proxy names.
   *
   * @throws {Refusal} `not-forwarded` for a request that comes from elsewhere, or that does not name exactly one person.
   */
  read(request: Request): Forwarded {
    const { header, groupsHeader, secret } = this.#config
    const { headers } = request
    if (!this.#proxies.has(exchangeOf(request).peer))
      throw new Refusal('not-forwarded', 'This request did not come from an address of FORWARD_AUTH_FROM')
    if (secret !== undefined && !isSameSecret(headers.get(SECRET_HEADER) ?? '', secret))
      throw new Refusal('not-forwarded', 'The proxy must send FORWARD_AUTH_SECRET as X-Forward-Auth-Secret')
    const email = normalizeEmail(headers.get(header) ?? '')
    if (email === '') throw new Refusal('not-forwarded', `The proxy must send one e-mail as ${header}`)
    // Lines of one name arrive joined by commas. Some programs read underscores as hyphens, so a proxy may let them pass.
    const twin = header.replaceAll('-', '_')
    if (/[\s,]/.test(email) || (twin !== header && headers.has(twin)))
      throw new Refusal('not-forwarded', `The proxy must send exactly one e-mail as ${header}`)
    const groups = groupsHeader === undefined ? '' : (headers.get(groupsHeader) ?? '')
    return { email, groups: groups.split(',').map((group) => group.trim()) }
  }
}

/**
 * Returns the session with this token, as `findSession` does. One that depends on the proxy is found while the request names
 * the person that it is for.
 */
export function* findHeldSession(
  deps: Parameters<typeof findSession>[0] & { forwardAuth: ForwardAuth | undefined },
  request: Request,
  token: string,
): Work<OpenSession | undefined> {
  const found = yield* findSession(deps, token)
  const voucher = found?.session.voucher ?? null
  return voucher === null || voucher === emailOf(deps, request) ? found : undefined
}

/** Returns the e-mail that the proxy names; `undefined` when it names none. */
function emailOf(
  { forwardAuth }: { forwardAuth: ForwardAuth | undefined },
  request: Request,
): string | undefined {
  try {
    return forwardAuth?.read(request).email
  } catch (error) {
    if (error instanceof Refusal) return undefined
    throw error
  }
}
