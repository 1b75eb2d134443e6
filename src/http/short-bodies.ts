import { Refusal, refuseForNow } from '../platform/errors.ts'

/** Memory for all short bodies together, in bytes: a small machine can spare it. */
const MAX_HELD_BYTES = 64 * 1024 ** 2
/** Part of it that one client may use, so that it cannot refuse all others. */
const MAX_CLIENT_BYTES = MAX_HELD_BYTES / 4
/** Size up to which a body may use the last quarter of that memory, so that a few large ones do not refuse all. */
const SMALL_BYTES = 16 * 1024
/** Milliseconds in which a body must arrive: 1 MiB at 300 kbit/s. */
const DEADLINE_MS = 30_000

const tooLarge = (maxBytes: number) => new Refusal('too-large', `The body is larger than ${maxBytes} bytes`)
const tooSlow = () => new Refusal('request-timeout', undefined, { headers: { Connection: 'close' } })
const tooMany = () => refuseForNow('Too many requests are being received, try again soon', undefined)

interface Reading<Parsed> {
  maxBytes: number
  parse: (bytes: Uint8Array) => Parsed
  /** Client whose share of the memory the body uses. */
  client: string
}

/** Collector of bodies that are parsed whole, with one memory budget for the server, and a share for each client. */
export class ShortBodies {
  readonly #deadlineMs: number
  #held = 0
  readonly #heldBy = new Map<string, number>()

  constructor(deadlineMs: number = DEADLINE_MS) {
    this.#deadlineMs = deadlineMs
  }

  /**
   * Reads the whole body of `request` and parses it.
   *
   * @throws {Refusal} `too-large`, `request-timeout` or `unavailable`; errors of `parse` and of the body as they are.
   */
  async read<Parsed>(
    { headers, body }: Pick<Request, 'headers' | 'body'>,
    { maxBytes, parse, client }: Reading<Parsed>,
  ): Promise<Parsed> {
    const length = Number(headers.get('content-length'))
    if (length > maxBytes) throw tooLarge(maxBytes)
    // Refused unread, because what has arrived of it takes memory, too.
    this.#assertRoom(client, length, length)
    const reader = body?.getReader()
    if (!reader) return parse(new Uint8Array())
    const cancel = () => void reader.cancel().catch(() => {})
    let isLate = false
    const deadline = setTimeout(() => {
      isLate = true
      cancel()
    }, this.#deadlineMs)
    const collected = new Collected()
    try {
      for (let next = await reader.read(); next.value; next = await reader.read()) {
        if (collected.length + next.value.length > maxBytes) throw tooLarge(maxBytes)
        const capacity = collected.capacityFor(next.value)
        this.#reserve(client, capacity - collected.capacity, capacity)
        collected.add(next.value, capacity)
      }
      if (isLate) throw tooSlow()
      return parse(collected.bytes())
    } catch (error) {
      cancel()
      throw error
    } finally {
      clearTimeout(deadline)
      this.#hold(client, -collected.capacity)
    }
  }

  /** Reserves `bytes` more for a body that then holds `size`. */
  #reserve(client: string, bytes: number, size: number): void {
    this.#assertRoom(client, bytes, size)
    this.#hold(client, bytes)
  }

  #assertRoom(client: string, bytes: number, size: number): void {
    const limit = size <= SMALL_BYTES ? MAX_HELD_BYTES : (MAX_HELD_BYTES * 3) / 4
    const own = this.#heldBy.get(client) ?? 0
    if (this.#held + bytes > limit || own + bytes > MAX_CLIENT_BYTES) throw tooMany()
  }

  #hold(client: string, bytes: number): void {
    this.#held += bytes
    const own = (this.#heldBy.get(client) ?? 0) + bytes
    if (own > 0) this.#heldBy.set(client, own)
    else this.#heldBy.delete(client)
  }
}

/** Chunks of a body in one buffer. A list of tiny chunks would take many times their size. */
class Collected {
  #buffer = new Uint8Array()
  length = 0

  get capacity(): number {
    return this.#buffer.length
  }

  /** Returns the capacity that the body needs with one more chunk. */
  capacityFor({ length }: Uint8Array): number {
    if (this.length === 0) return length
    return this.length + length <= this.capacity
      ? this.capacity
      : Math.max(2 * this.capacity, this.length + length)
  }

  /** Appends a chunk. The first becomes the buffer without a copy, because most bodies arrive in one. */
  add(piece: Uint8Array<ArrayBuffer>, capacity: number): void {
    if (this.length === 0) this.#buffer = piece
    else {
      if (capacity > this.capacity) {
        const grown = new Uint8Array(capacity)
        grown.set(this.bytes())
        this.#buffer = grown
      }
      this.#buffer.set(piece, this.length)
    }
    this.length += piece.length
  }

  bytes(): Uint8Array {
    return this.#buffer.subarray(0, this.length)
  }
}
