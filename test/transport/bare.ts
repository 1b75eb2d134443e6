import { listen, type Transport, type TransportOptions } from '../../src/transport/listen.ts'
import { splitAnswers } from '../hosting/wire.ts'
import { selfSigned } from '../support/certificates.ts'
import { eventually } from '../support/eventually.ts'
import { IS_OVER_TLS } from '../support/over-tls.ts'
import { converse, parseAnswer, type RawAnswer, sendRaw } from '../support/socket.ts'

const pair = selfSigned(['localhost'])

/** Starts the transport alone, with the handlers in `options`. Its port is that for TLS, if tests speak it. */
export function listenBare(options: Partial<TransportOptions>): Transport {
  const transport = listen({
    host: '127.0.0.1',
    port: 0,
    fastPath: { prefix: '/', cached: () => undefined, fresh: () => undefined },
    fetch: async () => new Response(),
    refuse: () => new Response(null, { status: 500 }),
    connectionLimits: { all: 0, each: 0, clientOf: (address) => address },
    onCrowd: () => {},
    onError: () => {},
    date: () => new Date().toUTCString(),
    monotonic: performance.now.bind(performance),
    ...(IS_OVER_TLS && { tls: { port: 0, certificate: () => pair, plain: () => ({}) } }),
    ...options,
  })
  return IS_OVER_TLS ? { ...transport, port: transport.tlsPort ?? 0 } : transport
}

/** Returns the head of a request, line by line. */
export function head(...lines: readonly string[]): string {
  return [...lines, '', ''].join('\r\n')
}

type Bytes = string | Uint8Array

/** Sends requests over one connection, of which the last one closes it. Returns the responses. */
export async function answersTo(port: number, ...requests: readonly Bytes[]) {
  return splitAnswers(
    await sendRaw(port, Buffer.concat(requests.map((bytes) => Buffer.from(bytes as string)))),
  )
}

/** Returns the statuses of responses. */
export const statusesOf = (answers: readonly { status: number }[]) => answers.map(({ status }) => status)

/** Sends a request. Returns its response, as soon as that is whole or the connection has closed. */
export async function answerTo(port: number, request: Bytes): Promise<RawAnswer> {
  const { socket, received } = await converse(port, request)
  await eventually(() => socket.destroyed || isWhole(parseAnswer(received())))
  socket.destroy()
  return parseAnswer(received())
}

function isWhole({ headers, body }: RawAnswer): boolean {
  if (headers.has('transfer-encoding')) return body.toString('latin1').endsWith('\r\n0\r\n\r\n')
  return body.length >= Number(headers.get('content-length') ?? Number.POSITIVE_INFINITY)
}

/** Request that ends a connection. */
export const LAST = head('GET /api/health HTTP/1.1', 'Host: a', 'Connection: close')

/** Returns a body of `bytes` zeros, a multiple of 64 KiB, in chunks. `beforePiece` is called with the bytes left. */
export function zeros(
  bytes: number,
  beforePiece: (left: number) => void = () => {},
): ReadableStream<Uint8Array> {
  const piece = 2 ** 16
  let left = bytes
  return new ReadableStream({
    pull: (controller) => {
      beforePiece(left)
      left -= piece
      controller.enqueue(new Uint8Array(piece))
      if (left === 0) controller.close()
    },
  })
}
