import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { becomes } from '../support/eventually.ts'
import { withHoldfast } from '../support/fixture.ts'
import { temporaryFolder } from '../support/temporary.ts'

const holdfast = withHoldfast({ environment: { SITES_DOMAIN: 'sites.test' } })
const folder = temporaryFolder()
let caddy: Bun.Subprocess | undefined
let port = 0

/** Returns the configuration of the documentation, with certificates of Caddy's own authority. */
function configuration(): string {
  const page = readFileSync(join(import.meta.dir, '../../docs/sites.md'), 'utf8')
  const [, documented = ''] = /With Caddy:\n\n```\n(.*?)```/s.exec(page) ?? []
  const listener = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data: () => {} } })
  port = listener.port
  listener.stop(true)
  const own = `admin off\n\tauto_https disable_redirects\n\tskip_install_trust\n\thttps_port ${port}\n\tdefault_bind 127.0.0.1\n\tstorage file_system ${folder.path}\n\t`
  return documented
    .replaceAll('holdfast:3000', `127.0.0.1:${holdfast.port}`)
    .replace('{\n\ton_demand_tls', `{\n\t${own}on_demand_tls`)
    .replace('on_demand\n\t}', 'on_demand\n\t\tissuer internal\n\t}')
}

/** Returns what a visitor gets at a host; undefined where there is no certificate for it. */
function visit(host: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const options = { port, host: '127.0.0.1', servername: host, rejectUnauthorized: false }
    const socket = connect(options, () =>
      socket.write(`GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`),
    )
    let text = ''
    socket.on('data', (bytes: Buffer) => {
      text += bytes.toString()
    })
    socket.on('error', () => resolve(undefined)).on('end', () => resolve(text))
  })
}

beforeAll(async () => {
  if (!Bun.which('caddy')) throw new Error('caddy is missing: apt install caddy')
  await holdfast.api.upload('index.html', 'start', 'web', 'public')
  await holdfast.api.data('POST', '/sites', { folder: 'web', name: 'www', domains: ['www.example.org'] })
  const path = join(folder.path, 'Caddyfile')
  writeFileSync(path, configuration())
  const command = ['caddy', 'run', '--adapter', 'caddyfile', '--config', path]
  caddy = Bun.spawn(command, {
    env: { PATH: process.env['PATH'], HOME: folder.path },
    stdout: 'ignore',
    stderr: Bun.file(join(folder.path, 'log')),
  })
  const isUp = await becomes(async () => (await visit('www.sites.test')) !== undefined)
  if (!isUp) throw new Error(`Caddy does not serve: ${await Bun.file(join(folder.path, 'log')).text()}`)
})
afterAll(async () => {
  caddy?.kill()
  await caddy?.exited
  folder[Symbol.dispose]()
})

test('Caddy, configured as documented, gets certificates for hosts of sites and of the instance only', async () => {
  for (const host of ['www.sites.test', 'www.example.org']) expect(await visit(host)).toEndWith('start')
  expect(await visit('holdfast.test')).toStartWith('HTTP/1.1 ')
  for (const host of ['none.sites.test', 'sites.test', 'stranger.example'])
    expect([host, await visit(host)]).toEqual([host, undefined])
})
