import { iso } from '../../platform/time.ts'
import { encodeComponent } from '../../sigv4/sigv4.ts'
import { element, elementWith, type Xml, xmlResponse } from '../../xml/write.ts'
import { S3Error } from './errors.ts'
import { asStored, changedAt, etagOf } from './facts.ts'
import { EMPTY_MD5 } from './put.ts'
import { assertBucket, type S3Request } from './request.ts'
import { type Listed, nameOf, walkBucket } from './walk.ts'

const MAX_KEYS = 1000
export const NAMESPACE = { xmlns: 'http://s3.amazonaws.com/doc/2006-03-01/' }

/** Page of a list. */
interface Page {
  items: Listed[]
  isTruncated: boolean
}

interface Asked {
  prefix: string
  delimiter: string
  after: string | undefined
  maxKeys: number
  encode: (text: string) => string
}

/** Reads what each form of the list has. @throws {S3Error} `InvalidArgument`. */
function askedBy({ query }: S3Request, after: string | undefined): Asked {
  const maxKeys = numberIn(query, 'max-keys')
  return {
    prefix: query.get('prefix') ?? '',
    delimiter: query.get('delimiter') ?? '',
    after: after === '' ? undefined : after,
    maxKeys,
    encode: encoderOf(query),
  }
}

/** Returns the encoding of keys that a request asks for. @throws {S3Error} `InvalidArgument`. */
export function encoderOf(query: S3Request['query']): (text: string) => string {
  const encoding = query.get('encoding-type')
  if (encoding === undefined) return (text) => text
  if (encoding !== 'url') throw new S3Error('InvalidArgument', 'encoding-type must be "url"')
  return (text) => text.split('/').map(encodeComponent).join('/')
}

/** Returns a whole number in a request, such as the most entries to list. @throws {S3Error} `InvalidArgument`. */
export function numberIn(
  query: { get: (name: string) => string | null | undefined },
  name: string,
  most = MAX_KEYS,
): number {
  const sent = query.get(name) ?? ''
  if (sent === '') return MAX_KEYS
  if (!/^\d{1,10}$/.test(sent)) throw new S3Error('InvalidArgument', `${name} must be a whole number`)
  return Math.min(Number(sent), most)
}

async function pageOf({ deps, bucket }: S3Request, asked: Asked): Promise<Page> {
  const items: Listed[] = []
  if (asked.maxKeys === 0) return { items, isTruncated: false }
  const states = new States(deps, bucket)
  try {
    for await (const listed of walkBucket(deps, bucket, asked)) {
      if (items.length === asked.maxKeys) return { items, isTruncated: true }
      items.push('file' in listed ? states.shown(listed) : listed)
    }
    return { items, isTruncated: false }
  } finally {
    states.close()
  }
}

type ListedFile = Extract<Listed, { file: unknown }>

/** Looks at the files of a list: most have the folder of the one before, which stays open. */
class States {
  readonly #store: S3Request['deps']['store']
  readonly #bucket: string
  #key: string | undefined
  #folder: ReturnType<S3Request['deps']['store']['openFolder']>

  constructor({ store }: S3Request['deps'], bucket: string) {
    this.#store = store
    this.#bucket = bucket
  }

