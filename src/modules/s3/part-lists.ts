import { iso } from '../../platform/time.ts'
import type { ResumableRow } from '../../store/rows.ts'
import { element, elementWith, type Xml, xmlResponse } from '../../xml/write.ts'
import { sumElements } from './facts.ts'
import { encoderOf, NAMESPACE, numberIn } from './list.ts'
import { namedUpload, sumsOf } from './multipart.ts'
import { MAX_PARTS, unfinishedUploads } from './parts.ts'
import { isInside } from './publish.ts'
import { assertBucket, type S3Request } from './request.ts'

/** Lists the parts of an upload that have arrived (ListParts). */
export async function listParts(s3: S3Request): Promise<Response> {
  const { deps, bucket, key, query, signed } = s3
  const upload = await namedUpload(s3)
  const limit = numberIn(query, 'max-parts')
  const after = query.get('part-number-marker') ? numberIn(query, 'part-number-marker', MAX_PARTS) : 0
  const found = await deps.store.resumables.partsOf(upload.id, { after, limit: limit + 1 })
  const parts = found.slice(0, limit)
  const root = elementWith(
    'ListPartsResult',
    NAMESPACE,
    ...[element('Bucket', bucket), element('Key', key), element('UploadId', upload.id)],
    ...ownersOf(signed.caller.user.id),
    element('StorageClass', 'STANDARD'),
    element('PartNumberMarker', after),
    element('NextPartNumberMarker', parts.at(-1)?.part ?? 0),
    element('MaxParts', limit),
    element('IsTruncated', String(found.length > limit)),
    ...algorithmOf(upload),
    ...parts.map(viewPart),
  )
  return xmlResponse(root)
}

const viewPart = ({ part, length, facts, createdAt }: ResumableRow): Xml =>
  element(
    'Part',
    element('PartNumber', part ?? 0),
    element('LastModified', iso(createdAt)),
    element('ETag', `"${facts?.etag}"`),
    element('Size', length),
    ...sumElements(facts),
  )

const ownersOf = (id: string): Xml[] =>
  ['Initiator', 'Owner'].map((name) => element(name, element('ID', id), element('DisplayName', id)))

function algorithmOf(upload: ResumableRow): Xml[] {
  const sums = sumsOf(upload)
  if (!sums) return []
  return [
    element('ChecksumAlgorithm', sums.algorithm),
    element('ChecksumType', sums.isWhole ? 'FULL_OBJECT' : 'COMPOSITE'),
  ]
}

/** Upload of a bucket, with its key there. */
interface Listed {
  key: string
  row: ResumableRow
}

/** Lists the unfinished uploads of the caller's account in a bucket (ListMultipartUploads). */
export async function listMultipartUploads(s3: S3Request): Promise<Response> {
  const { deps, bucket, query, signed } = s3
  await assertBucket(deps, bucket)
  const encode = encoderOf(query)
  const [prefix, delimiter] = [query.get('prefix') ?? '', query.get('delimiter') ?? '']
  const limit = numberIn(query, 'max-uploads')
  const { uploads, prefixes, next } = pageOf(await uploadsIn(s3), {
    ...{ prefix, delimiter, limit },
    keyMarker: query.get('key-marker') ?? '',
    idMarker: query.get('upload-id-marker') ?? '',
  })
  const root = elementWith(
    'ListMultipartUploadsResult',
    NAMESPACE,
    element('Bucket', bucket),
    element('KeyMarker', encode(query.get('key-marker') ?? '')),
    element('UploadIdMarker', query.get('upload-id-marker') ?? ''),
    ...(next ? [element('NextKeyMarker', encode(next.key)), element('NextUploadIdMarker', next.id)] : []),
    element('Prefix', encode(prefix)),
    ...(delimiter === '' ? [] : [element('Delimiter', encode(delimiter))]),
    ...(query.has('encoding-type') ? [element('EncodingType', 'url')] : []),
    element('MaxUploads', limit),
    element('IsTruncated', String(next !== undefined)),
    ...uploads.map(({ key, row }) =>
      element(
        'Upload',
        ...[element('Key', encode(key)), element('UploadId', row.id)],
        ...ownersOf(signed.caller.user.id),
        element('StorageClass', 'STANDARD'),
        element('Initiated', iso(row.createdAt)),
        ...algorithmOf(row),
      ),
    ),
    ...prefixes.map((prefix) => element('CommonPrefixes', element('Prefix', encode(prefix)))),
  )
  return xmlResponse(root)
}

async function uploadsIn({ deps, bucket, signed }: S3Request): Promise<Listed[]> {
  const rows = await unfinishedUploads(deps, signed.caller)
  const entries = await deps.store.entries()
  const within = `${bucket}/`
  const uploads = rows
    .filter(({ folder }) => isInside(folder, entries))
    .map((row) => ({ row, path: `${row.folder}/${row.name}` }))
    .filter(({ path }) => path.startsWith(within))
    .map(({ row, path }) => ({ row, key: path.slice(within.length) }))
  // The order of uploads with one key is that of their beginning.
  return uploads.sort((one, other) => Buffer.compare(Buffer.from(one.key), Buffer.from(other.key)))
}

interface Asked {
  prefix: string
  delimiter: string
  limit: number
  keyMarker: string
  idMarker: string
}

/** Returns the uploads and prefixes after the markers, and the last of them when there are more. */
function pageOf(all: readonly Listed[], { prefix, delimiter, limit, keyMarker, idMarker }: Asked) {
  const uploads: Listed[] = []
  const prefixes = new Set<string>()
  let last: { key: string; id: string } | undefined
  for (const listed of after(all, keyMarker, idMarker)) {
    const { key, row } = listed
    if (!key.startsWith(prefix)) continue
    const end = delimiter === '' ? -1 : key.indexOf(delimiter, prefix.length)
    const common = end === -1 ? undefined : key.slice(0, end + delimiter.length)
    if (common !== undefined && (prefixes.has(common) || common === keyMarker)) continue
    if (uploads.length + prefixes.size === limit) return { uploads, prefixes: [...prefixes], next: last }
    if (common === undefined) uploads.push(listed)
    else prefixes.add(common)
    last = { key: common ?? key, id: common === undefined ? row.id : '' }
  }
  return { uploads, prefixes: [...prefixes], next: undefined }
}

function after(all: readonly Listed[], keyMarker: string, idMarker: string): readonly Listed[] {
  if (keyMarker === '') return all
  const marker = all.findIndex(({ key, row }) => key === keyMarker && row.id === idMarker)
  if (marker !== -1) return all.slice(marker + 1)
  const bytes = Buffer.from(keyMarker)
  return all.filter(({ key }) => Buffer.compare(Buffer.from(key), bytes) > 0)
}
