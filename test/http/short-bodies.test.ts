import { describe, expect, test } from 'bun:test'
import { ShortBodies } from '../../src/http/short-bodies.ts'
import { Refusal } from '../../src/platform/errors.ts'
import { rounds } from '../support/eventually.ts'

const MiB = 1024 ** 2

/** Creates a request whose body is the written bytes. */
function requestOf() {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  const writer = writable.getWriter()
  return {
    request: new Request('http://localhost/', { method: 'POST', body: readable }),
    write: (bytes: number) => writer.write(new Uint8Array(bytes)).catch(() => {}),
    close: () => writer.close().catch(() => {}),
  }
}

const sizeOf = { client: 'client', maxBytes: MiB, parse: (bytes: Uint8Array) => bytes.length }
const reasonOf = (error: unknown) => (error instanceof Refusal ? error.reason : error)

/** Reads a body of 1 MiB. Returns its length. */
async function readLarge(bodies: ShortBodies): Promise<number> {
  const { request, write, close } = requestOf()
  const read = bodies.read(request, sizeOf)
  void write(MiB)
  void close()
  return read
}

describe('the memory of short bodies', () => {
  test('is shared: it refuses large bodies past 48 MiB, accepts small ones, and is released whole', async () => {
    const bodies = new ShortBodies()
    const held = Array.from({ length: 48 }, requestOf)
    const reading = held.map(({ request }, n) => bodies.read(request, { ...sizeOf, client: `${n % 4}` }))
    await Promise.all(held.map(({ write }) => write(MiB)))
    await rounds()

    const [large, small] = [requestOf(), requestOf()]
    const refused = bodies.read(large.request, sizeOf).catch(reasonOf)
    const read = bodies.read(small.request, sizeOf)
    await Promise.all([large.write(MiB), small.write(1000)])
    small.close()
    for (const { close } of held) close()

    expect(await refused).toBe('unavailable')
    expect(await read).toBe(1000)
    expect(new Set(await Promise.all(reading))).toEqual(new Set([MiB]))
    expect(await readLarge(bodies)).toBe(MiB)
  })

  test('is a quarter at most for one client: it refuses its next body and accepts those of others', async () => {
    const bodies = new ShortBodies()
    const held = Array.from({ length: 16 }, requestOf)
    const reading = held.map(({ request }) => bodies.read(request, sizeOf))
    await Promise.all(held.map(({ write }) => write(MiB)))
    await rounds()

    const [own, other] = [requestOf(), requestOf()]
    const refused = bodies.read(own.request, sizeOf).catch(reasonOf)
    const read = bodies.read(other.request, { ...sizeOf, client: 'another' })
    await Promise.all([own.write(1), other.write(MiB)])
    other.close()
    for (const { close } of held) close()

    expect(await refused).toBe('unavailable')
    expect(await read).toBe(MiB)
    expect(new Set(await Promise.all(reading))).toEqual(new Set([MiB]))
    expect(await readLarge(bodies)).toBe(MiB)
  })

  test('is released when a body fails, is too large, or cannot be parsed', async () => {
    const bodies = new ShortBodies()
    for (let n = 0; n < 60; n += 1) {
      const failing = requestOf()
      const parse = () => Promise.reject(new SyntaxError())
      const outcome = bodies.read(failing.request, { ...sizeOf, parse })
      void failing.write(MiB)
      void (n % 2 === 0 ? failing.write(1) : failing.close())
      await outcome.catch(() => {})
    }

    expect(await readLarge(bodies)).toBe(MiB)
  })
})

test('a short body that does not arrive in time is refused', async () => {
  const bodies = new ShortBodies(50)
  const { request, write } = requestOf()
  const outcome = bodies.read(request, sizeOf).catch(reasonOf)
  const dripping = setInterval(() => void write(1), 10)

  expect(await outcome).toBe('request-timeout')
  clearInterval(dripping)
})

test('a body in chunks of any size arrives as sent', async () => {
  const bodies = new ShortBodies()
  for (const size of [1, 7, 4096, 100_000]) {
    const sent = Uint8Array.from({ length: 300_000 }, (_, index) => index % 251)
    const stream = new ReadableStream<Uint8Array>({
      start: (controller) => {
        for (let at = 0; at < sent.length; at += size) controller.enqueue(sent.slice(at, at + size))
        controller.close()
      },
    })
    const request = new Request('http://localhost/', { method: 'POST', body: stream })

    const read = await bodies.read(request, { ...sizeOf, parse: (bytes) => Buffer.from(bytes) })

    expect(read.equals(sent)).toBe(true)
  }
})
