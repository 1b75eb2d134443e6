import { filenameIn, parseParameters } from '../../multipart/header.ts'
import { type AllowedAddresses, OutgoingError, reasonOfOutgoing, sendTo } from '../../platform/addresses.ts'
import { orAborted } from '../../platform/time.ts'

const MAX_REDIRECTS = 5
/** Times that a source which broke off is continued, and that one which cannot be is begun again. */
const MAX_BREAKS = 5
const MAX_FRESH = 1
const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308]

/** Thrown when the file has to be fetched from its first byte again. */
export class Again extends Error {}

interface SourceOptions {
  url: string
  allowed: AllowedAddresses
  /** Returns true for an address of this server. */
  isOwn: (url: URL, addresses: readonly string[]) => boolean
  /** Longest time without a byte, in milliseconds. */
  timeoutMs: number
  /** Aborted when the fetch is canceled, lost or over its time. */
  signal: AbortSignal
}

/** Asserts that a URL may be fetched from, as far as it tells by itself. @throws {OutgoingError} */
export function assertFetchable(url: URL, allowed: AllowedAddresses): void {
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new OutgoingError('Only http and https are fetched')
  if (url.username !== '' || url.password !== '')
    throw new OutgoingError('The URL must have no user and no password')
  if (!allowed.mayHave(url)) throw new OutgoingError('This address is not allowed')
}

/** Returns true for a port of this server, at an address that may be its own. */
export const isLocal = (url: URL, port: number | undefined): boolean =>
  Number(url.port || (url.protocol === 'https:' ? 443 : 80)) === port

/** Source of one file: what its first response told, and its bytes across redirects and breaks. */
export class Source {
  /** Length in bytes; undefined while it is unknown. */
  size: number | undefined
  readonly #options: SourceOptions
  #etag: string | undefined
  #name: string | undefined
  #breaks = 0
  #fresh = 0

  constructor(options: SourceOptions) {
    this.#options = options
  }

  /** Name that the source gives the file. */
  get name(): string {
    return this.#name ?? 'download'
  }

  /** Begins at the first byte. @throws {OutgoingError} */
  async open(): Promise<Response> {
    const { response, url } = await this.#follow({})
    if (response.status !== 200) throw await refused(response)
    this.size = lengthOf(response)
    this.#name = nameOf(response, url)
    const etag = response.headers.get('etag')
    const isStrong = etag?.startsWith('"') && response.headers.get('accept-ranges') === 'bytes'
    this.#etag = isStrong ? (etag ?? undefined) : undefined
    return response
  }

  /** Yields the bytes of the file. @throws {Again} when it must begin again; {OutgoingError} */
  async *bytes(first: Response): AsyncGenerator<Uint8Array> {
    let response: Response | undefined = first
    for (let at = 0; response; ) {
      try {
        for await (const chunk of this.#chunks(response)) {
          at += chunk.length
          if (this.size !== undefined && at > this.size)
            throw new OutgoingError('The source sent more bytes than it announced')
          yield chunk
        }
        if (this.size === undefined || at === this.size) return
      } catch (error) {
        this.#assertMayGoOn(error)
      }
      response = await this.#continue(at)
    }
  }

  #assertMayGoOn(error: unknown): void {
    if (error instanceof OutgoingError || this.#options.signal.aborted) throw error
  }

