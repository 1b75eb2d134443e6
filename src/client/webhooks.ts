import type { Connection } from './connection.ts'
import type { NewWebhook, Webhook, WebhookChanges, WebhookDelivery, WebhookFields } from './types.ts'

const PATH = 'api/webhooks'

/** Returns the calls of `/api/webhooks`. Each throws a `HoldfastError` when the server refuses it. */
export function webhookCalls(connection: Connection) {
  return {
    list: async (): Promise<Webhook[]> => (await connection.data<{ webhooks: Webhook[] }>(PATH)).webhooks,
    /** Lists the webhooks that `notify` of a share may name. */
    forShares: async (): Promise<Pick<Webhook, 'id' | 'name'>[]> =>
      (await connection.data<{ webhooks: Webhook[] }>(`${PATH}/for-shares`)).webhooks,
    /** Creates a webhook. Its secret can be read this once. */
    create: async (fields: WebhookFields): Promise<NewWebhook> =>
      (await connection.data<{ webhook: NewWebhook }>(PATH, { method: 'POST', json: fields })).webhook,
    change: async (id: string, changes: WebhookChanges): Promise<Webhook> =>
      (await connection.data<{ webhook: Webhook }>(PATH, { method: 'PUT', json: { id, ...changes } }))
        .webhook,
    delete: (id: string): Promise<null> => connection.data(PATH, { method: 'DELETE', json: { id } }),
    /** Sends a test to a webhook, and returns its outcome. */
    test: async (id: string): Promise<WebhookDelivery> => {
      const options = { method: 'POST', json: { id } } as const
      return (await connection.data<{ delivery: WebhookDelivery }>(`${PATH}/test`, options)).delivery
    },
    /** Queues a delivery again. */
    retry: async (id: string, delivery: string): Promise<WebhookDelivery> => {
      const options = { method: 'POST', json: { id, delivery } } as const
      return (await connection.data<{ delivery: WebhookDelivery }>(`${PATH}/retry`, options)).delivery
    },
    /** Lists the latest deliveries of a webhook, newest first, or those before one. */
    deliveries: async (id: string, { before }: { before?: string } = {}): Promise<WebhookDelivery[]> => {
      const query = { id, before }
      return (await connection.data<{ deliveries: WebhookDelivery[] }>(`${PATH}/deliveries`, { query }))
        .deliveries
    },
  }
}
