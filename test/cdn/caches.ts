import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
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
async function freePort(): Promise<number> {
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() })
  const { port = 0 } = server
  await server.stop(true)
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
    const found = this.#stored.get(pathname)
    if (found) return new Response(found.text)
    const response = await fetch(`http://127.0.0.1:${this.#port}${pathname}`)
    const isKept = /s-maxage=[1-9]/.test(response.headers.get('cache-control') ?? '')
    const tags = response.headers.get('xkey')?.split(',') ?? []
    const text = await response.text()
    if (isKept) this.#stored.set(pathname, { tags, text })
    return new Response(text, { status: response.status })
  }

  #purge(keys: readonly string[]): void {
    for (const [path, { tags }] of this.#stored)
      if (keys.some((key) => tags.includes(key))) this.#stored.delete(path)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }
}

/** Returns the configuration of Varnish in the documentation, for a server at a port. */
function documentedVcl(port: number, way: 'xkey' | 'bans'): string {
  const page = readFileSync(join(import.meta.dir, '../../docs/cdn.md'), 'utf8')
  const [whole = '', bans = ''] = [...page.matchAll(/```vcl\n(.*?)```/gs)].map(([, text]) => text ?? '')
  const vcl = whole.replace('.port = "3000"', `.port = "${port}"`)
  if (way === 'xkey') return vcl
  return vcl.replace('import xkey;\n', '').replace(/^.*xkey\.purge.*\n/m, bans)
}

/** Debian's Varnish with the configuration of the documentation. */
export class Varnish implements FrontCache {
  readonly url: string
  readonly #port: number
  readonly #folder = mkdtempSync(join(tmpdir(), 'varnish-'))
  readonly #way: 'xkey' | 'bans'
  #child: Bun.Subprocess | undefined
  #output = ''

  private constructor(port: number, way: 'xkey' | 'bans') {
    this.#port = port
    this.#way = way
    this.url = `http://127.0.0.1:${port}`
  }

  static async at(way: 'xkey' | 'bans'): Promise<Varnish> {
    if (!Bun.which('varnishd')) throw new Error('varnishd is missing: apt install varnish varnish-modules')
    return new Varnish(await freePort(), way)
  }

  async start(port: number): Promise<void> {
    const vcl = join(this.#folder, 'default.vcl')
    writeFileSync(vcl, documentedVcl(port, this.#way))
    const storage = ['-s', 'malloc,64m', '-p', 'thread_pool_min=10', '-p', 'thread_pools=1']
    const child = Bun.spawn(
      [
        'varnishd',
        ...['-j', 'none'],
        '-F',
        '-n',
        join(this.#folder, 'work'),
        '-a',
        `127.0.0.1:${this.#port}`,
        '-f',
        vcl,
        ...storage,
      ],
      { stdout: 'ignore', stderr: 'pipe' },
    )
    this.#child = child
    void new Response(child.stderr).text().then((text) => {
      this.#output = text
    })
    const isUp = () =>
      child.exitCode !== null ||
      fetch(`${this.url}/api/health`).then(
        ({ status }) => status === 200,
        () => false,
      )
    if (!(await becomes(isUp, 50)) || child.exitCode !== null)
      throw new Error(`Varnish ended: ${this.#output}`)
  }

  async stop(): Promise<void> {
    this.#child?.kill()
    await this.#child?.exited
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
    rmSync(this.#folder, { recursive: true, force: true })
  }
}
