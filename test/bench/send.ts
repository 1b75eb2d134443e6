import type { Socket } from 'bun'
import type { Bench } from './bench.ts'
import { MiB } from './report.ts'
import { pattern } from './workspace.ts'

export interface Upload {
  folder: string
  names: readonly string[]
  /** Bytes of each file. */
  size: number
}

const BOUNDARY = 'holdfast-bench'
const startOfPart = (about: string) =>
  Buffer.from(`--${BOUNDARY}\r\nContent-Disposition: form-data; ${about}\r\n\r\n`)
/** Bytes of a response that are shown with a failure. */
const MAX_SHOWN = 1000
const LINE_END = Buffer.from('\r\n')
/** Size in bytes below which a request is sent in one piece. */
const ONE_PIECE = 16 * MiB

/** Builds a request in pieces. A large file repeats one block, which takes no memory. */
export function uploadRequest(withKey: Bench['withKey'], { folder, names, size }: Upload): Buffer[] {
  const body = [
    ...[startOfPart('name="folder"'), Buffer.from(folder), LINE_END],
    ...names.flatMap((name) => [startOfPart(`name="files"; filename="${name}"`), ...pattern(size), LINE_END]),
    Buffer.from(`--${BOUNDARY}--\r\n`),
  ]
  const length = body.reduce((sum, piece) => sum + piece.length, 0)
  const head = [
    'POST /api/files HTTP/1.1',
    'Host: localhost',
    `API-Key: ${withKey['API-Key']}`,
    `Content-Type: multipart/form-data; boundary=${BOUNDARY}`,
    `Content-Length: ${length}`,
    'Connection: close',
    '\r\n',
  ]
  const pieces = [Buffer.from(head.join('\r\n')), ...body]
  return length < ONE_PIECE ? [Buffer.concat(pieces)] : pieces
}

/**
 * Sends a request over a new connection. It reads, builds and copies nothing meanwhile, so that the client takes little
 * processor time from the server. @throws unless the response is a success.
 */
export const sendRequest = (port: number, pieces: readonly Buffer[]): Promise<void> =>
  receiveResponse(port, pieces).then(() => {})

/** Sends a request as `sendRequest` does, and returns the number of bytes of the response. */
export function receiveResponse(port: number, pieces: readonly Buffer[]): Promise<number> {
  let [index, offset, received] = [0, 0, 0]
  let answer = ''
  const goOn = (socket: Socket) => {
    for (let piece = pieces[index]; piece; piece = pieces[index]) {
      const written = socket.write(piece, offset, piece.length - offset)
      offset += Math.max(0, written)
      if (offset < piece.length) return
      index += 1
      offset = 0
    }
  }
  return new Promise((resolve, reject) => {
    const data = (_: Socket, bytes: Buffer) => {
      received += bytes.length
      answer ||= bytes.subarray(0, MAX_SHOWN).toString()
    }
    const close = () => {
      if (/^HTTP\/1\.1 20[014] /.test(answer)) resolve(received)
      else reject(new Error(`The request was refused: ${answer}`))
    }
    Bun.connect({ hostname: '127.0.0.1', port, socket: { open: goOn, drain: goOn, data, close } }).catch(
      reject,
    )
  })
}
