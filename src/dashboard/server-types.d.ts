/** Worker threads of the server, whose types come along with those of the client, have the methods of Bun. */
interface Worker {
  unref(): void
}
