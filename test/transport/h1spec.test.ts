import { afterAll, describe, expect, test } from 'bun:test'
import { converse } from '../support/socket.ts'
import { listenBare } from './bare.ts'
import { exchange } from './corpora/exchange.ts'
import { CUT_REQUEST, CUTS, H1SPEC } from './corpora/h1spec.ts'

describe('h1spec', () => {
  const bodies: string[] = []
  const transport = listenBare({
    fetch: async (request) => {
      bodies.push(await request.text())
      return new Response()
    },
    refuse: () => new Response(null, { status: 400 }),
  })
  afterAll(() => transport.stop(0))

  test.each(H1SPEC)('%s gets a status that is right', async (...sent) => {
    const [, stream, statuses, body] = sent
    bodies.length = 0
    const [status = 0, ...others] = await exchange(transport.port, stream)

    expect(statuses.filter(([from, to]) => from <= status && status <= to)).not.toEqual([])
    expect(others).toEqual([])
    if (body !== undefined && status === 200) expect(bodies).toEqual([body])
  })

  test.each(CUTS)('a request cut in its %s is waited for', async (_, received) => {
    expect(CUT_REQUEST.startsWith(received)).toBe(true)
    const { socket, length, closed } = await converse(transport.port, received)
    // A later request on another connection is answered, so the server has read this one.
    await exchange(transport.port, CUT_REQUEST)
    expect(length()).toBe(0)

    socket.end(CUT_REQUEST.slice(received.length))

    expect((await closed).toString()).toStartWith('HTTP/1.1 200 ')
  })
})
