import { createHmac } from 'node:crypto'
import { type Device, deviceOf } from '../http/exchange.ts'
import { isRefused, Refusal, refuseTooMany } from '../platform/errors.ts'
import { RateLimiter, rateLimitBucket } from '../platform/rate-limit.ts'
import type { UserRow } from '../store/rows.ts'
import { mayUsePassword } from './accounts.ts'
import { authenticateSecret, type Caller, identify, KEY_FORMAT, passwordCaller } from './caller.ts'
import type { Context } from './context.ts'
import { lacksFactor } from './factors.ts'
import { verifySignIn } from './sign-in-tries.ts'

/** Time for which a verified password is cached, in milliseconds: verifying costs 50 ms of a core and 19 MiB. */
const VERIFIED_MS = 600_000
/** Maximum cached passwords. */
const MAX_VERIFIED = 1000

/** Password that was verified, or is being verified. */
interface Verified {
  until: number
  ipAddress: string
  user: Promise<UserRow>
}

/** User name and password of a request. */
interface Sent {
  name: string
  password: string
}

/** Returns the credentials of a request (RFC 7617); `undefined` for none, and for unreadable ones. */
function readBasic(header: string | null): Sent | undefined {
  const [, encoded] = /^basic +([\w+/=-]+)$/i.exec(header ?? '') ?? []
  if (encoded === undefined) return undefined
  const text = Buffer.from(encoded, 'base64').toString()
  const colon = text.indexOf(':')
  return colon === -1 ? undefined : { name: text.slice(0, colon), password: text.slice(colon + 1) }
}

const CHALLENGE = { 'WWW-Authenticate': 'Basic realm="Holdfast", charset="UTF-8"' }

const SECOND_FACTOR = 'This account has a second factor: use an API key in place of the password'

/**
 * Authenticates requests that carry their credentials (RFC 7617): an API key as the password of any name, or the e-mail and
 * the password of an account without a second factor.
 */
export class BasicAuth {
  readonly #deps: Context
  readonly #salt: Uint8Array
  /** Verifications from one address: as many as by the API, whose limit is lower. */
  readonly #limiter: RateLimiter
  /** Passwords by a hash of them and their names, the oldest first. */
  readonly #verified = new Map<string, Verified>()

  constructor(deps: Context) {
    this.#deps = deps
    this.#salt = deps.random.bytes(32)
    const { config, clock } = deps
    this.#limiter = new RateLimiter({ limit: config.apiRequestsPerMinute, monotonic: clock.monotonic })
  }

  /** Returns the caller of a request. @throws {Refusal} `unauthorized`, and as `verifySignIn`. */
  async callerOf(request: Request): Promise<Caller> {
    try {
      const caller = (await identify(this.#deps, request, () => undefined)) ?? (await this.#bySent(request))
      if (!caller) throw new Refusal('unauthorized')
      if (lacksFactor(caller, this.#deps.store)) throw new Refusal('second-factor-required')
      return caller
    } catch (error) {
      if (!isRefused(error, 401)) throw error
      throw new Refusal(error.reason, error.message, { headers: CHALLENGE })
    }
  }

  async #bySent(request: Request): Promise<Caller | undefined> {
    const sent = readBasic(request.headers.get('authorization'))
    if (!sent) return undefined
    if (KEY_FORMAT.test(sent.password)) return authenticateSecret(this.#deps, sent.password)
    const digest = createHmac('sha256', this.#salt).update(JSON.stringify(sent)).digest('base64')
    const device = deviceOf(request)
    return (await this.#byPassword(digest, sent, device)) ?? (await this.#byPassword(digest, sent, device))
  }

  /** Returns the caller; `undefined` once after a cached password ceased to count. */
  async #byPassword(digest: string, sent: Sent, device: Device): Promise<Caller | undefined> {
    const deps = this.#deps
    const user = await this.#verify(digest, sent, device)
    if (user.secondFactor) {
      this.#verified.delete(digest)
      throw new Refusal('unauthorized', SECOND_FACTOR)
    }
    const caller = await deps.store.read(() => passwordCaller(deps, user))
    if (caller && mayUsePassword(deps, caller.user)) return caller
    this.#verified.delete(digest)
    return undefined
  }

  /** Verifies a password once for all requests that carry it meanwhile. */
  #verify(digest: string, { name, password }: Sent, device: Device): Promise<UserRow> {
    const now = this.#deps.clock.monotonic()
    const known = this.#verified.get(digest)
    if (known && known.until > now) return known.user
    const wait = this.#limiter.take(rateLimitBucket(device.ipAddress))
    if (wait > 0) throw refuseTooMany(wait)
    const user = verifySignIn(this.#deps, { email: name, password, device })
    this.#verified.delete(digest)
    const [oldest] = this.#verified.keys()
    if (this.#verified.size >= MAX_VERIFIED && oldest !== undefined) this.#verified.delete(oldest)
    this.#verified.set(digest, { until: now + VERIFIED_MS, ipAddress: device.ipAddress, user })
    const isNew = known?.ipAddress !== device.ipAddress
    user.then(
      (account) =>
        isNew &&
        this.#deps.securityLog.record({ type: 'sign-in.succeeded', account, device, detail: 'webdav' }),
      () => this.#verified.delete(digest),
    )
    return user
  }
}
