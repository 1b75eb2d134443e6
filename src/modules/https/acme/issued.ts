import { createPrivateKey } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Context } from '../../../access/context.ts'
import type { AcmeConfig } from '../../../platform/https.ts'
import { type Certificate, isLate, parseCertificate } from '../certificate.ts'
import { AcmeClient, AcmeError, NamesRefused, type Proof } from './client.ts'
import { proveByDns } from './dns.ts'
import { certificateRequest, keyText, newKey } from './request.ts'
import { AcmeState, type State } from './state.ts'

const HOUR_MS = 3_600_000
/** Pause after the first failure that the authority reports, and after one to reach it, in milliseconds. */
const REFUSED_MS = HOUR_MS
const AWAY_MS = 60_000
const MAX_PAUSE_MS = 24 * HOUR_MS
/** Time in which no other server orders, in milliseconds. */
const ORDER_MS = 600_000
/** Maximum names of a certificate (https://letsencrypt.org/docs/rate-limits/). */
const MAX_NAMES = 100
/** Time until renewal information is read again, unless the authority says more, in milliseconds. */
const RENEWAL_LOOK_MS = 6 * HOUR_MS

type Failure = State['failures'][number]

interface Refused {
  /** Reasons by name. */
  refused: ReadonlyMap<string, string>
  /** Pause after the first such failure, and what the authority asks to wait at least, in milliseconds. */
  pauseMs: number
  waitMs: number
}

type IssuedDeps = Pick<Context, 'store' | 'random' | 'secrets' | 'clock' | 'log'> & {
  /** Names to get a certificate for. */
  names: () => readonly string[]
  sleep: (ms: number) => Promise<unknown>
}

/** Certificate that an authority issues by ACME. */
export class IssuedCertificate {
  readonly #deps: IssuedDeps
  readonly #config: AcmeConfig
  readonly #state: AcmeState
  #current: Certificate | undefined
  /** True when a certificate was followed by one for the same names. */
  isRenewed = false
  #failures: readonly Failure[] = []
  #renewing: Promise<void> | undefined
  readonly #leaving = new AbortController()
  /** Time at which to renew this certificate, and time at which to ask for that again. */
  #renewal: { of: Certificate; at: number; askAt: number } | undefined

  constructor(deps: IssuedDeps, config: AcmeConfig) {
    this.#deps = deps
    this.#config = config
    this.#state = new AcmeState(deps)
  }

  get current(): Certificate | undefined {
    return this.#current
  }

  /** Returns the names without a certificate that have been refused, each with the reason. */
  get refused(): { name: string; reason: string }[] {
    return this.#failures
      .filter(({ name }) => !this.#current?.names.has(name))
      .map(({ name, reason }) => ({ name, reason }))
  }

  readonly textFor = (token: string): Promise<string | undefined> => this.#state.textFor(token)

  /** Uses the certificate that this server, or another, got last. */
  async look(): Promise<State | undefined> {
    const state = await this.#state.read()
    const { cert, key } = state?.certificate ?? {}
    this.#failures = state?.failures ?? []
    this.isRenewed = state?.isRenewed === true
    if (cert !== undefined && key !== undefined && cert !== this.#current?.cert)
      this.#current = parseCertificate(cert, key)
    return state
  }

  /** Gets a certificate when one is due. */
  renew(): Promise<void> {
    this.#renewing ??= this.#renew().finally(() => {
      this.#renewing = undefined
    })
    return this.#renewing
  }

  /** Ends an order that is under way. */
  async stop(): Promise<void> {
    this.#leaving.abort()
    await this.#renewing?.catch(() => {})
  }

