/** Used part of a client's socket. */
export interface ClientSocket {
  /** Address of the client; `undefined` when it has disconnected already. */
  readonly remoteAddress: string | undefined
  /** Returns how many bytes the kernel accepted; negative when the socket is closed. */
  write: (bytes: Uint8Array) => number
  pause: () => void
  resume: () => void
  /** Closes the sending side after the written bytes. */
  shutdown: () => void
  /** Closes both sides after the written bytes. */
  end: () => void
  /** Closes both sides at once. */
  terminate: () => void
}
