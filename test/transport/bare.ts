import { listen, type Transport, type TransportOptions } from '../../src/transport/listen.ts'

/** Starts the transport alone, with the handlers in `options`. */
export const listenBare = (options: Partial<TransportOptions>): Transport =>
  listen({
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
    ...options,
  })

/** Returns the head of a request, line by line. */
export const head = (...lines: readonly string[]) => [...lines, '', ''].join('\r\n')

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
