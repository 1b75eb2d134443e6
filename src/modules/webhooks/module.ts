import { Elysia } from 'elysia'
import type { Context } from '../../access/context.ts'
import { ADMIN, auth, READ } from '../../access/plugin.ts'
import { route } from '../../access/route.ts'
import { EXAMPLE_ID } from '../../api/openapi/samples.ts'
import { done, emptyEnvelope, success } from '../../api/schema.ts'
import { alsoAtStart, onEachServer } from '../../platform/jobs.ts'
import { Dispatcher } from './dispatcher.ts'
import {
  ChangeBody,
  CreateBody,
  DeliveriesAnswer,
  DeliveriesQuery,
  DeliveryAnswer,
  deliveryView,
  IdBody,
  NamedAnswer,
  NewWebhookAnswer,
  namedView,
  newWebhookView,
  RetryBody,
  WebhookAnswer,
  WebhooksAnswer,
  webhookView,
} from './model.ts'
import {
  changeWebhook,
  createWebhook,
  deleteWebhook,
  listDeliveries,
  listForShares,
  pruneDeliveries,
  retryDelivery,
  testWebhook,
} from './service.ts'

const NOT_FOUND = 'Webhook not found'

const NOT_PUBLIC = '"url" must have a public address, or one that WEBHOOK_ALLOW_PRIVATE allows'

/** Events have the names of all files and the addresses of visitors, so they are for admins alone. */
const LIST_WEBHOOKS = route('Webhooks', ADMIN, {
  id: 'listWebhooks',
  summary: 'List the webhooks',
  answer: WebhooksAnswer,
  returns: 'Oldest first, without their secrets.',
})

const LIST_WEBHOOKS_FOR_SHARES = route('Webhooks', READ, {
  id: 'listWebhooksForShares',
  summary: 'List the webhooks that shares may name',
  description: 'For `notify` of a share: the enabled ones with `forShares`.',
  answer: NamedAnswer,
  returns: 'Their names.',
})

const LIST_WEBHOOK_DELIVERIES = route('Webhooks', ADMIN, {
  id: 'listWebhookDeliveries',
  summary: 'List the deliveries of a webhook',
  description: 'The latest 100, newest first. They are stored for 14 days, and at most 10000 of one webhook.',
  query: DeliveriesQuery,
  answer: DeliveriesAnswer,
  returns: 'Deliveries with the outcome of their last attempt.',
  refusals: { 400: ['"before" is not a delivery of this webhook'], 404: [NOT_FOUND] },
})

const CREATE_WEBHOOK = route('Webhooks', ADMIN, {
  id: 'createWebhook',
  summary: 'Create a webhook',
  description:
    'The signing secret is shown only in this response. Deliveries follow the Standard Webhooks specification ' +
    '(https://www.standardwebhooks.com).',
  example: {
    name: 'team chat',
    url: 'https://hooks.example.com/holdfast',
    events: ['upload.completed'],
  },
  takes: CreateBody,
  answer: NewWebhookAnswer,
  returns: 'The webhook with its secret.',
  refusals: {
    400: [NOT_PUBLIC, '"url" must be an http or https address'],
    409: ['There are 50 webhooks already: delete some first'],
  },
})

const CHANGE_WEBHOOK = route('Webhooks', ADMIN, {
  id: 'changeWebhook',
  summary: 'Change a webhook',
  description: 'A field that is missing keeps its value. Disabling it ends its pending deliveries.',
  example: { id: EXAMPLE_ID, enabled: false },
  takes: ChangeBody,
  answer: WebhookAnswer,
  returns: { description: 'The webhook.', data: { webhook: { enabled: false } } },
  refusals: { 400: [NOT_PUBLIC], 404: [NOT_FOUND] },
})

const DELETE_WEBHOOK = route('Webhooks', ADMIN, {
  id: 'deleteWebhook',
  summary: 'Delete a webhook',
  description: 'Its deliveries are deleted as well. Shares that name it notify no receiver any more.',
  takes: IdBody,
  answer: emptyEnvelope,
  returns: 'Deleted.',
  refusals: { 404: [NOT_FOUND] },
})

const TEST_WEBHOOK = route('Webhooks', ADMIN, {
  id: 'testWebhook',
  summary: 'Send a test to a webhook',
  description: 'Sends the event `webhook.test` once, also to a disabled webhook, and waits for the response.',
  takes: IdBody,
  answer: DeliveryAnswer,
  returns: {
    description: 'The delivery with its outcome.',
    data: { delivery: { type: 'webhook.test' } },
  },
  refusals: { 404: [NOT_FOUND] },
})

const RETRY_WEBHOOK_DELIVERY = route('Webhooks', ADMIN, {
  id: 'retryWebhookDelivery',
  summary: 'Send a delivery again',
  description: 'Queues it with the same id, whether it has failed or not. Its attempts begin again.',
  takes: RetryBody,
  answer: DeliveryAnswer,
  returns: {
    description: 'The queued delivery.',
    data: { delivery: { state: 'pending', attempts: 0, nextAt: '2026-11-04T09:00:00.000Z' } },
  },
  refusals: {
    404: [NOT_FOUND, 'Delivery not found'],
    409: ['The delivery is pending already', 'The webhook is disabled'],
  },
})

/** Builds `/api/webhooks`: addresses that events are sent to. */
function webhookRoutes(context: Context, dispatcher: Dispatcher) {
  const deps = { ...context, dispatcher }
  return new Elysia({ prefix: '/api/webhooks' })
    .use(auth(context))
    .get('/', async () => success({ webhooks: (await deps.store.webhooks.all()).map(webhookView) }), {
      ...LIST_WEBHOOKS,
    })
    .get(
      '/for-shares',
      async ({ caller }) => success({ webhooks: (await listForShares(deps, caller)).map(namedView) }),
      { ...LIST_WEBHOOKS_FOR_SHARES },
    )
    .get(
      '/deliveries',
      async ({ query }) => success({ deliveries: (await listDeliveries(deps, query)).map(deliveryView) }),
      { ...LIST_WEBHOOK_DELIVERIES },
    )
    .post(
      '/',
      async ({ caller, body }) =>
        success({ webhook: newWebhookView(await createWebhook(deps, caller, body)) }),
      { ...CREATE_WEBHOOK },
    )
    .put(
      '/',
      async ({ caller, body }) => success({ webhook: webhookView(await changeWebhook(deps, caller, body)) }),
      { ...CHANGE_WEBHOOK },
    )
    .delete('/', ({ caller, body }) => done(deleteWebhook(deps, caller, body.id)), { ...DELETE_WEBHOOK })
    .post(
      '/test',
      async ({ body }) => success({ delivery: deliveryView(await testWebhook(deps, body.id)) }),
      { ...TEST_WEBHOOK },
    )
    .post(
      '/retry',
      async ({ caller, body }) =>
        success({ delivery: deliveryView(await retryDelivery(deps, caller, body)) }),
      { ...RETRY_WEBHOOK_DELIVERY },
    )
}

/** Creates the module of webhooks, which sends events to other servers. */
export function createWebhooks(context: Context) {
  const dispatcher = new Dispatcher(context)
  return {
    routes: webhookRoutes(context, dispatcher),
    jobs: [
      onEachServer('* * * * * *', 'Sending webhooks', () => dispatcher.advance()),
      alsoAtStart('* * * * *', 'Removing old deliveries of webhooks', () => pruneDeliveries(context)),
    ],
    stop: () => dispatcher.stop(),
  }
}
