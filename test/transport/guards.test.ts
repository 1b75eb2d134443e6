import { expect, test } from 'bun:test'
import { MalformedBody } from '../../src/transport/chunked.ts'
import { Fairness } from '../../src/transport/fairness.ts'
import { IncomingBody } from '../../src/transport/incoming-body.ts'
import { Output } from '../../src/transport/send.ts'
import { splitAnswers } from '../hosting/wire.ts'
import { eventually } from '../support/eventually.ts'
import { converse } from '../support/socket.ts'
import { answerTo, head, LAST, listenBare } from './bare.ts'

test('bytes are not written while others wait to be sent', async () => {
  const taken: string[] = []
  let room = 4
  const output = new Output(
    {
      write: (bytes) => {
        const part = bytes.subarray(0, room)
        taken.push(Buffer.from(part).toString())
        return part.length
      },
    },
    new Fairness(),
  )
  output.write(Buffer.from('HTTP/1.1'))

  expect(() => output.write(Buffer.from('HTTP/1.1'))).toThrow('waiting')

  room = 100
  output.drained()
  await output.flushed()
  output.write(Buffer.from('!'))
  expect(taken.join('')).toBe('HTTP/1.1!')
})

test('an empty piece of a body in chunks does not end the body', async () => {
  const pieces = ['first', '', 'second', '']
  const transport = listenBare({
    fetch: async () =>
      new Response(
        new ReadableStream<Uint8Array>({
          pull: (controller) => {
            const piece = pieces.shift()
            if (piece === undefined) controller.close()
            else controller.enqueue(Buffer.concat([Buffer.from(piece), Buffer.alloc(piece ? 700_000 : 0)]))
          },
        }),
      ),
  })

  const { body } = await answerTo(transport.port, LAST)
  await transport.stop(0)

  expect(body.indexOf('\r\n0\r\n\r\n')).toBe(body.length - 7)
  expect(body.includes('second')).toBe(true)
})

test('a body that failed stays failed, whatever comes', async () => {
  const body = new IncomingBody('chunked', () => {})
  expect(() => body.feed(Buffer.from('ZZ\r\n'))).toThrow(MalformedBody)
  body.fail(new MalformedBody())

  expect(body.feed(Buffer.from('0\r\n\r\n'))).toBeUndefined()

  expect([body.isComplete, body.isHungry, body.whole()]).toEqual([false, false, undefined])
  expect(body.read()).rejects.toThrow(MalformedBody)
})

test('a request without a possible response cuts the connection, and the failure is logged', async () => {
  const errors: unknown[] = []
  const fail = () => {
    throw new Error('broken')
  }
  const transport = listenBare({ fetch: fail, refuse: fail, onError: (error) => errors.push(error) })

  await (await converse(transport.port, LAST)).closed
  await transport.stop(0)

  expect(errors.map(String)).toEqual(['Error: broken', 'Error: broken'])
})

test('a server that stops while it asks for a body still closes behind the answer', async () => {
  const arrived = Promise.withResolvers<void>()
  const goOn = Promise.withResolvers<void>()
  const transport = listenBare({
    fetch: async (request) => {
      arrived.resolve()
      await goOn.promise
      return new Response(await request.text())
    },
  })
  const request = head('POST / HTTP/1.1', 'Host: a', 'Expect: 100-continue', 'Content-Length: 4')
  const { socket, received, closed } = await converse(transport.port, request)
  await arrived.promise

  const stopped = transport.stop(2000)
  goOn.resolve()
  await eventually(() => received().length > 0)
  socket.end('body')
  await Promise.all([stopped, closed])

  const [asked, answer] = splitAnswers(received())
  expect([asked?.status, answer?.status, answer?.body.toString()]).toEqual([100, 200, 'body'])
  expect(answer?.headers.get('connection')).toBe('close')
})
