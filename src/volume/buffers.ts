/** Chunk size of reads: as fast as `sendfile` on loopback, and all the memory that a stalled reader costs. */
export const CHUNK_BYTES = 256 * 1024

/** Buffers for reuse. Allocating and freeing them costs more than filling them. */
const idle: Uint8Array<ArrayBuffer>[] = []
const MAX_IDLE = 64

/** Returns a buffer of `CHUNK_BYTES` with arbitrary contents. */
export const takeBuffer = (): Uint8Array<ArrayBuffer> => idle.pop() ?? new Uint8Array(CHUNK_BYTES)

/** Returns a buffer to the pool. It must have no readers left. */
export function giveBuffer(buffer: Uint8Array<ArrayBuffer>): void {
  if (idle.length < MAX_IDLE) idle.push(buffer)
}

/** Memory of bytes whose receiver may detach it. */
const passedOn = new WeakSet<ArrayBuffer>()

/** Marks bytes as owned by their receiver, which may detach their memory with `release`. */
export function passOn(bytes: Uint8Array): Uint8Array {
  if (bytes.buffer instanceof ArrayBuffer) passedOn.add(bytes.buffer)
  return bytes
}

/**
 * Detaches the memory of used bytes if they were passed on and have it to themselves. The garbage collector
 * would free it too, but only after a large upload has left 100 MiB of it.
 */
export function release({ buffer, length }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === length && passedOn.has(buffer))
    buffer.transfer(0)
}
