import { expect } from 'bun:test'
import { createHash } from 'node:crypto'
import { type rawS3, textsIn } from '../support/s3.ts'

export const MIB = 1024 ** 2
export type Bytes = Uint8Array<ArrayBuffer>
/** Part as a request that completes an upload lists it. */
export type Listed = readonly [number: number, etag: string, more?: string]

export const md5 = (bytes: string | Uint8Array) => createHash('md5').update(bytes).digest('hex')

/** Returns bytes that differ from part to part. */
export const bytesOf = (size: number, seed: number): Bytes =>
  Uint8Array.from({ length: size }, (_, index) => (index * 31 + seed * 7 + (index >> 8)) & 255)

/** Writes the document that completes an upload. */
export const documentOf = (parts: readonly Listed[]) =>
  `<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${parts
    .map(
      ([number, etag, more = '']) =>
        `<Part><PartNumber>${number}</PartNumber><ETag>"${etag}"</ETag>${more}</Part>`,
    )
    .join('')}</CompleteMultipartUpload>`

/** Returns the requests for uploads in parts to a bucket. */
export function partsIn(send: ReturnType<typeof rawS3>, bucket: string) {
  const put = (
    key: string,
    uploadId: string,
    number: number | string,
    body: string | Bytes,
    headers: Record<string, string> = {},
  ) =>
    send(`/${bucket}/${key}`, {
      method: 'PUT',
      query: { partNumber: String(number), uploadId },
      body,
      headers,
    })
  return {
    put,
    begin: async (key: string, headers: Record<string, string> = {}): Promise<string> => {
      const response = await send(`/${bucket}/${key}`, { method: 'POST', query: { uploads: '' }, headers })
      return textsIn(await response.text(), 'UploadId')[0] ?? ''
    },
    complete: (
      key: string,
      uploadId: string,
      parts: readonly Listed[] | string,
      headers: Record<string, string> = {},
    ) =>
      send(`/${bucket}/${key}`, {
        method: 'POST',
        query: { uploadId },
        body: typeof parts === 'string' ? parts : documentOf(parts),
        headers,
      }),
    abort: (key: string, uploadId: string) =>
      send(`/${bucket}/${key}`, { method: 'DELETE', query: { uploadId } }),
    get: async (key: string) => (await send(`/${bucket}/${key}`)).bytes(),
    /** Uploads parts in this order, and returns them as a request lists them. */
    sendParts: async (
      key: string,
      id: string,
      parts: readonly (readonly [number: number, body: Bytes])[],
    ): Promise<Listed[]> => {
      for (const [number, body] of parts) expect((await put(key, id, number, body)).status).toBe(200)
      return parts.map(([number, body]): Listed => [number, md5(body)]).sort(([a], [b]) => a - b)
    },
  }
}
