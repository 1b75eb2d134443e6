import { describe, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { MultipartError } from '../../src/multipart/error.ts'
import { type Part, readMultipart } from '../../src/multipart/multipart.ts'
import { rounds } from '../support/eventually.ts'
import { bytes, LIMITS, nextPart, part, readText } from './samples.ts'

const CHUNK_BYTES = 256 * 1024
const CHUNK = new Uint8Array(CHUNK_BYTES).fill(120)
const FILE_HEADER = '--bound\r\nContent-Disposition: form-data; name="files"; filename="a"\r\n\r\n'

/** Source that records the chunks taken from it and the calls of `return()`. */
class Source implements AsyncIterableIterator<Uint8Array> {
  taken = 0
  returned = 0
  readonly #chunks: Iterator<Uint8Array>
  readonly #failure: Error | undefined

  constructor(chunks: Iterable<Uint8Array>, failure?: Error) {
    this.#chunks = chunks[Symbol.iterator]()
    this.#failure = failure
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    await Bun.sleep(0)
    const { done, value } = this.#chunks.next()
    if (!done) {
      this.taken += 1
      return { done: false, value }
    }
    if (this.#failure !== undefined) throw this.#failure
    return { done: true, value: undefined }
  }

  async return(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.returned += 1
    return { done: true, value: undefined }
  }

  [Symbol.asyncIterator](): this {
    return this
  }
}

function* fileChunks(count: number, end = '\r\n--bound--\r\n'): Generator<Uint8Array> {
  yield bytes(FILE_HEADER)
  for (let index = 0; index < count; index += 1) yield CHUNK
  yield bytes(end)
}

const read = (source: AsyncIterable<Uint8Array>) => readMultipart(source, 'bound', LIMITS)

const iterate = (part: Part) => part.body[Symbol.asyncIterator]()

/** Returns the error of work that must fail. */
const failure = (work: Promise<unknown>) => work.catch((error: unknown) => error)

describe('readMultipart() as a stream', () => {
  test('reads nothing before a part is requested', async () => {
    const source = new Source(fileChunks(5))
    read(source)
    await rounds()
    expect(source.taken).toBe(0)
  })

  test('reads a chunk only when the one before is consumed', async () => {
    const source = new Source(fileChunks(50))
    const body = iterate(await nextPart(read(source)))
    await rounds()
    expect(source.taken).toBe(2)
    for (let consumed = 0; consumed < 20; consumed += 1) {
      await body.next()
      await rounds(2)
      expect(source.taken).toBeLessThanOrEqual(consumed + 3)
    }
  })

  test('hands out slices of the chunks, not copies', async () => {
    const body = iterate(await nextPart(read(new Source(fileChunks(3)))))
    let shared = 0
    for (let slice = await body.next(); !slice.done; slice = await body.next()) {
      if (slice.value.buffer === CHUNK.buffer) shared += slice.value.length
    }
    expect(shared).toBe(3 * CHUNK_BYTES)
  })

  test('buffers no more of a large body than a chunk', async () => {
    const before = process.memoryUsage.rss()
    let [total, peak] = [0, 0]
    for await (const { body } of read(new Source(freshChunks(4096)))) {
      for await (const { length } of body) {
        total += length
        peak = Math.max(peak, process.memoryUsage.rss())
      }
    }
    expect(total).toBe(4096 * CHUNK_BYTES)
    expect(peak - before).toBeLessThan(256 * 1024 * 1024)
  })

  test('skips the rest of a part when the next is requested', async () => {
    const rest = `\r\n${part('form-data; name=b', '2')}${part('form-data; name=c', '3')}--bound--`
    const parts = read(new Source(fileChunks(10, rest)))
    const first = await nextPart(parts)
    for await (const _ of first.body) break
    expect(await nextPart(parts)).toMatchObject({ name: 'b' })
    const third = await nextPart(parts)
    expect(third.name).toBe('c')
    expect(await readText(third.body)).toBe('3')
    expect(await parts.next()).toEqual({ done: true, value: undefined })
  })

  test('does not let a part that was skipped look complete', async () => {
    const parts = read(new Source(fileChunks(3)))
    const body = iterate(await nextPart(parts))
    await body.next()
    await parts.next()
    await expect(body.next()).rejects.toThrow('Cannot read part: the reader has moved past it')
  })

  test('does not let a part look complete after the reader was ended', async () => {
    const parts = read(new Source(fileChunks(3)))
    const first = await nextPart(parts)
    await parts.return()
    await expect(readText(first.body)).rejects.toThrow('Cannot read part: the reader has moved past it')
  })

  test('reads the source to its end, past the closing boundary', async () => {
    const source = new Source([...fileChunks(1), CHUNK, CHUNK])
    for await (const _ of read(source));
    expect(source.taken).toBe(5)
    expect(source.returned).toBe(0)
  })
})

describe('readMultipart() when the source fails', () => {
  const abort = new DOMException('The connection was closed', 'AbortError')

  test('throws the same error from the body and from the generator', async () => {
    const parts = read(new Source([...fileChunks(3, '')], abort))
    const first = await nextPart(parts)
    expect(await failure(readText(first.body))).toBe(abort)
    expect(await failure(parts.next())).toBe(abort)
    expect(await parts.next()).toEqual({ done: true, value: undefined })
  })

  test('throws the error when the body has no reader', async () => {
    const parts = read(new Source([...fileChunks(3, '')], abort))
    const first = await nextPart(parts)
    expect(await failure(parts.next())).toBe(abort)
    expect(await failure(readText(first.body))).toBe(abort)
  })

  test('throws the error before the first part and after the closing boundary', async () => {
    expect(await failure(read(new Source([], abort)).next())).toBe(abort)

    const parts = read(new Source([...fileChunks(1)], abort))
    const { length } = await readText((await nextPart(parts)).body)
    expect(length).toBe(CHUNK_BYTES)
    expect(await failure(parts.next())).toBe(abort)
  })

  test('throws the error of a request when its client disconnects', async () => {
    const [begun, outcome] = [Promise.withResolvers<void>(), Promise.withResolvers<unknown>()]
    using server = Bun.serve({
      port: 0,
      async fetch(request) {
        const { body } = request
        if (body === null) throw new Error('Cannot continue the test: there is no body')
        const read = readFirst(body).then(outcome.resolve, outcome.resolve)
        begun.resolve()
        await read
        return new Response()
      },
    })
    const socket = connect(server.port ?? 0, 'localhost')
    const head = 'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n'
    socket.write(`${head}${FILE_HEADER}some bytes`)
    await begun.promise
    socket.destroy()
    expect(await outcome.promise).toMatchObject({ name: 'AbortError' })
  })
})

describe('readMultipart() when it is ended early', () => {
  test('ends the source when the loop over parts is left', async () => {
    const source = new Source(fileChunks(100))
    for await (const _ of read(source)) break
    const { taken } = source
    await rounds()
    expect(source.taken).toBe(taken)
    expect(taken).toBeLessThan(5)
    expect(source.returned).toBe(1)
  })

  test('ends the source when the consumer throws while it reads a body', async () => {
    const source = new Source(fileChunks(100))
    const noSpace = new Error('no space left')
    const consume = async () => {
      for await (const { body } of read(source)) {
        for await (const _ of body) throw noSpace
      }
    }
    expect(await failure(consume())).toBe(noSpace)
    expect(source.taken).toBeLessThan(5)
    expect(source.returned).toBe(1)
  })

  test('ends the source when it refuses the body', async () => {
    const source = new Source([bytes(part('attachment', 'x')), CHUNK, CHUNK])
    expect(await failure(read(source).next())).toBeInstanceOf(MultipartError)
    expect(source.taken).toBe(1)
    expect(source.returned).toBe(1)
  })

  test('ends the source when a read of the body is still pending', async () => {
    const source = new Source(fileChunks(100))
    const parts = read(source)
    const pending = iterate(await nextPart(parts)).next()
    await parts.return()
    expect(source.returned).toBe(1)
    expect((await pending).done).toBe(false)
  })
})

async function readFirst(body: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const part of read(body)) await readText(part.body)
}

/** Yields `count` chunks, each in memory of its own. */
function* freshChunks(count: number): Generator<Uint8Array> {
  yield bytes(FILE_HEADER)
  for (let index = 0; index < count; index += 1) yield new Uint8Array(CHUNK_BYTES)
  yield bytes('\r\n--bound--')
}
