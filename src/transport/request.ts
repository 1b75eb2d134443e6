import type { IncomingMessage } from 'node:http'
import { beginExchange, type PlainRequest } from '../http/exchange.ts'

/** The request as it came in, or `undefined` when two `Host` lines disagree about who is asked. */
export function plainRequest({
  method = '',
  url = '',
  headers,
  rawHeaders,
  socket,
}: IncomingMessage): PlainRequest | undefined {
  if (hasTwoHosts(rawHeaders)) return undefined
  return { method, target: url, headers, peer: socket.remoteAddress ?? '' }
}

/** RFC 9112 §3.2: such a request is refused. `headers` shows only one of them. */
export function hasTwoHosts(rawHeaders: readonly string[]): boolean {
  let hosts = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1
  }
  return hosts > 1
}

/** Whether the body of a request to this path is to be read as it arrives. */
export type IsStreamed = (path: string, headers: Headers) => boolean

/** The request as the app knows it. */
export async function toRequest(incoming: IncomingMessage, isStreamed: IsStreamed): Promise<Request> {
  const { method = 'GET', url = '/', rawHeaders } = incoming
  const headers = new Headers()
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    headers.append(rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '')
  }
  const target = pathOfTarget(url)
  const streams = isStreamed(target.replace(/\?.*/s, ''), headers)
  const body = method === 'GET' || method === 'HEAD' ? null : await bodyOf(incoming, streams)
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
  streams: boolean,
): Promise<ReadableStream<Uint8Array> | Buffer<ArrayBuffer>> {
  if (streams) return streamOf(incoming)
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of incoming) {
    if (size <= MAX_BODY_BYTES) chunks.push(chunk)
    size += chunk.length
  }
  return Buffer.concat(chunks)
}

/** The body as a stream that reads on demand, and fails when the client leaves before its end. */
function streamOf(incoming: IncomingMessage): ReadableStream<Uint8Array> {
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
