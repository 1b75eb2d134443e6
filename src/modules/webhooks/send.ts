import { createHmac } from 'node:crypto'
import { type AllowedAddresses, OutgoingError, reasonOfOutgoing, sendTo } from '../../platform/addresses.ts'
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

/** Time for the lookup of the name, the connection, the request and the head of its response, in milliseconds. */
const DEADLINE_MS = 10_000
/** Request of a delivery. */
interface Sending {
  url: string
  headers: Record<string, string>
  body: string
  /** Aborted when the server stops. */
  leaving: AbortSignal
}

/** Response of a receiver. Its body is not read. */
export interface Received {
  status: number
  /** Value of `Retry-After` in milliseconds; 0 when it has none in seconds. */
  retryAfterMs: number
}

/**
 * Sends a delivery. Redirects are not followed.
 *
 * @throws {OutgoingError} when the address is not allowed, or no response arrives within 10 seconds.
 */
export async function send(allowed: AllowedAddresses, sending: Sending): Promise<Received> {
  const { url, headers, body, leaving } = sending
  const deadline = AbortSignal.timeout(DEADLINE_MS)
  try {
    const response = await sendTo(allowed, new URL(url), {
      method: 'POST',
      body,
      headers: { ...headers, 'content-type': 'application/json' },
      signal: AbortSignal.any([deadline, leaving]),
    })
    await response.body?.cancel()
    const seconds = Number(/^\d{1,6}$/.exec(response.headers.get('retry-after') ?? '')?.[0] ?? 0)
    return { status: response.status, retryAfterMs: seconds * 1000 }
  } catch (error) {
    if (error instanceof OutgoingError) throw error
    if (deadline.aborted) throw new OutgoingError(`No response within ${DEADLINE_MS / 1000} seconds`)
    throw new OutgoingError(reasonOfOutgoing(error))
  }
}
