import type { NetworkInterfaceInfo } from 'node:os'
import type { Config } from '../../platform/config.ts'

const EVERY_ADDRESS = new Set(['0.0.0.0', '::'])
const LOOPBACK = /^(?:localhost|127\..*|::1)$/

type Interfaces = Readonly<Record<string, readonly NetworkInterfaceInfo[] | undefined>>

/**
 * Lines about other addresses at which the server is reached. With `BASE_URL` there are none, because it says
 * where people open the instance.
 */
export function addressLines(
  { host, hasBaseUrl }: Pick<Config, 'host' | 'hasBaseUrl'>,
  { port, interfaces }: { port: number; interfaces: Interfaces },
): string[] {
  if (hasBaseUrl || LOOPBACK.test(host)) return []
  const hosts = EVERY_ADDRESS.has(host) ? addressesOf(interfaces) : [host]
  return hosts.map((address) => `Also at http://${address.includes(':') ? `[${address}]` : address}:${port}`)
}

/** IPv4 addresses of the machine in its networks; its IPv6 addresses are too many and change too often. */
const addressesOf = (interfaces: Interfaces): string[] =>
  Object.values(interfaces)
    .flatMap((addresses) => addresses ?? [])
    .filter(({ family, internal }) => family === 'IPv4' && !internal)
    .map(({ address }) => address)

interface Unclaimed {
  /** True when `SETUP_TOKEN` is set. */
  isTokenSet: boolean
  /** The token that this start made. */
  generatedToken: string | undefined
}

/** The line about an instance without accounts. */
export function unclaimedLine({ isTokenSet, generatedToken }: Unclaimed): string {
  const unclaimed = 'This instance has no account yet.'
  if (generatedToken !== undefined)
    return `${unclaimed} It holds files, so registering its admin takes this setup token: ${generatedToken}`
  if (isTokenSet) return `${unclaimed} Registering its admin takes the SETUP_TOKEN`
  return `${unclaimed} The first person to open it and register becomes its admin`
}
