import { createHash, createHmac, createPublicKey, type KeyObject, sign } from 'node:crypto'
import * as T from 'typebox'
import Value from 'typebox/value'
import type { AcmeConfig } from '../../../platform/https.ts'
import { orAborted } from '../../../platform/time.ts'

/** Tries of a request whose nonce the authority does not accept (RFC 8555 §6.5). */
const MAX_TRIES = 10
/** Maximum time of one request, and of a state that the authority is to change, in milliseconds. */
const REQUEST_MS = 30_000
const CHANGE_MS = 180_000
/** Time between two looks at a state, unless the authority names another, in milliseconds. */
const LOOK_MS = 1000
/** Maximum bytes of a response: a chain with a hundred names takes some 20 KiB. */
const MAX_BODY_BYTES = 1024 ** 2
/** Maximum time that an authority can make us wait, in milliseconds. */
const MAX_WAIT_MS = 24 * 3_600_000

const Problem = T.Object({
  type: T.Optional(T.String()),
  detail: T.Optional(T.String()),
  subproblems: T.Optional(
    T.Array(
      T.Object({
        detail: T.Optional(T.String()),
        identifier: T.Optional(T.Object({ value: T.String() })),
      }),
    ),
  ),
})
type Problem = T.Static<typeof Problem>
const Directory = T.Object({
  newNonce: T.String(),
  newAccount: T.String(),
  newOrder: T.String(),
  renewalInfo: T.Optional(T.String()),
})
const Order = T.Object({
  status: T.String(),
  authorizations: T.Array(T.String()),
  finalize: T.String(),
  certificate: T.Optional(T.String()),
  error: T.Optional(Problem),
})
const Authorization = T.Object({
  status: T.String(),
  identifier: T.Object({ value: T.String() }),
  wildcard: T.Optional(T.Boolean()),
  challenges: T.Array(
    T.Object({
      type: T.String(),
      url: T.String(),
      token: T.Optional(T.String()),
      error: T.Optional(Problem),
    }),
  ),
})
const RenewalInfo = T.Object({ suggestedWindow: T.Object({ start: T.String(), end: T.String() }) })

/** Failure that the authority reports (RFC 8555 §6.7). */
export class AcmeError extends Error {
  override readonly name = 'AcmeError'
  readonly type: string
  readonly retryAfterMs: number
  /** Reasons by the names that they are about. */
  readonly names: ReadonlyMap<string, string>

  constructor({ type = '', detail = type, subproblems = [] }: Problem, retryAfterMs = 0) {
    super(detail)
    this.type = type.replace(/^urn:ietf:params:acme:error:/, '')
    this.retryAfterMs = retryAfterMs
    this.names = new Map(
      subproblems.flatMap(({ identifier, detail: why = detail }) =>
        identifier ? [[identifier.value, why]] : [],
      ),
    )
  }
}

/** Failure of the proofs of some names of an order. */
export class NamesRefused extends Error {
  override readonly name = 'NamesRefused'
  /** Reasons by name. */
  readonly names: ReadonlyMap<string, string>

  constructor(names: ReadonlyMap<string, string>) {
    super([...names].map(([name, reason]) => `${name}: ${reason}`).join('; '))
    this.names = names
  }
}

/** Proof that a name is ours. */
export interface Proof {
  name: string
  /** Token of the challenge, and the text that it demands (RFC 8555 §8.1). */
  token: string
  authorization: string
}

interface Ordering {
  /** Type of the challenges to take. */
  challenge: 'http-01' | 'dns-01'
  /** Sets a proof up. Resolves with what removes it. */
  prove: (proof: Proof) => Promise<() => Promise<void>>
  /** Request for the certificate (RFC 2986), in DER. */
  csr: Uint8Array
  /** Id of the certificate that this one takes the place of (RFC 9773 §5). */
  replaces: string | undefined
}

export interface ClientDeps {
  config: Pick<AcmeConfig, 'directory'>
  /** Certificates of authorities to trust at the directory, in PEM; `undefined` for those of the runtime. */
  ca: string | undefined
  now: () => number
  sleep: (ms: number) => Promise<unknown>
  /** Aborted when the server stops. */
  leaving: AbortSignal
}

const base64url = (bytes: Uint8Array | string) => Buffer.from(bytes).toString('base64url')
const encoded = (value: object) => base64url(JSON.stringify(value))

/** Client of a certificate authority (ACME, RFC 8555) with one account. */
export class AcmeClient {
  readonly #deps: ClientDeps
  readonly #key: KeyObject
  readonly #jwk: object
  #directory: Promise<T.Static<typeof Directory>> | undefined
  #nonce: string | null = null
  #account: string | undefined

