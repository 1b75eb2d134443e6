import { BlockList, isIPv4, isIPv6 } from 'node:net'

/** List of IP addresses and networks. */
export class Networks {
  // One list for each family, because `::/0` of a BlockList contains IPv4 addresses, too.
  readonly #lists = { ipv4: new BlockList(), ipv6: new BlockList() }

  /**
   * @param entries Addresses and CIDR ranges.
   * @throws {Error} when an entry is neither.
   */
  constructor(entries: readonly string[]) {
    for (const { address, bits } of entries.map(parseNetwork)) {
      const family = familyOf(address)
      this.#lists[family].addSubnet(address, bits, family)
    }
  }

  /** Returns true for an address in the list; false for text that is no address. */
  has(text: string): boolean {
    const address = parseAddress(text)
    if (address === undefined) return false
    const family = familyOf(address)
    return this.#lists[family].check(address, family)
  }
}

/**
 * Reads a comma-separated list of addresses and CIDR ranges; blank text is an empty list.
 *
 * @throws {Error} when an entry is neither, with the entry in its message.
 */
export function parseNetworks(text: string): string[] {
  if (text.trim() === '') return []
  const entries = text.split(',').map((entry) => entry.trim())
  for (const entry of entries) parseNetwork(entry)
  return entries
}

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

const unreadable = (entry: string) => new Error(`Cannot read "${entry}": not an IP address or CIDR range`)

/** Parses a prefix length in bits. In an IPv4-mapped range the IPv4 address begins after 96 bits. */
function parsePrefix(prefix: string, text: string, maxBits: number): number {
  const isMapped = text.includes(':') && maxBits === 32
  return /^\d{1,3}$/.test(prefix) ? Number(prefix) - (isMapped ? 96 : 0) : Number.NaN
}

/** Returns the canonical text of an address (RFC 5952), without its zone; IPv4 if it is IPv4-mapped. */
export function parseAddress(text: string): string | undefined {
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
export function groupsOf(address: string): string[] {
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
