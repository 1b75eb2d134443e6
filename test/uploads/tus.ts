import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { filesUnder, type Holdfast, messageOf } from '../support/holdfast.ts'
import { KIND } from '../support/kind.ts'
import { openRows } from '../support/rows.ts'

type Server = Pick<Holdfast, 'fetch'>
type Headers = Record<string, string>

export const VERSION = { 'Tus-Resumable': '1.0.0' }

/** Encodes the metadata of an upload. */
export const metadata = (fields: Record<string, string>) =>
  Object.entries(fields)
    .map(([name, value]) => `${name} ${Buffer.from(value).toString('base64')}`)
    .join(',')

export interface Announced {
  length: number
  fields: Record<string, string>
}

/** Requests the creation of an upload. */
export const sendBegin = (
  server: Server,
  headers: Headers,
  { length, fields }: Announced,
): Promise<Response> =>
  server.fetch('/api/uploads', {
    method: 'POST',
    headers: {
      ...VERSION,
      ...headers,
      'Upload-Length': String(length),
      'Upload-Metadata': metadata(fields),
    },
  })

/** Creates an upload and returns its path. */
export async function begin(server: Server, headers: Headers, announced: Announced): Promise<string> {
  const response = await sendBegin(server, headers, announced)
  if (response.status !== 201) throw new Error(`${response.status}: ${await messageOf(response)}`)
  return response.headers.get('location') ?? ''
}

interface Piece {
  path: string
  offset: number
  body: string | Uint8Array<ArrayBuffer> | ReadableStream | Blob
}

/** Sends a piece of an upload. */
export const sendPiece = (server: Server, headers: Headers, piece: Piece): Promise<Response> =>
  server.fetch(piece.path, {
    method: 'PATCH',
    headers: {
      ...VERSION,
      'Content-Type': 'application/offset+octet-stream',
      'Upload-Offset': String(piece.offset),
      ...headers,
    },
    body: piece.body,
  })

/** Returns the offset of an upload, or the status of a refusal. */
export async function offsetOf(server: Server, headers: Headers, path: string): Promise<number> {
  const response = await server.fetch(path, { method: 'HEAD', headers: { ...VERSION, ...headers } })
  if (response.status !== 200) throw new Error(String(response.status))
  return Number(response.headers.get('upload-offset'))
}

export const terminate = (server: Server, headers: Headers, path: string): Promise<Response> =>
  server.fetch(path, { method: 'DELETE', headers: { ...VERSION, ...headers } })

/** Returns the requests of one caller, by default the first account's API key. */
export const tusOf = (server: Server & { withKey: Headers }) => ({
  sendBegin: (announced: Announced) => sendBegin(server, server.withKey, announced),
  begin: (announced: Announced) => begin(server, server.withKey, announced),
  sendPiece: (piece: Piece) => sendPiece(server, server.withKey, piece),
  offsetOf: (path: string) => offsetOf(server, server.withKey, path),
  terminate: (path: string) => terminate(server, server.withKey, path),
})

/** Returns a body that is sent as it is pushed, and ends when it is closed. */
export function pushedBody() {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  const writer = writable.getWriter()
  const push = (text: string) => void writer.write(Buffer.from(text)).catch(() => {})
  return { body: readable, push, close: () => void writer.close().catch(() => {}) }
}

/** Counts the files, or the pieces that servers share, of unfinished uploads. */
export function countStaged(holdfast: Pick<Holdfast, 'dataPath'>): number {
  if (KIND !== 'scale') return filesUnder(holdfast, 'tmp').length
  using database = openRows(holdfast)
  return database.query<{ count: number }>('SELECT count(*) AS count FROM pieces').get()?.count ?? 0
}

/** Loses the bytes of an unfinished upload. */
export function loseStaged({ dataPath }: Pick<Holdfast, 'dataPath'>, path: string): void {
  if (KIND !== 'scale') {
    rmSync(join(dataPath, 'tmp', path.split('/').at(-1) ?? ''))
    return
  }
  using database = openRows({ dataPath })
  database.run('DELETE FROM pieces')
}
