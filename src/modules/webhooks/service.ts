import { assertStillAllowed, type LocatedCaller } from '../../access/caller.ts'
import type { Context } from '../../access/context.ts'
import { readName } from '../../access/profile.ts'
import { sharesSomewhere } from '../../access/reach.ts'
import { Refusal, refuseConflict, refuseInvalid } from '../../platform/errors.ts'
import { DAY_MS } from '../../platform/time.ts'
import type { DeliveryRow, WebhookRow, Work } from '../../store/rows.ts'
import type { Dispatcher } from './dispatcher.ts'
import type { ChangeWebhook, CreateWebhook } from './model.ts'
import { newSecret } from './send.ts'

/** Maximum webhooks of an instance. A list has all of them. */
const MAX_WEBHOOKS = 50
/** Deliveries in a list. */
const MAX_LISTED = 100
/** Days for which deliveries are stored, delivered or not; attempts end after three. */
const RETENTION_DAYS = 14
/** Deliveries of one webhook that are stored. Older ones are dropped, delivered or not. */
const MAX_DELIVERIES = 10_000

type Deps = Context & { dispatcher: Dispatcher }

const webhookNotFound = () => new Refusal('webhook-not-found')

/**
 * Creates a webhook. Its secret can be read this once.
 *
 * @throws {Refusal} `invalid`, `conflict` when there are too many.
 */
export async function createWebhook(
  deps: Deps,
  caller: LocatedCaller,
  { name, url, events, forShares = false, enabled = true }: CreateWebhook,
): Promise<WebhookRow> {
  const { store, clock, random } = deps
  const now = clock.now()
  const webhook: WebhookRow = {
    id: random.id(),
    name: readName(name),
    url: readUrl(deps, url),
    secret: newSecret(random),
    events: [...new Set(events)],
    ...{ forShares, enabled, createdAt: now, updatedAt: now },
  }
  await store.transact(function* () {
    yield* assertStillAllowed(deps, caller, 'users:manage')
    if ((yield* store.webhooks.count()) >= MAX_WEBHOOKS)
      throw new Refusal('limit-reached', `There are ${MAX_WEBHOOKS} webhooks already: delete some first`)
    yield* store.webhooks.insert(webhook)
  })
  record(deps, caller, 'webhook.created', webhook)
  return webhook
}

/**
 * Changes a webhook. One that is disabled loses its pending deliveries.
 *
 * @throws {Refusal} `invalid`, `not-found`.
 */
export async function changeWebhook(
  deps: Deps,
  caller: LocatedCaller,
  { id, name, url, events, ...sent }: ChangeWebhook,
): Promise<WebhookRow> {
  const { store, clock } = deps
  const changes = {
    ...sent,
    name: name === undefined ? undefined : readName(name),
    url: url === undefined ? undefined : readUrl(deps, url),
    events: events && [...new Set(events)],
    updatedAt: clock.now(),
  }
  const webhook = await store.transact(function* () {
    yield* assertStillAllowed(deps, caller, 'users:manage')
    yield* requireWebhook(deps, id)
    yield* store.webhooks.update(id, changes)
    return yield* requireWebhook(deps, id)
  })
  if (!webhook.enabled)
    await store.removeInSlices((limit) =>
      store.webhookDeliveries.giveUp(id, 'The webhook was disabled', limit),
    )
  record(deps, caller, 'webhook.changed', webhook)
  return webhook
}

/** Deletes a webhook with its deliveries. @throws {Refusal} `not-found`. */
export async function deleteWebhook(deps: Deps, caller: LocatedCaller, id: string): Promise<void> {
  const { store } = deps
  const webhook = await store.transact(function* () {
    yield* assertStillAllowed(deps, caller, 'users:manage')
    const found = yield* requireWebhook(deps, id)
    yield* store.webhooks.remove(id)
    return found
  })
  await store.removeInSlices((limit) => store.webhookDeliveries.removeOf(id, limit))
  record(deps, caller, 'webhook.deleted', webhook)
}

