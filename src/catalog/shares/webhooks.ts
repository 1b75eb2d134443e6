import { and, asc, desc, eq, gte, lt, lte, or, sql } from 'drizzle-orm'
import { type Engine, prepareInsert } from '../engine/engine.ts'
import type { Query } from '../engine/query.ts'
import { rowsOf } from '../engine/rows.ts'
import { shares, webhookDeliveries, webhooks } from '../schema/schema.ts'

export type WebhookRow = typeof webhooks.$inferSelect
export type DeliveryRow = typeof webhookDeliveries.$inferSelect
/** Columns of a webhook that may change. An `undefined` one keeps its value. */
export type WebhookColumns = { [Column in keyof Omit<WebhookRow, 'id'>]?: WebhookRow[Column] | undefined }
/** Names a delivery: of an event to a webhook. */
type DeliveryName = Pick<DeliveryRow, 'webhookId' | 'eventId'>

/** Event for webhooks. */
export interface WebhookEvent {
  eventId: string
  type: string
  /** Body of the request that reports it. */
  body: string
  /** Webhook that gets the event whatever events it has chosen, if shares may name it. */
  notify: string | null
  createdAt: number
}

/** Delivery that is due, with its webhook. */
export interface DueDelivery {
  delivery: DeliveryRow
  webhook: WebhookRow
}

/** Queries of webhooks. */
export function webhookQueries(engine: Engine) {
  const { db, prepare, body } = engine
  const webhookRows = rowsOf(engine, webhooks)
  const shareRows = rowsOf(engine, shares)
  const enabled: () => Query<{ id: string } | undefined> = prepare(
    db.select({ id: webhooks.id }).from(webhooks).where(eq(webhooks.enabled, true)).limit(1),
  ).get
  return {
    /** Returns an enabled webhook, if there is one. Without it no event has a receiver. */
    enabled,
    /** Returns all webhooks, oldest first. */
    all: () => webhookRows.select(undefined, { order: [asc(webhooks.createdAt), asc(webhooks.id)] }).all(),
    byId: (id: string) => webhookRows.select(eq(webhooks.id, id)).get(),
    count: () => webhookRows.count(),
    insert: prepareInsert(engine, webhooks).row,
    update: (id: string, changes: WebhookColumns) => webhookRows.update(changes, eq(webhooks.id, id)).run(),
    /** Removes a webhook, also as the receiver of the events of shares. Its deliveries stay. */
    remove: (id: string): Query<void> =>
      body(function* () {
        yield* shareRows.update({ notify: null }, eq(shares.notify, id)).run()
        yield* webhookRows.remove(eq(webhooks.id, id)).run()
      }),
  }
}

/** Queries of the queue of deliveries. */
function deliveryQueue(engine: Engine) {
  const { prepare } = engine
  const rows = rowsOf(engine, webhookDeliveries)
  const { webhookId, eventId, state, nextAt } = webhookDeliveries
  const isPending = sql`${state} = 'pending'`
  const isNamed = and(eq(webhookId, sql.placeholder('webhookId')), eq(eventId, sql.placeholder('eventId')))
  const announce = prepare(announcementText(engine))
  const due = prepare(dueText(engine))
  const claim = rows.update(
    {
      attempts: sql`${webhookDeliveries.attempts} + 1`,
      nextAt: sql`CAST(${sql.placeholder('until')} AS bigint)`,
    },
    and(isNamed, isPending, eq(nextAt, sql.placeholder('nextAt'))),
  )
  return {
    insert: prepareInsert(engine, webhookDeliveries).row,
    /** Queues an event for every webhook that gets it, in one statement. */
    announce: ({ createdAt, notify, type, ...event }: WebhookEvent): Query<void> =>
      announce.run({ ...event, type, pattern: `%"${type}"%`, notify: notify ?? '', createdAt }),
    /** Returns deliveries whose time has come, except those of the webhooks in `busy`. */
    due: (now: number, limit: number, busy: readonly string[] = []): Query<DueDelivery[]> =>
      due.all({ now, limit, busy: JSON.stringify(busy) }),
    /** Begins an attempt, unless another server has begun one. A server that is silent until `until` counts as dead. */
    claim: ({ webhookId, eventId, nextAt }: DeliveryRow, until: number): Query<boolean> =>
      claim.change({ webhookId, eventId, nextAt, until }).into((changed) => changed > 0),
    /** Records the outcome of the attempt with this number, unless a later one has begun. */
    record: (
      name: DeliveryName,
      attempts: number,
      outcome: Pick<DeliveryRow, 'state' | 'nextAt' | 'status' | 'error'>,
    ) =>
      rows
        .update(
          outcome,
          and(
            eq(webhookId, name.webhookId),
            eq(eventId, name.eventId),
            eq(webhookDeliveries.attempts, attempts),
            isPending,
          ),
        )
        .run(),
    /** Queues a delivery again that is not pending, and returns false when it is, or is gone. */
    retry: (name: DeliveryName, now: number): Query<boolean> =>
      rows
        .update(
          { state: 'pending', attempts: 0, nextAt: now },
          and(eq(webhookId, name.webhookId), eq(eventId, name.eventId), sql`${state} <> 'pending'`),
        )
        .change()
        .into((changed) => changed > 0),
  }
}

