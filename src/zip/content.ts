import { crc32 } from 'node:zlib'
import { descriptorLength, findDescriptor, MAX_DESCRIPTOR_LENGTH, type Measured } from './descriptor.ts'
import { malformedArchive, malformedEntry } from './error.ts'
import { type LocalHeader, METHOD_DEFLATED } from './headers.ts'
import { inflate } from './inflate.ts'
import type { ZipInput } from './input.ts'

/**
 * Unpacks the bytes behind a local header. At their end it compares them with the header or the data descriptor.
 * `measured` is updated as they pass.
 *
 * @throws {ZipError}
 */
export async function* readContent(
  input: ZipInput,
  header: LocalHeader,
  measured: Measured,
): AsyncGenerator<Uint8Array, void> {
  const start = input.position
  for await (const bytes of unpack(input, header, measured)) {
    measured.size += bytes.length
    measured.crc32 = crc32(bytes, measured.crc32)
    yield bytes
  }
  measured.compressed = input.position - start
  if (header.hasDescriptor) {
    const length = descriptorLength(await input.peek(MAX_DESCRIPTOR_LENGTH), measured)
    if (length === undefined) throw damaged(header)
    input.skip(length)
  }
  for (const field of ['crc32', 'compressed', 'size'] as const) {
    const isUntold = header.hasDescriptor && header[field] === 0
    if (header[field] !== measured[field] && !isUntold) throw damaged(header)
  }
}

const damaged = ({ path }: LocalHeader) => malformedEntry(path, 'is damaged: it does not match its checksum')

function unpack(input: ZipInput, header: LocalHeader, measured: Measured): AsyncGenerator<Uint8Array, void> {
  const length = header.hasDescriptor && header.compressed === 0 ? undefined : header.compressed
  if (header.method === METHOD_DEFLATED) return inflate(input, length, header.path)
  return length === undefined ? readToDescriptor(input, measured) : readStored(input, length)
}

async function* readStored(input: ZipInput, length: number): AsyncGenerator<Uint8Array, void> {
  for (let left = length; left > 0; ) {
    const bytes = (await input.peek(1)).subarray(0, left)
    if (bytes.length === 0) throw malformedArchive('it ends too early')
    input.skip(bytes.length)
    left -= bytes.length
    yield bytes
  }
}

/** Yields stored bytes whose length stands only behind them. The caller updates `measured` after each chunk. */
async function* readToDescriptor(input: ZipInput, measured: Measured): AsyncGenerator<Uint8Array, void> {
  for (;;) {
    const bytes = await input.peek(MAX_DESCRIPTOR_LENGTH)
    if (bytes.length < MAX_DESCRIPTOR_LENGTH) throw malformedArchive('it ends too early')
    const end = findDescriptor(bytes, measured)
    // The last bytes may begin a descriptor.
    const count = end ?? bytes.length - MAX_DESCRIPTOR_LENGTH + 1
    input.skip(count)
    if (count > 0) yield bytes.subarray(0, count)
    if (end !== undefined) return
  }
}
