import { isForbidden } from '../../platform/errors.ts'
import { iso } from '../../platform/time.ts'
import { passOn } from '../../store/bytes.ts'
import type { ResumableRow } from '../../store/rows.ts'
import { element, elementWith, xmlResponse } from '../../xml/write.ts'
import { announcedChecksums, type Body, openBody } from './body.ts'
import { type Chosen, readChosen } from './chosen.ts'
import { findSource, openSource } from './copy.ts'
import { readVerified } from './delete.ts'
import { S3Error, s3ErrorOf } from './errors.ts'
import { checksumHeaders, type Facts, keptHeaders, sumElements, typeElement } from './facts.ts'
import { NAMESPACE } from './list.ts'
import {
  abortUpload,
  arrivedParts,
  beginUpload,
  LIFETIME_MS,
  MAX_PARTS,
  receivePart,
  removeParts,
  requireUpload,
} from './parts.ts'
import { assertInside, assertStorable, findObject, storeObject } from './publish.ts'
import { assertPromised, assertSupported, visibilityOf } from './put.ts'
import { assertBucket, placeOf, type S3Request } from './request.ts'
import {
  type ChecksumAlgorithm,
  checksumAlgorithm,
  compositeChecksum,
  etagOfParts,
  SumsWithMd5,
  wholeChecksum,
} from './sums.ts'

const MIN_PART_BYTES = 5 * 1024 ** 2

/** Begins an upload in parts (CreateMultipartUpload). */
export async function createMultipartUpload(s3: S3Request): Promise<Response> {
  const { deps, bucket, key, request, signed } = s3
  await assertBucket(deps, bucket)
  assertSupported(request.headers)
  const { folder, name } = placeOf(s3)
  const visibility = visibilityOf(request.headers)
  await assertStorable(s3, { folder, name }, visibility)
  const sums = readSums(request.headers)
  const headers = keptHeaders(request.headers)
  const facts: Facts = {
    headers,
    ...(sums && { checksums: { [sums.algorithm]: '' }, isWhole: sums.isWhole }),
  }
  const place = { folder: folder.join('/'), name, visibility: visibility ?? null }
  const { id } = await beginUpload(deps, signed.caller, { ...place, facts })
  const root = elementWith(
    'InitiateMultipartUploadResult',
    NAMESPACE,
    element('Bucket', bucket),
    element('Key', key),
    element('UploadId', id),
  )
  return xmlResponse(root, 200, sums && sumHeaders(sums))
}

/** Algorithm of an upload's checksums, and whether they are of the whole object. */
export interface UploadSums {
  algorithm: ChecksumAlgorithm
  isWhole: boolean
}

export const sumHeaders = ({ algorithm, isWhole }: UploadSums) => ({
  'x-amz-checksum-algorithm': algorithm,
  'x-amz-checksum-type': isWhole ? 'FULL_OBJECT' : 'COMPOSITE',
})

/** @throws {S3Error} `InvalidRequest`. */
function readSums(headers: Headers): UploadSums | undefined {
  const named = headers.get('x-amz-checksum-algorithm')
  const type = headers.get('x-amz-checksum-type')?.toUpperCase()
  if (named === null && type === undefined) return undefined
  const algorithm = checksumAlgorithm(named ?? '')
  if (!algorithm) throw new S3Error('InvalidRequest', 'x-amz-checksum-algorithm is missing or unknown')
  const isOfWhole = wholeChecksum(algorithm, []) !== undefined
  const isWhole = type === undefined ? algorithm === 'CRC64NVME' : type === 'FULL_OBJECT'
  const isKnown = type === undefined || isWhole || type === 'COMPOSITE'
  if (!isKnown || (isWhole && !isOfWhole) || (!isWhole && algorithm === 'CRC64NVME'))
    throw new S3Error(
      'InvalidRequest',
      `The ${type} checksum type cannot be used with the ${algorithm} checksum algorithm.`,
    )
  return { algorithm, isWhole }
}

/** Returns how the checksum of an upload is made; `undefined` when its client wants none. */
export function sumsOf({ facts }: ResumableRow): UploadSums | undefined {
  const [algorithm] = Object.keys(facts?.checksums ?? {}).flatMap((name) => checksumAlgorithm(name) ?? [])
  return algorithm && { algorithm, isWhole: facts?.isWhole ?? false }
}

/** Returns the unfinished upload that a request names. @throws {S3Error} `NoSuchUpload`. */
export async function namedUpload(s3: S3Request): Promise<ResumableRow> {
  const row = await namedOrFinished(s3)
  if (row.fileId !== null) throw new S3Error('NoSuchUpload')
  return row
}

async function namedOrFinished(s3: S3Request): Promise<ResumableRow> {
  const { deps, query, signed } = s3
  await assertBucket(deps, s3.bucket)
  const { folder, name } = placeOf(s3)
  // Other API keys of the account begin uploads, too.
  await assertInside(s3, { folder })
  return requireUpload(deps, signed.caller, {
    id: query.get('uploadId') ?? '',
    folder: folder.join('/'),
    name,
  })
}

