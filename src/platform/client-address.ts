import { LRUCache } from 'lru-cache'
import { Networks, parseAddress } from './networks.ts'

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

/** Addresses that are remembered. A client with a whole /64 can send from more addresses than fit anywhere. */
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
  const proxies = new Networks(trustedProxies)
  const known = new LRUCache<string, boolean>({ max: MAX_CACHED, memoMethod: (text) => proxies.has(text) })
  const isProxy = (peer: string) => known.memo(peer)
  return {
    isProxy,
    resolve(peer, forwardedFor) {
      if (forwardedFor === null) return peer
      const hops = forwardedFor.split(',')
      let client = peer
      while (isProxy(client)) {
        const hop = parseHop(hops.pop() ?? '')
        if (hop === undefined) break
        client = hop
      }
      return client
    },
  }
}

function parseHop(entry: string): string | undefined {
  const text = entry.trim()
  const [, bracketed, withPort] = BRACKETS_OR_PORT.exec(text) ?? []
  return parseAddress(bracketed ?? withPort ?? text)
}
