import { createHash } from 'node:crypto'
import { S3Connection, type S3Location, type S3Options } from './connection.ts'
import { brokenResponse, isMissingObject, S3Error } from './error.ts'
import type { Incoming } from './incoming.ts'
import { MultipartUploads } from './multipart.ts'
import { copySource, readObjects, type S3Object } from './objects.ts'
import { bytesPayload, type Payload } from './payload.ts'
import { elementsOf, textOf, writeElement } from './xml.ts'

/** Bytes `first` to `last`, both inclusive and 0-based. */
export interface ByteRange {
  first: number
  last: number
}

interface Head {
  size: number
  etag: string
  /** Milliseconds since 1970, in whole seconds. */
  lastModified: number
}

/** Maximum keys of one request that deletes many (S3 API reference, DeleteObjects). */
const MAX_DELETES = 1000

/** Objects of one bucket. Every method but `list` is one request, tried again when the failure may pass. */
export class S3Client {
  readonly uploads: MultipartUploads
  readonly #connection: S3Connection

  constructor(location: S3Location, options: S3Options) {
    this.#connection = new S3Connection(location, options)
    this.uploads = new MultipartUploads(this.#connection)
  }

  /**
   * Stores an object. Returns false when `ifAbsent` is set and the key is taken, which not every store looks at.
   *
   * @throws {S3Error}
   */
  async put(
    key: string,
    payload: Payload,
    { ifAbsent = false, leaving }: { ifAbsent?: boolean; leaving?: AbortSignal } = {},
  ): Promise<boolean> {
    const headers = ifAbsent ? { 'if-none-match': '*' } : {}
    const request = { method: 'PUT', key, headers, payload, ...(leaving && { leaving }) } as const
    return this.#connection.run(request, ifAbsent ? [200, 412] : [200], async (incoming, attempt) => {
      await incoming.discard()
      if (incoming.status === 200) return true
      // The response to an earlier try may be all that was lost.
      return attempt > 1 && (await this.head(key))?.size === payload.size
    })
  }

  /** Returns `undefined` when there is no such object, or no such bucket. @throws {S3Error} */
  head(key: string): Promise<Head | undefined> {
    return this.#connection.run({ method: 'HEAD', key }, [200, 404], async (incoming) => {
      await incoming.discard()
      return incoming.status === 404 ? undefined : headOf('HEAD', incoming)
    })
  }

  /**
   * Reads a whole object, piece by piece into `use`. A read that breaks off starts again from the first byte.
   *
   * @param use Consumes exactly `size` bytes. Called once a try.
   * @returns `undefined` when there is no such object.
   * @throws {S3Error} `broken` when the object has another size.
   */
  async get<Result>(
    key: string,
    size: number,
    use: (chunks: AsyncIterable<Uint8Array>) => Promise<Result>,
  ): Promise<Result | undefined> {
    return this.#existing({ method: 'GET', key }, [200], async (incoming) => {
      const length = lengthOf(incoming)
      if (length === size) return use(incoming.chunks(size))
      await incoming.discard()
      throw brokenResponse('GET', `an object of ${length ?? 'unknown'} instead of ${size} bytes`)
    })
  }

  /**
   * Reads a range of an object of `size` bytes into memory.
   *
   * @returns `undefined` when there is no such object.
   * @throws {S3Error} `broken` when the store sends another range, the whole object, or has one of another size.
   */
  async read(
    key: string,
    { first, last }: ByteRange,
    size: number,
    leaving?: AbortSignal,
  ): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const headers = { range: `bytes=${first}-${last}` }
    const request = { method: 'GET', key, headers, ...(leaving && { leaving }) } as const
    return this.#existing(request, [206, 200, 416], async (incoming) => {
      const sent = incoming.headers.get('content-range')
      if (incoming.status !== 206 || sent !== `bytes ${first}-${last}/${size}`) {
        await incoming.discard()
        throw brokenResponse(
          'GET',
          `status ${incoming.status} to a range, not the bytes ${first}-${last}/${size}`,
        )
      }
      const bytes = new Uint8Array(last - first + 1)
      let filled = 0
      for await (const chunk of incoming.chunks(bytes.length)) {
        bytes.set(chunk, filled)
        filled += chunk.length
      }
      return bytes
    })
  }

  /** Deletes an object. A missing one is no error. @throws {S3Error} */
  async remove(key: string): Promise<void> {
    await this.#connection.run({ method: 'DELETE', key }, [200, 204, 404], async (incoming) => {
      const code = incoming.status === 404 ? await incoming.errorCode() : undefined
      await incoming.discard()
      if (code === 'NoSuchBucket')
        throw new S3Error('The bucket is missing: check S3_BUCKET', { kind: 'refused' })
    })
  }

  /**
   * Deletes objects, 1,000 in a request. Missing ones are no error.
   *
   * @returns Keys that the store did not delete.
   * @throws {S3Error}
   */
  async removeMany(keys: readonly string[]): Promise<string[]> {
    const left: string[] = []
    for (let start = 0; start < keys.length; start += MAX_DELETES)
      left.push(...(await this.#removeBatch(keys.slice(start, start + MAX_DELETES))))
    return left
  }

  #removeBatch(keys: readonly string[]): Promise<string[]> {
    const named = keys.map((key) => writeElement('Object', [writeElement('Key', key)]))
    const body = new TextEncoder().encode(writeElement('Delete', named))
    const headers = {
      'content-md5': createHash('md5').update(body).digest('base64'),
      'content-type': 'application/xml',
    }
    const request = {
      method: 'POST',
      query: { delete: '' },
      headers,
      payload: bytesPayload(body),
      isWork: true,
    } as const
    return this.#connection.run(request, [200], async (incoming) => {
      const result = await incoming.xml('DeleteResult')
      const deleted = new Set(elementsOf(result, 'Deleted').map((element) => textOf(element, 'Key')))
      for (const error of elementsOf(result, 'Error'))
        if (textOf(error, 'Code') === 'NoSuchKey') deleted.add(textOf(error, 'Key'))
      return keys.filter((key) => !deleted.has(key))
    })
  }

  /** Lists the objects whose keys begin with `prefix`, in the order of their keys, after the key `after`. */
  async *list(prefix: string, after = ''): AsyncGenerator<S3Object> {
    let token: string | undefined
    do {
      const query = {
        'list-type': '2',
        'encoding-type': 'url',
        prefix,
        ...(token === undefined ? after && { 'start-after': after } : { 'continuation-token': token }),
      }
      const page = await this.#connection.run({ method: 'GET', query }, [200], async (incoming) =>
        readObjects(await incoming.xml('ListBucketResult')),
      )
      yield* page.objects
      // A token that repeats would never end.
      if (page.next !== undefined && page.next === token) throw brokenResponse('GET', 'a list that repeats')
      token = page.next
    } while (token !== undefined)
  }

  /**
   * Copies an object within the store: in one request, or by parts when it is large.
   *
   * @param onStart Awaited before the first byte is copied, with the id of the upload that is made of parts.
   * @param leaving Aborted when nothing waits for the copy any more.
   * @returns False when there is no such object.
   * @throws {S3Error}
   */
  async copy(
    { from, to, size }: { from: string; to: string; size: number },
    onStart: (uploadId?: string) => Promise<void> = async () => {},
    leaving?: AbortSignal,
  ): Promise<boolean> {
    const source = copySource(this.#connection.bucket, from)
    if (size > MAX_COPY_BYTES) return this.uploads.copy({ source, key: to, size }, onStart, leaving)
    await onStart()
    const request = {
      method: 'PUT',
      key: to,
      headers: { 'x-amz-copy-source': source },
      isWork: true,
      ...(leaving && { leaving }),
    } as const
    const done = await this.#existing(request, [200], async (incoming) => {
      await incoming.xml('CopyObjectResult')
      return true
    })
    return done === true
  }

  async #existing<Result>(
    request: Parameters<S3Connection['run']>[0],
    expected: readonly number[],
    use: (incoming: Incoming) => Promise<Result>,
  ): Promise<Result | undefined> {
    try {
      return await this.#connection.run(request, expected, use)
    } catch (error) {
      if (isMissingObject(error)) return undefined
      throw error
    }
  }
}

/** Maximum size of an object that one request copies. S3 allows 5 GiB, which may take longer than the deadline. */
const MAX_COPY_BYTES = 1024 ** 3

function lengthOf({ headers }: Incoming): number | undefined {
  const length = headers.get('content-length')
  return length !== null && /^\d{1,15}$/.test(length) ? Number(length) : undefined
}

function headOf(method: string, incoming: Incoming): Head {
  const size = lengthOf(incoming)
  if (size === undefined) throw brokenResponse(method, 'no length')
  return {
    size,
    etag: incoming.headers.get('etag') ?? '',
    lastModified: Date.parse(incoming.headers.get('last-modified') ?? '') || 0,
  }
}
