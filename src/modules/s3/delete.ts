import { assertStillAllowed } from '../../access/caller.ts'
import { namesEntityTag, parseHttpDate, strongMatch } from '../../http/conditional.ts'
import { isRefused } from '../../platform/errors.ts'
import type { FileRow, Work } from '../../store/rows.ts'
import { childrenOf, readXml, textOf, type XmlElement, XmlError } from '../../xml/read.ts'
import { element, elementWith, type Xml, xmlResponse } from '../../xml/write.ts'
import { openBody } from './body.ts'
import { assertEmpty } from './buckets.ts'
import { S3Error, s3ErrorOf } from './errors.ts'
import { changedAt, etagOf } from './facts.ts'
import { NAMESPACE } from './list.ts'
import { findObject, quoted } from './publish.ts'
import { assertPromised } from './put.ts'
import { assertBucket, placeFor, placeOf, readDocument, type S3Request } from './request.ts'
import { CHECKSUM_ALGORITHMS, SumsWithMd5 } from './sums.ts'

/** Deletes an object for good (DeleteObject). One that does not exist is deleted already. */
export async function deleteObject(s3: S3Request): Promise<Response> {
  await assertBucket(s3.deps, s3.bucket)
  assertOnlyVersion(s3.query.get('versionId'))
  const { headers } = s3.request
  await remove(s3, s3.key, {
    etag: headers.get('if-match') ?? undefined,
    time: headers.get('x-amz-if-match-last-modified-time') ?? undefined,
    size: headers.get('x-amz-if-match-size') ?? undefined,
  })
  return new Response(null, { status: 204 })
}

function assertOnlyVersion(version: string | undefined): void {
  if ((version ?? 'null') !== 'null') throw new S3Error('NoSuchVersion')
}

/** Properties that an object must have to be deleted. */
interface Expected {
  etag: string | undefined
  time: string | undefined
  size: string | undefined
}

/** @throws {S3Error} `PreconditionFailed`. */
function assertExpected(present: FileRow, { etag, time, size }: Expected, now: number): void {
  const isIt =
    (etag === undefined || namesEntityTag(quoted(etag), etagOf(present), strongMatch)) &&
    (time === undefined || parseHttpDate(time, now) === changedAt(present)) &&
    (size === undefined || Number(size) === present.size)
  if (!isIt) throw new S3Error('PreconditionFailed')
}

async function remove(s3: S3Request, key: string, expected: Expected): Promise<void> {
  const {
    deps,
    bucket,
    history,
    signed: { caller },
  } = s3
  const place = key.endsWith('/') ? placeFor(bucket, key.slice(0, -1)) : placeOf({ bucket, key })
  if (!place) return
  if (key.endsWith('/')) {
    const id = await deps.store.folders.idAt([...place.folder, place.name])
    if (id !== undefined && (await removeIfEmpty(s3, id))) await tidy(s3, place.folder)
    return
  }
  const row = await deps.store.read(() => findObject(s3, place))
  if (!row) return
  const authorize = function* (): Work<void> {
    yield* assertStillAllowed(deps, caller, 'files:delete')
    const present = yield* findObject(s3, place)
    if (present?.id === row.id) assertExpected(present, expected, deps.clock.now())
  }
  const removed = await deps.store.changes(authorize).removeFile(row.id)
  if (!removed) return
  history.note(caller.key, 'file.deleted', removed.name)
  await tidy(s3, place.folder)
}

/** Removes the folders above a key that keys have made and that are empty now. Those that people made, or named, stay. */
async function tidy(s3: S3Request, folder: readonly string[]): Promise<void> {
  const { store } = s3.deps
  for (let depth = folder.length; depth > 1; depth--) {
    const id = await store.folders.idAt(folder.slice(0, depth))
    const row = id === undefined ? undefined : await store.folders.byId(id)
    if (!row?.madeForKeys || (await store.folders.isNamed(row.id))) return
    if (!(await removeIfEmpty(s3, row.id))) return
  }
}

