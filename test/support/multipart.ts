import { converse, parseAnswer } from './socket.ts'

/** Part as sent on the wire: header lines, then the content. */
export interface RawPart {
  headers: string[]
  content: string | Uint8Array
}

export const BOUNDARY = 'holdfast-test-boundary'
export const MULTIPART = { 'Content-Type': `multipart/form-data; boundary=${BOUNDARY}` }

/** Builds a multipart body that `FormData` would not send. */
export function multipartBody(parts: readonly RawPart[]): Buffer<ArrayBuffer> {
  const pieces = parts.flatMap(({ headers, content }) => [
    Buffer.from(`--${BOUNDARY}\r\n${headers.map((line) => `${line}\r\n`).join('')}\r\n`),
    Buffer.from(content as string),
    Buffer.from('\r\n'),
  ])
  return Buffer.concat([...pieces, Buffer.from(`--${BOUNDARY}--\r\n`)])
}

export const filePart = (filename: string, content: string | Uint8Array = 'x'): RawPart => ({
  headers: [`Content-Disposition: form-data; name="files"; filename="${filename}"`],
  content,
})

export const fieldPart = (name: string, content: string | Uint8Array): RawPart => ({
  headers: [`Content-Disposition: form-data; name="${name}"`],
  content,
})

/** Returns the head of an upload with these header lines. */
export const uploadHead = (...lines: readonly string[]): string =>
  [
    'POST /api/files HTTP/1.1',
    'Host: localhost',
    `Content-Type: ${MULTIPART['Content-Type']}`,
    ...lines,
    '',
    '',
  ].join('\r\n')

/** Sends half of an upload. Returns a function that sends the rest and returns the status of the response. */
export async function beginUpload(
  port: number,
  credentials: Record<string, string>,
  parts: readonly RawPart[],
): Promise<() => Promise<number>> {
  const body = multipartBody(parts)
  const half = body.length >> 1
  const lines = Object.entries(credentials).map(([name, value]) => `${name}: ${value}`)
  const head = uploadHead(...lines, `Content-Length: ${body.length}`, 'Connection: close')
  const { socket, closed } = await converse(port, head)
  socket.write(body.subarray(0, half))
  return async () => {
    socket.write(body.subarray(half))
    return parseAnswer(await closed).status
  }
}
