import { describe, expect, test } from 'bun:test'
import { createClientAddress } from '../../src/platform/client-address.ts'
import { parseNetworks } from '../../src/platform/networks.ts'
import { rateLimitBucket } from '../../src/platform/rate-limit.ts'

const PEER = '203.0.113.9'
const PROXY = '10.0.0.1'

describe('createClientAddress()', () => {
  test.each([null, '', '1.2.3.4', '10.0.0.1, 1.2.3.4'])(
    'ignores forwarded addresses without trusted proxies: %p',
    (header) => {
      expect(createClientAddress([]).resolve(PEER, header)).toBe(PEER)
    },
  )

  test('returns one address for 400 forged ones', () => {
    const { resolve } = createClientAddress([])
    const forged = Array.from({ length: 400 }, (_, i) => `198.51.100.${i % 256}, ${i}.1.1.1`)

    expect(new Set(forged.map((header) => resolve(PEER, header)))).toEqual(new Set([PEER]))
  })

  test('ignores the header of a peer that is no proxy', () => {
    expect(createClientAddress([PROXY]).resolve(PEER, '1.2.3.4')).toBe(PEER)
  })

  test.each([
    ['one hop', '1.2.3.4', '1.2.3.4'],
    ['a forged entry on the left', '6.6.6.6, 1.2.3.4', '1.2.3.4'],
    ['a forged proxy on the left', '10.0.0.7, 1.2.3.4', '1.2.3.4'],
    ['proxies on the right', '6.6.6.6, 1.2.3.4, 10.0.0.7, 10.0.0.8', '1.2.3.4'],
    ['a client on the left of proxies alone', '10.0.0.5, 10.0.0.6', '10.0.0.5'],
    ['no space', '6.6.6.6,1.2.3.4', '1.2.3.4'],
    ['more space', '  1.2.3.4\t ', '1.2.3.4'],
    ['a port', '1.2.3.4:80', '1.2.3.4'],
    ['an IPv6 address', '2001:DB8::0:1', '2001:db8::1'],
    ['brackets', '[2001:db8::1]', '2001:db8::1'],
    ['brackets and a port', '[::1]:80', '::1'],
    ['a zone', 'fe80::1%eth0.100', 'fe80::1'],
    ['brackets, zone and port', '[fe80::1%en-1]:443', 'fe80::1'],
    ['an IPv4-mapped address', '::ffff:1.2.3.4', '1.2.3.4'],
    ['an IPv4-mapped proxy', '1.2.3.4, ::ffff:10.0.0.9', '1.2.3.4'],
    ['a proxy with a port', '1.2.3.4, 10.0.0.9:5000', '1.2.3.4'],
  ])('returns the right-most hop that is no proxy: %s', (_, header, expected) => {
    expect(createClientAddress(['10.0.0.0/8']).resolve(PROXY, header)).toBe(expected)
  })

  test.each([
    ['nothing', null, PROXY],
    ['an empty header', '', PROXY],
    ['a word', 'unknown', PROXY],
    ['a word behind a proxy', '1.2.3.4, unknown, 10.0.0.7', '10.0.0.7'],
    ['an empty entry', '1.2.3.4, , 10.0.0.7', '10.0.0.7'],
    ['a host name', 'example.com', PROXY],
    ['too large a number', '1.2.3.256', PROXY],
    ['a short address', '1.2.3', PROXY],
    ['a number', '16909060', PROXY],
    ['octal', '010.0.0.2', PROXY],
    ['hexadecimal', '0x1.2.3.4', PROXY],
    ['a port that is none', '1.2.3.4:http', PROXY],
    ['an open bracket', '[::1', PROXY],
    ['IPv4 with a zone', '1.2.3.4%eth0', PROXY],
    ['markup', '<script>', PROXY],
    ['very long text', `${'1:'.repeat(5000)}1`, PROXY],
  ])('stops at text that is no address and returns the hop before: %s', (_, header, expected) => {
    expect(createClientAddress(['10.0.0.0/8']).resolve(PROXY, header)).toBe(expected)
  })

  test.each([
    ['an address', ['10.0.0.1'], '10.0.0.1', true],
    ['another address', ['10.0.0.1'], '10.0.0.2', false],
    ['a range', ['172.16.0.0/12'], '172.31.255.255', true],
    ['past the range', ['172.16.0.0/12'], '172.32.0.0', false],
    ['every IPv4 address', ['0.0.0.0/0'], '8.8.8.8', true],
    ['the other family', ['0.0.0.0/0'], '2001:db8::1', false],
    ['an IPv4 address by an IPv6 range', ['::/0'], '10.0.0.1', false],
    ['an IPv4-mapped address by an IPv6 range', ['::/0'], '::ffff:10.0.0.1', false],
    ['every IPv6 address', ['::/0'], '2001:db8::1', true],
    ['a compatible address by an IPv4 range', ['10.0.0.0/8'], '::10.0.0.1', false],
    ['an IPv6 range', ['fd00::/8'], 'fdff::1', true],
    ['an IPv6 address in capitals', ['FD00::1'], 'fd00:0:0::1', true],
    ['a peer with a zone', ['fe80::/10'], 'fe80::1%eth0', true],
    ['an IPv4-mapped peer', ['127.0.0.0/8'], '::ffff:127.0.0.1', true],
    ['an IPv4-mapped entry', ['::ffff:127.0.0.1'], '127.0.0.1', true],
    ['an IPv4-mapped range', ['::ffff:127.0.0.0/104'], '127.1.2.3', true],
    ['past the IPv4-mapped range', ['::ffff:127.0.0.0/104'], '128.0.0.1', false],
    ['the second of two', ['10.0.0.1', '::1'], '::1', true],
    ['a peer that is no address', ['0.0.0.0/0'], 'unix:', false],
  ])('trusts a peer by address or range: %s', (_, proxies, peer, isTrusted) => {
    expect(createClientAddress(proxies).resolve(peer, '1.2.3.4')).toBe(isTrusted ? '1.2.3.4' : peer)
  })

  test('refuses an entry that is no address or range', () => {
    expect(() => createClientAddress(['10.0.0.0/8', 'nginx'])).toThrow('"nginx"')
  })
})

