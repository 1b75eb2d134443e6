import * as T from 'typebox'
import { NameField } from '../../access/profile.ts'
import { EXAMPLE_ID } from '../../api/openapi/samples.ts'
import { envelope, IsoTime, jsonBody, named, nullable, oneOf, queryParameters } from '../../api/schema.ts'
import { iso, isoOrNull } from '../../platform/time.ts'
import type { DeliveryRow, WebhookRow } from '../../store/rows.ts'
import { CHOSEN_EVENTS } from '../../views/events.ts'

const MAX_URL_LENGTH = 2000

/** Schema of the types of events that a webhook gets. */
const Events = T.Array(oneOf(CHOSEN_EVENTS), {
  description: 'Events of the whole instance that it gets; none for the events of shares that name it alone.',
})

const fields = {
  id: T.String(),
  name: T.String(),
  url: T.String(),
  events: T.Array(T.String()),
  forShares: T.Boolean({ description: 'True when any account may name it in `notify` of a share.' }),
  enabled: T.Boolean({ description: 'False when it gets no events, as after three days of failures.' }),
  createdAt: IsoTime,
  updatedAt: IsoTime,
}
const SAMPLE = {
  id: '019a2f80-3b5d-7c6e-9f10-2a3b4c5d6e7f',
  name: 'team chat',
  url: 'https://hooks.example.com/holdfast',
  events: ['upload.completed', 'integrity.failed'],
  forShares: true,
  enabled: true,
  createdAt: '2026-11-03T10:00:00.000Z',
  updatedAt: '2026-11-03T10:00:00.000Z',
}
const WebhookView = named('Webhook', T.Object(fields), SAMPLE)
/** Schema of a new webhook with its signing secret, which is shown only once. */
const NewWebhookView = named('NewWebhook', T.Object({ ...fields, secret: T.String() }), {
  ...SAMPLE,
  secret: `whsec_${'QUJD'.repeat(10)}QUI=`,
})
const NamedWebhook = named('NamedWebhook', T.Object({ id: T.String(), name: T.String() }), {
  id: SAMPLE.id,
  name: SAMPLE.name,
})

const DeliveryView = named(
  'WebhookDelivery',
  T.Object({
    id: T.String({ description: 'Id of the event, which the receiver gets as `webhook-id`.' }),
    type: T.String(),
    state: oneOf(['pending', 'delivered', 'failed'] as const),
    attempts: T.Integer(),
    status: nullable(T.Integer({ description: 'Status of the last response; null when there was none.' })),
    error: nullable(T.String({ description: 'Reason why the last attempt failed.' })),
    createdAt: IsoTime,
    nextAt: nullable(T.String({ description: 'Time of the next attempt; null when none follows.' })),
  }),
  {
    id: '019a2f81-7e8f-7a0b-8c1d-3e4f5a6b7c8d',
    type: 'upload.completed',
    state: 'delivered',
    attempts: 1,
    status: 204,
    error: null,
    createdAt: '2026-11-03T11:00:00.000Z',
    nextAt: null,
  },
)

export const WebhooksAnswer = envelope(T.Object({ webhooks: T.Array(WebhookView) }))
export const NamedAnswer = envelope(T.Object({ webhooks: T.Array(NamedWebhook) }))
export const WebhookAnswer = envelope(T.Object({ webhook: WebhookView }))
export const NewWebhookAnswer = envelope(T.Object({ webhook: NewWebhookView }))
export const DeliveriesAnswer = envelope(T.Object({ deliveries: T.Array(DeliveryView) }))
export const DeliveryAnswer = envelope(T.Object({ delivery: DeliveryView }))

const rules = {
  url: T.String({ minLength: 1, maxLength: MAX_URL_LENGTH }),
  events: Events,
  forShares: T.Optional(T.Boolean()),
  enabled: T.Optional(T.Boolean()),
}
export const CreateBody = jsonBody(T.Object({ name: NameField, ...rules }))
export type CreateWebhook = T.Static<typeof CreateBody.schema>
export const ChangeBody = jsonBody(
  T.Object({ id: T.String(), ...T.Partial(T.Object({ name: NameField, ...rules })).properties }),
)
export type ChangeWebhook = T.Static<typeof ChangeBody.schema>
export const IdBody = jsonBody(T.Object({ id: T.String() }))

export const RetryBody = jsonBody(
  T.Object({
    id: T.String(),
    delivery: T.String({ description: 'Id of the delivery.', examples: [EXAMPLE_ID] }),
  }),
)

export const DeliveriesQuery = queryParameters(
  T.Object({
    id: T.String({ description: 'The webhook with this id.', examples: [EXAMPLE_ID] }),
    before: T.Optional(
      T.String({ description: 'Id of a delivery; returns older ones.', examples: [EXAMPLE_ID] }),
    ),
  }),
)

/** Returns a webhook without its secret. */
export const webhookView = ({ secret: _, ...webhook }: WebhookRow): T.Static<typeof WebhookView> => ({
  ...webhook,
  createdAt: iso(webhook.createdAt),
  updatedAt: iso(webhook.updatedAt),
})

export const newWebhookView = (webhook: WebhookRow): T.Static<typeof NewWebhookView> => ({
  ...webhookView(webhook),
  secret: webhook.secret,
})

export const namedView = ({ id, name }: WebhookRow): T.Static<typeof NamedWebhook> => ({ id, name })

export const deliveryView = ({
  eventId,
  type,
  state,
  attempts,
  status,
  error,
  ...times
}: DeliveryRow): T.Static<typeof DeliveryView> => ({
  ...{ id: eventId, type, state, attempts, status, error },
  createdAt: iso(times.createdAt),
  nextAt: isoOrNull(state === 'pending' ? times.nextAt : null),
})
