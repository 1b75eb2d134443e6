import { connect, createServer, type Socket } from 'node:net'

/** Proxy in front of a server that may stop and restart on another port. */
export interface TestProxy extends AsyncDisposable {
  url: string
  port: number
  /** Port of the server. */
  target: number
  /** Number of bytes passed from clients to the server. */
  passed: number
  /** Cuts the connection after this many more bytes to the server, then resolves. */
  cutAfter: (bytes: number) => Promise<void>
  /** Cuts the connection after this many more bytes to the client. */
  cutAnswerAfter: (bytes: number) => void
  /** Holds requests back that begin with `start`. Resolves when the first is there. */
  hold: (start: string) => Promise<void>
  /** Lets what is held back pass, and holds nothing any more. */
  release: () => void
}

export async function startProxy(target: number): Promise<TestProxy> {
  const sockets = new Set<Socket>()
  let left = Number.POSITIVE_INFINITY
  let leftOfAnswer = Number.POSITIVE_INFINITY
  let onCut = () => {}
  let holding: { start: string; onHeld: () => void } | undefined
  let releaseAll: (() => void)[] = []

  /** Compares the beginning of a request. A client sends one after the response to the one before, so they never share bytes. */
  const beginsHeld = (bytes: Buffer) =>
    holding !== undefined && bytes.subarray(0, holding.start.length).toString() === holding.start

  const forward = (client: Socket) => {
    const server = connect(proxy.target, '127.0.0.1')
    const end = () => {
      for (const socket of [client, server]) {
        socket.destroy()
        sockets.delete(socket)
      }
    }
    for (const socket of [client, server]) {
      sockets.add(socket)
      socket.on('error', end).on('close', end)
    }
    let held: Buffer[] | undefined
    client.on('data', (bytes: Buffer) => {
      if (!held && beginsHeld(bytes)) {
        held = []
        releaseAll.push(() => {
          for (const some of held ?? []) server.write(some)
          held = undefined
        })
        holding?.onHeld()
      }
      if (held) return held.push(bytes)
      left -= bytes.length
      proxy.passed += bytes.length
      if (left <= 0) {
        left = Number.POSITIVE_INFINITY
        end()
        return onCut()
      }
      if (!server.write(bytes)) client.pause()
    })
    server.on('drain', () => client.resume())
    server.on('data', (bytes: Buffer) => {
      client.write(bytes.subarray(0, leftOfAnswer))
      leftOfAnswer -= bytes.length
      if (leftOfAnswer > 0) return
      leftOfAnswer = Number.POSITIVE_INFINITY
      client.end()
    })
  }

  const listener = createServer(forward)
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  const address = listener.address()
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0
  const proxy: TestProxy = {
    url: `http://127.0.0.1:${port}`,
    port,
    target,
    passed: 0,
    cutAfter: (bytes) => {
      left = bytes
      return new Promise((resolve) => {
        onCut = resolve
      })
    },
    cutAnswerAfter: (bytes) => {
      leftOfAnswer = bytes
    },
    hold: (start) =>
      new Promise((resolve) => {
        holding = { start, onHeld: resolve }
      }),
    release: () => {
      holding = undefined
      for (const pass of releaseAll) pass()
      releaseAll = []
    },
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      listener.close()
    },
  }
  return proxy
}
