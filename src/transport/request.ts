import { beginExchange, type ClientSide } from '../http/exchange.ts'
import type { RequestHead } from './head.ts'
import type { IncomingBody } from './incoming-body.ts'

/** Creates the app's `Request`. Its body is read from the client on demand. */
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

/** Creates a request of which only method and target are known. */
export const bareRequest = (method: string, target: string, client: ClientSide): Request =>
  begun(pathOfTarget(target), client, { method: method === 'HEAD' ? 'HEAD' : 'GET' })

function begun(path: string, client: ClientSide, init: RequestInit): Request {
  // With a shorter host the framework would miss the path.
  const request = new Request(`http://localhost${path}`, init)
  beginExchange(request, client)
  return request
}

const DOT_SEGMENT = /(?<=\/)(?:\.|%2e){1,2}(?=\/|$)/gi

/**
 * Returns path and query of a request target, also in absolute form (RFC 9112 §3.2.2). A backslash, which the
 * URL parser would turn into a slash, stays one. A dot segment, which it would resolve, becomes a name that
 * does not exist.
 */
function pathOfTarget(target: string): string {
  const origin = target.replace(/^https?:\/\/[^/?]*/i, '')
  if (!origin.startsWith('/')) return origin.startsWith('?') ? `/${origin}` : '/'
  const [path = ''] = origin.split('?', 1)
  return path.replaceAll('\\', '%5C').replace(DOT_SEGMENT, '%00') + origin.slice(path.length)
}

/** Creates a stream that reads the body on demand. */
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
