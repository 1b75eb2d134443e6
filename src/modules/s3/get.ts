import { exchangeOf } from '../../http/exchange.ts'
import { type ByteRange, bodyHeaders, selectPart } from '../../http/file-response.ts'
import { formatHttpDate } from '../../http/wire.ts'
import type { FileRow } from '../../store/rows.ts'
import { element, xmlResponse } from '../../xml/write.ts'
import { S3Error } from './errors.ts'
import { changedAt, etagOf, KEPT_HEADERS, objectHeaders, partChecksum } from './facts.ts'
import { findObject, quoted } from './publish.ts'
import { EMPTY_MD5 } from './put.ts'
import { assertBucket, placeFor, type S3Request } from './request.ts'

/** Sends an object, a range or a part of it, or its headers alone (GetObject, HeadObject). */
export async function getObject(s3: S3Request): Promise<Response> {
  const { deps, bucket, key, request, query } = s3
  if ((query.get('versionId') ?? 'null') !== 'null') throw new S3Error('NoSuchVersion')
  if (key.endsWith('/')) return getFolder(s3)
  const row = await findRow(s3)
  // Nothing may be awaited in between: changes need a turn of the event loop.
  const opened = row && (await deps.store.openFile({ ...row, key: `${bucket}/${key}` }))
  if (!row || !opened) {
    await assertBucket(deps, bucket)
    throw new S3Error('NoSuchKey')
  }
  let isTaken = false
  try {
    const { isHead } = exchangeOf(request)
    const { size } = opened
    const isWhole = query.get('partNumber') === undefined
    const part = isWhole ? partOf(s3, row, size) : numberedPart(row, size, query.get('partNumber') ?? '')
    // Clients would compare a checksum with the body that a 304 does not have.
    const headers = headersOf(s3, row, part !== 'not-modified')
    if (part === 'not-modified') return new Response(null, { status: 304, headers })
    Object.assign(headers, { ...bodyHeaders(part, size, headers['content-type'] ?? '') })
    if (!isWhole && row.facts?.parts) headers['x-amz-mp-parts-count'] = String(row.facts.parts.length)
    const { first, last } = part === 'whole' ? { first: 0, last: size - 1 } : part
    isTaken = !isHead && last >= first
    const body = isTaken ? opened.body(first, last) : null
    return new Response(body, { status: part === 'whole' ? 200 : 206, headers })
  } finally {
    if (!isTaken) opened.close()
  }
}

/** Returns the row of an object. @throws {S3Error} `NoSuchBucket`, `NoSuchKey`. */
export async function requireObject(s3: S3Request): Promise<FileRow> {
  const row = await findRow(s3)
  if (row) return row
  await assertBucket(s3.deps, s3.bucket)
  throw new S3Error('NoSuchKey')
}

const findRow = (s3: S3Request): Promise<FileRow | undefined> | undefined => {
  const place = placeFor(s3.bucket, s3.key)
  return place && s3.deps.store.read(() => findObject(s3, place))
}

function headersOf({ request, query }: S3Request, row: FileRow, hasBytes: boolean): Record<string, string> {
  const number = query.get('partNumber')
  const isSummed = hasBytes && !request.headers.has('range')
  const asked = request.headers.get('x-amz-checksum-mode')?.toUpperCase() === 'ENABLED'
  const headers = objectHeaders(row, asked && isSummed && number === undefined)
  if (asked && isSummed && number !== undefined)
    Object.assign(headers, partChecksum(row.facts, Number(number)))
  // Parameters of a signed request replace them.
  for (const name of KEPT_HEADERS) {
    const value = query.get(`response-${name}`)
    if (value !== undefined && /^[\t\x20-\x7e\x80-\uffff]*$/.test(value))
      headers[name] = Buffer.from(value).toString('latin1')
  }
  return headers
}

/** @throws {S3Error} `PreconditionFailed`, `InvalidRange`. */
function partOf(
  { deps, request: { headers } }: S3Request,
  row: FileRow,
  size: number,
): ByteRange | 'whole' | 'not-modified' {
  const validators = { etag: etagOf(row), lastModified: changedAt(row) }
  const read = {
    get: (name: string) => {
      const value = headers.get(name)
      return value !== null && (name === 'if-match' || name === 'if-none-match') ? quoted(value) : value
    },
  }
  const part = selectPart(read, { size, validators, now: deps.clock.now() })
  if (part === 'failed') throw new S3Error('PreconditionFailed')
  if (part === 'unsatisfiable')
    throw new S3Error('InvalidRange', undefined, { 'content-range': `bytes */${size}` })
  return part
}

/** Returns the range of a part of an object; an object that came whole has one. @throws {S3Error} `InvalidPart`. */
function numberedPart({ facts }: FileRow, size: number, text: string): ByteRange | 'whole' {
  const number = Number(text)
  const parts = facts?.parts ?? [size]
  const length = parts[number - 1]
  if (!/^\d{1,5}$/.test(text) || length === undefined || parts.reduce((sum, part) => sum + part, 0) !== size)
    throw new S3Error('InvalidPart', 'The requested partnumber is not satisfiable')
  if (parts.length === 1) return 'whole'
  const first = parts.slice(0, number - 1).reduce((sum, part) => sum + part, 0)
  return { first, last: first + length - 1 }
}

/** Responds for `key/`, which is a folder without anything in it. */
async function getFolder({ deps, bucket, key }: S3Request): Promise<Response> {
  const place = placeFor(bucket, key.slice(0, -1))
  const folderId = place && (await deps.store.folders.idAt([...place.folder, place.name]))
  if (folderId === undefined) {
    await assertBucket(deps, bucket)
    throw new S3Error('NoSuchKey')
  }
  const row = await deps.store.folders.byId(folderId)
  const time = row ? changedAt(row) : 0
  return new Response(null, {
    headers: {
      'content-type': 'application/x-directory',
      'content-length': '0',
      etag: `"${EMPTY_MD5}"`,
      'last-modified': formatHttpDate(time),
      'accept-ranges': 'bytes',
    },
  })
}

/** Responds with the fixed access control list of the one owner that there is. */
export function aclResponse({ signed: { caller } }: S3Request): Response {
  const owner = [element('ID', caller.user.id), element('DisplayName', caller.user.id)]
  const grantee = {
    xml: `<Grantee xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="CanonicalUser">${owner.map(({ xml }) => xml).join('')}</Grantee>`,
  }
  const grant = element('Grant', grantee, element('Permission', 'FULL_CONTROL'))
  return xmlResponse(
    element('AccessControlPolicy', element('Owner', ...owner), element('AccessControlList', grant)),
  )
}