  /** Continues at a byte, after a pause. */
  async #continue(at: number): Promise<Response> {
    const etag = this.#etag
    if (etag === undefined || at === 0) {
      this.#fresh += 1
      if (this.#fresh > MAX_FRESH) throw new OutgoingError('The source broke off')
      throw new Again()
    }
    for (;;) {
      this.#breaks += 1
      if (this.#breaks > MAX_BREAKS) throw new OutgoingError('The source broke off too often')
      await pause(1000 * 2 ** (this.#breaks - 1), this.#options.signal)
      try {
        const { response } = await this.#follow({ range: `bytes=${at}-`, 'if-range': etag })
        if (response.status === 200) {
          await response.body?.cancel()
          throw new Again()
        }
        if (response.status !== 206) throw await refused(response)
        const range = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(response.headers.get('content-range') ?? '')
        const [, start, end, total] = (range ?? []).map(Number)
        const fits = start === at && total !== undefined && end === total - 1
        if (!fits || (this.size !== undefined && total !== this.size)) {
          await response.body?.cancel()
          throw new OutgoingError('The source continued at another byte')
        }
        this.size = total
        return response
      } catch (error) {
        if (error instanceof Again) throw error
        this.#assertMayGoOn(error)
      }
    }
  }

  /** Sends a request and follows redirects. Each address is judged anew. */
  async #follow(headers: Record<string, string>): Promise<{ response: Response; url: URL }> {
    const { allowed, isOwn } = this.#options
    let url = new URL(this.#options.url)
    for (let hops = 0; ; hops += 1) {
      assertFetchable(url, allowed)
      const response = await this.#within((signal) => {
        const judged = { resolve: allowed.resolve.bind(allowed) }
        const resolve = async (target: URL) => {
          const addresses = await judged.resolve(target)
          if (isOwn(target, addresses)) throw new OutgoingError('This is the address of Holdfast itself')
          return addresses
        }
        return sendTo({ resolve }, url, { method: 'GET', headers, signal })
      })
      if (!REDIRECTS.includes(response.status)) return { response: await withoutCoding(response), url }
      await response.body?.cancel()
      const location = response.headers.get('location') ?? ''
      if (hops === MAX_REDIRECTS)
        throw new OutgoingError(`The source redirects more than ${MAX_REDIRECTS} times`)
      if (location === '' || !URL.canParse(location, url.href))
        throw new OutgoingError('The source redirects nowhere')
      const next = new URL(location, url)
      if (url.protocol === 'https:' && next.protocol !== 'https:')
        throw new OutgoingError('The source redirects from https to http')
      url = next
    }
  }

  /** Yields the chunks of a response. */
  async *#chunks({ body }: Response): AsyncGenerator<Uint8Array> {
    const reader = body?.getReader()
    if (!reader) return
    try {
      for (;;) {
        const { done, value } = await this.#within((signal) => orAborted(signal, reader.read()))
        if (done) return
        yield value
      }
    } finally {
      await reader.cancel().catch(() => {})
    }
  }

  /** Runs one step, which fails when nothing comes for too long. */
  async #within<Value>(step: (signal: AbortSignal) => Promise<Value>): Promise<Value> {
    const { signal, timeoutMs } = this.#options
    const idle = new AbortController()
    const timer = setTimeout(() => idle.abort(), timeoutMs)
    try {
      return await step(AbortSignal.any([signal, idle.signal]))
    } catch (error) {
      if (idle.signal.aborted && !signal.aborted)
        throw new OutgoingError(`The source sent nothing for ${timeoutMs / 1000} seconds`)
      throw error
    } finally {
      clearTimeout(timer)
    }
  }
}

/** Returns the reason of a failed fetch for its account; `undefined` for a bug. */
export const reasonOf = (error: unknown): string =>
  error instanceof OutgoingError ? error.message : reasonOfOutgoing(error)

const lengthOf = ({ headers }: Response): number | undefined => {
  const length = headers.get('content-length')
  return length !== null && /^\d{1,15}$/.test(length) ? Number(length) : undefined
}

async function withoutCoding(response: Response): Promise<Response> {
  const coding = response.headers.get('content-encoding')
  if (coding === null || coding.toLowerCase() === 'identity') return response
  await response.body?.cancel()
  throw new OutgoingError('The source sent a compressed body, which was not asked for')
}

async function refused(response: Response): Promise<OutgoingError> {
  await response.body?.cancel()
  return new OutgoingError(`The source responded with ${response.status}`)
}

/** Returns the name of a file as its source has it: by `Content-Disposition`, else the end of its path. */
function nameOf({ headers }: Response, url: URL): string | undefined {
  const disposition = parseParameters(headers.get('content-disposition') ?? '')
  const sent = disposition && attempt(() => filenameIn(disposition))
  if (sent !== undefined && sent !== '') return sent
  const segment = url.pathname.slice(url.pathname.lastIndexOf('/') + 1)
  return segment === '' ? undefined : attempt(() => decodeURIComponent(segment))
}

function attempt<Value>(work: () => Value): Value | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}

const pause = (ms: number, signal: AbortSignal) => orAborted(signal, Bun.sleep(ms))