/** Removes a folder unless something is in it, or the caller may not. */
async function removeIfEmpty(s3: S3Request, id: string): Promise<boolean> {
  const {
    deps,
    signed: { caller },
  } = s3
  try {
    await deps.store.read(() => assertEmpty(s3, id))
    const changes = deps.store.changes(() => assertStillAllowed(deps, caller, 'files:delete'))
    await changes.discardFolder(id, () => assertEmpty(s3, id))
    return true
  } catch (error) {
    if (isRefused(error, 403, 404) || error instanceof S3Error) return false
    throw error
  }
}

interface ToDelete extends Expected {
  key: string
  version: string | undefined
}

const MAX_KEYS = 1000

/** Deletes several objects, each on its own (DeleteObjects). */
export async function deleteObjects(s3: S3Request): Promise<Response> {
  await assertBucket(s3.deps, s3.bucket)
  const { objects, isQuiet } = objectsIn(await readVerified(s3))
  const results: Xml[] = []
  for (const { key, version, ...expected } of objects) {
    try {
      assertOnlyVersion(version)
      await remove(s3, key, expected)
      if (!isQuiet) results.push(element('Deleted', element('Key', key)))
    } catch (error) {
      const refused = s3ErrorOf(error)
      if (!refused) throw error
      const fields = { Key: key, Code: refused.code, Message: refused.message }
      results.push(element('Error', ...Object.entries(fields).map(([name, text]) => element(name, text))))
    }
  }
  return xmlResponse(elementWith('DeleteResult', NAMESPACE, ...results))
}

/**
 * Reads a document whose digests are those that were signed and promised.
 *
 * @param promises Headers whose digests are those of the document.
 */
export async function readVerified(s3: S3Request, promises?: Pick<Headers, 'get'>): Promise<string> {
  const body = openBody(s3, promises)
  const bytes = await readDocument(s3.request, body.bytes)
  const sha256 = Bun.CryptoHasher.hash('sha256', bytes, 'hex')
  if (body.sha256 !== undefined && body.sha256 !== sha256) throw new S3Error('XAmzContentSHA256Mismatch')
  const promised = body.promised()
  const sums = new SumsWithMd5(
    CHECKSUM_ALGORITHMS.filter((algorithm) => promised.checksums[algorithm] !== undefined),
  )
  sums.update(bytes)
  assertPromised(promised, { md5: sums.endMd5(), checksums: sums.end() })
  return Buffer.from(bytes).toString()
}

/** Reads an XML document. @throws {S3Error} `MalformedXML` for another one. */
export function readRoot(text: string, name: string): XmlElement {
  try {
    const root = readXml(text)
    if (root.name === name) return root
  } catch (error) {
    if (!(error instanceof XmlError)) throw error
  }
  throw new S3Error('MalformedXML')
}

/** Returns the text of the first element of a name; `undefined` when there is none. */
export function fieldOf(parent: XmlElement, name: string): string | undefined {
  const [child] = childrenOf(parent, parent.namespace, name)
  return child && textOf(child)
}

function objectsIn(text: string): { objects: ToDelete[]; isQuiet: boolean } {
  const root = readRoot(text, 'Delete')
  const objects = childrenOf(root, root.namespace, 'Object').map((object) => {
    const key = fieldOf(object, 'Key')
    if (key === undefined || key === '') throw new S3Error('MalformedXML')
    const [version, etag] = [fieldOf(object, 'VersionId'), fieldOf(object, 'ETag')]
    return { key, version, etag, time: fieldOf(object, 'LastModifiedTime'), size: fieldOf(object, 'Size') }
  })
  if (objects.length === 0 || objects.length > MAX_KEYS) throw new S3Error('MalformedXML')
  return { objects, isQuiet: fieldOf(root, 'Quiet') === 'true' }
}