/** Returns the webhooks that shares of a caller may name. */
export async function listForShares(deps: Context, caller: LocatedCaller): Promise<WebhookRow[]> {
  if (!(await sharesSomewhere(deps, caller))) return []
  return (await deps.store.webhooks.all()).filter(({ forShares, enabled }) => forShares && enabled)
}

/**
 * Returns the latest deliveries of a webhook, newest first, or those older than one.
 *
 * @throws {Refusal} `not-found`, `invalid`.
 */
export function listDeliveries(
  deps: Deps,
  { id, before }: { id: string; before?: string },
): Promise<DeliveryRow[]> {
  const { webhookDeliveries } = deps.store
  return deps.store.read(function* () {
    yield* requireWebhook(deps, id)
    const last =
      before === undefined ? undefined : yield* webhookDeliveries.byName({ webhookId: id, eventId: before })
    if (before !== undefined && !last) throw refuseInvalid('"before" is not a delivery of this webhook')
    return yield* webhookDeliveries.newest(id, MAX_LISTED, last)
  })
}

/** Sends a test event to a webhook, and returns its delivery. @throws {Refusal} `not-found`. */
export async function testWebhook(deps: Deps, id: string): Promise<DeliveryRow> {
  return deps.dispatcher.test(await deps.store.read(() => requireWebhook(deps, id)))
}

/**
 * Queues a delivery again, whether it has failed or not.
 *
 * @throws {Refusal} `not-found`; `conflict` when it is pending, or its webhook is disabled.
 */
export function retryDelivery(
  deps: Deps,
  caller: LocatedCaller,
  { id, delivery }: { id: string; delivery: string },
): Promise<DeliveryRow> {
  const { store, clock } = deps
  const name = { webhookId: id, eventId: delivery }
  return store.transact(function* () {
    yield* assertStillAllowed(deps, caller, 'users:manage')
    if (!(yield* requireWebhook(deps, id)).enabled) throw refuseConflict('The webhook is disabled')
    const isQueued = yield* store.webhookDeliveries.retry(name, clock.now())
    const found = yield* store.webhookDeliveries.byName(name)
    if (!found) throw new Refusal('delivery-not-found')
    if (!isQueued) throw refuseConflict('The delivery is pending already')
    return found
  })
}

/** Removes old deliveries, and those of a webhook that has too many. */
export async function pruneDeliveries({ store, clock }: Pick<Context, 'store' | 'clock'>): Promise<void> {
  const { webhookDeliveries } = store
  const before = clock.now() - RETENTION_DAYS * DAY_MS
  await store.removeInSlices((limit) => webhookDeliveries.removeBefore(before, limit))
  for (const { id } of await store.webhooks.all())
    await store.removeInSlices((limit) => webhookDeliveries.removeBeyond(id, MAX_DELIVERIES, limit))
}

function* requireWebhook({ store }: Context, id: string): Work<WebhookRow> {
  const webhook = yield* store.webhooks.byId(id)
  if (!webhook) throw webhookNotFound()
  return webhook
}

/**
 * Reads the address of a receiver. A name is looked up with each delivery, not here.
 *
 * @throws {Refusal} `invalid`.
 */
function readUrl({ dispatcher: { allowed } }: Deps, sent: string): string {
  const url = URL.canParse(sent) ? new URL(sent) : undefined
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:')
    throw refuseInvalid('"url" must be an http or https address')
  if (url.username !== '' || url.password !== '')
    throw refuseInvalid('"url" must have no user name and password')
  if (!allowed.mayHave(url))
    throw refuseInvalid('"url" must have a public address, or one that WEBHOOK_ALLOW_PRIVATE allows')
  url.hash = ''
  return url.href
}

const record = (
  { securityLog }: Context,
  { user, device }: LocatedCaller,
  type: 'webhook.created' | 'webhook.changed' | 'webhook.deleted',
  { name }: WebhookRow,
) => securityLog.record({ type, account: user, device, detail: name })
