import type { NewWebhook, WebhookDelivery } from '../../src/client/types.ts'
import type { User } from './accounts.ts'

/** Request that a receiver has got. */
export interface Delivered {
  path: string
  headers: Headers
  /** Body as text, byte for byte. */
  text: string
  event: { type: string; timestamp: string; data: Record<string, unknown> }
}

/** Response of a receiver to a request; by default 204. */
type Respond = (delivered: Delivered) => Response | Promise<Response>

/** Server that receives webhooks on the loopback interface. */
export class Receiver {
  readonly delivered: Delivered[] = []
  readonly #server: ReturnType<typeof Bun.serve>
  /** Requests that are open now, and the most that were. Those that their sender gave up are not. */
  open = 0
  mostOpen = 0
  respond: Respond

  constructor(respond: Respond = () => new Response(null, { status: 204 })) {
    this.respond = respond
    this.#server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: (request) => this.#receive(request) })
  }

  get url(): string {
    return `http://127.0.0.1:${this.#server.port}/hook`
  }

  get port(): number {
    return this.#server.port ?? 0
  }

  /** Events of a type, in the order of arrival. */
  events(type: string): Delivered['event'][] {
    return this.delivered.map(({ event }) => event).filter((event) => event.type === type)
  }

  async #receive(request: Request): Promise<Response> {
    const text = await request.text()
    const { pathname, search } = new URL(request.url)
    const delivered = { path: pathname + search, headers: request.headers, text, event: JSON.parse(text) }
    this.delivered.push(delivered)
    this.open += 1
    this.mostOpen = Math.max(this.mostOpen, this.open)
    const gone = new Promise<Response>((resolve) => {
      request.signal.addEventListener('abort', () => resolve(Response.error()))
    })
    try {
      return await Promise.race([this.respond(delivered), gone])
    } finally {
      this.open -= 1
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.stop(true)
  }
}

export const createWebhook = async (admin: User, body: object) =>
  (await admin.api.data<{ webhook: NewWebhook }>('POST', '/webhooks', body)).webhook

export const deliveriesOf = async (admin: User, id: string, query = '') =>
  (await admin.api.data<{ deliveries: WebhookDelivery[] }>('GET', `/webhooks/deliveries?id=${id}${query}`))
    .deliveries
