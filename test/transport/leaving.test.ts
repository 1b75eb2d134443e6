import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { leavingOf } from '../../src/http/exchange.ts'
import type { Transport } from '../../src/transport/listen.ts'
import { eventually } from '../support/eventually.ts'
import { converse } from '../support/socket.ts'
import { head, listenBare } from './bare.ts'

const signals: AbortSignal[] = []
const answers: ((response: Response) => void)[] = []
let transport: Transport
beforeAll(() => {
  transport = listenBare({
    fetch: (request) => {
      signals.push(leavingOf(request))
      return new Promise((resolve) => answers.push(resolve))
    },
  })
})
afterAll(() => transport.stop(0))

const REQUEST = head('GET / HTTP/1.1', 'Host: a')

/** Sends `request` and waits until the server handles it. */
async function ask(request = REQUEST) {
  const before = signals.length
  const { socket, closed } = await converse(transport.port, request)
  await eventually(() => signals.length > before)
  const signal = signals.at(-1)
  const answer = answers.at(-1)
  if (!signal || !answer) throw new Error('The request did not arrive')
  return { socket, signal, answer, closed }
}

describe("a request's signal", () => {
  test.each([
    ['resets its connection', 'resetAndDestroy'],
    ['closes its connection', 'destroy'],
  ] as const)('is aborted when the client %s', async (_, close) => {
    const { socket, signal } = await ask()

    socket[close]()

    await eventually(() => signal.aborted)
    expect(signal.reason).toHaveProperty('name', 'AbortError')
  })

  test('is aborted for the request in progress, not for the one before', async () => {
    const { socket, signal, answer } = await ask(REQUEST.repeat(2))
    answer(new Response())
    await eventually(() => signals.at(-1) !== signal)

    socket.resetAndDestroy()

    await eventually(() => signals.at(-1)?.aborted === true)
    expect(signal.aborted).toBe(false)
  })

  test.each([
    ['HTTP/1.1', REQUEST, [102, 200]],
    ['HTTP/1.0', head('GET / HTTP/1.0'), [200]],
  ])('stays quiet while a client of %s that sends nothing more still reads', async (_, request, statuses) => {
    const { socket, signal, answer, closed } = await ask(request)
    socket.end()
    // The server reads a later request only after this end.
    const later = await ask()
    later.socket.destroy()

    answer(new Response('all of it'))
    const text = (await closed).toString()

    expect(signal.aborted).toBe(false)
    expect(Array.from(text.matchAll(/HTTP\/1\.1 (\d+)/g), ([, status]) => Number(status))).toEqual(statuses)
    expect(text).toEndWith('\r\n\r\nall of it')
  })

  test('is aborted from the start when the client disconnected before its first use', async () => {
    const late = Promise.withResolvers<AbortSignal>()
    const gone = Promise.withResolvers<void>()
    let arrived = 0
    const server = listenBare({
      fetch: async (request) => {
        arrived += 1
        await gone.promise
        late.resolve(leavingOf(request))
        return new Response()
      },
    })
    const { socket } = await converse(server.port, REQUEST)
    await eventually(() => arrived === 1)

    socket.resetAndDestroy()
    // The server reads a later request only after this end.
    const later = await converse(server.port, REQUEST)
    await eventually(() => arrived === 2)
    gone.resolve()

    expect((await late.promise).aborted).toBe(true)
    later.socket.destroy()
    await server.stop(0)
  })
})
