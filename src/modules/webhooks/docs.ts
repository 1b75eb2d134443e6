import { documented } from '../../api/openapi/described.ts'
import { EXAMPLE_ID } from '../../api/openapi/samples.ts'

const NOT_FOUND = 'Webhook not found'
const NOT_PUBLIC = '"url" must have a public address, or one that WEBHOOK_ALLOW_PRIVATE allows'

/** `GET /api/webhooks` */
export const listWebhooks = documented('Webhooks', {
  id: 'listWebhooks',
  summary: 'List the webhooks',
  returns: 'Oldest first, without their secrets.',
})

/** `GET /api/webhooks/for-shares` */
export const listWebhooksForShares = documented('Webhooks', {
  id: 'listWebhooksForShares',
  summary: 'List the webhooks that shares may name',
  description: 'For `notify` of a share: the enabled ones with `forShares`.',
  returns: 'Their names.',
})

/** `POST /api/webhooks` */
export const createWebhook = documented('Webhooks', {
  id: 'createWebhook',
  summary: 'Create a webhook',
  description:
    'The signing secret is shown only in this response. Deliveries follow the Standard Webhooks specification ' +
    '(https://www.standardwebhooks.com).',
  body: { name: 'team chat', url: 'https://hooks.example.com/holdfast', events: ['upload.completed'] },
  returns: 'The webhook with its secret.',
  refusals: {
    400: [NOT_PUBLIC, '"url" must be an http or https address'],
    409: ['There are 50 webhooks already: delete some first'],
  },
})

/** `PUT /api/webhooks` */
export const changeWebhook = documented('Webhooks', {
  id: 'changeWebhook',
  summary: 'Change a webhook',
  description: 'A field that is missing keeps its value. Disabling it ends its pending deliveries.',
  body: { id: EXAMPLE_ID, enabled: false },
  returns: { description: 'The webhook.', data: { webhook: { enabled: false } } },
  refusals: { 400: [NOT_PUBLIC], 404: [NOT_FOUND] },
})

/** `DELETE /api/webhooks` */
export const deleteWebhook = documented('Webhooks', {
  id: 'deleteWebhook',
  summary: 'Delete a webhook',
  description: 'Its deliveries are deleted as well. Shares that name it notify no receiver any more.',
  returns: 'Deleted.',
  refusals: { 404: [NOT_FOUND] },
})

/** `GET /api/webhooks/deliveries` */
export const listDeliveries = documented('Webhooks', {
  id: 'listWebhookDeliveries',
  summary: 'List the deliveries of a webhook',
  description: 'The latest 100, newest first. They are stored for 14 days, and at most 10000 of one webhook.',
  returns: 'Deliveries with the outcome of their last attempt.',
  refusals: { 400: ['"before" is not a delivery of this webhook'], 404: [NOT_FOUND] },
})

/** `POST /api/webhooks/test` */
export const testWebhook = documented('Webhooks', {
  id: 'testWebhook',
  summary: 'Send a test to a webhook',
  description: 'Sends the event `webhook.test` once, also to a disabled webhook, and waits for the response.',
  returns: { description: 'The delivery with its outcome.', data: { delivery: { type: 'webhook.test' } } },
  refusals: { 404: [NOT_FOUND] },
})

/** `POST /api/webhooks/retry` */
export const retryDelivery = documented('Webhooks', {
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
})
