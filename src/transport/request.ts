import { beginExchange, type ClientSide } from '../http/exchange.ts'
import type { RequestHead } from './head.ts'
import type { IncomingBody } from './incoming-body.ts'

/** Whether the body of a request to this path is to be read as it arrives. */
export type IsStreamed = (path: string, headers: Headers) => boolean

export interface RequestOptions {
  client: ClientSide
  body: IncomingBody | undefined
  isStreamed: IsStreamed
}

/**
 * The request as the app knows it. A body that is not streamed is read first.
 *
 * @throws what the body fails with.
 */
export async function toRequest(
  { method, target, headers: fields }: RequestHead,
  { client, body, isStreamed }: RequestOptions,
): Promise<Request> {
  const headers = new Headers(fields)
  const path = pathOfTarget(target)
  const isWanted = body && method !== 'GET' && method !== 'HEAD'
  const streams = isWanted && isStreamed(path.replace(/\?.*/s, ''), headers)
  return begun(path, client, {
    method,
    headers,
    body: !isWanted ? null : streams ? streamOf(body) : await readShort(body),
  })
}

/** A request of which only this much is known. */
export const bareRequest = (method: string, target: string, client: ClientSide): Request =>
  begun(pathOfTarget(target), client, { method: method === 'HEAD' ? 'HEAD' : 'GET' })

function begun(path: string, client: ClientSide, init: RequestInit): Request {
  // The framework would miss the path behind a shorter host.
  const request = new Request(`http://localhost${path}`, init)
  beginExchange(request, client)
  return request
}

const DOT_SEGMENT = /(?<=\/)(?:\.|%2e){1,2}(?=\/|$)/gi

/**
 * Path and query of a request target, also in its absolute form (RFC 9112 §3.2.2). What the parser of URLs would
 * take for a slash stays a backslash, and what it would resolve, a dot segment, becomes a name that nothing has.
 */
function pathOfTarget(target: string): string {
  const origin = target.replace(/^https?:\/\/[^/?]*/i, '')
  if (!origin.startsWith('/')) return '/'
  const [path = ''] = origin.split('?', 1)
  return path.replaceAll('\\', '%5C').replace(DOT_SEGMENT, '%00') + origin.slice(path.length)
}

/** Bodies that are not streamed are short; of a longer one this much is enough to refuse it. */
const MAX_BODY_BYTES = 2 * 1024 ** 2

async function readShort(body: IncomingBody): Promise<Buffer<ArrayBuffer>> {
  const chunks: Buffer[] = []
  for (let size = 0; size <= MAX_BODY_BYTES; ) {
    const chunk = await body.read()
    if (!chunk) break
    chunks.push(chunk)
    size += chunk.length
  }
  return Buffer.concat(chunks)
}

/** The body as a stream that reads on demand. */
const streamOf = (body: IncomingBody): ReadableStream<Uint8Array> =>
  new ReadableStream(
    {
      pull: async (controller) => {
        const chunk = await body.read()
        if (chunk) controller.enqueue(chunk)
        else controller.close()
      },
      cancel: () => body.drop(),
    },
    { highWaterMark: 0 },
  )
