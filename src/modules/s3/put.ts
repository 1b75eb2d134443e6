import { assertStillAllowed } from '../../access/caller.ts'
import { isForbidden } from '../../platform/errors.ts'
import { admissionOf } from '../../reception/arriving.ts'
import { receiveBytes } from '../../reception/body.ts'
import { receiveLimits } from '../../reception/receive.ts'
import type { StagedFile } from '../../store/bytes.ts'
import { done, type FileRow } from '../../store/rows.ts'
import { announcedChecksums, type Body, openBody } from './body.ts'
import { S3Error, s3ErrorOf } from './errors.ts'
import { checksumHeaders, etagOf, type Facts, keptHeaders, type Promised } from './facts.ts'
import { assertInside, assertStorable, storeObject } from './publish.ts'
import { assertBucket, type Place, placeOf, type S3Request } from './request.ts'
import { type ChecksumAlgorithm, type Checksums, checksumAlgorithm, Sums } from './sums.ts'

/** Headers that ask for what is not there: to ignore them would store an object otherwise than its client thinks. */
const REFUSED = [
  'x-amz-server-side-encryption-customer-algorithm',
  'x-amz-server-side-encryption-aws-kms-key-id',
  'x-amz-object-lock-mode',
  'x-amz-object-lock-legal-hold',
  'x-amz-website-redirect-location',
]

/** Stores an object (PutObject). */
export async function putObject(s3: S3Request): Promise<Response> {
  const {
    deps,
    bucket,
    key,
    request,
    history,
    signed: { caller },
  } = s3
  await assertBucket(deps, bucket)
  assertSupported(request.headers)
  if (key.endsWith('/')) return putFolder(s3)
  const place = placeOf(s3)
  const headers = keptHeaders(request.headers)
  const visibility = visibilityOf(request.headers)
  const body = openBody(s3)
  const present = await assertStorable(s3, place, visibility)
  try {
    const { facts, etag, isNew } = await receive(s3, body, { place, headers, visibility, present })
    history.note(caller.key, isNew ? 'upload.succeeded' : 'file.replaced', place.name)
    return new Response(null, { headers: { etag, ...checksumHeaders(facts) } })
  } catch (error) {
    if (s3ErrorOf(error)?.code !== 'IncompleteBody' && !isForbidden(error))
      history.note(caller.key, 'upload.failed', place.name)
    throw error
  }
}

/** Refuses headers whose meaning is missing here. An empty `x-amz-tagging` is nothing: Velero sends it. */
export function assertSupported(headers: Headers): void {
  const found = REFUSED.find((name) => headers.has(name))
  if (found !== undefined) throw new S3Error('NotImplemented', `The header ${found} is not supported`)
  if (headers.get('x-amz-tagging')) throw new S3Error('NotImplemented', 'Tags are not supported')
}

/** Returns the visibility that an ACL asks for; `undefined` for the instance's default. */
export function visibilityOf(headers: Headers): FileRow['visibility'] | undefined {
  switch (headers.get('x-amz-acl')) {
    case 'public-read':
    case 'public-read-write':
      return 'public'
    case 'private':
    case 'authenticated-read':
    case 'bucket-owner-full-control':
    case 'bucket-owner-read':
      return 'private'
    case null:
      return undefined
    default:
      throw new S3Error('InvalidArgument', 'x-amz-acl is none of the canned ACLs')
  }
}

/**
 * Maximum bytes of an object whose entity tag is their MD5 although its client sends none. An MD5 takes 2.4 times as long as
 * SHA-256. Above this size, most clients send parts, so they do not expect an MD5 of the whole.
 */
const MAX_TAGGED_BYTES = 16 * 1024 ** 2

interface Receiving {
  place: Place
  headers: Record<string, string>
  visibility: FileRow['visibility'] | undefined
  present: FileRow | undefined
}

