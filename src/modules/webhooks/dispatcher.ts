import type { Context } from '../../access/context.ts'
import { AllowedAddresses, OutgoingError, type Received, sendNotice } from '../../platform/addresses.ts'
import { DAY_MS } from '../../platform/time.ts'
import type { DeliveryRow, DueDelivery, WebhookRow } from '../../store/rows.ts'
import { eventOf } from '../../views/events.ts'
import { signedHeaders } from './send.ts'

/** Requests under way at a time, of all webhooks and of one. A receiver that hangs delays no other. */
const MAX_SENDING = 16
const MAX_OF_ONE = 4
/** Time after which an attempt without an outcome is repeated: its server has ended. In milliseconds. */
const LEASE_MS = 60_000
const SECOND_MS = 1000
const HOUR_MS = 3_600_000
/** Pauses after each failed attempt, in milliseconds: three days in all (Standard Webhooks 1.0.0, "Deliverability"). */
const PAUSES_MS = [
  ...[5 * SECOND_MS, 300 * SECOND_MS, HOUR_MS / 2],
  ...[2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR_MS),
]
/** Status by which a receiver asks for no more deliveries. */
const GONE = 410

type Outcome = Pick<DeliveryRow, 'state' | 'nextAt' | 'status' | 'error'>

/**
 * Sends the deliveries of the queue. Each is claimed by a commit before it is sent, so that of several servers one
 * sends it, and another repeats it when that one ends. A receiver may get an event twice, under the same id.
 */
export class Dispatcher {
  readonly allowed: AllowedAddresses
  readonly #deps: Context
  readonly #leaving = new AbortController()
  /** Attempts under way, by their webhooks. */
  readonly #sending = new Map<Promise<void>, string>()
  #beginning: Promise<void> | undefined

  constructor(deps: Context) {
    this.#deps = deps
    this.allowed = new AllowedAddresses(deps.config.webhookNetworks, 'WEBHOOK_ALLOW_PRIVATE')
  }

