import { createHmac } from 'node:crypto'
import type { Random } from '../../platform/random.ts'

const PREFIX = 'whsec_'

/** Length of a secret: the specification asks for 24 to 64 bytes. */
const SECRET_BYTES = 32

/** Returns a new signing secret, in the form of the Standard Webhooks specification. */
export const newSecret = ({ bytes }: Random): string =>
  PREFIX + Buffer.from(bytes(SECRET_BYTES)).toString('base64')

/** Message to sign. */
interface Message {
  id: string
  /** Seconds since 1970. */
  timestamp: number
  body: string
}

/** Returns the headers of a delivery (Standard Webhooks 1.0.0, "Webhook headers"), signed with HMAC-SHA256. */
export function signedHeaders(secret: string, { id, timestamp, body }: Message): Record<string, string> {
  const key = Buffer.from(secret.slice(PREFIX.length), 'base64')
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': `v1,${signature}`,
  }
}
