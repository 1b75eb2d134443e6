import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { becomes } from '../support/eventually.ts'

/** Cache in front of a server, at an address that is known before the server's. */
export interface FrontCache extends AsyncDisposable {
  url: string
  /** Begins to cache the responses of the server at this port. */
  start: (port: number) => Promise<void>
  /** Stops to respond, as a cache that is away. */
  stop: () => Promise<void>
}

/** Returns a port that was free a moment ago. */
function freePort(): number {
  const listener = Bun.listen({ port: 0, hostname: '127.0.0.1', socket: { data: () => {} } })
  const { port } = listener
  listener.stop(true)
  return port
}

/** Purge that a cache in this process has got. */
export interface Purged {
  method: string
  path: string
  headers: Headers
  text: string
}

/** Shared cache in this process that keeps what `s-maxage` allows, and purges by keys. */
export class StandIn implements FrontCache {
  readonly purged: Purged[] = []
  /** Response to purges. */
  respond: () => Response | Promise<Response> = () => new Response()
  readonly #stored = new Map<string, { tags: string[]; text: string }>()
  readonly #server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: (request) => this.#receive(request),
  })
  #port = 0

  get url(): string {
    return `http://127.0.0.1:${this.#server.port}`
  }

  async start(port: number): Promise<void> {
    this.#port = port
  }

  async stop(): Promise<void> {
    await this.#server.stop(true)
  }

  async #receive(request: Request): Promise<Response> {
    const { pathname, search } = new URL(request.url)
    if (request.method !== 'GET') {
      const text = await request.text()
      this.purged.push({ method: request.method, path: pathname + search, headers: request.headers, text })
      const response = await this.respond()
      if (response.ok) this.#purge(request.headers.get('xkey')?.split(' ') ?? [])
      return response
    }
    const Host = request.headers.get('host') ?? ''
    const address = `${Host}${pathname}`
    const found = this.#stored.get(address)
    if (found) return new Response(found.text)
    const response = await fetch(`http://127.0.0.1:${this.#port}${pathname}`, {
      headers: { Host },
      redirect: 'manual',
    })
    const isKept = /(?:s-maxage|, max-age)=[1-9]/.test(response.headers.get('cache-control') ?? '')
    const tags = response.headers.get('xkey')?.split(',') ?? []
    const text = await response.text()
    if (isKept) this.#stored.set(address, { tags, text })
    return new Response(text, response)
  }

  #purge(keys: readonly string[]): void {
    for (const [path, { tags }] of this.#stored)
      if (keys.some((key) => tags.includes(key))) this.#stored.delete(path)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }
}

/** Returns the blocks of a language in the documentation. */
const documented = (language: string): string[] => {
  const page = readFileSync(join(import.meta.dir, '../../docs/cdn.md'), 'utf8')
  return [...page.matchAll(new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 'gs'))].map(([, text = '']) => text)
}

/** Cache that is a program of Debian, with the configuration of the documentation. */
abstract class Program implements FrontCache {
  readonly url: string
  readonly #program: string
  #child: Bun.Subprocess | undefined
  #output = ''
  protected readonly port: number
  protected readonly folder = mkdtempSync(join(tmpdir(), 'cache-'))

  constructor(program: string, packages: string) {
    if (!Bun.which(program)) throw new Error(`${program} is missing: apt install ${packages}`)
    this.#program = program
    this.port = freePort()
    this.url = `http://127.0.0.1:${this.port}`
    chmodSync(this.folder, 0o755)
  }

  /** Writes the configuration for a server at a port, and returns the arguments of the program. */
  protected abstract prepare(port: number): string[]

  async start(port: number): Promise<void> {
    const child = Bun.spawn([this.#program, ...this.prepare(port)], { stdout: 'ignore', stderr: 'pipe' })
    this.#child = child
    const ended = new Response(child.stderr).text().then((text) => {
      this.#output = text
    })
    const isUp = () =>
      child.exitCode !== null ||
      fetch(`${this.url}/api/health`).then(
        ({ status }) => status === 200,
        () => false,
      )
    if ((await becomes(isUp, 50)) && child.exitCode === null) return
    await ended
    throw new Error(`${this.#program} ended: ${this.#output}`)
  }

  async stop(): Promise<void> {
    this.#child?.kill()
    await this.#child?.exited
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
    rmSync(this.folder, { recursive: true, force: true })
  }
}

export class Varnish extends Program {
  readonly #way: 'xkey' | 'bans'

  constructor(way: 'xkey' | 'bans') {
    super('varnishd', 'varnish varnish-modules')
    this.#way = way
  }

  protected override prepare(port: number): string[] {
    const [whole = '', bans = ''] = documented('vcl')
    const vcl = whole
      .replace('.port = "3000"', `.port = "${port}"`)
      .replace('example-sites[.]net', 'sites[.]test')
    const withBans = vcl.replace('import xkey;\n', '').replace(/^.*xkey\.purge.*\n/m, bans)
    const path = join(this.folder, 'default.vcl')
    writeFileSync(path, this.#way === 'xkey' ? vcl : withBans)
    return [
      ...['-j', 'none', '-F', '-n', join(this.folder, 'work'), '-a', `127.0.0.1:${this.port}`, '-f', path],
      ...['-s', 'malloc,64m', '-p', 'thread_pools=1', '-p', 'thread_pool_min=10'],
    ]
  }
}

const NGINX_MODULE = '/usr/lib/nginx/modules/ngx_http_cache_purge_module.so'

export class Nginx extends Program {
  constructor() {
    const packages = 'nginx libnginx-mod-http-cache-purge'
    super('nginx', packages)
    if (!existsSync(NGINX_MODULE)) throw new Error(`${NGINX_MODULE} is missing: apt install ${packages}`)
  }

  protected override prepare(port: number): string[] {
    const files = join(this.folder, 'files')
    mkdirSync(files)
    // As root, another user has the processes that store files.
    chmodSync(files, 0o777)
    const site = (documented('nginx')[0] ?? '')
      .replaceAll('127.0.0.1:3000', `127.0.0.1:${port}`)
      .replace('127.0.0.1:8080', `127.0.0.1:${this.port}`)
      .replace('/var/cache/nginx/files', files)
    const path = join(this.folder, 'nginx.conf')
    const own = (name: string) => join(this.folder, name)
    const bodies = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
      .map((name) => `${name}_temp_path ${own(name)};`)
      .join(' ')
    writeFileSync(
      path,
      `load_module ${NGINX_MODULE}; daemon off; pid ${own('pid')}; error_log stderr; worker_processes 1; events {}
http { access_log off; ${bodies} ${site} }`,
    )
    return ['-c', path]
  }
}