  /** Begins the attempts that are due, as far as there are places for them. */
  advance(): Promise<void> {
    this.#beginning ??= this.#begin().finally(() => {
      this.#beginning = undefined
    })
    return this.#beginning
  }

  /** Sends a test to a webhook once, and returns the delivery with its outcome. */
  async test(webhook: WebhookRow): Promise<DeliveryRow> {
    const { store, clock } = this.#deps
    const { eventId, type, body, createdAt } = eventOf(this.#deps, 'webhook.test', {
      webhookId: webhook.id,
      name: webhook.name,
    })
    const delivery: DeliveryRow = {
      ...{ webhookId: webhook.id, eventId, type, body, createdAt },
      ...{ state: 'pending', attempts: 1, nextAt: clock.now() + LEASE_MS, status: null, error: null },
    }
    await store.transact(() => store.webhookDeliveries.insert(delivery))
    const outcome = { ...(await this.#outcome({ delivery, webhook })), nextAt: clock.now() }
    const state = outcome.state === 'pending' ? 'failed' : outcome.state
    await store.transact(() => store.webhookDeliveries.record(delivery, 1, { ...outcome, state }))
    return { ...delivery, ...outcome, state }
  }

  /** Ends the attempts under way. They are repeated after the next start. */
  async stop(): Promise<void> {
    this.#leaving.abort()
    await this.#beginning?.catch(() => {})
    await Promise.all(this.#sending.keys())
  }

  async #begin(): Promise<void> {
    const { store, clock } = this.#deps
    while (!this.#leaving.signal.aborted) {
      const free = MAX_SENDING - this.#sending.size
      if (free <= 0) return
      const due = this.#fairly(await store.webhookDeliveries.due(clock.now(), free, this.#busy()))
      if (due.length === 0) return
      const until = clock.now() + LEASE_MS
      const claimed = await store.transact(function* () {
        const mine: DueDelivery[] = []
        for (const one of due) if (yield* store.webhookDeliveries.claim(one.delivery, until)) mine.push(one)
        return mine
      })
      for (const { delivery, webhook } of claimed)
        this.#start({ delivery: { ...delivery, attempts: delivery.attempts + 1 }, webhook })
      // Another server has claimed them.
      if (claimed.length === 0) return
    }
  }

  #sendingTo = (webhookId: string): number =>
    this.#sending.values().reduce((sum, id) => sum + Number(id === webhookId), 0)

  #busy = (): string[] =>
    [...new Set(this.#sending.values())].filter((id) => this.#sendingTo(id) >= MAX_OF_ONE)

  /** Returns as many deliveries as each webhook has places for. */
  #fairly(due: readonly DueDelivery[]): DueDelivery[] {
    const byWebhook = Map.groupBy(due, ({ webhook }) => webhook.id)
    return [...byWebhook].flatMap(([id, all]) => all.slice(0, MAX_OF_ONE - this.#sendingTo(id)))
  }

  #start(due: DueDelivery): void {
    const attempt = this.#attempt(due)
      .catch((error) => this.#deps.log.error('The outcome of a webhook could not be recorded', error))
      .finally(() => {
        this.#sending.delete(attempt)
        if (!this.#leaving.signal.aborted)
          this.advance().catch((error) => this.#deps.log.error('Webhooks could not be sent', error))
      })
    this.#sending.set(attempt, due.webhook.id)
  }

  async #attempt(due: DueDelivery): Promise<void> {
    const { store } = this.#deps
    const { delivery, webhook } = due
    const outcome = await this.#outcome(due)
    await store.transact(() => store.webhookDeliveries.record(delivery, delivery.attempts, outcome))
    if (outcome.state !== 'failed') return
    if (outcome.status === GONE) await this.#disable(webhook, 'The receiver has responded with 410 Gone')
    else if (!(await store.webhookDeliveries.hasDelivered(webhook.id, delivery.createdAt)))
      await this.#disable(webhook, 'The receiver has failed for three days')
  }

  /** Disables a webhook. Its pending deliveries have failed. */
  async #disable({ id, name }: WebhookRow, why: string): Promise<void> {
    const { store, clock, log } = this.#deps
    await store.transact(() => store.webhooks.update(id, { enabled: false, updatedAt: clock.now() }))
    await store.removeInSlices((limit) => store.webhookDeliveries.giveUp(id, why, limit))
    log.info(`The webhook "${name}" was disabled: ${why}`)
  }

  async #outcome(due: DueDelivery): Promise<Outcome> {
    try {
      return this.#outcomeOf(due, await this.#send(due))
    } catch (error) {
      if (!(error instanceof OutgoingError)) this.#deps.log.error('A webhook could not be sent', error)
      const reason = error instanceof OutgoingError ? error.message : 'The request could not be made'
      return this.#outcomeOf(due, { status: null, retryAfterMs: 0, error: reason })
    }
  }

  #send({ delivery: { eventId, body }, webhook: { url, secret } }: DueDelivery): Promise<Received> {
    const timestamp = Math.floor(this.#deps.clock.now() / 1000)
    const signed = signedHeaders(secret, { id: eventId, timestamp, body })
    const headers = { ...signed, 'content-type': 'application/json' }
    return sendNotice(this.allowed, { url, headers, body, leaving: this.#leaving.signal })
  }

  #outcomeOf(
    { delivery: { attempts } }: DueDelivery,
    { status, retryAfterMs, error }: { status: number | null; retryAfterMs: number; error?: string },
  ): Outcome {
    const now = this.#deps.clock.now()
    if (status !== null && status >= 200 && status < 300)
      return { state: 'delivered', nextAt: now, status, error: null }
    const reason = error ?? `The receiver responded with ${status}`
    if (status === null && this.#leaving.signal.aborted)
      return { state: 'pending', nextAt: now, status, error: 'The server stopped meanwhile' }
    const pause = PAUSES_MS[attempts - 1]
    if (status === GONE || pause === undefined) return { state: 'failed', nextAt: now, status, error: reason }
    const wait = Math.max(pause * this.#jitter(), Math.min(retryAfterMs, DAY_MS))
    return { state: 'pending', nextAt: now + Math.round(wait), status, error: reason }
  }

  /** Returns a factor from 1 to 1.2, so that deliveries that failed together are not repeated together. */
  #jitter = (): number => 1 + (this.#deps.random.bytes(1)[0] ?? 0) / 1275
}
