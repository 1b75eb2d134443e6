import { isIPv4 } from 'node:net'
import { LRUCache } from 'lru-cache'
import { groupsOf, Networks, parseAddress } from './networks.ts'

interface ClientAddress {
  /**
   * Returns the client's address. Without a trusted proxy that is the peer's own. Otherwise it is the right-most hop of
   * `X-Forwarded-For` that is no trusted proxy, in canonical form: a client can forge all entries to its left. An
   * entry that is no address ends the search at the hop to its right.
   *
   * @param peer The address at the other end of the socket.
   * @param forwardedFor The value of `X-Forwarded-For`, lines joined by commas, or `null` for none.
   */
  resolve(peer: string, forwardedFor: string | null): string
  /** Returns true for the address of a trusted proxy. */
  isProxy(peer: string): boolean
}

/** Results in each cache. A client with a whole /64 can send from more addresses than fit anywhere. */
const MAX_CACHED = 16_384

/** `[v6]`, `[v6]:port` or `v4:port`. A bare IPv6 address has colons of its own and can carry no port. */
const BRACKETS_OR_PORT = /^(?:\[([^\]]+)\](?::\d{1,5})?|([\d.]+):\d{1,5})$/

/**
 * Returns a resolver of client addresses.
 *
 * @param trustedProxies Addresses and CIDR ranges, as returned by `parseNetworks`.
 * @throws {Error} When an entry is neither.
 */
export function createClientAddress(trustedProxies: string[]): ClientAddress {
  if (trustedProxies.length === 0) return { resolve: (peer) => peer, isProxy: () => false }

  const proxies = new Networks(trustedProxies)
  const isTrusted = memoize((text) => proxies.has(text))
  return {
    isProxy: isTrusted,
    resolve(peer, forwardedFor) {
      if (forwardedFor === null) return peer
      const hops = forwardedFor.split(',')
      let client = peer
      while (isTrusted(client)) {
        const hop = parseHop(hops.pop() ?? '')
        if (hop === undefined) break
        client = hop
      }
      return client
    },
  }
}

/**
 * Returns the name under which an address is counted. One client can own a whole IPv6 /64, so that is one name. An
 * IPv4-mapped address is the IPv4 address. Text that is no address is its own name.
 */
export const rateLimitBucket = (address: string): string =>
  // Without a colon it is IPv4 or no address at all: its own name either way.
  address.includes(':') ? bucketWithColon(address) : address

const bucketWithColon = memoize((text) => {
  const address = parseAddress(text)
  if (address === undefined) return text
  return isIPv4(address) ? address : `${groupsOf(address).slice(0, 4).join(':')}::/64`
})

function parseHop(entry: string): string | undefined {
  const text = entry.trim()
  const [, bracketed, withPort] = BRACKETS_OR_PORT.exec(text) ?? []
  return parseAddress(bracketed ?? withPort ?? text)
}

/** Caches the results of a pure function. */
function memoize<Result extends string | boolean>(compute: (key: string) => Result): (key: string) => Result {
  const results = new LRUCache<string, Result>({ max: MAX_CACHED })
  return (key) => {
    const cached = results.get(key)
    if (cached !== undefined) return cached
    const result = compute(key)
    results.set(key, result)
    return result
  }
}