/** @throws {S3Error} `InvalidArgument`. */
function partNumber({ query }: S3Request): number {
  const text = query.get('partNumber') ?? ''
  const number = /^\d{1,5}$/.test(text) ? Number(text) : 0
  if (number < 1 || number > MAX_PARTS)
    throw new S3Error(
      'InvalidArgument',
      `Part number must be an integer between 1 and ${MAX_PARTS}, inclusive`,
    )
  return number
}

/** Receives a part (UploadPart). */
export async function uploadPart(s3: S3Request): Promise<Response> {
  const { request } = s3
  const number = partNumber(s3)
  const upload = await namedUpload(s3)
  const body = openBody(s3)
  const facts = await receiveBytes(s3, upload, number, {
    ...body,
    algorithms: announcedChecksums(request),
  })
  return new Response(null, { headers: { etag: `"${facts.etag}"`, ...partHeaders(facts) } })
}

/** Receives a part whose bytes are those of an object, or a range of it (UploadPartCopy). */
export async function uploadPartCopy(s3: S3Request): Promise<Response> {
  const number = partNumber(s3)
  const upload = await namedUpload(s3)
  const source = await findSource(s3)
  const { first, last } = copyRange(s3.request.headers.get('x-amz-copy-source-range'), source.row.size)
  const opened = await openSource(s3, source)
  let isTaken = false
  async function* bytes(): AsyncGenerator<Uint8Array> {
    if (last < first) return
    isTaken = true
    const body = opened.body(first, last)
    if (body instanceof Uint8Array) yield body
    // A chunk is valid until the next one only.
    else for await (const chunk of body) yield passOn(chunk.slice())
  }
  const facts = await receiveBytes(s3, upload, number, {
    bytes: bytes(),
    ...{ length: last - first + 1, sha256: undefined, algorithms: [] },
    promised: () => ({ md5: undefined, checksums: {} }),
  }).finally(() => {
    if (!isTaken) opened.close()
  })
  const fields = [element('LastModified', iso(s3.deps.clock.now())), element('ETag', `"${facts.etag}"`)]
  return xmlResponse(elementWith('CopyPartResult', NAMESPACE, ...fields, ...sumElements(facts)))
}

/** @throws {S3Error} `InvalidArgument`, `InvalidRange`. */
function copyRange(header: string | null, size: number): { first: number; last: number } {
  if (header === null) return { first: 0, last: size - 1 }
  const [, first = '', last = ''] = /^bytes=(\d{1,15})-(\d{1,15})$/.exec(header) ?? []
  if (first === '' || Number(first) > Number(last))
    throw new S3Error('InvalidArgument', 'x-amz-copy-source-range must be bytes=first-last')
  if (Number(last) >= size) throw new S3Error('InvalidRange', 'The range is not within the object')
  return { first: Number(first), last: Number(last) }
}

/** Returns the headers with the checksums of a part. */
function partHeaders(facts: Facts): Record<string, string> {
  const { 'x-amz-checksum-type': _, ...headers } = checksumHeaders(facts)
  return headers
}

interface PartBody extends Body {
  algorithms: readonly ChecksumAlgorithm[]
}

/** Receives the bytes of a part, and verifies what was promised of them. */
async function receiveBytes(
  s3: S3Request,
  upload: ResumableRow,
  number: number,
  { bytes, length, sha256, promised, algorithms }: PartBody,
): Promise<Facts> {
  const { deps, signed } = s3
  const own = sumsOf(upload)?.algorithm
  const taken = new Set([...algorithms, ...(own ? [own] : [])])
  const sums = new SumsWithMd5(sha256 === undefined ? taken : [...taken, 'SHA256'])
  const present = await deps.store.read(() => findObject(s3, placeOf(s3)))
  return receivePart(deps, signed.caller, upload, {
    ...{ number, size: length, freed: present?.size ?? 0 },
    bytes: sums.through(bytes),
    verify: () => {
      const checksums = sums.end()
      if (sha256 !== undefined && checksums.SHA256 !== Buffer.from(sha256, 'hex').toString('base64'))
        throw new S3Error('XAmzContentSHA256Mismatch')
      const facts = { etag: sums.endMd5(), checksums }
      assertPromised(promised(), { md5: facts.etag, checksums })
      const kept = Object.entries(checksums).filter(([algorithm]) =>
        taken.has(algorithm as ChecksumAlgorithm),
      )
      return { ...facts, checksums: Object.fromEntries(kept) }
    },
  })
}

/** Ends an upload without an object (AbortMultipartUpload). */
export async function abortMultipartUpload(s3: S3Request): Promise<Response> {
  await abortUpload(s3.deps, await namedUpload(s3))
  return new Response(null, { status: 204 })
}

