import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Web server that serves the same files as ours. */
export interface Peer extends AsyncDisposable {
  name: string
  url: string
}

interface PeerOptions {
  name: string
  /** True for a server that speaks TLS. */
  isSecure?: boolean
  /** Folder for its own files, created on start. */
  home: string
  /** Writes its configuration and returns the command that serves on `port`. */
  prepare: (port: number) => { command: string[]; environment?: Record<string, string> }
}

const START_MS = 5000
const STOP_MS = 2000

/** Starts a web server and waits until it responds. @throws with its output when it does not start. */
async function startPeer({ name, home, isSecure = false, prepare }: PeerOptions): Promise<Peer> {
  const port = findFreePort()
  mkdirSync(home)
  const { command, environment = {} } = prepare(port)
  const child = Bun.spawn(command, {
    env: { PATH: process.env['PATH'], ...environment },
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'pipe',
  })
  const stop = async () => {
    child.kill()
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS)
    await child.exited
    clearTimeout(timer)
  }
  const url = `${isSecure ? 'https' : 'http'}://127.0.0.1:${port}`
  try {
    await waitUntilAnswering(url, () => child.exitCode !== null)
  } catch (error) {
    await stop()
    throw new Error(`${name} does not answer: ${await child.stderr.text()}`, { cause: error })
  }
  return { name, url, [Symbol.asyncDispose]: stop }
}

/** Returns a free port, because a peer cannot choose one and report it. */
function findFreePort(): number {
  const probe = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data: () => {} } })
  probe.stop(true)
  return probe.port
}

async function waitUntilAnswering(url: string, hasEnded: () => boolean): Promise<void> {
  const until = performance.now() + START_MS
  for (;;) {
    try {
      await fetch(url, { tls: { rejectUnauthorized: false } })
      return
    } catch (error) {
      if (hasEnded() || performance.now() > until) throw error
      await Bun.sleep(20)
    }
  }
}

/** Paths of a certificate and its key. */
interface Certificate {
  cert: string
  key: string
}

interface PeerFiles {
  binary: string
  /** Folder to serve. */
  root: string
  /** Folder for its own files. */
  home: string
}

/** Runs nginx with one worker, over TLS with a certificate. */
export function startNginx({
  binary,
  root,
  home,
  certificate,
}: PeerFiles & { certificate?: Certificate }): Promise<Peer> {
  const prepare = (port: number) => {
    const config = join(home, 'nginx.conf')
    writeFileSync(config, configuration({ root, home, port, certificate }))
    return { command: [binary, '-p', home, '-c', config, '-e', 'stderr'] }
  }
  return startPeer({ name: 'nginx', home, prepare, isSecure: certificate !== undefined })
}

/** Returns the user of the worker: by default root's worker could not read root's temporary folders. */
const userLine = () => (process.getuid?.() === 0 ? 'user root;' : '')

interface NginxSite {
  root: string
  home: string
  port: number
  certificate: Certificate | undefined
}

/** Module of nginx that sends Brotli at rest, and its Debian package. */
const BROTLI = '/usr/lib/nginx/modules/ngx_http_brotli_static_module.so'
export const hasBrotli = () => existsSync(BROTLI)
export const HOW_TO_GET_BROTLI =
  'brotli_static of nginx is missing: apt install libnginx-mod-http-brotli-static'

const configuration = ({ root, home, port, certificate }: NginxSite) => `
${userLine()}
${hasBrotli() ? `load_module ${BROTLI};` : ''}
daemon off;
worker_processes 1;
pid ${home}/nginx.pid;
error_log stderr;
events { worker_connections 1024; }
http {
  sendfile on;
  tcp_nopush on;
  access_log off;
  keepalive_requests 1000000000;
  default_type application/octet-stream;
  client_body_temp_path ${home}/body;
  proxy_temp_path ${home}/proxy;
  fastcgi_temp_path ${home}/fastcgi;
  uwsgi_temp_path ${home}/uwsgi;
  scgi_temp_path ${home}/scgi;
  server {
    listen 127.0.0.1:${port}${certificate ? ' ssl' : ''};
    ${certificate ? `ssl_certificate ${certificate.cert}; ssl_certificate_key ${certificate.key};` : ''}
    ssl_protocols TLSv1.2 TLSv1.3;
    root ${root};
    ${hasBrotli() ? 'brotli_static on;' : ''}
  }
}
`

/** Runs Caddy on one thread, like the other two servers. */
export function startCaddy({ binary, root, home }: PeerFiles): Promise<Peer> {
  const prepare = (port: number) => {
    const config = join(home, 'Caddyfile')
    const site = `http://127.0.0.1:${port} {\n\troot * ${root}\n\tfile_server\n}\n`
    writeFileSync(config, `{\n\tadmin off\n\tauto_https off\n}\n${site}`)
    const environment = { GOMAXPROCS: '1', HOME: home, XDG_DATA_HOME: home, XDG_CONFIG_HOME: home }
    return { command: [binary, 'run', '--config', config, '--adapter', 'caddyfile'], environment }
  }
  return startPeer({ name: 'Caddy', home, prepare })
}

const PROGRAM = join(import.meta.dir, 'bare-server.ts')

/** Runs the minimal server on this runtime. */
export const startBare = ({ root, home }: { root: string; home: string }): Promise<Peer> =>
  startPeer({
    name: 'the bare server',
    home,
    prepare: (port) => ({ command: [process.execPath, PROGRAM, root, String(port)] }),
  })
