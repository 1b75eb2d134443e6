import { lookup } from 'node:dns/promises'
import { errorCode } from './errors.ts'
import { groupsOf, Networks, parseAddress } from './networks.ts'
import { orAborted } from './time.ts'
import { VERSION } from './version.ts'

/**
 * Networks of the Internet that are not public (IANA special-purpose registries): private, loopback, link-local with
 * the metadata of clouds, shared, documentation, benchmarks, multicast and reserved.
 */
const NOT_PUBLIC = new Networks([
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12'],
  ...['192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15'],
  ...['198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4'],
  // Parts of 2000::/3: Teredo and others, documentation, 6to4, which has an IPv4 address within.
  ...['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'],
])
/** The only IPv6 addresses that are assigned to the Internet. */
const GLOBAL_UNICAST = new Networks(['2000::/3'])
/** Addresses by which a network with IPv6 alone reaches IPv4 (RFC 6052). The last 32 bits are the IPv4 address. */
const NAT64 = new Networks(['64:ff9b::/96'])

/** Error of a request that the server sends. Its message is for the account that asked for it. */
export class OutgoingError extends Error {}

/** Addresses that the server may send requests to for accounts: those of the Internet, and the networks of the configuration. */
export class AllowedAddresses {
  readonly #networks: Networks
  readonly #variable: string

  /**
   * @param networks Private networks that are allowed.
   * @param variable Variable with these networks.
   */
  constructor(networks: readonly string[], variable: string) {
    this.#variable = variable
    this.#networks = new Networks(networks)
  }

  has(text: string): boolean {
    const address = parseAddress(text)
    if (address === undefined) return false
    return this.#networks.has(address) || isPublic(address)
  }

  /** Returns false for a URL with an address that is not allowed. A name may have any. */
  mayHave(url: URL): boolean {
    const host = hostOf(url)
    return parseAddress(host) === undefined || this.has(host)
  }

  /**
   * Returns the addresses of the host of a URL in canonical form, IPv4 first.
   *
   * @throws {OutgoingError} when there is none, or a single one of them is not allowed.
   */
  async resolve(url: URL): Promise<string[]> {
    const host = hostOf(url)
    const found = parseAddress(host) === undefined ? await addressesOf(host) : [host]
    const refused = found.find((address) => !this.has(address))
    if (refused !== undefined)
      throw new OutgoingError(`${refused} is not a public address: ${this.#variable} must allow it`)
    return found.flatMap((address) => parseAddress(address) ?? [])
  }
}

/** Returns the host of a URL, an IPv6 address without its brackets. */
const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, '$1')

function isPublic(address: string): boolean {
  if (!address.includes(':')) return !NOT_PUBLIC.has(address)
  if (NAT64.has(address)) return isPublic(embedded(address))
  return GLOBAL_UNICAST.has(address) && !NOT_PUBLIC.has(address)
}

/** Returns the IPv4 address in the last 32 bits of an IPv6 address. */
function embedded(address: string): string {
  const [high = '', low = ''] = groupsOf(address).slice(6)
  const bits = Number.parseInt(high, 16) * 2 ** 16 + Number.parseInt(low, 16)
  return [24, 16, 8, 0].map((shift) => Math.floor(bits / 2 ** shift) % 256).join('.')
}

async function addressesOf(host: string): Promise<string[]> {
  try {
    const found = await lookup(host, { all: true })
    return found.toSorted((one, other) => one.family - other.family).map(({ address }) => address)
  } catch (error) {
    throw new OutgoingError(`The name "${host}" has no address: ${errorCode(error) ?? 'the lookup failed'}`)
  }
}

/** Maximum addresses of one host that are tried. */
const MAX_ADDRESSES = 3

/** Request to an address that was judged. */
type Outgoing = Omit<RequestInit, 'headers' | 'redirect' | 'keepalive'> & {
  headers: Record<string, string>
  signal: AbortSignal
}

/**
 * Sends a request to an address that it has judged itself: a name that resolves to another one later leads nowhere else.
 * Redirects are not followed.
 *
 * @throws {OutgoingError} when an address is not allowed; the failure of the last address that was tried.
 */
export async function sendTo(
  allowed: Pick<AllowedAddresses, 'resolve'>,
  url: URL,
  request: Outgoing,
): Promise<Response> {
  const addresses = await orAborted(request.signal, allowed.resolve(url))
  let failure: unknown = new OutgoingError('The host has no address')
  for (const address of addresses.slice(0, MAX_ADDRESSES)) {
    try {
      return await sendToAddress(url, address, request)
    } catch (error) {
      failure = error
      if (request.signal.aborted) break
    }
  }
  throw failure
}

function sendToAddress(url: URL, address: string, request: Outgoing): Promise<Response> {
  const host = address.includes(':') ? `[${address}]` : address
  const target = new URL(url)
  target.hostname = host
  // A URL ignores a host that it cannot have. The request would look the name up again.
  if (target.hostname !== host) throw new OutgoingError(`${address} cannot be reached`)
  return fetch(target, {
    ...request,
    headers: {
      ...request.headers,
      host: url.host,
      'user-agent': `Holdfast/${VERSION}`,
      'accept-encoding': 'identity',
    },
    // The certificate must be that of the name. A connection is not reused, because its address would not be checked.
    ...(host !== url.hostname && { tls: { servername: url.hostname } }),
    keepalive: false,
    redirect: 'manual',
    // A coding that was not asked for is seen, not undone.
    decompress: false,
  })
}

/** Returns why a request failed, in words that name no more than a code of the system. */
export function reasonOfOutgoing(error: unknown): string {
  const code = errorCode(error) ?? ''
  return `The request failed: ${/^\w{1,64}$/.test(code) ? code : 'the connection ended'}`
}

/** Time for the lookup of the name, the connection, the request and the head of its response, in milliseconds. */
const DEADLINE_MS = 10_000

/** Request whose response is its status. */
export interface Notice {
  url: string | URL
  method?: string
  headers: Record<string, string>
  body?: string | undefined
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
 * Sends a short request, and returns the outcome. Redirects are not followed.
 *
 * @throws {OutgoingError} when the address is not allowed, or no response arrives within 10 seconds.
 */
export async function sendNotice(
  allowed: Pick<AllowedAddresses, 'resolve'>,
  { url, method = 'POST', headers, body, leaving }: Notice,
): Promise<Received> {
  const deadline = AbortSignal.timeout(DEADLINE_MS)
  try {
    const response = await sendTo(allowed, new URL(url), {
      ...{ method, headers },
      ...(body !== undefined && { body }),
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
