import type { IncomingMessage, ServerResponse } from 'node:http'

/** How often a connection that is behind is looked at, in milliseconds. */
const POLL_MS = 5

export interface Next {
  answer: () => Promise<void>
  abandon: () => void
}

/**
 * Gives the answers of one connection their turns. A client may send requests without waiting, or without
 * reading what comes back; each answer begins when the one before it was taken, so that a connection costs
 * the memory of one answer, however many it asks for.
 */
export class Turns {
  readonly #last = new WeakMap<object, Promise<void>>()

  /** Whether nothing that was answered before is still on its way. */
  isFree({ socket }: IncomingMessage, outgoing: ServerResponse): boolean {
    // What is unsent belongs to the connection: a new response shows what is left of those before it.
    return !this.#last.has(socket) && outgoing.writableLength === 0
  }

  /** Runs `answer` in its turn, or `abandon` if the client has left by then. */
  take({ socket }: IncomingMessage, outgoing: ServerResponse, next: Next): void {
    const turn = this.#run(this.#last.get(socket), outgoing, next).finally(() => {
      if (this.#last.get(socket) === turn) this.#last.delete(socket)
    })
    this.#last.set(socket, turn)
  }

  async #run(
    previous: Promise<void> | undefined,
    outgoing: ServerResponse,
    { answer, abandon }: Next,
  ): Promise<void> {
    await previous
    let behind = outgoing.writableLength > 0
    while (behind && !outgoing.destroyed) {
      behind = outgoing.writableLength > 0
      // Once more when nothing is left: a connection that broke has nothing unsent before it is seen to be gone.
      await Bun.sleep(POLL_MS)
    }
    const isGone = outgoing.destroyed || (outgoing.socket?.destroyed ?? false)
    if (isGone) abandon()
    else await answer()
  }
}
