import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'

/** Writes an answer where there is nothing but a socket, and closes it: for what `node:http` does not answer. */
export async function answerAndClose(socket: Duplex, response: Response): Promise<void> {
  const body = await response.text()
  response.headers.set('Content-Length', String(Buffer.byteLength(body)))
  response.headers.set('Connection', 'close')
  const lines = [...response.headers].map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${response.status} ${STATUS_CODES[response.status]}\r\n${lines.join('')}\r\n${body}`)
}
