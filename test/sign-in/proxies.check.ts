import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { becomes } from '../support/eventually.ts'
import { withHoldfast } from '../support/fixture.ts'
import { temporaryFolder } from '../support/temporary.ts'

/** Proxies that sign people in, configured as documented, in front of a server and beside an Authelia that the test plays. */

const holdfast = withHoldfast({
  environment: {
    FORWARD_AUTH_HEADER: 'Remote-Email',
    FORWARD_AUTH_FROM: '127.0.0.1',
    FORWARD_AUTH_SECRET: 'at-least-16-letters',
    FORWARD_AUTH_GROUPS_HEADER: 'Remote-Groups',
    FORWARD_AUTH_NEW_ACCOUNTS: 'viewer',
    OIDC_ROLES: 'admins=admin,*=viewer',
  },
})
const folder = temporaryFolder()
/** Headers in which Authelia names the person; it refuses requests without any. */
let person: Record<string, string> = {}
const authelia = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch: () => new Response(null, { status: 'Remote-Email' in person ? 200 : 401, headers: person }),
})

/** Returns a configuration of the documentation, with the addresses of this test. */
function documented(title: string): string {
  const page = readFileSync(join(import.meta.dir, '../../docs/sign-in.md'), 'utf8')
  const [, text = ''] =
    new RegExp(`\n${title} with Authelia[^\n]*\n\n\`\`\`\n(.*?)\`\`\``, 's').exec(page) ?? []
  return text
    .replaceAll('holdfast:3000', `127.0.0.1:${holdfast.port}`)
    .replaceAll('authelia:9091', `127.0.0.1:${authelia.port}`)
}

function freePort(): number {
  const listener = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data: () => {} } })
  const { port } = listener
  listener.stop(true)
  return port
}

const caddyfile = (port: number) =>
  `{\n admin off\n auto_https off\n}\n${documented('Caddy').replace('files.example.com', `http://127.0.0.1:${port}`)}`

const nginxFile = (port: number) => `
  daemon off; pid ${folder.path}/pid; error_log stderr; events {}
  http {
    access_log off; client_body_temp_path ${folder.path}/body; proxy_temp_path ${folder.path}/proxy;
    server {
      listen 127.0.0.1:${port};
      location = /authelia {
        internal;
        proxy_pass_request_body off;
        proxy_set_header Content-Length "";
        proxy_pass http://127.0.0.1:${authelia.port}/api/authz/auth-request;
      }
      ${documented('nginx')}
    }
  }`

const PROXIES = {
  Caddy: {
    text: caddyfile,
    command: (path: string) => ['caddy', 'run', '--adapter', 'caddyfile', '--config', path],
  },
  nginx: { text: nginxFile, command: (path: string) => ['nginx', '-c', path] },
}

afterAll(async () => {
  await authelia.stop(true)
  folder[Symbol.dispose]()
})

describe.each(['Caddy', 'nginx'] as const)('%s, configured as documented,', (name) => {
  let proxy: Bun.Subprocess | undefined
  let url = ''
  const send = (
    path: string,
    { headers = {}, ...init }: RequestInit & { headers?: Record<string, string> } = {},
  ) => fetch(`${url}${path}`, { ...init, headers: { 'Content-Type': 'application/json', ...headers } })
  const signIn = async (headers?: Record<string, string>) => {
    const response = await send('/api/auth/sign-in/forwarded', {
      method: 'POST',
      body: '{}',
      ...(headers && { headers }),
    })
    if (response.status !== 200) return [response.status]
    const { user } = (await response.json()) as { user: { email: string; role: string } }
    return [200, user.email, user.role]
  }

  beforeAll(async () => {
    const { text, command } = PROXIES[name]
    if (!Bun.which(name.toLowerCase()))
      throw new Error(`${name} is missing: apt install ${name.toLowerCase()}`)
    const port = freePort()
    url = `http://127.0.0.1:${port}`
    const path = join(folder.path, name)
    writeFileSync(path, text(port))
    const log = join(folder.path, `${name}.log`)
    const environment = { PATH: process.env['PATH'], HOME: folder.path }
    proxy = Bun.spawn(command(path), { env: environment, stdout: 'ignore', stderr: Bun.file(log) })
    const isUp = await becomes(() =>
      send('/api/s/').then(
        () => true,
        () => false,
      ),
    )
    if (!isUp) throw new Error(`${name} does not serve: ${readFileSync(log, 'utf8')}`)
  })
  afterAll(async () => {
    proxy?.kill()
    await proxy?.exited
  })

  test('signs in whom Authelia names, with the role of the groups', async () => {
    person = { 'Remote-Email': `admin.${name}@example.com`, 'Remote-Groups': 'family,admins' }
    expect(await signIn()).toEqual([200, `admin.${name.toLowerCase()}@example.com`, 'admin'])
  })

  test('takes neither an e-mail nor groups from a visitor', async () => {
    const forged = { 'Remote-Email': 'ada@example.com', 'Remote-Groups': 'admins' }
    person = { 'Remote-Email': `${name}@example.com` }
    expect(await signIn(forged)).toEqual([200, `${name.toLowerCase()}@example.com`, 'viewer'])
    person = {}
    expect(await signIn(forged)).toEqual([401])
    expect(await signIn({ ...forged, 'API-Key': 'of no account' })).toEqual([401])
  })

  test('lets keys, public files and shares through without a sign-in', async () => {
    person = {}
    const file = await holdfast.api.upload(`${name}.txt`, 'text', '', 'public')
    expect(await (await send(`/${file.url}`)).text()).toBe('text')
    const headers = { ...holdfast.withKey }
    const body = JSON.stringify({ folder: `made-by-key/${name}` })
    expect((await send('/api/folders', { method: 'POST', body, headers })).status).toBe(200)
    expect((await send('/api/me')).status).toBe(401)
  })
})