/** Queries of the log of deliveries. */
function deliveryLog(engine: Engine) {
  const { db, prepare } = engine
  const rows = rowsOf(engine, webhookDeliveries)
  const { webhookId, eventId, state, createdAt } = webhookDeliveries
  return {
    byName: (name: DeliveryName) =>
      rows.select(and(eq(webhookId, name.webhookId), eq(eventId, name.eventId))).get(),
    /** True when a webhook has accepted an event since `time`. */
    hasDelivered: (id: string, time: number): Query<boolean> =>
      prepare(
        db
          .select({ eventId })
          .from(webhookDeliveries)
          .where(and(eq(webhookId, id), gte(createdAt, time), eq(state, 'delivered')))
          .limit(1),
      )
        .get()
        .into((row) => row !== undefined),
    /** Returns the latest deliveries of a webhook, newest first, or those older than one. */
    newest: (id: string, limit: number, before?: DeliveryRow) =>
      rows
        .select(
          and(
            eq(webhookId, id),
            before && sql`(${createdAt}, ${eventId}) < (${before.createdAt}, ${before.eventId})`,
          ),
          { order: [desc(createdAt), desc(eventId)], limit },
        )
        .all(),
  }
}

/** Ends and removals of deliveries. */
function deliveryRemovals(engine: Engine) {
  const { db } = engine
  const rows = rowsOf(engine, webhookDeliveries)
  const { webhookId, eventId, state, createdAt } = webhookDeliveries
  const isPending = sql`${state} = 'pending'`
  return {
    /** Marks up to `limit` pending deliveries of a webhook as failed, and returns how many. */
    giveUp: (id: string, error: string, limit: number): Query<number> => {
      const some = db
        .select({ eventId })
        .from(webhookDeliveries)
        .where(and(eq(webhookId, id), isPending))
        .limit(limit)
      return rows
        .update({ state: 'failed', error }, and(eq(webhookId, id), sql`${eventId} IN ${some}`))
        .change()
    },
    removeOf: (id: string, limit: number) => rows.removeSome(eq(webhookId, id), limit),
    /** Removes up to `limit` deliveries of a webhook that are older than its newest `retained`. */
    removeBeyond: (id: string, retained: number, limit: number): Query<number> => {
      const older = db
        .select({ eventId })
        .from(webhookDeliveries)
        .where(eq(webhookId, id))
        .orderBy(desc(createdAt), desc(eventId))
        .limit(limit)
        .offset(retained)
      return rows.remove(and(eq(webhookId, id), sql`${eventId} IN ${older}`)).change()
    },
    removeBefore: (time: number, limit: number) => rows.removeSome(lt(createdAt, time), limit),
  }
}

/** Queries of the deliveries of webhooks: their queue and their log. */
export const deliveryQueries = (engine: Engine) => ({
  ...deliveryQueue(engine),
  ...deliveryLog(engine),
  ...deliveryRemovals(engine),
})

/** Builds the statement that copies an event to the queue of each webhook that gets it. */
function announcementText({ db, dialect }: Engine) {
  const text = (name: string) => sql<string>`CAST(${sql.placeholder(name)} AS text)`
  const time = sql<number>`CAST(${sql.placeholder('createdAt')} AS bigint)`
  const rows = db
    .select({
      webhookId: webhooks.id,
      eventId: text('eventId').as('event_id'),
      type: text('type').as('type'),
      body: text('body').as('body'),
      state: sql<'pending'>`'pending'`.as('state'),
      attempts: sql<number>`0`.as('attempts'),
      nextAt: time.as('next_at'),
      status: sql<number | null>`NULL`.as('status'),
      error: sql<string | null>`NULL`.as('error'),
      createdAt: time.as('created_at'),
    })
    .from(webhooks)
    .where(
      and(
        eq(webhooks.enabled, true),
        or(
          // Names of events have no wildcards, and the quotes of JSON end them.
          sql`${webhooks.events} LIKE ${dialect.anyValue(sql.placeholder('pattern'))}`,
          and(eq(webhooks.forShares, true), eq(webhooks.id, sql.placeholder('notify'))),
        ),
      ),
    )
  return db.insert(webhookDeliveries).select(rows)
}

function dueText({ db, dialect }: Engine) {
  const { webhookId, eventId, state, nextAt } = webhookDeliveries
  return db
    .select({ delivery: webhookDeliveries, webhook: webhooks })
    .from(webhookDeliveries)
    .innerJoin(webhooks, and(eq(webhooks.id, webhookId), eq(webhooks.enabled, true)))
    .where(
      and(
        // Written out, because a parameter would not match the condition of the index.
        sql`${state} = 'pending'`,
        lte(nextAt, sql.placeholder('now')),
        sql`${webhookId} NOT IN (${dialect.elementsOf(sql.placeholder('busy'))})`,
      ),
    )
    .orderBy(asc(nextAt), asc(eventId), asc(webhookId))
    .limit(sql.placeholder('limit'))
}
