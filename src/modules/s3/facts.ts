import { formatHttpDate } from '../../http/wire.ts'
import { contentType, type FileState } from '../../store/bytes.ts'
import type { FileRow } from '../../store/rows.ts'
import { element, type Xml } from '../../xml/write.ts'
import { S3Error } from './errors.ts'
import {
  CHECKSUM_ALGORITHMS,
  type ChecksumAlgorithm,
  type Checksums,
  checksumHeader,
  isChecksum,
  parseMd5,
} from './sums.ts'

export type Facts = NonNullable<FileRow['facts']>

/** Headers that come back with an object as they were sent with it. */
export const KEPT_HEADERS = [
  'cache-control',
  'content-disposition',
  'content-encoding',
  'content-language',
  'content-type',
  'expires',
]
const META = 'x-amz-meta-'
const MAX_META_BYTES = 2048
const MAX_HEADER_BYTES = 4096

/** Returns the headers of a request that come back with its object, in Latin-1 as they were sent. */
export function keptHeaders(headers: Headers): Record<string, string> {
  const kept: Record<string, string> = {}
  let metaBytes = 0
  for (const [name, value] of headers) {
    if (name.startsWith(META)) {
      kept[name] = value
      metaBytes += name.length - META.length + value.length
    } else if (KEPT_HEADERS.includes(name))
      kept[name] = name === 'content-encoding' ? withoutChunks(value) : value
  }
  if (kept['content-encoding'] === '') delete kept['content-encoding']
  if (metaBytes > MAX_META_BYTES) throw new S3Error('MetadataTooLarge')
  for (const name of KEPT_HEADERS)
    if ((kept[name]?.length ?? 0) > MAX_HEADER_BYTES)
      throw new S3Error('InvalidArgument', `The header ${name} is too long`)
  return kept
}

/** Returns a `Content-Encoding` without `aws-chunked`, which is undone on arrival. */
const withoutChunks = (value: string) =>
  value
    .split(',')
    .map((coding) => coding.trim())
    .filter((coding) => coding.toLowerCase() !== 'aws-chunked')
    .join(', ')

/** Digests that a client promises of a body. */
export interface Promised {
  md5: string | undefined
  checksums: Checksums
}

/** Reads the digests of a body from its headers or trailers. @throws {S3Error} `InvalidDigest`, `InvalidRequest`. */
export function promisedBy(headers: Pick<Headers, 'get'>): Promised {
  const md5 = headers.get('content-md5')
  const bytes = md5 === null ? undefined : parseMd5(md5)
  if (md5 !== null && !bytes) throw new S3Error('InvalidDigest')
  const checksums: Checksums = {}
  for (const algorithm of CHECKSUM_ALGORITHMS) {
    const name = checksumHeader(algorithm)
    const value = headers.get(name)
    if (value === null) continue
    if (!isChecksum(algorithm, value)) throw new S3Error('BadDigest', `The header ${name} is malformed`)
    checksums[algorithm] = value
  }
  if (Object.keys(checksums).length > 1)
    throw new S3Error(
      'InvalidRequest',
      'Expecting a single x-amz-checksum- header. Multiple checksum Types are not allowed.',
    )
  return { md5: bytes?.toString('hex'), checksums }
}

/**
 * Describes an object as its file is. One that was edited on disk has other bytes than its row until they are adopted, so length,
 * entity tag and time are those of the file, as on hosting, and nothing is told about the bytes.
 *
 * @param state Present state of the file; `undefined` when it is missing.
 */
export function asStored(row: FileRow, state: FileState | undefined): FileRow {
  const changedAt = Math.trunc(state?.mtimeMs ?? 0)
  if (!state || row.blobId !== null || (state.size === row.size && changedAt <= row.updatedAt)) return row
  const sha256 = Bun.CryptoHasher.hash('sha256', `${state.size} ${changedAt}`, 'hex')
  const { headers } = row.facts ?? {}
  return { ...row, size: state.size, sha256, updatedAt: changedAt, facts: headers ? { headers } : null }
}

/** Returns the entity tag of an object, with its quotes. Only what came by S3 has an MD5: other uploads never pay for one. */
export const etagOf = ({ facts, sha256 }: Pick<FileRow, 'facts' | 'sha256'>): string =>
  `"${facts?.etag ?? `${sha256.slice(0, 32)}-1`}"`

/** Returns the time of an object's last change, in milliseconds and whole seconds. */
export const changedAt = ({ updatedAt }: Pick<FileRow, 'updatedAt'>): number => updatedAt - (updatedAt % 1000)

/** Returns the headers that describe an object, beside its length. */
export function objectHeaders(row: FileRow, withChecksums: boolean): Record<string, string> {
  const { facts } = row
  const headers: Record<string, string> = {
    'content-type': contentType(row),
    ...facts?.headers,
    etag: etagOf(row),
    'last-modified': formatHttpDate(changedAt(row)),
    'accept-ranges': 'bytes',
  }
  return withChecksums ? { ...headers, ...checksumHeaders(facts) } : headers
}

/** Returns the headers with the checksums of an object. */
export function checksumHeaders(facts: Facts | null): Record<string, string> {
  const entries = Object.entries(facts?.checksums ?? {})
  if (entries.length === 0) return {}
  const headers = Object.fromEntries(
    entries.map(([algorithm, value]) => [checksumHeader(algorithm as ChecksumAlgorithm), value]),
  )
  return { ...headers, 'x-amz-checksum-type': checksumType(facts) }
}

/** Returns the headers with the checksum of a part; none when it is not known. */
export function partChecksum(facts: Facts | null, number: number): Record<string, string> {
  const [algorithm] = Object.keys(facts?.checksums ?? {})
  const sum = facts?.parts ? facts.partSums?.[number - 1] : facts?.checksums?.[algorithm ?? '']
  return algorithm && sum ? checksumHeaders({ ...facts, checksums: { [algorithm]: sum } }) : {}
}

const checksumType = (facts: Facts | null) => (facts?.parts && !facts.isWhole ? 'COMPOSITE' : 'FULL_OBJECT')

/** Builds the elements with the checksums of an object or a part. */
export const sumElements = (facts: Facts | null): Xml[] =>
  Object.entries(facts?.checksums ?? {}).map(([name, value]) => element(`Checksum${name}`, value))

/** Builds the element that says what the checksums of an object are of, if it has any. */
export const typeElement = (facts: Facts | null): Xml[] =>
  Object.keys(facts?.checksums ?? {}).length > 0 ? [element('ChecksumType', checksumType(facts))] : []
