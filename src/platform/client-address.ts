import { BlockList, isIPv4, isIPv6 } from 'node:net'
import { LRUCache } from 'lru-cache'

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
 * Reads a comma-separated list of proxy addresses and CIDR ranges; blank text is an empty list.
 *
 * @throws {Error} When an entry is neither, with the entry in its message.
 */
export function parseProxyList(text: string): string[] {
  if (text.trim() === '') return []
  const entries = text.split(',').map((entry) => entry.trim())
  for (const entry of entries) parseNetwork(entry)
  return entries
}

/**
 * Returns a resolver of client addresses.
 *
 * @param trustedProxies Addresses and CIDR ranges, as returned by `parseProxyList`.
 * @throws {Error} When an entry is neither.
 */
export function createClientAddress(trustedProxies: string[]): ClientAddress {
  if (trustedProxies.length === 0) return { resolve: (peer) => peer, isProxy: () => false }

  // One list for each family, because `::/0` of a BlockList contains IPv4 addresses, too.
  const proxies = { ipv4: new BlockList(), ipv6: new BlockList() }
  for (const { address, bits } of trustedProxies.map(parseNetwork)) {
    const family = familyOf(address)
    proxies[family].addSubnet(address, bits, family)
  }
  const isTrusted = memoize((text) => {
    const address = parseAddress(text)
    if (address === undefined) return false
    const family = familyOf(address)
    return proxies[family].check(address, family)
  })
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

const familyOf = (address: string) => (isIPv4(address) ? 'ipv4' : 'ipv6')

function parseNetwork(entry: string): { address: string; bits: number } {
  const [text = '', prefix, ...rest] = entry.split('/')
  const address = parseAddress(text)
  if (address === undefined || rest.length > 0) throw unreadable(entry)
  const maxBits = isIPv4(address) ? 32 : 128
  const bits = prefix === undefined ? maxBits : parsePrefix(prefix, text, maxBits)
  if (!(bits >= 0 && bits <= maxBits)) throw unreadable(entry)
  return { address, bits }
}

const unreadable = (entry: string) =>
  new Error(`Cannot read proxy "${entry}": not an IP address or CIDR range`)

/** Parses a prefix length in bits. In an IPv4-mapped range the IPv4 address begins after 96 bits. */
function parsePrefix(prefix: string, text: string, maxBits: number): number {
  const isMapped = text.includes(':') && maxBits === 32
  return /^\d{1,3}$/.test(prefix) ? Number(prefix) - (isMapped ? 96 : 0) : Number.NaN
}

function parseHop(entry: string): string | undefined {
  const text = entry.trim()
  const [, bracketed, withPort] = BRACKETS_OR_PORT.exec(text) ?? []
  return parseAddress(bracketed ?? withPort ?? text)
}

/** Returns the canonical text of an address (RFC 5952), without its zone; IPv4 if it is IPv4-mapped. */
function parseAddress(text: string): string | undefined {
  if (isIPv4(text)) return text
  const [withoutZone = ''] = text.split('%', 1)
  if (!isIPv6(withoutZone)) return undefined
  const groups = groupsOf(withoutZone)
  const all = groups.join(':')
  if (all.startsWith('0:0:0:0:0:ffff:')) return groups.slice(6).flatMap(bytesOf).join('.')
  const zeros = all.match(/\b0(?::0)+\b/g) ?? []
  const [longest] = zeros.toSorted((one, other) => other.length - one.length)
  return longest === undefined ? all : all.replace(new RegExp(`(^|:)${longest}(:|$)`), '::')
}

/** Returns the eight groups of a valid IPv6 address, in hexadecimal. */
function groupsOf(address: string): string[] {
  const [left = [], right = []] = address.split('::').map((half) => half.split(':').flatMap(parseGroups))
  return [...left, ...Array<string>(8 - left.length - right.length).fill('0'), ...right]
}

/** Parses one group, or the two that an IPv4 address at the end stands for. */
function parseGroups(text: string): string[] {
  if (text === '') return []
  const [a, b, c, d] = text.split('.').map(Number)
  if (a === undefined || b === undefined || c === undefined || d === undefined)
    return [Number.parseInt(text, 16).toString(16)]
  return [a * 256 + b, c * 256 + d].map((group) => group.toString(16))
}

function bytesOf(group: string): number[] {
  const value = Number.parseInt(group, 16)
  return [value >> 8, value & 255]
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
