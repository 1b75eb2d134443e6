/** What of a client's socket is used. */
export interface ClientSocket {
  /** `undefined` when the client is gone already. */
  readonly remoteAddress: string | undefined
  /** Answers with how many bytes the system took; negative when the socket is closed. */
  write: (bytes: Uint8Array) => number
  pause: () => void
  resume: () => void
  /** Closes the sending side behind what was written. */
  shutdown: () => void
  /** Closes both sides behind what was written. */
  end: () => void
  /** Closes both sides at once. */
  terminate: () => void
}