async function receive(s3: S3Request, body: Body, { place, headers, visibility, present }: Receiving) {
  const {
    deps,
    request,
    signed: { caller },
  } = s3
  const limits = receiveLimits(deps)
  if (body.length > limits.maxBytes) throw new S3Error('EntityTooLarge')
  const freed = present?.size ?? 0
  await deps.store.quotas.assertRoom({ userId: caller.user.id, bytes: body.length - freed })
  const algorithms = algorithmsOf(request)
  // CRC-32 and SHA-256 are taken of every upload.
  const others = algorithms.filter((algorithm) => algorithm !== 'CRC32' && algorithm !== 'SHA256')
  const sums = others.length > 0 ? new Sums(others) : undefined
  const withMd5 = body.length <= MAX_TAGGED_BYTES || body.promised().md5 !== undefined
  const verify = (staged: StagedFile): Facts => {
    if (staged.size !== body.length) throw new S3Error('IncompleteBody')
    const { md5 } = staged
    const checksums = checksumsOf(staged, algorithms, sums?.end())
    if (body.sha256 !== undefined && body.sha256 !== staged.sha256)
      throw new S3Error('XAmzContentSHA256Mismatch')
    assertPromised(body.promised(), { md5, checksums })
    return { ...(md5 && { etag: md5 }), ...(algorithms.length > 0 && { checksums }), headers }
  }
  const incoming = {
    ...{ length: body.length, verify, limits: { ...limits, withMd5 } },
    bytes: sums ? sums.through(body.bytes) : body.bytes,
    admission: admissionOf(deps, caller, () => freed),
  }
  return receiveBytes(deps, incoming, async (staged, facts) => ({
    facts,
    etag: etagOf({ facts, sha256: staged.sha256 }),
    ...(await storeObject(s3, { place, staged, facts, visibility })),
  }))
}

/** Returns the algorithms of the checksums to take: those that are sent, or that the client asks to be taken. */
function algorithmsOf(request: Request): ChecksumAlgorithm[] {
  const asked =
    request.headers.get('x-amz-sdk-checksum-algorithm') ?? request.headers.get('x-amz-checksum-algorithm')
  const named = asked === null ? undefined : checksumAlgorithm(asked)
  return [...new Set([...announcedChecksums(request), ...(named ? [named] : [])])]
}

function checksumsOf(
  { crc32, sha256 }: StagedFile,
  algorithms: readonly ChecksumAlgorithm[],
  others: Checksums = {},
): Checksums {
  const known: Checksums = {
    ...others,
    CRC32: Buffer.from(crc32.toString(16).padStart(8, '0'), 'hex').toString('base64'),
    SHA256: Buffer.from(sha256, 'hex').toString('base64'),
  }
  return Object.fromEntries(algorithms.map((algorithm) => [algorithm, known[algorithm]]))
}

/** @throws {S3Error} `BadDigest`. */
export function assertPromised(
  { md5, checksums }: Promised,
  actual: { md5: string | undefined; checksums: Readonly<Record<string, string | undefined>> },
): void {
  const isWrong = Object.entries(checksums).some(
    ([algorithm, value]) => actual.checksums[algorithm] !== value,
  )
  if (isWrong || (md5 !== undefined && md5 !== actual.md5)) throw new S3Error('BadDigest')
}

/** Stores `key/`, which must be empty: it is a folder. */
async function putFolder(s3: S3Request): Promise<Response> {
  const {
    deps,
    bucket,
    key,
    signed: { caller },
  } = s3
  const body = openBody(s3)
  if (body.length > 0)
    throw new S3Error('InvalidArgument', 'A key that ends with a slash is a folder, and has no bytes')
  const { folder, name } = placeOf({ bucket, key: key.slice(0, -1) })
  await assertInside(s3, { folder: [...folder, name] })
  const authorize = () => assertStillAllowed(deps, caller, 'files:write')
  await deps.store.changes(authorize).makeFolders([[...folder, name]], () => done(undefined))
  return new Response(null, { headers: { etag: `"${EMPTY_MD5}"` } })
}

export const EMPTY_MD5 = 'd41d8cd98f00b204e9800998ecf8427e'