  /**
   * @param key Private key of the account, on P-256.
   * @param account Its URL, once it is registered.
   */
  constructor(deps: ClientDeps, key: KeyObject, account: string | undefined) {
    this.#deps = deps
    this.#key = key
    this.#account = account
    const { crv, kty, x, y } = createPublicKey(key).export({ format: 'jwk' })
    // In the order that the thumbprint demands (RFC 7638 §3).
    this.#jwk = { crv, kty, x, y }
  }

  /** Registers the account, or finds it. Returns its URL. */
  async register({ email, eab }: Pick<AcmeConfig, 'email' | 'eab'>): Promise<string> {
    const { newAccount } = await this.#entries()
    const binding = eab && this.#bind(eab, newAccount)
    const { headers } = await this.#post(newAccount, {
      termsOfServiceAgreed: true,
      ...(email !== undefined && { contact: [`mailto:${email}`] }),
      ...(binding && { externalAccountBinding: binding }),
    })
    this.#account = headers.get('location') ?? undefined
    if (this.#account === undefined) throw new Error('The authority names no account')
    return this.#account
  }

  /** Proves that the account belongs to one at the authority (RFC 8555 §7.3.4). */
  #bind({ kid, key }: { kid: string; key: string }, url: string): object {
    const [header, payload] = [encoded({ alg: 'HS256', kid, url }), encoded(this.#jwk)]
    const mac = createHmac('sha256', Buffer.from(key, 'base64url')).update(`${header}.${payload}`).digest()
    return { protected: header, payload, signature: base64url(mac) }
  }

  /**
   * Orders a certificate. Resolves with it and its chain in PEM.
   *
   * @throws {NamesRefused} when the authority does not issue it for some of the names.
   */
  async order(names: readonly string[], ordering: Ordering): Promise<string> {
    const created = await this.#create(names, ordering.replaces).catch(whichNames)
    const url = created.headers.get('location') ?? ''
    const { authorizations, finalize } = Value.Parse(Order, await created.json())
    const refused = new Map<string, string>()
    for (const authorization of authorizations) {
      const found = await this.#authorize(authorization, names, ordering)
      if (found) refused.set(...found)
    }
    if (refused.size > 0) throw new NamesRefused(refused)
    await this.#changed(url, Order, ({ status }) => status === 'pending')
    await this.#post(finalize, { csr: base64url(ordering.csr) }).catch(whichNames)
    const { certificate, error } = await this.#changed(url, Order, ({ status }) => status === 'processing')
    if (certificate === undefined) throw new AcmeError(error ?? { detail: 'The order was not completed' })
    return (await this.#post(certificate)).text()
  }

  /** Creates an order. One whose replacement the authority does not accept is created without it. */
  async #create(names: readonly string[], replaces: string | undefined): Promise<Response> {
    const { newOrder, renewalInfo } = await this.#entries()
    const order = { identifiers: names.map((value) => ({ type: 'dns', value })) }
    if (replaces === undefined || renewalInfo === undefined) return this.#post(newOrder, order)
    return this.#post(newOrder, { ...order, replaces }).catch((error) => {
      const isRefused = error instanceof AcmeError && error.names.size === 0 && error.type !== 'rateLimited'
      if (!isRefused) throw error
      return this.#post(newOrder, order)
    })
  }

  /** Proves one name. Resolves with the name and the reason when that failed. */
  async #authorize(
    url: string,
    names: readonly string[],
    { challenge: type, prove }: Ordering,
  ): Promise<[name: string, reason: string] | undefined> {
    const { status, identifier, wildcard, challenges } = Value.Parse(
      Authorization,
      await (await this.#post(url)).json(),
    )
    const name = wildcard ? `*.${identifier.value}` : identifier.value
    // The authority must not choose the record that is set in DNS.
    if (!names.includes(name)) throw new Error(`The authority wants ${name} proven, which was not ordered`)
    if (status === 'valid') return undefined
    const challenge = challenges.find((offered) => offered.type === type)
    if (!challenge?.token) return [name, `the authority does not offer ${type}`]
    const print = createHash('sha256').update(JSON.stringify(this.#jwk)).digest('base64url')
    try {
      const { token } = challenge
      const remove = await prove({ name, token, authorization: `${token}.${print}` })
      try {
        await this.#post(challenge.url, {})
        const after = await this.#changed(url, Authorization, (found) => found.status === 'pending')
        if (after.status === 'valid') return undefined
        const failed = after.challenges.find(({ error }) => error)?.error
        return [name, failed?.detail ?? `the authority says "${after.status}"`]
      } finally {
        // A proof that stays does no harm, and its name is proven.
        await remove().catch(() => {})
      }
    } catch (error) {
      return [name, error instanceof Error ? error.message : String(error)]
    }
  }

  /** Returns when a certificate should be renewed (RFC 9773 §4); `undefined` when the authority does not say. */
  async renewalInfo(id: string): Promise<{ from: number; to: number; lookAgainMs: number } | undefined> {
    const { renewalInfo } = await this.#entries()
    if (renewalInfo === undefined) return undefined
    const response = await this.#fetch(`${renewalInfo}/${id}`)
    const { start, end } = Value.Parse(RenewalInfo, await response.json()).suggestedWindow
    const [from, to] = [Date.parse(start), Date.parse(end)]
    return from <= to ? { from, to, lookAgainMs: this.#retryAfter(response) } : undefined
  }

  #entries(): Promise<T.Static<typeof Directory>> {
    this.#directory ??= this.#fetch(this.#deps.config.directory).then(async (response) =>
      Value.Parse(Directory, await response.json()),
    )
    return this.#directory
  }

  /** Looks at a state until it is another one than `isOpen` accepts. */
  async #changed<Schema extends T.TSchema>(
    url: string,
    schema: Schema,
    isOpen: (state: T.Static<Schema>) => boolean,
  ): Promise<T.Static<Schema>> {
    for (let waited = 0; waited < CHANGE_MS; ) {
      const response = await this.#post(url)
      const state = Value.Parse(schema, await response.json())
      if (!isOpen(state)) return state
      const pause = this.#retryAfter(response) || LOOK_MS
      await orAborted(this.#deps.leaving, this.#deps.sleep(pause))
      waited += pause
    }
    throw new Error('The authority did not decide in time')
  }

  /** Sends a signed request; without a payload, one that reads (RFC 8555 §6.3). */
  async #post(url: string, payload?: object): Promise<Response> {
    for (let tries = 1; ; tries += 1) {
      this.#nonce ??= (await this.#fetch((await this.#entries()).newNonce, { method: 'HEAD' })).headers.get(
        'replay-nonce',
      )
      const by = this.#account === undefined ? { jwk: this.#jwk } : { kid: this.#account }
      const header = encoded({ alg: 'ES256', nonce: this.#nonce, url, ...by })
      const body = payload === undefined ? '' : encoded(payload)
      const signature = sign('sha256', Buffer.from(`${header}.${body}`), {
        key: this.#key,
        dsaEncoding: 'ieee-p1363',
      })
      this.#nonce = null
      try {
        return await this.#fetch(url, {
          method: 'POST',
          headers: { 'Content-Type': 'application/jose+json' },
          body: JSON.stringify({ protected: header, payload: body, signature: base64url(signature) }),
        })
      } catch (error) {
        const mayRepeat = error instanceof AcmeError && error.type === 'badNonce' && tries < MAX_TRIES
        if (!mayRepeat) throw error
      }
    }
  }

  /** @throws {AcmeError} for a response that is a failure, and {Error} for an address without TLS (RFC 8555 §6.1). */
  async #fetch(url: string, init: RequestInit = {}): Promise<Response> {
    if (!url.startsWith('https://'))
      throw new Error(`The authority names ${url}, which does not begin with https://`)
    const { ca, leaving } = this.#deps
    const response = await fetch(url, {
      ...init,
      redirect: 'error',
      signal: AbortSignal.any([leaving, AbortSignal.timeout(REQUEST_MS)]),
      ...(ca !== undefined && { tls: { ca } }),
    })
    this.#nonce = response.headers.get('replay-nonce')
    const whole = await readWhole(response)
    if (response.ok) return whole
    const sent: unknown = await whole.json().catch(() => undefined)
    const problem = Value.Check(Problem, sent) ? sent : { detail: `${url} responds with ${response.status}` }
    throw new AcmeError(problem, this.#retryAfter(response))
  }

  /** Returns the milliseconds that the authority asks to wait (RFC 9110 §10.2.3); 0 when it does not. */
  #retryAfter({ headers }: Response): number {
    const value = headers.get('retry-after') ?? ''
    const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - this.#deps.now()
    return Number.isNaN(ms) ? 0 : Math.min(Math.max(0, ms), MAX_WAIT_MS)
  }
}

/** Reads the body of a response. @throws {Error} when it is too long. */
async function readWhole(response: Response): Promise<Response> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of response.body ?? []) {
    length += chunk.length
    if (length > MAX_BODY_BYTES) throw new Error(`${response.url} responds with more than 1 MiB`)
    chunks.push(chunk)
  }
  return new Response(length > 0 ? Buffer.concat(chunks) : null, response)
}

/** Throws the failure of a request as that of the names that it is about, if the authority says so. */
function whichNames(error: unknown): never {
  throw error instanceof AcmeError && error.names.size > 0 ? new NamesRefused(error.names) : error
}
