import type { Fairness } from './fairness.ts'
import { free } from './incoming-body.ts'
import type { ClientSocket } from './socket.ts'

/** Maximum bytes discarded after the last response. */
const MAX_BYTES = 64 * 1024 ** 2

/** Discards what arrives after the last response, so that the client can read that (RFC 9112 §9.6). */
export class Lingering {
  readonly #socket: ClientSocket
  readonly #fairness: Fairness
  #discarded = 0
  #isOver = false

  constructor(socket: ClientSocket, fairness: Fairness) {
    this.#socket = socket
    this.#fairness = fairness
  }

  /** Discards a chunk. Receiving costs time, too, so more is read in a time slice. Returns false once it was too much. */
  discard(chunk: Buffer): boolean {
    this.#discarded += chunk.length
    const turn = this.#fairness.turn(chunk.length, 'taking')
    free(chunk)
    if (this.#discarded > MAX_BYTES) return false
    if (turn) {
      this.#socket.pause()
      void turn.then(() => {
        if (!this.#isOver) this.#socket.resume()
      })
    }
    return true
  }

  /** Ends it: the socket is closed. */
  end(): void {
    this.#isOver = true
  }
}
