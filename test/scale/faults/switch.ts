import { connect, createServer, type Server, type Socket } from 'node:net'

/** Treatment of connections: they pass, they are refused, or nothing on them moves. */
type Mode = 'pass' | 'refuse' | 'hang'

/** Proxy between servers and an engine that the rig can cut, stall, slow down and lead elsewhere. */
export class Switch implements Disposable {
  /** Port of the engine. */
  target: number
  /** Delay of everything that passes, in milliseconds. */
  delayMs = 0
  readonly port: number
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  readonly #engines = new Set<Socket>()
  #mode: Mode = 'pass'

  private constructor(server: Server, port: number, target: number) {
    this.#server = server
    this.port = port
    this.target = target
    server.on('connection', (client) => this.#accept(client))
  }

  static async open(target: number): Promise<Switch> {
    const server = createServer({ noDelay: true })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    if (address === null || typeof address === 'string') throw new Error('The proxy has no port')
    return new Switch(server, address.port, target)
  }

  get mode(): Mode {
    return this.#mode
  }

  /** Applies to open connections, too. */
  set mode(mode: Mode) {
    this.#mode = mode
    for (const socket of this.#sockets)
      if (mode === 'refuse') socket.destroy()
      else if (mode === 'hang') socket.pause()
      else socket.resume()
  }

  /** Closes all connections. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  /** Ports from which the engine sees its connections. */
  get clientPorts(): number[] {
    return [...this.#engines].flatMap(({ localPort }) => localPort ?? [])
  }

  [Symbol.dispose](): void {
    this.cut()
    this.#server.close()
  }

  #accept(client: Socket): void {
    if (this.#mode === 'refuse') return void client.destroy()
    const engine = connect({ port: this.target, host: '127.0.0.1', noDelay: true })
    this.#engines.add(engine)
    engine.on('close', () => this.#engines.delete(engine))
    this.#pass(client, engine)
    this.#pass(engine, client)
    if (this.#mode === 'hang') for (const socket of [client, engine]) socket.pause()
  }

  #pass(from: Socket, to: Socket): void {
    this.#sockets.add(from)
    from.on('error', () => {})
    from.on('close', () => {
      this.#sockets.delete(from)
      this.#later(() => to.end())
    })
    from.on('end', () => this.#later(() => to.end()))
    from.on('data', (bytes) => {
      this.#later(() => {
        if (!to.writable || to.write(bytes)) return
        from.pause()
        to.once('drain', () => {
          if (this.#mode === 'pass') from.resume()
        })
      })
    })
  }

  /** Runs `step` after the delay; steps of one delay keep their order. */
  #later(step: () => void): void {
    if (this.delayMs === 0) step()
    else setTimeout(step, this.delayMs)
  }
}
