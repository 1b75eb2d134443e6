import { createHmac } from 'node:crypto'
import { errorCode } from '../../platform/errors.ts'
import type { Random } from '../../platform/random.ts'
import { VERSION } from '../../platform/version.ts'
import { type AllowedAddresses, DeliveryError } from './addresses.ts'

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
/** Addresses of one host that are tried. */
const MAX_ADDRESSES = 3

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
 * Sends a delivery to an address that it has checked itself: a name that resolves to another one later leads nowhere
 * else. Redirects are not followed.
 *
 * @throws {DeliveryError} when the address is not allowed, or no response arrives within 10 seconds.
 */
export async function send(allowed: AllowedAddresses, sending: Sending): Promise<Received> {
  const url = new URL(sending.url)
  const deadline = AbortSignal.timeout(DEADLINE_MS)
  const signal = AbortSignal.any([deadline, sending.leaving])
  const addresses = await before(signal, allowed.resolve(url)).catch((error) => {
    throw explain(error, deadline)
  })
  let failure = new DeliveryError('The host has no address')
  for (const address of addresses.slice(0, MAX_ADDRESSES)) {
    try {
      return await request(url, address, { ...sending, signal })
    } catch (error) {
      failure = explain(error, deadline)
      if (signal.aborted) break
    }
  }
  throw failure
}

async function request(
  url: URL,
  address: string,
  { headers, body, signal }: Sending & { signal: AbortSignal },
): Promise<Received> {
  const host = address.includes(':') ? `[${address}]` : address
  const target = new URL(url)
  target.hostname = host
  // A URL ignores a host that it cannot have. The request would look the name up again.
  if (target.hostname !== host) throw new DeliveryError(`${address} cannot be reached`)
  const response = await fetch(target, {
    method: 'POST',
    body,
    headers: {
      ...headers,
      host: url.host,
      'content-type': 'application/json',
      'user-agent': `Holdfast/${VERSION}`,
      'accept-encoding': 'identity',
    },
    // The certificate must be that of the name. A connection is not reused, because its address would not be checked.
    ...(host !== url.hostname && { tls: { servername: url.hostname } }),
    keepalive: false,
    redirect: 'manual',
    signal,
  })
  await response.body?.cancel()
  const seconds = Number(/^\d{1,6}$/.exec(response.headers.get('retry-after') ?? '')?.[0] ?? 0)
  return { status: response.status, retryAfterMs: seconds * 1000 }
}

/** Resolves as `work` does, and rejects when the signal is aborted first. */
function before<Value>(signal: AbortSignal, work: Promise<Value>): Promise<Value> {
  const { promise, reject } = Promise.withResolvers<never>()
  const leave = () => reject(signal.reason)
  signal.addEventListener('abort', leave)
  if (signal.aborted) leave()
  return Promise.race([work, promise]).finally(() => signal.removeEventListener('abort', leave))
}

function explain(error: unknown, deadline: AbortSignal): DeliveryError {
  if (error instanceof DeliveryError) return error
  if (deadline.aborted) return new DeliveryError(`No response within ${DEADLINE_MS / 1000} seconds`)
  const code = errorCode(error) ?? ''
  return new DeliveryError(`The request failed: ${/^\w{1,64}$/.test(code) ? code : 'the connection ended'}`)
}
