import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Socket } from 'bun'

/**
 * Serves the files of a folder with the least work that this runtime allows: it parses a request only when it differs
 * from the one before. Its rate is an upper bound for a server on these sockets.
 * Usage: `bun bare-server.ts <folder> <port>`
 */

/** Request that a connection repeats, one at a time, each in one piece. */
interface Repeated {
  request: Buffer
  /** Returns the response: the same bytes each time, except a range, which is read again. */
  make: () => Uint8Array
  answer: Uint8Array
  /** Number of its bytes that the kernel has not accepted yet. */
  left: number
}

const [root = '.', port = '0'] = process.argv.slice(2)
const ENTITY_TAG = '"0123456789abcdef"'

function headOf(status: string, length?: number): Buffer {
  const fields = [
    `HTTP/1.1 ${status}`,
    `Date: ${new Date().toUTCString()}`,
    'Content-Type: application/octet-stream',
    `ETag: ${ENTITY_TAG}`,
    ...(length === undefined ? [] : [`Content-Length: ${length}`]),
    '\r\n',
  ]
  return Buffer.from(fields.join('\r\n'))
}

function answerTo(request: string): () => Uint8Array {
  const [, method, path = ''] = /^(\w+) \/(\S*)/.exec(request) ?? []
  const file = join(root, path)
  const found = statSync(file, { throwIfNoEntry: false })
  if (!found?.isFile()) return () => headOf('404 Not Found', 0)
  if (/^if-none-match:/im.test(request)) return repeat(headOf('304 Not Modified'))
  if (method === 'HEAD') return repeat(headOf('200 OK', found.size))
  const [, first, last] = /^range: bytes=(\d+)-(\d+)/im.exec(request) ?? []
  if (first === undefined)
    return repeat(Buffer.concat([headOf('200 OK', found.size), readAll(file, found.size)]))
  return readAnew(openSync(file, 'r'), Number(first), Number(last) - Number(first) + 1)
}

const repeat = (bytes: Uint8Array) => () => bytes

function readAll(file: string, size: number): Uint8Array {
  const bytes = new Uint8Array(size)
  const fd = openSync(file, 'r')
  readSync(fd, bytes)
  closeSync(fd)
  return bytes
}

function readAnew(fd: number, first: number, length: number): () => Uint8Array {
  const head = headOf('206 Partial Content', length)
  const answer = Buffer.concat([head, new Uint8Array(length)])
  return () => {
    readSync(fd, answer, head.length, length, first)
    return answer
  }
}

function send(socket: Socket<Repeated>): void {
  const { answer, left } = socket.data
  socket.data.left -= Math.max(0, socket.write(answer, answer.length - left, left))
}

Bun.listen<Repeated>({
  hostname: '127.0.0.1',
  port: Number(port),
  socket: {
    data: (socket, chunk) => {
      if (!socket.data?.request.equals(chunk))
        socket.data = {
          request: Buffer.from(chunk),
          make: answerTo(chunk.toString('latin1')),
          answer: new Uint8Array(),
          left: 0,
        }
      socket.data.answer = socket.data.make()
      socket.data.left = socket.data.answer.length
      send(socket)
    },
    drain: (socket) => {
      if (socket.data?.left > 0) send(socket)
    },
  },
})
