import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { selfSigned } from './certificates.ts'
import { becomes } from './eventually.ts'
import { temporaryFolder } from './temporary.ts'

/** Certificate authority for tests (Debian's package `pebble`), with a DNS server that knows every name. */
export interface Pebble extends AsyncDisposable {
  /** Variables of a server that gets its certificate there. */
  environment: Record<string, string>
  /** Sends the authority's requests over HTTP, which go to port 80 of each name, to these ports in turn. */
  forwardTo: (...ports: number[]) => void
  /** Address at which DNS records are set (https://github.com/letsencrypt/challtestsrv). */
  dns: string
  /** Gives a name another address than 127.0.0.1. */
  setAddress: (name: string, address: string) => Promise<void>
  /** Returns the number of orders so far. */
  orders: () => number
  output: () => string
}

const HOST = '127.0.0.1'

function freePorts(count: number): number[] {
  const listeners = Array.from({ length: count }, () =>
    Bun.listen({ hostname: HOST, port: 0, socket: { data: () => {} } }),
  )
  for (const listener of listeners) listener.stop(true)
  return listeners.map(({ port }) => port)
}

/** Starts the authority. @param settings Further settings of it. */
export async function startPebble(settings: Record<string, unknown> = {}): Promise<Pebble> {
  if (!Bun.which('pebble')) throw new Error('pebble is missing: apt install pebble')
  const stack = new AsyncDisposableStack()
  const folder = stack.use(temporaryFolder())
  const [directory = 0, management = 0, dns = 0, records = 0] = freePorts(4)
  const { promise: ready, resolve: begin } = Promise.withResolvers<void>()
  let ports: number[] = []
  let turn = 0
  const forwarder = Bun.serve({
    hostname: HOST,
    port: 0,
    fetch: async ({ url, headers }) => {
      await ready
      turn += 1
      const { pathname } = new URL(url)
      const port = ports[turn % ports.length]
      const sent = { headers: { Host: headers.get('host') ?? '' }, redirect: 'manual' as const }
      return fetch(`http://${HOST}:${port}${pathname}`, sent).catch(() => new Response(null, { status: 502 }))
    },
  })
  stack.defer(() => forwarder.stop(true))
  const { cert, key } = selfSigned(['localhost'])
  const file = (name: string, text: string) => {
    writeFileSync(join(folder.path, name), text)
    return join(folder.path, name)
  }
  const ca = file('cert.pem', cert)
  const config = {
    listenAddress: `${HOST}:${directory}`,
    managementListenAddress: `${HOST}:${management}`,
    certificate: ca,
    privateKey: file('key.pem', key),
    httpPort: forwarder.port,
    tlsPort: 1,
    ocspResponderURL: '',
    ...settings,
  }
  let output = ''
  const run = (command: string[], environment: Record<string, string> = {}) => {
    const child = Bun.spawn(command, {
      env: { PATH: process.env['PATH'] ?? '', ...environment },
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'inherit',
    })
    void (async () => {
      for await (const chunk of child.stdout) output += Buffer.from(chunk).toString()
    })()
    stack.defer(async () => {
      child.kill('SIGKILL')
      await child.exited
    })
  }
  const none = ['-http01', '', '-https01', '', '-tlsalpn01', '', '-defaultIPv6', '']
  run(['pebble-challtestsrv', ...['-dns01', `${HOST}:${dns}`, '-management', `${HOST}:${records}`], ...none])
  run(
    [
      'pebble',
      '-config',
      file('pebble.json', JSON.stringify({ pebble: config })),
      '-dnsserver',
      `${HOST}:${dns}`,
    ],
    // A fifth of all nonces is refused, as RFC 8555 §6.5 allows.
    { PEBBLE_VA_NOSLEEP: '1', PEBBLE_WFE_NONCEREJECT: '20', PEBBLE_AUTHZREUSE: '0' },
  )
  const url = `https://${HOST}:${directory}/dir`
  const isUp = await becomes(() =>
    fetch(url, { tls: { ca: cert } }).then(
      ({ ok }) => ok,
      () => false,
    ),
  )
  if (!isUp) throw new Error(`pebble does not start: ${output}`)
  return {
    environment: { HTTPS_PORT: '0', ACME_DIRECTORY: url, ACME_CA: ca },
    forwardTo: (...to) => {
      ports = to
      begin()
    },
    dns: `http://${HOST}:${records}`,
    setAddress: async (host, address) => {
      const set = (path: string, body: object) =>
        fetch(`http://${HOST}:${records}/${path}`, { method: 'POST', body: JSON.stringify(body) })
      await set('clear-a', { host })
      await set('add-a', { host, addresses: [address] })
    },
    // Requests with a refused nonce make none.
    orders: () => output.match(/Added order /g)?.length ?? 0,
    output: () => output,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}
