import { formatHttpDate } from '../../http/wire.ts'
import type { FileRow } from '../../store/rows.ts'
import { element, elementWith, type Xml, xmlResponse } from '../../xml/write.ts'
import { S3Error } from './errors.ts'
import { changedAt, etagOf, sumElements, typeElement } from './facts.ts'
import { requireObject } from './get.ts'
import { NAMESPACE, numberIn } from './list.ts'
import { MAX_PARTS } from './parts.ts'
import type { S3Request } from './request.ts'

const ATTRIBUTES = ['ETag', 'Checksum', 'ObjectParts', 'StorageClass', 'ObjectSize']

/** Describes an object by the attributes that a request lists (GetObjectAttributes). */
export async function getObjectAttributes(s3: S3Request): Promise<Response> {
  const { headers } = s3.request
  const asked = (headers.get('x-amz-object-attributes') ?? '').split(',').map((name) => name.trim())
  if (asked.some((name) => !ATTRIBUTES.includes(name)))
    throw new S3Error('InvalidArgument', `x-amz-object-attributes must list any of ${ATTRIBUTES.join(', ')}`)
  const row = await requireObject(s3)
  const sums = [...sumElements(row.facts), ...typeElement(row.facts)]
  const all: Record<string, Xml[]> = {
    // This document alone has the tag without quotes.
    ETag: [element('ETag', etagOf(row).slice(1, -1))],
    Checksum: sums.length > 0 ? [element('Checksum', ...sums)] : [],
    ObjectParts: row.facts?.parts ? [partsOf(row.facts, headers)] : [],
    StorageClass: [element('StorageClass', 'STANDARD')],
    ObjectSize: [element('ObjectSize', row.size)],
  }
  const found = ATTRIBUTES.filter((name) => asked.includes(name)).flatMap((name) => all[name] ?? [])
  return xmlResponse(elementWith('GetObjectAttributesOutput', NAMESPACE, ...found), 200, {
    'last-modified': formatHttpDate(changedAt(row)),
  })
}

/** Lists the parts of an object after a marker. */
function partsOf(
  { parts = [], partSums, checksums = {} }: NonNullable<FileRow['facts']>,
  headers: Headers,
): Xml {
  const marker = 'x-amz-part-number-marker'
  const after = headers.get(marker) ? numberIn(headers, marker, MAX_PARTS) : 0
  const limit = numberIn(headers, 'x-amz-max-parts')
  const [algorithm = ''] = Object.keys(checksums)
  const listed = parts.slice(after, after + limit).map((size, index) => {
    const sum = partSums?.[after + index]
    return element(
      'Part',
      ...(sum ? [element(`Checksum${algorithm}`, sum)] : []),
      element('PartNumber', after + index + 1),
      element('Size', size),
    )
  })
  return element(
    'ObjectParts',
    element('IsTruncated', String(after + listed.length < parts.length)),
    element('MaxParts', limit),
    element('NextPartNumberMarker', after + listed.length),
    element('PartNumberMarker', after),
    ...listed,
    element('PartsCount', parts.length),
  )
}
