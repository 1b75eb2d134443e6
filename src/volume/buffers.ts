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

/** Memory of bytes that were passed on. */
const passedOn = new WeakSet<ArrayBuffer>()

/** Passes bytes on for good: who gets them is the last to use them, and may `release` them. */
export function passOn(bytes: Uint8Array): Uint8Array {
  if (bytes.buffer instanceof ArrayBuffer) passedOn.add(bytes.buffer)
  return bytes
}

/**
 * Frees the memory of bytes that are used up, if they were passed on and have it to themselves. The garbage
 * collector would get to it, too, but only when a large upload has left 100 MiB of it behind.
 */
export function release({ buffer, length }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === length && passedOn.has(buffer))
    buffer.transfer(0)
}
