import { describe, expect, test } from 'bun:test'
import type { NetworkInterfaceInfo } from 'node:os'
import { addressLines } from '../../src/platform/greeting.ts'

const address = (family: 'IPv4' | 'IPv6', address: string, internal = false): NetworkInterfaceInfo => {
  const rest = { address, netmask: '', mac: '', internal, cidr: null }
  return family === 'IPv4' ? { ...rest, family } : { ...rest, family, scopeid: 0 }
}

const interfaces = {
  lo: [address('IPv4', '127.0.0.1', true), address('IPv6', '::1', true)],
  eth0: [address('IPv4', '192.168.1.5'), address('IPv6', 'fe80::1')],
  wlan0: [address('IPv4', '10.0.0.7')],
}

describe('the start names as other addresses', () => {
  test.each([
    ['0.0.0.0', ['Also at http://192.168.1.5:3000', 'Also at http://10.0.0.7:3000']],
    ['::', ['Also at http://192.168.1.5:3000', 'Also at http://10.0.0.7:3000']],
    ['192.168.1.5', ['Also at http://192.168.1.5:3000']],
    ['fd00::5', ['Also at http://[fd00::5]:3000']],
    ['127.0.0.1', []],
    ['localhost', []],
    ['::1', []],
  ])('for HOST=%s: %j', (host, lines) => {
    expect(addressLines({ host, hasBaseUrl: false }, { port: 3000, interfaces })).toEqual(lines)
  })

  test('none with BASE_URL', () => {
    expect(addressLines({ host: '0.0.0.0', hasBaseUrl: true }, { port: 3000, interfaces })).toEqual([])
  })
})