describe('parseNetworks()', () => {
  test.each([
    ['', []],
    ['  ', []],
    ['10.0.0.1', ['10.0.0.1']],
    [' 10.0.0.0/8 , ::1,fd00::/8', ['10.0.0.0/8', '::1', 'fd00::/8']],
    ['0.0.0.0/0,::/0', ['0.0.0.0/0', '::/0']],
    ['10.0.0.1/32,::1/128', ['10.0.0.1/32', '::1/128']],
  ])('reads %j', (text, expected) => {
    expect(parseNetworks(text)).toEqual(expected)
  })

  test.each([
    ['localhost', 'localhost'],
    ['10.0.0.1,nginx', 'nginx'],
    ['10.0.0.1,', ''],
    ['10.0.0.1 10.0.0.2', '10.0.0.1 10.0.0.2'],
    ['10.0.0.0/33', '10.0.0.0/33'],
    ['10.0.0.0/', '10.0.0.0/'],
    ['10.0.0.0/8/8', '10.0.0.0/8/8'],
    ['10.0.0.0/-1', '10.0.0.0/-1'],
    ['10.0.0.0/8x', '10.0.0.0/8x'],
    ['::/129', '::/129'],
    ['::ffff:10.0.0.0/95', '::ffff:10.0.0.0/95'],
    ['10/8', '10/8'],
    ['256.0.0.1', '256.0.0.1'],
    ['10.0.0.1:80', '10.0.0.1:80'],
    ['*', '*'],
  ])('refuses %j and names the entry', (text, entry) => {
    expect(() => parseNetworks(text)).toThrow(`Cannot read "${entry}": not an IP address or CIDR range`)
  })
})

describe('rateLimitBucket()', () => {
  test.each([
    ['1.2.3.4', '1.2.3.4'],
    ['::ffff:1.2.3.4', '1.2.3.4'],
    ['::FFFF:1.2.3.4', '1.2.3.4'],
    ['::ffff:102:304', '1.2.3.4'],
    ['2001:db8:0:1::1', '2001:db8:0:1::/64'],
    ['2001:db8:0:1:ffff:ffff:ffff:ffff', '2001:db8:0:1::/64'],
    ['2001:0DB8:0000:0001::A', '2001:db8:0:1::/64'],
    ['2001:db8:0:2::1', '2001:db8:0:2::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['::', '0:0:0:0::/64'],
    ['1::', '1:0:0:0::/64'],
    ['1:2::3:4', '1:2:0:0::/64'],
    ['1:2:3:4:5:6:7:8', '1:2:3:4::/64'],
    ['1:2:3::4:5:6:7', '1:2:3:0::/64'],
    ['64:ff9b::1.2.3.4', '64:ff9b:0:0::/64'],
    ['unknown', 'unknown'],
    ['1:2', '1:2'],
    ['unix:', 'unix:'],
    ['', ''],
  ])('counts %j as %j', (address, expected) => {
    expect(rateLimitBucket(address)).toBe(expected)
    expect(rateLimitBucket(address)).toBe(expected)
  })

  test('counts a whole /64 as one, also beyond the cache', () => {
    const buckets = new Set<string>()

    for (let i = 0; i < 40_000; i += 1)
      buckets.add(rateLimitBucket(`2001:db8::${(i >> 8).toString(16)}:${i & 255}`))

    expect(buckets).toEqual(new Set(['2001:db8:0:0::/64']))
  })
})
