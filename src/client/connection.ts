import { dataIn, errorOf, HoldfastError, unanswered } from './error.ts'

/** Function like `fetch`. */
type Fetch = (...asked: Parameters<typeof globalThis.fetch>) => Promise<Response>

export interface ClientOptions {
  /** Address of the instance, such as `https://files.example.com`. */
  url: string
  /** API key. Without one, requests carry the browser's cookie, or the session of `auth.signIn()`. */
  key?: string
  /** Maximum seconds that a call waits in total when the server responds with 429. */
  maxWaitSeconds?: number
  fetch?: Fetch
}

interface ConnectionOptions extends ClientOptions {
  /** True to send no credentials, and to ignore the browser's cookies. */
  isAnonymous?: boolean
}

/** Bodies of `fetch` that the client uses. */
export type Sendable = string | Blob | ReadableStream<Uint8Array>

export interface Ask {
  method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Parameters of the query. Undefined ones are left out. */
  query?: Record<string, string | number | undefined> | undefined
  /** Value of a JSON body. */
  json?: unknown
  /** Body of another type. `open` runs once per attempt; with `once` there is only one attempt. */
  body?: { type: string; open: () => Sendable; once: boolean }
  headers?: Record<string, string>
  signal?: AbortSignal | undefined
}

/** Connection to one instance with the caller's credentials. */
export class Connection {
  /** Address with a slash at its end. */
  readonly url: string
  /** Mode of the cookies of browsers. */
  readonly cookies: 'include' | 'omit'
  readonly #key: string | undefined
  readonly #fetch: Fetch
  readonly #maxWaitSeconds: number
  /** Cookie of the session outside browsers. Browsers store it themselves and hide it from scripts. */
  #cookie = ''

  constructor({
    url,
    key,
    maxWaitSeconds = 0,
    fetch = globalThis.fetch,
    isAnonymous = false,
  }: ConnectionOptions) {
    this.url = `${url.replace(/\/+$/, '')}/`
    this.cookies = isAnonymous || key !== undefined ? 'omit' : 'include'
    this.#key = key
    this.#maxWaitSeconds = maxWaitSeconds
    this.#fetch = fetch.bind(globalThis)
  }

  /** Sends a request. @returns The response's `data`. @throws {HoldfastError} */
  async data<Data>(path: string, ask: Ask = {}): Promise<Data> {
    return dataIn<Data>(await this.textOf(await this.send(path, ask), ask.signal), this.url)
  }

  /** Reads the text of a response. @throws {HoldfastError} when the connection breaks. */
  async textOf(response: Response, signal?: AbortSignal): Promise<string> {
    try {
      return await response.text()
    } catch (error) {
      throw unanswered(this.url, error, signal)
    }
  }

  /** Sends a request. @returns A successful response with an unread body. @throws {HoldfastError} */
  async send(path: string, ask: Ask = {}): Promise<Response> {
    let waited = 0
    for (;;) {
      const response = await this.#fetchOnce(path, ask)
      this.#keepCookie(response)
      if (response.ok) return response
      // Retries without a pause would never end.
      const wait = Math.max(Number(response.headers.get('retry-after') ?? Number.NaN), 1)
      const mayWait = response.status === 429 && waited + wait <= this.#maxWaitSeconds && !ask.body?.once
      if (!mayWait) throw await this.#refusal(response)
      await response.body?.cancel()
      waited += wait
      await delay(wait * 1000, ask.signal)
    }
  }

  /** Downloads a file without compression in transit, which would change its length and ranges. */
  download(path: string, ask: Ask = {}): Promise<Response> {
    return this.send(path, { ...ask, headers: { ...ask.headers, 'Accept-Encoding': 'identity' } })
  }

  async #refusal(response: Response): Promise<HoldfastError> {
    const { status, headers } = response
    const elsewhere = headers.get('location')
    if (status < 400 && elsewhere !== null)
      return new HoldfastError(`${this.url} is not the server's address: it redirects to ${elsewhere}`, {
        status,
      })
    return errorOf(status, await response.text().catch(() => ''), (name) => headers.get(name))
  }

  /** Returns the address of `path` with its query. */
  address(path: string, query: Ask['query'] = {}): string {
    const search = new URLSearchParams()
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) search.set(name, String(value))
    return `${this.url}${path}${search.size > 0 ? `?${search}` : ''}`
  }

  /** Returns the headers of authentication. Browsers ignore this cookie and send their own. */
  credentials(): Record<string, string> {
    if (this.#key !== undefined) return { 'API-Key': this.#key }
    return this.#cookie === '' ? {} : { Cookie: this.#cookie }
  }

  async #fetchOnce(
    path: string,
    { method = 'GET', query, json, body, headers, signal }: Ask,
  ): Promise<Response> {
    const address = this.address(path, query)
    const sent = json === undefined ? body : { type: 'application/json', open: () => JSON.stringify(json) }
    const init: RequestInit & { duplex?: 'half'; window?: null } = {
      method,
      headers: { ...this.credentials(), ...(sent?.type ? { 'Content-Type': sent.type } : {}), ...headers },
      credentials: this.cookies,
      ...(sent ? { body: sent.open(), duplex: 'half' } : {}),
      // A redirect would send the key to another server. Node buffers a stream unless redirects are errors.
      ...(body ? { redirect: 'error', window: null } : { redirect: 'manual' }),
      ...(signal ? { signal } : {}),
    }
    try {
      return await this.#fetch(address, init)
    } catch (error) {
      throw unanswered(this.url, error, signal)
    }
  }

  #keepCookie(response: Response): void {
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';')
      if (pair.includes('better-auth.session_token=')) this.#cookie = pair.endsWith('=') ? '' : pair
    }
  }
}

/**
 * Returns the calls of the paths that begin with `path`, with queries or JSON bodies, and headers that all of them
 * carry. Each returns the response's `data` and throws a `HoldfastError`.
 */
export function callsAt(connection: Connection, path: string, headers: Record<string, string> = {}) {
  const send =
    (method: 'POST' | 'PUT' | 'DELETE') =>
    <Data>(json: object, below = '') =>
      connection.data<Data>(path + below, { method, json, headers })
  return {
    get: <Data>(query: Ask['query'] = {}, below = '', signal?: AbortSignal) =>
      connection.data<Data>(path + below, { query, headers, signal }),
    post: send('POST'),
    put: send('PUT'),
    remove: send('DELETE'),
  }
}

/** Waits until the time is over or the caller aborts. @throws The signal's reason. */
export function delay(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    if (signal?.aborted) stop()
    else signal?.addEventListener('abort', stop, { once: true })
  })
}
