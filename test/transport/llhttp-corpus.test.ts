import { afterAll, describe, expect, test } from 'bun:test'
import { listenBare } from './bare.ts'
import { exchange } from './corpora/exchange.ts'
import { readCorpus } from './corpora/llhttp.ts'
import { readAsWeDo, type Understood } from './understand.ts'

/** Requests that llhttp accepts and we refuse, and why. */
const REFUSED_ON_PURPOSE: [pattern: RegExp, reason: string][] = [
  [/No HTTP version/, 'HTTP/0.9 has no end that a connection could be reused after (RFC 9112 §2.3)'],
  [/CONNECT|Underscore in hostname/, 'no proxy: CONNECT has no target that we could serve (RFC 9110 §9.3.6)'],
  [/M-SEARCH|PURGE|SOURCE/, 'no RFC defines the method (RFC 9110 §9.1)'],
  [/with ICE|with RTSP/, 'another protocol'],
  [/PRI request HTTP2/, 'the preface of HTTP/2, which we do not speak (RFC 9113 §3.4)'],
  [/`chunked` as last transfer-encoding/, 'no coding but chunked is implemented (RFC 9112 §6.1)'],
  [/Fragment in URI/, 'a request target has no fragment (RFC 9112 §3.2)'],
  [/basic auth/, 'userinfo in a target hides the authority (RFC 9110 §4.2.4)'],
]

/** Completes an open head: llhttp refuses it at the first wrong byte, we at its end. */
const HEAD_END = '\r\n\r\n'

const CASES = readCorpus().map(({ stream, ...rest }) => ({ ...rest, stream: withHost(stream) }))
const STRICT = CASES.filter(({ leniency }) => leniency === undefined)
const LENIENT = CASES.filter(({ leniency }) => leniency !== undefined)
const [PURPOSE, COMMON] = [true, false].map((isListed) =>
  STRICT.filter(({ name }) => REFUSED_ON_PURPOSE.some(([pattern]) => pattern.test(name)) === isListed),
)

/** Adds the Host that HTTP/1.1 requires (RFC 9112 §3.2) and most cases lack. */
function withHost(stream: string): string {
  return /^host:/im.test(stream) ? stream : stream.replace(/^(\S+ \S+ HTTP\/1\.1\r\n)/gm, '$1Host: a\r\n')
}

/** Removes the Host that was added. */
function withoutHost({ headers: { host, ...headers }, ...request }: Understood): Understood {
  return { ...request, headers: host === undefined || host === 'a' ? headers : { host, ...headers } }
}

describe('the request corpus of llhttp', () => {
  test('is read whole', () => {
    expect([STRICT.length, LENIENT.length]).toEqual([114, 25])
    for (const [pattern] of REFUSED_ON_PURPOSE)
      expect(STRICT.filter(({ name }) => pattern.test(name))).not.toEqual([])
  })

  test.each(COMMON ?? [])('$name is understood as llhttp does', ({ stream, expected }) => {
    const { requests, isRefused } = readAsWeDo(stream)

    expect(requests.map(withoutHost)).toEqual(expected.requests)
    expect(isRefused || readAsWeDo(`${stream}${HEAD_END}`).isRefused || !expected.isRefused).toBe(true)
    if (isRefused) expect(expected.isRefused).toBe(true)
  })

  test.each(PURPOSE ?? [])('$name is refused on purpose', ({ stream }) => {
    expect(readAsWeDo(stream)).toEqual({ requests: [], isRefused: true })
  })

  test.each(LENIENT)('$name ($leniency) gets no leniency', ({ stream }) => {
    expect(readAsWeDo(`${stream}${HEAD_END}`).isRefused).toBe(true)
  })

  const served: { method: string; body: string }[] = []
  const transport = listenBare({
    fetch: async (request) => {
      const body = Buffer.from(await request.arrayBuffer()).toString('latin1')
      served.push({ method: request.method, body })
      return new Response(null, { status: 204 })
    },
    refuse: () => new Response(null, { status: 400 }),
  })
  afterAll(() => transport.stop(0))

  test.each(CASES)('$name is served over a socket as it is understood', async ({ stream }) => {
    served.length = 0
    const statuses = await exchange(transport.port, stream)

    const { requests } = readAsWeDo(stream)
    const bodyless = /^(?:GET|HEAD)$/
    expect(served).toEqual(
      requests.map(({ method, body }) => ({ method, body: bodyless.test(method) ? '' : body })),
    )
    expect(statuses.filter((status) => status === 204)).toHaveLength(requests.length)
    expect(statuses.slice(requests.length)).toEqual(statuses.length > requests.length ? [400] : [])
  })
})
