import type { IncomingMessage } from 'node:http'
import { beginExchange, type PlainRequest } from '../http/exchange.ts'
import { type Framing, framingProblem } from './framing.ts'

/** The request as it came in, or `undefined` when it is to be refused. */
export function plainRequest(incoming: IncomingMessage): PlainRequest | undefined {
  if (framingProblem(framingOf(incoming))) return undefined
  const { method = '', url = '', headers, socket } = incoming
  return { method, target: url, headers, peer: socket.remoteAddress ?? '' }
}

export function framingOf({ rawHeaders, headers, httpVersion }: IncomingMessage): Framing {
  return {
    host: hostsOf(rawHeaders),
    transferEncoding: headers['transfer-encoding'] ?? null,
    isHttp10: httpVersion === '1.0',
  }
}

/** All `Host` lines: `headers` shows only one of them. */
function hostsOf(rawHeaders: readonly string[]): string | null {
  let hosts: string | null = null
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const [name, value = ''] = [rawHeaders[index], rawHeaders[index + 1]]
    if (name?.length === 4 && name.toLowerCase() === 'host')
      hosts = hosts === null ? value : `${hosts}, ${value}`
  }
  return hosts
}

/** Whether the body of a request to this path is to be read as it arrives. */
export type IsStreamed = (path: string, headers: Headers) => boolean

interface Reading {
  isStreamed: IsStreamed
  /** Called before the body is read. */
  wantBody: () => void
}

/** The request as the app knows it. */
export async function toRequest(
  incoming: IncomingMessage,
  { isStreamed, wantBody }: Reading,
): Promise<Request> {
  const { method = 'GET', url = '/', rawHeaders } = incoming
  const headers = new Headers()
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    headers.append(rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '')
  }
  const target = pathOfTarget(url)
  const streams = isStreamed(target.replace(/\?.*/s, ''), headers)
  const body = method === 'GET' || method === 'HEAD' ? null : await bodyOf(incoming, { streams, wantBody })
  // The framework would miss the path behind a shorter host.
  const request = new Request(`http://localhost${target}`, { method, headers, body })
  beginExchange(request, incoming.socket.remoteAddress ?? '')
  return request
}

/** Path and query of a request target, also in its absolute form (RFC 9112 §3.2.2). */
export function pathOfTarget(target: string): string {
  const path = target.replace(/^https?:\/\/[^/?#]*/i, '')
  // A backslash would be taken for a slash; encoded it stays what it is.
  return path.startsWith('/') ? path.replaceAll('\\', '%5C') : '/'
}

/** Bodies that are not streamed are short; of a longer one this much is enough to refuse it. */
const MAX_BODY_BYTES = 2 * 1024 ** 2

/** The body as it arrives, or all of it at once, so that the connection is in step for the next request. */
async function bodyOf(
  incoming: IncomingMessage,
  { streams, wantBody }: { streams: boolean; wantBody: () => void },
): Promise<ReadableStream<Uint8Array> | Buffer<ArrayBuffer>> {
  if (streams) return streamOf(incoming, wantBody)
  wantBody()
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of incoming.iterator({ destroyOnReturn: false })) {
    chunks.push(chunk)
    size += chunk.length
    if (size > MAX_BODY_BYTES) break
  }
  return Buffer.concat(chunks)
}

/** The body as a stream that reads on demand, and fails when the client leaves before its end. */
function streamOf(incoming: IncomingMessage, wantBody: () => void): ReadableStream<Uint8Array> {
  let ended = false
  return new ReadableStream(
    {
      start: (controller) => {
        const end = () => {
          if (ended) return
          ended = true
          if (incoming.complete) controller.close()
          else controller.error(new DOMException('The client left', 'AbortError'))
        }
        incoming.pause()
        incoming.on('data', (chunk: Buffer) => {
          if (ended) return
          incoming.pause()
          controller.enqueue(chunk)
        })
        for (const event of ['end', 'error', 'close']) incoming.on(event, end)
      },
      pull: () => {
        wantBody()
        incoming.resume()
      },
      // What is not read is dropped, so that the answer can go out and the connection stay in step.
      cancel: () => {
        ended = true
        incoming.resume()
      },
    },
    { highWaterMark: 0 },
  )
}

/** Most that is read of a body that nobody wants, in bytes: a client may be slow to notice its answer. */
const MAX_DROPPED_BYTES = 64 * 1024 ** 2

/** Drops what is left of the body, so that the connection stays in step, or cuts it when that is too much. */
export function dropRest(incoming: IncomingMessage): void {
  let left = MAX_DROPPED_BYTES
  incoming.on('data', (chunk: Buffer) => {
    left -= chunk.length
    if (left < 0) incoming.destroy()
  })
  incoming.resume()
}
