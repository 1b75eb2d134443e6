import { describe, expect, test } from 'bun:test'
import { AllowedAddresses } from '../../src/platform/addresses.ts'

const none = new AllowedAddresses([], 'WEBHOOK_ALLOW_PRIVATE')

const PRIVATE = [
  ...['0.0.0.0', '10.0.0.1', '10.255.255.255', '100.64.0.1', '100.127.255.255', '127.0.0.1', '127.255.0.1'],
  ...['169.254.169.254', '172.16.0.1', '172.31.255.255', '192.0.0.8', '192.0.2.1', '192.168.0.1'],
  ...['198.18.0.1', '198.51.100.7', '203.0.113.7', '224.0.0.1', '240.0.0.1', '255.255.255.255'],
  ...['::', '::1', '::127.0.0.1', '::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:169.254.169.254'],
  ...['64:ff9b::7f00:1', '64:ff9b::10.0.0.1', '64:ff9b:1::1', '100::1', '2001::1', '2001:db8::1'],
  ...['2002:7f00:1::', '3fff::1', '5f00::1', 'fc00::1', 'fd12:3456::1', 'fe80::1', 'fe80::1%lo', 'ff02::1'],
  'not an address',
]
const PUBLIC = [
  ...['1.1.1.1', '9.255.255.255', '100.63.255.255', '100.128.0.0', '126.0.0.1', '172.15.0.1', '172.32.0.1'],
  ...['192.167.255.255', '192.169.0.1', '223.255.255.255', '::ffff:1.1.1.1', '64:ff9b::101:101'],
  ...['2600::1', '2a00:1450:4001::200e'],
]

describe('an address is', () => {
  test.each(PRIVATE)('not allowed: %s', (address) => expect(none.has(address)).toBe(false))
  test.each(PUBLIC)('allowed: %s', (address) => expect(none.has(address)).toBe(true))

  test('allowed by the configuration, and by nothing wider', () => {
    const allowed = new AllowedAddresses(
      ['192.168.1.0/24', 'fd12::/16', '127.0.0.1'],
      'WEBHOOK_ALLOW_PRIVATE',
    )

    for (const address of ['192.168.1.9', '::ffff:192.168.1.9', 'fd12::9', '127.0.0.1', '1.1.1.1'])
      expect([address, allowed.has(address)]).toEqual([address, true])
    for (const address of ['192.168.2.9', '127.0.0.2', 'fd13::9', '169.254.169.254', '::1'])
      expect([address, allowed.has(address)]).toEqual([address, false])
  })
})

describe('the host of a URL', () => {
  test.each([
    'http://127.0.0.1/',
    'http://127.1/',
    'http://2130706433/',
    'http://0x7f.0.0.1/',
    'http://0177.0.0.1/',
    'http://127.0.0.1./',
    'http://①②⑦.0.0.1/',
    'http://[::1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[0:0:0:0:0:ffff:7f00:1]/',
    'http://169.254.169.254/latest/meta-data/',
  ])('is refused as an address that is not public: %s', (url) => {
    expect(none.mayHave(new URL(url))).toBe(false)
  })

  test.each(['http://localhost/', 'http://localhost./', 'http://LOCALHOST/'])(
    'is refused when its name has an address that is not public: %s',
    async (url) => {
      expect(none.mayHave(new URL(url))).toBe(true)
      await expect(none.resolve(new URL(url))).rejects.toThrow(/is not a public address|has no address/)
    },
  )

  test('is looked up, and all its addresses are returned', async () => {
    const allowed = new AllowedAddresses(['127.0.0.0/8', '::1'], 'WEBHOOK_ALLOW_PRIVATE')

    expect(await allowed.resolve(new URL('http://localhost/'))).toContain('127.0.0.1')
    expect(await allowed.resolve(new URL('http://[::1]:8080/'))).toEqual(['::1'])
    expect(await allowed.resolve(new URL('http://[::ffff:127.0.0.1]/'))).toEqual(['127.0.0.1'])
  })
})
