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
