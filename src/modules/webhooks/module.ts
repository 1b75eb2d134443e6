import { Elysia } from 'elysia'
import type { Context } from '../../access/context.ts'
import { type Access, auth, READ } from '../../access/plugin.ts'
import { takes } from '../../api/body.ts'
import { documented } from '../../api/openapi/described.ts'
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
const ADMIN: Access = { scope: 'users:manage', by: 'session' }

/** Builds `/api/webhooks`: addresses that events are sent to. */
function webhookRoutes(context: Context, dispatcher: Dispatcher) {
  const deps = { ...context, dispatcher }
  return new Elysia({ prefix: '/api/webhooks' })
    .use(auth(context))
    .get('/', async () => success({ webhooks: (await deps.store.webhooks.all()).map(webhookView) }), {
      ...documented('Webhooks', {
        id: 'listWebhooks',
        summary: 'List the webhooks',
        returns: 'Oldest first, without their secrets.',
      }),
      access: ADMIN,
      response: { 200: WebhooksAnswer },
    })
    .get('/for-shares', async () => success({ webhooks: (await listForShares(deps)).map(namedView) }), {
      ...documented('Webhooks', {
        id: 'listWebhooksForShares',
        summary: 'List the webhooks that shares may name',
        description: 'For `notify` of a share: the enabled ones with `forShares`.',
        returns: 'Their names.',
      }),
      access: READ,
      response: { 200: NamedAnswer },
    })
    .get(
      '/deliveries',
      async ({ query }) => success({ deliveries: (await listDeliveries(deps, query)).map(deliveryView) }),
      {
        ...documented('Webhooks', {
          id: 'listWebhookDeliveries',
          summary: 'List the deliveries of a webhook',
          description:
            'The latest 100, newest first. They are stored for 14 days, and at most 10000 of one webhook.',
          returns: 'Deliveries with the outcome of their last attempt.',
          refusals: { 400: ['"before" is not a delivery of this webhook'], 404: [NOT_FOUND] },
        }),
        access: ADMIN,
        query: DeliveriesQuery,
        response: { 200: DeliveriesAnswer },
      },
    )
    .post(
      '/',
      async ({ caller, body }) =>
        success({ webhook: newWebhookView(await createWebhook(deps, caller, body)) }),
      {
        ...documented('Webhooks', {
          id: 'createWebhook',
          summary: 'Create a webhook',
          description:
            'The signing secret is shown only in this response. Deliveries follow the Standard Webhooks specification ' +
            '(https://www.standardwebhooks.com).',
          body: {
            name: 'team chat',
            url: 'https://hooks.example.com/holdfast',
            events: ['upload.completed'],
          },
          returns: 'The webhook with its secret.',
          refusals: {
            400: [NOT_PUBLIC, '"url" must be an http or https address'],
            409: ['There are 50 webhooks already: delete some first'],
          },
        }),
        access: ADMIN,
        ...takes(CreateBody),
        response: { 200: NewWebhookAnswer },
      },
    )
    .put(
      '/',
      async ({ caller, body }) => success({ webhook: webhookView(await changeWebhook(deps, caller, body)) }),
      {
        ...documented('Webhooks', {
          id: 'changeWebhook',
          summary: 'Change a webhook',
          description: 'A field that is missing keeps its value. Disabling it ends its pending deliveries.',
          body: { id: EXAMPLE_ID, enabled: false },
          returns: { description: 'The webhook.', data: { webhook: { enabled: false } } },
          refusals: { 400: [NOT_PUBLIC], 404: [NOT_FOUND] },
        }),
        access: ADMIN,
        ...takes(ChangeBody),
        response: { 200: WebhookAnswer },
      },
    )
    .delete('/', ({ caller, body }) => done(deleteWebhook(deps, caller, body.id)), {
      ...documented('Webhooks', {
        id: 'deleteWebhook',
        summary: 'Delete a webhook',
        description: 'Its deliveries are deleted as well. Shares that name it notify no receiver any more.',
        returns: 'Deleted.',
        refusals: { 404: [NOT_FOUND] },
      }),
      access: ADMIN,
      ...takes(IdBody),
      response: { 200: emptyEnvelope },
    })
    .post(
      '/test',
      async ({ body }) => success({ delivery: deliveryView(await testWebhook(deps, body.id)) }),
      {
        ...documented('Webhooks', {
          id: 'testWebhook',
          summary: 'Send a test to a webhook',
          description:
            'Sends the event `webhook.test` once, also to a disabled webhook, and waits for the response.',
          returns: {
            description: 'The delivery with its outcome.',
            data: { delivery: { type: 'webhook.test' } },
          },
          refusals: { 404: [NOT_FOUND] },
        }),
        access: ADMIN,
        ...takes(IdBody),
        response: { 200: DeliveryAnswer },
      },
    )
    .post(
      '/retry',
      async ({ caller, body }) =>
        success({ delivery: deliveryView(await retryDelivery(deps, caller, body)) }),
      {
        ...documented('Webhooks', {
          id: 'retryWebhookDelivery',
          summary: 'Send a delivery again',
          description: 'Queues it with the same id, whether it has failed or not. Its attempts begin again.',
          returns: {
            description: 'The queued delivery.',
            data: { delivery: { state: 'pending', attempts: 0, nextAt: '2026-11-04T09:00:00.000Z' } },
          },
          refusals: {
            404: [NOT_FOUND, 'Delivery not found'],
            409: ['The delivery is pending already', 'The webhook is disabled'],
          },
        }),
        access: ADMIN,
        ...takes(RetryBody),
        response: { 200: DeliveryAnswer },
      },
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
