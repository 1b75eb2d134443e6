import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { IS_OVER_TLS } from './over-tls.ts'

/** Response read from a raw connection. */
export interface RawAnswer {
  /** Status line and header lines, without the blank line. */
  head: string
  status: number
  /** Header values by lower-case name. The last of a repeated header wins. */
  headers: Map<string, string>
  /** All bytes after the head, still in chunked coding if the response uses it. */
  body: Buffer
}

/** Opens a connection to the server, for requests that `fetch` would not send. */
export function openSocket(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const opened = () => resolve(socket)
    const socket = IS_OVER_TLS
      ? connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false }, opened)
      : connect(port, '127.0.0.1', opened)
    socket.once('error', reject)
  })
}

/** Connection that collects the bytes that it receives. */
export interface Conversation {
  socket: Socket
  received: () => Buffer
  /** Number of bytes received. */
  length: () => number
  /** All received bytes, as soon as the connection has closed. */
  closed: Promise<Buffer>
}

/** Opens a connection and sends `request` unchanged. */
export async function converse(port: number, request: string | Uint8Array = ''): Promise<Conversation> {
  const socket = await openSocket(port)
  const chunks: Buffer[] = []
  const received = () => Buffer.concat(chunks)
  const length = () => chunks.reduce((sum, chunk) => sum + chunk.length, 0)
  socket.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', () => {})
  const closed = new Promise<Buffer>((resolve) => socket.on('close', () => resolve(received())))
  if (request.length > 0) socket.write(request)
  return { socket, received, length, closed }
}

/** Sends `request` unchanged and collects the bytes that return until the server closes. */
export const sendRaw = async (port: number, request: string | Uint8Array): Promise<Buffer> =>
  (await converse(port, request)).closed

/** Sends a request with `Connection: close` and reads its response. */
export async function rawRequest(
  port: number,
  lines: readonly string[],
  body: string | Uint8Array = '',
): Promise<RawAnswer> {
  const head = [...lines, 'Connection: close', '', ''].join('\r\n')
  return parseAnswer(await sendRaw(port, Buffer.concat([Buffer.from(head), Buffer.from(body)])))
}

/** Parses a response. All bytes after the head are its body. */
export function parseAnswer(bytes: Buffer): RawAnswer {
  const end = bytes.indexOf('\r\n\r\n')
  const head = bytes.subarray(0, end === -1 ? bytes.length : end).toString('latin1')
  const [statusLine = '', ...lines] = head.split('\r\n')
  const headers = new Map(
    lines.map((line) => [
      line.slice(0, line.indexOf(':')).toLowerCase(),
      line.slice(line.indexOf(':') + 1).trim(),
    ]),
  )
  const body = end === -1 ? Buffer.alloc(0) : bytes.subarray(end + 4)
  return { head, status: Number(statusLine.split(' ')[1]), headers, body }
}