/** Makes an object of the parts that a request lists (CompleteMultipartUpload). A repeated request has the same answer. */
export async function completeMultipartUpload(s3: S3Request): Promise<Response> {
  const { deps, signed, history } = s3
  const { headers } = s3.request
  // Checksums in the headers are those of the object.
  const ofDocument = (name: string) => (name === 'content-md5' ? headers.get(name) : null)
  const listed = readChosen(await readVerified(s3, { get: ofDocument }))
  const upload = await namedOrFinished(s3)
  return deps.assemblies.alone(upload.id, async () => {
    const row = await namedOrFinished(s3)
    if (row.fileId !== null) return repeated(s3, row, listed)
    const parts = chooseParts(await arrivedParts(deps, row), listed)
    const facts = factsOf(s3, row, parts)
    try {
      const { isNew } = await publish(s3, row, { parts, facts })
      history.note(signed.caller.key, isNew ? 'upload.succeeded' : 'file.replaced', row.name)
      return completed(s3, facts)
    } catch (error) {
      // Another server may have completed it meanwhile.
      const now = await deps.store.resumables.byId(row.id)
      if (now && now.fileId !== null) return repeated(s3, now, listed)
      if (s3ErrorOf(error) && !isForbidden(error)) history.note(signed.caller.key, 'upload.failed', row.name)
      throw error
    }
  })
}

async function publish(
  s3: S3Request,
  row: ResumableRow,
  { parts, facts }: { parts: readonly ResumableRow[]; facts: Facts },
): Promise<{ isNew: boolean }> {
  const { deps } = s3
  const place = placeOf(s3)
  const size = parts.reduce((sum, { length }) => sum + length, 0)
  const { maxUploadBytes } = deps.store.settings.current()
  if (size > maxUploadBytes) throw new S3Error('EntityTooLarge')
  const visibility = row.visibility ?? undefined
  await assertStorable(s3, place, visibility)
  const ids = await deps.store.resumables.partIds(row.id)
  const stored = await deps.assemblies.assemble(row.id, parts, (staged) =>
    storeObject(s3, {
      ...{ place, staged, facts, visibility },
      finishes: { id: row.id, expiresAt: deps.clock.now() + LIFETIME_MS, hasParts: true },
    }),
  )
  await removeParts(deps, row.id, ids)
  return stored
}

/** Returns the parts that a request lists. @throws {S3Error} `InvalidPart`, `EntityTooSmall`. */
function chooseParts(arrived: readonly ResumableRow[], listed: readonly Chosen[]): ResumableRow[] {
  const known = new Map(arrived.map((row) => [row.part, row]))
  return listed.map(({ number, etag, checksums }, index) => {
    const row = known.get(number)
    const isIt = row?.facts?.etag === etag
    const isSame = Object.entries(checksums).every(
      ([algorithm, value]) => (row?.facts?.checksums?.[algorithm] ?? value) === value,
    )
    if (!row || !isIt || !isSame) throw new S3Error('InvalidPart')
    if (row.length < MIN_PART_BYTES && index < listed.length - 1) throw new S3Error('EntityTooSmall')
    return row
  })
}

/** Returns what is known about the object. @throws {S3Error} `BadDigest`, `InvalidRequest`. */
function factsOf({ request }: S3Request, upload: ResumableRow, parts: readonly ResumableRow[]): Facts {
  const size = request.headers.get('x-amz-mp-object-size')
  if (size !== null && Number(size) !== parts.reduce((sum, { length }) => sum + length, 0))
    throw new S3Error('InvalidRequest', 'x-amz-mp-object-size is not the size of the parts')
  const facts: Facts = {
    etag: etagOfParts(parts.map((part) => part.facts?.etag ?? '')),
    parts: parts.map(({ length }) => length),
    headers: upload.facts?.headers ?? {},
  }
  const sums = sumsOf(upload)
  if (!sums) return facts
  const { algorithm, isWhole } = sums
  const ofParts = parts.map((part) => ({
    checksum: part.facts?.checksums?.[algorithm] ?? '',
    size: part.length,
  }))
  const checksum = isWhole ? wholeChecksum(algorithm, ofParts) : compositeChecksum(algorithm, ofParts)
  const sent = request.headers.get(`x-amz-checksum-${algorithm.toLowerCase()}`)
  if (sent !== null && sent !== checksum) throw new S3Error('BadDigest')
  const partSums = ofParts.map((part) => part.checksum)
  return { ...facts, checksums: { [algorithm]: checksum ?? '' }, isWhole, partSums }
}

/** Answers a request that has been answered before. @throws {S3Error} `NoSuchUpload` for one of other parts. */
async function repeated(
  s3: S3Request,
  { fileId }: ResumableRow,
  listed: readonly Chosen[],
): Promise<Response> {
  const etag = etagOfParts(listed.map((part) => part.etag))
  const file = await s3.deps.store.files.byId(fileId ?? '')
  if (file?.facts?.etag !== etag) throw new S3Error('NoSuchUpload')
  return completed(s3, file.facts)
}

function completed({ deps, request, bucket, key }: S3Request, facts: Facts): Response {
  const { href } = new URL(new URL(request.url).pathname, deps.config.baseUrl)
  const root = elementWith(
    'CompleteMultipartUploadResult',
    NAMESPACE,
    ...[element('Location', href), element('Bucket', bucket), element('Key', key)],
    element('ETag', `"${facts.etag}"`),
    ...sumElements(facts),
    ...typeElement(facts),
  )
  return xmlResponse(root)
}
