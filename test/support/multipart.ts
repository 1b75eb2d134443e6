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
