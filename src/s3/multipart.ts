import type { S3Connection } from './connection.ts'
import { brokenResponse, isMissingObject, isMissingUpload } from './error.ts'
import { decodeKey, readSize, readTime, requireText } from './objects.ts'
import { bytesPayload, type Payload } from './payload.ts'
import { elementsOf, textOf, writeElement, type XmlElement } from './xml.ts'

/** Part that the store has. */
export interface Part {
  /** Position in the object, from 1. */
  number: number
  etag: string
  /** Length in bytes. */
  size: number
}

/** Multipart upload that was neither completed nor aborted. */
interface OpenUpload {
  key: string
  uploadId: string
  /** Milliseconds since 1970. */
  startedAt: number
}

/** Size of the parts of a copy, in bytes. 10,000 of them hold more than an object may have. */
const COPY_PART_BYTES = 512 * 1024 ** 2

/** Objects that are sent in parts (S3 API reference, CreateMultipartUpload). */
export class MultipartUploads {
  readonly #connection: S3Connection

  constructor(connection: S3Connection) {
    this.#connection = connection
  }

  /** Starts an upload and returns its id. A lost response leaves an upload without parts. @throws {S3Error} */
  start(key: string): Promise<string> {
    const request = { method: 'POST', key, query: { uploads: '' } } as const
    return this.#connection.run(request, [200], async (incoming) => {
      const uploadId = requireText(await incoming.xml('InitiateMultipartUploadResult'), 'UploadId')
      if (uploadId.length > 1024) throw brokenResponse('POST', 'an upload id that is too long')
      return uploadId
    })
  }

  /** Sends a part, which replaces one of the same number. @throws {S3Error} */
  put(
    { key, uploadId, number }: { key: string; uploadId: string; number: number },
    payload: Payload,
    leaving?: AbortSignal,
  ): Promise<Part> {
    const query = { partNumber: String(number), uploadId }
    const request = { method: 'PUT', key, query, payload, ...(leaving && { leaving }) } as const
    return this.#connection.run(request, [200], async (incoming) => {
      await incoming.discard()
      return { number, etag: requireEtag(incoming.headers.get('etag')), size: payload.size }
    })
  }

  /** Returns the parts that the store has; `undefined` when the upload is gone. @throws {S3Error} */
  async parts(key: string, uploadId: string): Promise<Part[] | undefined> {
    const parts: Part[] = []
    for (let after = 0; ; ) {
      const query = { uploadId, ...(after > 0 && { 'part-number-marker': String(after) }) }
      const page = await this.#existing({ method: 'GET', key, query }, 'ListPartsResult')
      if (!page) return undefined
      for (const part of elementsOf(page, 'Part'))
        parts.push({
          number: readSize(requireText(part, 'PartNumber')),
          etag: requireEtag(textOf(part, 'ETag')),
          size: readSize(requireText(part, 'Size')),
        })
      if (textOf(page, 'IsTruncated') !== 'true') return parts
      const next = readSize(requireText(page, 'NextPartNumberMarker'))
      if (next <= after) throw brokenResponse('GET', 'a list that repeats')
      after = next
    }
  }

  /**
   * Joins the parts to the object, and checks its size.
   *
   * @throws {S3Error} `broken` when the object has another size than its parts.
   */
  async complete(key: string, uploadId: string, parts: readonly Part[]): Promise<void> {
    const listed = parts.map(({ number, etag }) =>
      writeElement('Part', [writeElement('PartNumber', String(number)), writeElement('ETag', etag)]),
    )
    const body = new TextEncoder().encode(writeElement('CompleteMultipartUpload', listed))
    const headers = { 'content-type': 'application/xml' }
    const request = {
      method: 'POST',
      key,
      query: { uploadId },
      headers,
      payload: bytesPayload(body),
      isWork: true,
    } as const
    try {
      await this.#connection.run(request, [200], (incoming) => incoming.xml('CompleteMultipartUploadResult'))
    } catch (error) {
      // An earlier try may have completed it although its response was lost.
      if (!isMissingUpload(error)) throw error
    }
    const size = parts.reduce((sum, part) => sum + part.size, 0)
    const found = await this.#connection.run({ method: 'HEAD', key }, [200, 404], async (incoming) => {
      await incoming.discard()
      return incoming.status === 200 ? incoming.headers.get('content-length') : undefined
    })
    if (found !== String(size))
      throw brokenResponse('POST', `a completed upload of ${found ?? 'no'} instead of ${size} bytes`)
  }

  /** Removes an upload with its parts. A missing one is no error. @throws {S3Error} */
  async abort(key: string, uploadId: string): Promise<void> {
    try {
      await this.#connection.run({ method: 'DELETE', key, query: { uploadId } }, [200, 204], (incoming) =>
        incoming.discard(),
      )
    } catch (error) {
      if (!isMissingUpload(error)) throw error
    }
  }

  /** Lists uploads that are neither completed nor aborted, of keys that begin with `prefix`. */
  async *list(prefix: string): AsyncGenerator<OpenUpload> {
    let marker: Record<string, string> = {}
    for (;;) {
      const query = { uploads: '', 'encoding-type': 'url', prefix, ...marker }
      const page = await this.#connection.run({ method: 'GET', query }, [200], (incoming) =>
        incoming.xml('ListMultipartUploadsResult'),
      )
      const isEncoded = textOf(page, 'EncodingType') === 'url'
      for (const upload of elementsOf(page, 'Upload'))
        yield {
          key: decodeKey(requireText(upload, 'Key'), isEncoded),
          uploadId: requireText(upload, 'UploadId'),
          startedAt: readTime(requireText(upload, 'Initiated')),
        }
      if (textOf(page, 'IsTruncated') !== 'true') return
      const next = {
        'key-marker': decodeKey(requireText(page, 'NextKeyMarker'), isEncoded),
        'upload-id-marker': requireText(page, 'NextUploadIdMarker'),
      }
      if (
        marker['upload-id-marker'] === next['upload-id-marker'] &&
        marker['key-marker'] === next['key-marker']
      )
        throw brokenResponse('GET', 'a list that repeats')
      marker = next
    }
  }

  /**
   * Copies an object of `size` bytes by parts. Returns false when it is missing.
   *
   * @param onStart Awaited before the first byte is copied.
   * @param leaving Aborted when nothing waits for the copy any more.
   * @throws {S3Error}
   */
  async copy(
    { source, key, size }: { source: string; key: string; size: number },
    onStart: (uploadId: string) => Promise<void> = async () => {},
    leaving?: AbortSignal,
  ): Promise<boolean> {
    const uploadId = await this.start(key)
    try {
      await onStart(uploadId)
      const parts: Part[] = []
      for (let first = 0; first < size; first += COPY_PART_BYTES) {
        const last = Math.min(first + COPY_PART_BYTES, size) - 1
        const headers = { 'x-amz-copy-source': source, 'x-amz-copy-source-range': `bytes=${first}-${last}` }
        const number = parts.length + 1
        const query = { partNumber: String(number), uploadId }
        const request = {
          method: 'PUT',
          key,
          query,
          headers,
          isWork: true,
          ...(leaving && { leaving }),
        } as const
        const copied = await this.#connection.run(request, [200], (incoming) =>
          incoming.xml('CopyPartResult'),
        )
        parts.push({ number, etag: requireEtag(textOf(copied, 'ETag')), size: last - first + 1 })
      }
      await this.complete(key, uploadId, parts)
      return true
    } catch (error) {
      await this.abort(key, uploadId).catch(() => {})
      if (isMissingObject(error)) return false
      throw error
    }
  }

  async #existing(
    request: Parameters<S3Connection['run']>[0],
    root: string,
  ): Promise<XmlElement | undefined> {
    try {
      return await this.#connection.run(request, [200], (incoming) => incoming.xml(root))
    } catch (error) {
      if (isMissingUpload(error)) return undefined
      throw error
    }
  }
}

/** Returns a part's entity tag, which is sent back as it is. @throws {S3Error} when it is none. */
function requireEtag(etag: string | null | undefined): string {
  if (etag && /^[\x21-\x7e]{1,256}$/.test(etag)) return etag
  throw brokenResponse('PUT', 'a part without an entity tag')
}
