import ipaddr from 'ipaddr.js'

type Address = ipaddr.IPv4 | ipaddr.IPv6

/** A network: the addresses whose first `bits` bits are those of `address`. */
interface Subnet {
  address: Address
  bits: number
}

interface ClientAddress {
  /**
   * The client's address: the peer's own, unless the peer is a trusted proxy. Then it is the right-most
   * hop of `X-Forwarded-For` that is not one, in its canonical form; further left anyone can have written.
   * An entry that is no address ends the search, and the hop to its right is the answer.
   *
   * @param peer The address at the other end of the socket.
   * @param forwardedFor The value of `X-Forwarded-For`, lines joined by commas, or `null` for none.
   */
  resolve(peer: string, forwardedFor: string | null): string
  /** Returns true for the address of a trusted proxy. */
  isProxy(peer: string): boolean
}

/** How many answers each cache keeps. A client with a whole /64 can ask for more than fit anywhere. */
const MAX_CACHED = 16_384

/** `[v6]`, `[v6]:port` or `v4:port`; a bare IPv6 address has colons of its own and can carry no port. */
const BRACKETS_OR_PORT = /^(?:\[([^\]]+)\](?::\d{1,5})?|([\d.]+):\d{1,5})$/

/**
 * Reads a comma-separated list of proxy addresses and CIDR ranges; blank text is an empty list.
 *
 * @throws {Error} When an entry is neither, with the entry in its message.
 */
export function parseProxyList(text: string): string[] {
  if (text.trim() === '') return []
  const entries = text.split(',').map((entry) => entry.trim())
  for (const entry of entries) parseSubnet(entry)
  return entries
}

/**
 * Makes the function that tells who a request comes from.
 *
 * @param trustedProxies Addresses and CIDR ranges, as `parseProxyList` answers them.
 * @throws {Error} When an entry is neither.
 */
export function createClientAddress(trustedProxies: string[]): ClientAddress {
  const subnets = trustedProxies.map(parseSubnet)
  if (subnets.length === 0) return { resolve: (peer) => peer, isProxy: () => false }

  const isTrusted = remember((text) => {
    const address = parseAddress(text)
    return address !== undefined && subnets.some((subnet) => contains(subnet, address))
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
        client = hop.toString()
      }
      return client
    },
  }
}

/**
 * The name under which an address is counted. One client can own a whole IPv6 /64, so that is one name;
 * an IPv4-mapped address is the IPv4 address. Text that is no address is its own name.
 */
export const rateLimitBucket = (address: string): string =>
  // Without a colon it is IPv4 or no address at all: its own name either way.
  address.includes(':') ? bucketWithColon(address) : address

const bucketWithColon = remember((text) => {
  const address = parseAddress(text)
  if (address === undefined) return text
  if (!isIPv6(address)) return address.toString()
  return `${address.parts.slice(0, 4).map(toHex).join(':')}::/64`
})

const toHex = (group: number) => group.toString(16)
const isIPv6 = (address: Address): address is ipaddr.IPv6 => address.kind() === 'ipv6'

function contains(subnet: Subnet, address: Address): boolean {
  return subnet.address.kind() === address.kind() && address.match(subnet.address, subnet.bits)
}

function parseSubnet(entry: string): Subnet {
  const [text = '', prefix, ...rest] = entry.split('/')
  const address = parseAddress(text)
  const maxBits = address && isIPv6(address) ? 128 : 32
  const bits = prefix === undefined ? maxBits : parsePrefix(prefix, text, address)
  if (address === undefined || bits === undefined || bits > maxBits || rest.length > 0) {
    throw new Error(`Cannot read proxy "${entry}": not an IP address or CIDR range`)
  }
  return { address, bits }
}

/** A prefix length in bits; that of an IPv4-mapped range counts from where the IPv4 address begins. */
function parsePrefix(prefix: string, text: string, address: Address | undefined): number | undefined {
  if (!/^\d{1,3}$/.test(prefix) || address === undefined) return undefined
  const isMapped = text.includes(':') && !isIPv6(address)
  const bits = Number(prefix) - (isMapped ? 96 : 0)
  return bits < 0 ? undefined : bits
}

function parseHop(entry: string): Address | undefined {
  const text = entry.trim()
  const [, bracketed, withPort] = BRACKETS_OR_PORT.exec(text) ?? []
  return parseAddress(bracketed ?? withPort ?? text)
}

/** Parses an address; a zone is dropped and an IPv4-mapped address becomes IPv4. */
function parseAddress(text: string): Address | undefined {
  // The parser would also take `1`, `0x7f.1` and `010.0.0.1`, which name hosts no proxy means.
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text)
  const [withoutZone = ''] = text.split('%', 1)
  if (!ipaddr.IPv6.isValid(withoutZone)) return undefined
  const address = ipaddr.IPv6.parse(withoutZone)
  return address.isIPv4MappedAddress() ? address.toIPv4Address() : address
}

/**
 * Keeps the answers of a pure function. Two generations bound the memory without a scan: when the young
 * one is full it becomes the old one, and what nobody asked for since is forgotten.
 */
function remember<Answer extends string | boolean>(answer: (key: string) => Answer): (key: string) => Answer {
  let young = new Map<string, Answer>()
  let old = new Map<string, Answer>()
  return (key) => {
    const kept = young.get(key)
    if (kept !== undefined) return kept
    const value = old.get(key) ?? answer(key)
    if (young.size >= MAX_CACHED / 2) [old, young] = [young, new Map()]
    young.set(key, value)
    return value
  }
}
