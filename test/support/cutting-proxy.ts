import { connect, createServer, type Socket } from 'node:net'

/** Side of a connection whose bytes the proxy inspects. */
type Side = 'client' | 'server'

/** Proxy that cuts its connections before the first occurrence of a text. */
export interface CuttingProxy extends Disposable {
  port: number
  /** Cuts the next connection on which `side` sends `text`. Only the bytes before the text arrive. */
  cutBefore: (side: Side, text: string) => void
  /** Returns the number of connections that were cut. */
  cuts: () => number
}

/** Starts a proxy to a port of this machine. */
export async function startCuttingProxy(target: number): Promise<CuttingProxy> {
  let cut: { side: Side; text: string } | undefined
  let cuts = 0
  const server = createServer((client) => {
    const upstream = connect(target, '127.0.0.1')
    const pass = (side: Side, from: Socket, to: Socket) => {
      from.on('error', () => to.destroy())
      from.on('close', () => to.destroy())
      from.on('data', (bytes: Buffer) => {
        const at = cut?.side === side ? bytes.indexOf(cut.text) : -1
        if (at < 0) {
          to.write(bytes)
          return
        }
        cut = undefined
        cuts += 1
        to.end(bytes.subarray(0, at))
        from.destroy()
      })
    }
    pass('client', client, upstream)
    pass('server', upstream, client)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The proxy has no port')
  return {
    port: address.port,
    cutBefore: (side, text) => {
      cut = { side, text }
    },
    cuts: () => cuts,
    [Symbol.dispose]: () => server.close(),
  }
}
