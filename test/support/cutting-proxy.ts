import { connect, createServer, type Socket } from 'node:net'

/** Side of a connection whose bytes the proxy inspects. */
type Side = 'client' | 'server'

/** Proxy that cuts its connections before or after the first occurrence of a text. */
export interface CuttingProxy extends Disposable {
  port: number
  /**
   * Cuts the next connection on which `side` sends `text`. Only the bytes before the text arrive.
   *
   * @param meanwhile Called before the client notices.
   */
  cutBefore: (side: Side, text: string, meanwhile?: () => void) => void
  /**
   * Cuts all connections, and refuses further ones, once the server has sent `response` on a connection on which the client
   * has sent `request`.
   */
  endAfter: (request: string, response: string) => void
  /** Stops passing on what the client sends on a connection, from `text` on, once it has sent `request` there. */
  hangBefore: (request: string, text: string) => void
  /** Returns the number of connections that were cut. */
  cuts: () => number
}

/** Starts a proxy to a port of this machine. */
export async function startCuttingProxy(target: number): Promise<CuttingProxy> {
  let cut: { side: Side; text: string; meanwhile: (() => void) | undefined } | undefined
  let last: { request: string; response: string } | undefined
  let isEnded = false
  let hang: { request: string; text: string } | undefined
  let cuts = 0
  const clients = new Set<Socket>()
  const server = createServer((client) => {
    if (isEnded) return void client.destroy()
    clients.add(client)
    let isLast = false
    let isHanging = false
    const upstream = connect(target, '127.0.0.1')
    const pass = (side: Side, from: Socket, to: Socket) => {
      from.on('error', () => to.destroy())
      from.on('close', () => to.destroy())
      from.on('data', (bytes: Buffer) => {
        if (side === 'client' && hang && bytes.includes(hang.request)) isHanging = true
        if (side === 'client' && isHanging && hang && bytes.includes(hang.text)) {
          hang = undefined
          from.pause()
          return
        }
        if (side === 'client' && last && bytes.includes(last.request)) isLast = true
        if (side === 'server' && isLast && last && bytes.includes(last.response)) {
          isEnded = true
          to.end(bytes, () => {
            for (const client of clients) client.destroy()
          })
          return
        }
        const at = cut?.side === side ? bytes.indexOf(cut.text) : -1
        if (at < 0) {
          to.write(bytes)
          return
        }
        cut?.meanwhile?.()
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
    cutBefore: (side, text, meanwhile) => {
      cut = { side, text, meanwhile }
    },
    endAfter: (request, response) => {
      last = { request, response }
    },
    hangBefore: (request, text) => {
      hang = { request, text }
    },
    cuts: () => cuts,
    [Symbol.dispose]: () => server.close(),
  }
}
