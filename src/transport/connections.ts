import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** What each connection is doing. */
export class Connections {
  /** The answer that was begun last. */
  readonly #newest = new WeakMap<object, ServerResponse>()
  /** Bytes that the client had taken when it was last asked whether it is gone. */
  readonly #taken = new WeakMap<Socket, number>()

  begin(socket: object, outgoing: ServerResponse): void {
    this.#newest.set(socket, outgoing)
  }

  /** The answer that was begun and has not ended. */
  pending(socket: object): ServerResponse | undefined {
    const outgoing = this.#newest.get(socket)
    return outgoing?.writableEnded ? undefined : outgoing
  }

  /**
   * Whether a connection that nothing came in over for a while has been left: the client has taken nothing
   * since this was last asked, and it is not waiting for us.
   */
  isLeft(socket: Socket): boolean {
    const outgoing = this.#newest.get(socket)
    const unsent = outgoing?.writableLength ?? 0
    const isWaiting = outgoing?.req.complete === true && !outgoing.writableEnded && unsent === 0
    const taken = socket.bytesWritten - unsent
    const hasTaken = taken > (this.#taken.get(socket) ?? 0)
    this.#taken.set(socket, taken)
    return !isWaiting && !hasTaken
  }
}
