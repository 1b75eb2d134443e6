import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import {
  brotliCompress,
  constants,
  createBrotliCompress,
  createGzip,
  createZstdCompress,
  gzip,
} from 'node:zlib'

/** Content codings by preference: zstd takes the least time. */
const CODINGS = ['zstd', 'br', 'gzip'] as const
type Coding = (typeof CODINGS)[number]

/** Level of zstd: on lists the default takes half as long again and saves no byte. */
const ZSTD_LEVEL = 1
/** Quality of brotli, whose default takes a hundred times as long. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }

const WHOLE: Record<Coding, (bytes: Uint8Array) => Promise<Uint8Array>> = {
  zstd: (bytes) => Bun.zstdCompress(bytes, { level: ZSTD_LEVEL }),
  br: (bytes) => promisify(brotliCompress)(bytes, BROTLI),
  gzip: promisify(gzip),
}
const STREAMED = {
  zstd: () => createZstdCompress({ params: { [constants.ZSTD_c_compressionLevel]: ZSTD_LEVEL } }),
  br: () => createBrotliCompress(BROTLI),
  gzip: () => createGzip(),
}

/** Length from which on compression pays, in bytes. */
const MIN_BYTES = 1024
/** Maximum length of a body that is compressed at once, in bytes. */
const MAX_WHOLE_BYTES = 64 * 1024
/** Length of the pieces in which a longer body is compressed, in bytes. */
const PIECE_BYTES = 64 * 1024

/**
 * Compresses a successful response in the coding that its client prefers, on a thread of the system's pool. A long body
 * is compressed while it is read, and read as fast as the client takes it. Responses to pages of another origin are not
 * compressed: their length must reveal nothing about names beside those that the page chose (BREACH).
 */
export async function compress(response: Response, { headers: requested }: Request): Promise<Response> {
  response.headers.append('Vary', 'Accept-Encoding')
  const length = response.headers.get('content-length')
  if (length !== null && Number(length) < MIN_BYTES) return response
  const accepted = requested.get('accept-encoding')
  if (accepted === null) return response
  const coding = preferredCoding(accepted)
  // Clients other than browsers send no header.
  const isOwn = ['same-origin', 'none'].includes(requested.get('sec-fetch-site') ?? 'none')
  if (coding === undefined || !isOwn || response.status !== 200 || !response.body) return response
  const reader = response.body.getReader()
  const { bytes, isWhole } = await readStart(reader)
  const headers = new Headers(response.headers)
  if (isWhole && bytes.length < MIN_BYTES) return new Response(bytes, { headers })
  headers.delete('Content-Length')
  headers.set('Content-Encoding', coding)
  if (isWhole) return new Response(new Uint8Array(await WHOLE[coding](bytes)), { headers })
  return new Response(streamCompressed(coding, bytes, reader), { headers })
}

/** Returns the coding that the client weighs most; `undefined` when it wants none (RFC 9110 §12.5.3). */
export const preferredCoding = (header: string): Coding | undefined => acceptedCodings(header, CODINGS)[0]

/** Returns the codings that a client accepts and prefers to none: those that it weighs most first, then in the order given. */
export function acceptedCodings<Name extends string>(header: string, codings: readonly Name[]): Name[] {
  const weights = new Map(header.toLowerCase().split(',').map(weightOf))
  const otherwise = weights.get('*') ?? 0
  const least = weights.get('identity') ?? 0
  const weigh = (coding: Name) => weights.get(coding) ?? otherwise
  return codings
    .filter((coding) => weigh(coding) > 0 && weigh(coding) >= least)
    .toSorted((one, other) => weigh(other) - weigh(one))
}

function weightOf(item: string): [coding: string, weight: number] {
  const [coding = '', ...parameters] = item.split(';').map((part) => part.trim())
  const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
  return [coding, weight === undefined ? 1 : Number(weight) || 0]
}

type Reader = Pick<ReadableStreamDefaultReader<Uint8Array>, 'read' | 'cancel'>

/** Reads a body to its end, or until it is too long to be compressed at once. */
async function readStart(reader: Reader): Promise<{ bytes: Uint8Array<ArrayBuffer>; isWhole: boolean }> {
  const chunks: Uint8Array[] = []
  let isWhole = false
  for (let length = 0; length <= MAX_WHOLE_BYTES && !isWhole; ) {
    const { value, done } = await reader.read()
    if (value) chunks.push(value)
    length += value?.length ?? 0
    isWhole = done
  }
  return { bytes: new Uint8Array(Buffer.concat(chunks)), isWhole }
}

function streamCompressed(coding: Coding, start: Uint8Array, reader: Reader): ReadableStream<Uint8Array> {
  const plain = Readable.from(piecesOf(start, reader), { objectMode: false, highWaterMark: PIECE_BYTES })
  const coder = STREAMED[coding]()
  plain.on('error', (error) => coder.destroy(error))
  // The next read gets the error. There may be none yet, and an event without a listener would end the process.
  coder.on('error', () => {})
  const pieces = plain.pipe(coder)[Symbol.asyncIterator]()
  return new ReadableStream(
    {
      pull: async (controller) => {
        const { value, done } = await pieces.next()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      cancel: async (reason) => {
        await reader.cancel(reason)
        plain.destroy()
        coder.destroy()
      },
    },
    { highWaterMark: 0 },
  )
}

/** Yields a body in pieces of one length: the length of what zstd writes depends on where its input is cut. */
async function* piecesOf(start: Uint8Array, reader: Reader): AsyncGenerator<Uint8Array> {
  let rest = start
  for (;;) {
    for (; rest.length >= PIECE_BYTES; rest = rest.subarray(PIECE_BYTES)) yield rest.subarray(0, PIECE_BYTES)
    const { value, done } = await reader.read()
    if (done) break
    rest = Buffer.concat([rest, value])
  }
  if (rest.length > 0) yield rest
}
