import type { TreeContext } from '../../access/context.ts'
import { exchangeOf } from '../../http/exchange.ts'
import { isRefused } from '../../platform/errors.ts'
import { MAX_KEY_BYTES, nameProblem } from '../../platform/names.ts'
import { rateLimitBucket } from '../../platform/rate-limit.ts'
import type { Assemblies } from './assembly.ts'
import { S3Error } from './errors.ts'
import type { S3History } from './history.ts'
import type { Query, Signed } from './signature.ts'

/** Services of the S3 API. */
export interface S3Context extends TreeContext {
  assemblies: Assemblies
}

/** Request by the S3 API, with the store as far as its caller reaches. */
export interface S3Request {
  deps: S3Context
  history: S3History
  request: Request
  signed: Signed
  /** Empty for the service itself. */
  bucket: string
  /** Empty for the bucket itself. */
  key: string
  /** Parameters by name; of one that is sent twice the last counts. */
  query: ReadonlyMap<string, string>
}

/** Place of an object: the folder by its names from the root, the bucket among them, and its name. */
export interface Place {
  folder: string[]
  name: string
}

export const parametersOf = (query: Query): ReadonlyMap<string, string> => new Map(query)

/** Splits a decoded path into a bucket and a key. */
export function splitPath(path: string): { bucket: string; key: string } {
  const [, bucket = '', key = ''] = /^\/([^/]*)\/?(.*)$/s.exec(path) ?? []
  return { bucket, key }
}

/**
 * Returns the place of a key. Keys are paths of files, so those that no file can have are refused.
 *
 * @throws {S3Error} `InvalidArgument`, `KeyTooLongError`.
 */
export function placeOf({ bucket, key }: { bucket: string; key: string }): Place {
  const place = placeFor(bucket, key)
  if (place) return place
  if (Buffer.byteLength(`${bucket}/${key}`) > MAX_KEY_BYTES) throw new S3Error('KeyTooLongError')
  throw new S3Error(
    'InvalidArgument',
    'Keys are paths of files: a part between slashes must not be empty, ".", "..", longer than 255 bytes, or have control characters or backslashes',
  )
}

/** Returns the place of a key; `undefined` for one that no file can have. */
export function placeFor(bucket: string, key: string): Place | undefined {
  const segments = [bucket, ...key.split('/')]
  if (Buffer.byteLength(`${bucket}/${key}`) > MAX_KEY_BYTES) return undefined
  if (segments.some((segment) => nameProblem(segment) !== undefined)) return undefined
  return { folder: segments.slice(0, -1), name: segments.at(-1) ?? '' }
}

/** Returns true when the caller may see a bucket: a top-level folder that it reaches, or has a folder below that it reaches. */
export async function hasBucket({ store }: TreeContext, bucket: string): Promise<boolean> {
  if (nameProblem(bucket) !== undefined) return false
  if (store.reach.isEverything) return (await store.folders.idAt([bucket])) !== undefined
  return (await store.entries()).some(({ key }) => key.split('/', 1)[0] === bucket)
}

/** @throws {S3Error} `NoSuchBucket`, also for one that the caller does not reach. */
export async function assertBucket(deps: TreeContext, bucket: string): Promise<void> {
  if (!(await hasBucket(deps, bucket))) throw new S3Error('NoSuchBucket')
}

/** Maximum bytes of a document in a body. */
const MAX_DOCUMENT_BYTES = 2 * 1024 ** 2

/**
 * Reads a document from the decoded bytes of a body, within the memory for short bodies.
 *
 * @throws {S3Error} `MalformedXML` for a longer one; {Refusal} `request-timeout`, `unavailable`.
 */
export async function readDocument(request: Request, bytes: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const { shortBodies, clientAddress } = exchangeOf(request)
  const chunks = bytes[Symbol.asyncIterator]()
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull: async (controller) => {
      const { done, value } = await chunks.next()
      if (done) controller.close()
      else controller.enqueue(value.slice())
    },
    cancel: async () => void (await chunks.return?.()),
  })
  try {
    return await shortBodies.read(
      { headers: request.headers, body },
      {
        maxBytes: MAX_DOCUMENT_BYTES,
        client: rateLimitBucket(clientAddress),
        parse: (document) => document.slice(),
      },
    )
  } catch (error) {
    if (isRefused(error, 413)) throw new S3Error('MalformedXML', 'The document is too long')
    throw error
  }
}