  shown(listed: ListedFile): ListedFile {
    const { file } = listed
    const key = `${this.#bucket}/${listed.key}`.slice(0, -file.name.length - 1)
    if (key !== this.#key) {
      this.close()
      this.#key = key
      this.#folder = this.#store.openFolder(key)
    }
    return { ...listed, file: asStored(file, this.#folder?.stateOf(file.name)) }
  }

  close(): void {
    this.#folder?.close()
  }
}

/** Lists the keys of a bucket (ListObjects, ListObjectsV2). */
export async function listObjects(s3: S3Request): Promise<Response> {
  const { deps, bucket, query } = s3
  await assertBucket(deps, bucket)
  const isSecond = query.get('list-type') === '2'
  const token = query.get('continuation-token')
  const begin = isSecond
    ? token === undefined
      ? query.get('start-after')
      : fromToken(token)
    : query.get('marker')
  const asked = askedBy(s3, begin)
  const { items, isTruncated } = await pageOf(s3, asked)
  const last = items.at(-1)
  const next = isTruncated && last ? nameOf(last) : undefined
  const { encode } = asked
  const withOwner = !isSecond || query.get('fetch-owner') === 'true'
  const own = isSecond
    ? [
        element('KeyCount', items.length),
        ...(token === undefined ? [] : [element('ContinuationToken', token)]),
        ...(query.has('start-after') ? [element('StartAfter', encode(query.get('start-after') ?? ''))] : []),
        ...(next === undefined ? [] : [element('NextContinuationToken', toToken(next))]),
      ]
    : [
        element('Marker', encode(query.get('marker') ?? '')),
        ...(next === undefined || asked.delimiter === '' ? [] : [element('NextMarker', encode(next))]),
      ]
  const contents = items.flatMap((listed) =>
    'prefix' in listed ? [] : contentOf(s3, listed, { tag: 'Contents', encode, withOwner }),
  )
  return xmlResponse(
    elementWith(
      'ListBucketResult',
      NAMESPACE,
      ...headOf(s3, asked),
      ...own,
      truncation(isTruncated),
      ...contents,
      ...prefixesOf(items, encode),
    ),
  )
}

/** Lists the objects of a bucket as their only versions (ListObjectVersions). */
export async function listVersions(s3: S3Request): Promise<Response> {
  const { deps, bucket, query } = s3
  await assertBucket(deps, bucket)
  const asked = askedBy(s3, query.get('key-marker'))
  const { items, isTruncated } = await pageOf(s3, asked)
  const last = items.at(-1)
  const { encode } = asked
  const next =
    isTruncated && last
      ? [element('NextKeyMarker', encode(nameOf(last))), element('NextVersionIdMarker', 'null')]
      : []
  const versions = items.flatMap((listed) =>
    'prefix' in listed ? [] : contentOf(s3, listed, { tag: 'Version', encode, withOwner: true }),
  )
  const marker = element('KeyMarker', encode(query.get('key-marker') ?? ''))
  return xmlResponse(
    elementWith(
      'ListVersionsResult',
      NAMESPACE,
      ...headOf(s3, asked),
      marker,
      element('VersionIdMarker', ''),
      ...next,
      truncation(isTruncated),
      ...versions,
      ...prefixesOf(items, encode),
    ),
  )
}

const truncation = (isTruncated: boolean) => element('IsTruncated', String(isTruncated))

const headOf = ({ bucket, query }: S3Request, { prefix, delimiter, maxKeys, encode }: Asked): Xml[] => [
  element('Name', bucket),
  // Clients decode the prefix of the second form alone.
  element('Prefix', query.get('list-type') === '2' ? encode(prefix) : prefix),
  ...(delimiter === '' ? [] : [element('Delimiter', encode(delimiter))]),
  element('MaxKeys', maxKeys),
  ...(query.has('encoding-type') ? [element('EncodingType', 'url')] : []),
]

const prefixesOf = (items: readonly Listed[], encode: Asked['encode']): Xml[] =>
  items.flatMap((listed) =>
    'prefix' in listed ? element('CommonPrefixes', element('Prefix', encode(listed.prefix))) : [],
  )

interface Shown {
  tag: 'Contents' | 'Version'
  encode: Asked['encode']
  withOwner: boolean
}

function contentOf(
  { signed: { caller } }: S3Request,
  listed: Exclude<Listed, { prefix: string }>,
  { tag, encode, withOwner }: Shown,
): Xml {
  const { key } = listed
  const row = 'file' in listed ? listed.file : listed.folder
  const [size, etag] = 'file' in listed ? [listed.file.size, etagOf(listed.file)] : [0, `"${EMPTY_MD5}"`]
  const { id } = caller.user
  return element(
    tag,
    element('Key', encode(key)),
    ...(tag === 'Version' ? [element('VersionId', 'null'), element('IsLatest', 'true')] : []),
    element('LastModified', iso(changedAt(row))),
    element('ETag', etag),
    element('Size', size),
    ...(withOwner ? [element('Owner', element('ID', id), element('DisplayName', id))] : []),
    element('StorageClass', 'STANDARD'),
  )
}

const toToken = (name: string) => Buffer.from(name).toString('base64url')

/** @throws {S3Error} `InvalidArgument`. */
function fromToken(token: string): string {
  // Some clients send an empty one with the first page.
  const name = Buffer.from(token, 'base64url').toString()
  if (toToken(name) === token) return name
  throw new S3Error('InvalidArgument', 'The continuation token is not of this server')
}
