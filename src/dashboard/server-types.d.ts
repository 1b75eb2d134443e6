/** The server's types come along with `App`; its threads are Bun's, which the DOM's `Worker` would hide. */
interface Worker {
  unref(): void
}
