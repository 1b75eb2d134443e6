import { beginExchange, type ClientSide } from '../http/exchange.ts'
import type { RequestHead } from './head.ts'
import type { IncomingBody } from './incoming-body.ts'

/** The request as the app knows it. Its body is taken from the client as it is read. */
export function toRequest(
  { method, target, headers, expectsContinue }: RequestHead,
  { client, body }: { client: ClientSide; body: IncomingBody | undefined },
): Request {
  const isWanted = body && method !== 'GET' && method !== 'HEAD'
  const whole = isWanted && !expectsContinue ? body.whole() : undefined
  return begun(pathOfTarget(target), client, {
    method,
    headers: new Headers(headers),
    body: !isWanted ? null : (whole ?? streamOf(body)),
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
  if (!origin.startsWith('/')) return origin.startsWith('?') ? `/${origin}` : '/'
  const [path = ''] = origin.split('?', 1)
  return path.replaceAll('\\', '%5C').replace(DOT_SEGMENT, '%00') + origin.slice(path.length)
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
