/** Bytes read at a time: as fast as `sendfile` on loopback, and all that a stalled reader costs. */
export const CHUNK_BYTES = 256 * 1024

/** Buffers that wait for their next use. Making and freeing them costs more than filling them. */
const idle: Uint8Array<ArrayBuffer>[] = []
const MAX_IDLE = 64

/** A buffer of `CHUNK_BYTES`, with whatever its last user left in it. */
export const takeBuffer = (): Uint8Array<ArrayBuffer> => idle.pop() ?? new Uint8Array(CHUNK_BYTES)

/** Gives a buffer back that nobody reads from any more. */
export function giveBuffer(buffer: Uint8Array<ArrayBuffer>): void {
  if (idle.length < MAX_IDLE) idle.push(buffer)
}