  async #renew(): Promise<void> {
    const { clock, store, log } = this.#deps
    const known = await this.look()
    const isPaused = (name: string) =>
      this.#failures.some((failure) => failure.name === name && failure.nextAt > clock.now())
    let names = this.#wanted().filter((name) => !isPaused(name))
    if (!(await this.#isDue(names, known))) return
    if (store.claim && !(await store.claim('Ordering a certificate', ORDER_MS))) return
    let state = await this.#accountOf(known)
    while (await this.#isDue(names, state)) {
      const outcome = await this.#order(names, state)
      if (this.#leaving.signal.aborted) return
      if ('certificate' in outcome) {
        const issued = new Set(names)
        const isRenewed = this.isRenewed || this.#current?.names.isSupersetOf(issued) === true
        const failures = state.failures.filter(({ name }) => !issued.has(name))
        state = { ...state, ...outcome, isRenewed, failures }
        log.notice(`HTTPS has a new certificate for ${names.join(', ')}`)
        names = []
      } else {
        for (const [name, reason] of outcome.refused)
          log.error(`No certificate for ${name}; it will be tried again`, reason)
        state = { ...state, failures: this.#failed(state.failures, outcome) }
        names = names.filter((name) => !outcome.refused.has(name))
      }
      await this.#state.write(state)
      await this.look()
    }
  }

  #wanted(): readonly string[] {
    return this.#deps.names().slice(0, MAX_NAMES)
  }

  /** True when a certificate for these names would be of use: for a new name, or as a renewal that loses none too early. */
  async #isDue(names: readonly string[], state: State | undefined): Promise<boolean> {
    const current = this.#current
    if (names.length === 0) return false
    if (!current || names.some((name) => !current.names.has(name))) return true
    const now = this.#deps.clock.now()
    const losesNone = this.#wanted().every((name) => names.includes(name) || !current.names.has(name))
    return (losesNone || isLate(current, now)) && now >= (await this.#renewAt(current, state))
  }

  /** Returns when to renew a certificate: as the authority suggests, else when a third of its life is left. */
  async #renewAt(current: Certificate, state: State | undefined): Promise<number> {
    const { clock, random } = this.#deps
    const now = clock.now()
    if (this.#renewal?.of === current && now < this.#renewal.askAt) return this.#renewal.at
    const info = await this.#suggested(current, state).catch(() => undefined)
    const share = new DataView(random.bytes(4).buffer).getUint32(0) / 2 ** 32
    const before = this.#renewal?.of === current ? this.#renewal.at : Number.POSITIVE_INFINITY
    this.#renewal = {
      of: current,
      // A window that moves must not put the moment off each time.
      at:
        info && info.to <= current.expiresAt
          ? Math.min(Math.max(before, info.from), info.from + share * (info.to - info.from))
          : current.expiresAt - (current.expiresAt - current.startsAt) / 3,
      askAt: now + Math.max(info?.lookAgainMs ?? 0, RENEWAL_LOOK_MS),
    }
    return this.#renewal.at
  }

  async #suggested({ renewalId }: Certificate, state: State | undefined) {
    return state && renewalId !== undefined ? this.#clientOf(state).renewalInfo(renewalId) : undefined
  }

  /** Returns the state with an account at the authority. */
  async #accountOf(known: State | undefined): Promise<State> {
    const { directory } = this.#config
    if (known?.directory === directory) return known
    const { certificate, failures = [] } = known ?? {}
    const state = { directory, accountKey: keyText(newKey()), failures, ...(certificate && { certificate }) }
    await this.#state.write(state)
    return state
  }

  #clientOf({ accountKey, accountUrl }: State): AcmeClient {
    const { clock, sleep } = this.#deps
    const { ca, directory } = this.#config
    const deps = {
      config: { directory },
      ca: ca === undefined ? undefined : readFileSync(ca, 'utf8'),
      now: clock.now,
      sleep,
      leaving: this.#leaving.signal,
    }
    return new AcmeClient(deps, createPrivateKey(accountKey), accountUrl)
  }

  /** Orders a certificate. Resolves with it, or with the names that were refused; all when the order failed itself. */
  async #order(
    names: readonly string[],
    state: State,
  ): Promise<Required<Pick<State, 'certificate' | 'accountUrl'>> | Refused> {
    try {
      const client = this.#clientOf(state)
      const accountUrl = state.accountUrl ?? (await client.register(this.#config))
      const key = newKey()
      const { dnsHook } = this.#config
      const cert = await client.order(names, {
        challenge: dnsHook === undefined ? 'http-01' : 'dns-01',
        prove: (proof) => (dnsHook === undefined ? this.#proveByHttp(proof) : proveByDns(dnsHook, proof)),
        csr: certificateRequest(names, key),
        replaces: this.#current?.renewalId,
      })
      const certificate = parseCertificate(cert, keyText(key))
      const missing = names.filter((name) => !certificate.names.has(name))
      if (missing.length > 0)
        throw new NamesRefused(
          new Map(missing.map((name) => [name, 'the certificate does not have this name'])),
        )
      return { certificate: { cert, key: certificate.key }, accountUrl }
    } catch (error) {
      const own = error instanceof NamesRefused ? names.filter((name) => error.names.has(name)) : []
      if (error instanceof NamesRefused && own.length > 0)
        return { refused: error.names, pauseMs: REFUSED_MS, waitMs: 0 }
      const reason = error instanceof Error ? error.message : String(error)
      const isReported = error instanceof AcmeError
      return {
        refused: new Map(names.map((name) => [name, reason])),
        pauseMs: isReported ? REFUSED_MS : AWAY_MS,
        waitMs: isReported ? error.retryAfterMs : 0,
      }
    }
  }

  async #proveByHttp({ token, authorization }: Proof): Promise<() => Promise<void>> {
    await this.#state.setToken(token, authorization)
    return () => this.#state.setToken(token)
  }

  /** Adds failures, after each of which a name waits twice as long as before. */
  #failed(failures: readonly Failure[], { refused, pauseMs, waitMs }: Refused): Failure[] {
    const wanted = this.#wanted()
    const others = failures.filter(({ name }) => !refused.has(name) && wanted.includes(name))
    const added = [...refused].map(([name, reason]) => {
      const tries = (failures.find((failure) => failure.name === name)?.tries ?? 0) + 1
      const pause = Math.min(pauseMs * 2 ** (tries - 1), MAX_PAUSE_MS)
      return { name, reason, tries, nextAt: this.#deps.clock.now() + Math.max(pause, waitMs) }
    })
    return [...others, ...added]
  }
}
