/** Bun's method of worker threads. The client's types refer to the server's sources, which use it. */
interface Worker {
  unref(): void
}
