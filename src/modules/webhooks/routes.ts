import { Elysia } from 'elysia'
import type { Context } from '../../access/context.ts'
import { type Access, auth, READ } from '../../access/plugin.ts'
import { takes } from '../../api/body.ts'
import { emptyEnvelope, success } from '../../api/schema.ts'
import type { Dispatcher } from './dispatcher.ts'
import * as docs from './docs.ts'
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
  retryDelivery,
  testWebhook,
} from './service.ts'

/** Events have the names of all files and the addresses of visitors, so they are for admins alone. */
const ADMIN: Access = { scope: 'users:manage', by: 'session' }

/** Builds `/api/webhooks`: addresses that events are sent to. */
export function webhookRoutes(context: Context, dispatcher: Dispatcher) {
  const deps = { ...context, dispatcher }
  return new Elysia({ prefix: '/api/webhooks' })
    .use(auth(context))
    .get('/', async () => success({ webhooks: (await deps.store.webhooks.all()).map(webhookView) }), {
      ...docs.listWebhooks,
      access: ADMIN,
      response: { 200: WebhooksAnswer },
    })
    .get('/for-shares', async () => success({ webhooks: (await listForShares(deps)).map(namedView) }), {
      ...docs.listWebhooksForShares,
      access: READ,
      response: { 200: NamedAnswer },
    })
    .get(
      '/deliveries',
      async ({ query }) => success({ deliveries: (await listDeliveries(deps, query)).map(deliveryView) }),
      {
        ...docs.listDeliveries,
        access: ADMIN,
        query: DeliveriesQuery,
        response: { 200: DeliveriesAnswer },
      },
    )
    .post(
      '/',
      async ({ caller, body }) =>
        success({ webhook: newWebhookView(await createWebhook(deps, caller, body)) }),
      { ...docs.createWebhook, access: ADMIN, ...takes(CreateBody), response: { 200: NewWebhookAnswer } },
    )
    .put(
      '/',
      async ({ caller, body }) => success({ webhook: webhookView(await changeWebhook(deps, caller, body)) }),
      { ...docs.changeWebhook, access: ADMIN, ...takes(ChangeBody), response: { 200: WebhookAnswer } },
    )
    .delete(
      '/',
      async ({ caller, body }) => {
        await deleteWebhook(deps, caller, body.id)
        return success(null)
      },
      { ...docs.deleteWebhook, access: ADMIN, ...takes(IdBody), response: { 200: emptyEnvelope } },
    )
    .post(
      '/test',
      async ({ body }) => success({ delivery: deliveryView(await testWebhook(deps, body.id)) }),
      { ...docs.testWebhook, access: ADMIN, ...takes(IdBody), response: { 200: DeliveryAnswer } },
    )
    .post(
      '/retry',
      async ({ caller, body }) =>
        success({ delivery: deliveryView(await retryDelivery(deps, caller, body)) }),
      { ...docs.retryDelivery, access: ADMIN, ...takes(RetryBody), response: { 200: DeliveryAnswer } },
    )
}
