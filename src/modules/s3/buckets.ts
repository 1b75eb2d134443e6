import { assertStillAllowed } from '../../access/caller.ts'
import { isRefused } from '../../platform/errors.ts'
import { nameProblem, segmentsOf } from '../../platform/names.ts'
import { iso } from '../../platform/time.ts'
import { encodeComponent } from '../../sigv4/sigv4.ts'
import { done, type FolderRow, type Work } from '../../store/rows.ts'
import { element, elementWith, xmlResponse } from '../../xml/write.ts'
import { S3Error } from './errors.ts'
import { NAMESPACE, numberIn } from './list.ts'
import { assertBucket, hasBucket, type S3Request } from './request.ts'

const PAGE_FOLDERS = 1000

/** Name that S3 accepts for a new bucket. Folders that exist may have any. */
const BUCKET_NAME = /^(?!\d+\.\d+\.\d+\.\d+$)(?!xn--)[a-z\d](?:[a-z\d]|-(?!\.)|\.(?!\.|-)){1,61}[a-z\d]$/

/** Lists the top-level folders that the caller reaches, or below which it reaches some (ListBuckets). */
export async function listBuckets(s3: S3Request): Promise<Response> {
  const {
    query,
    signed: { caller },
  } = s3
  const prefix = query.get('prefix') ?? ''
  const limit = query.has('max-buckets') ? numberIn(query, 'max-buckets') : Number.POSITIVE_INFINITY
  const after = query.get('continuation-token') ?? ''
  const buckets: Bucket[] = []
  let next: string | undefined
  for await (const bucket of bucketsOf(s3, after)) {
    if (!bucket.name.startsWith(prefix)) continue
    if (buckets.length === limit) {
      next = buckets.at(-1)?.name
      break
    }
    buckets.push(bucket)
  }
  const { id } = caller.user
  return xmlResponse(
    elementWith(
      'ListAllMyBucketsResult',
      NAMESPACE,
      element('Owner', element('ID', id), element('DisplayName', id)),
      element(
        'Buckets',
        ...buckets.map(({ name, createdAt }) =>
          element('Bucket', element('Name', name), element('CreationDate', iso(createdAt))),
        ),
      ),
      ...(next === undefined ? [] : [element('ContinuationToken', next)]),
      ...(prefix === '' ? [] : [element('Prefix', prefix)]),
    ),
  )
}

type Bucket = Pick<FolderRow, 'name' | 'createdAt'>

async function* bucketsOf({ deps: { store } }: S3Request, after: string): AsyncGenerator<Bucket> {
  if (!store.reach.isEverything) {
    const names = new Set((await store.entries()).map(({ key }) => segmentsOf(key)[0] ?? ''))
    // A caller learns only the name of a folder above those that it reaches.
    for (const name of [...names].sort()) if (name > after) yield { name, createdAt: 0 }
    return
  }
  const root = await store.folders.root()
  for (let name = after; ; ) {
    const rows = await store.folders.inFolderAfter(root, name, PAGE_FOLDERS)
    yield* rows
    if (rows.length < PAGE_FOLDERS) return
    name = rows.at(-1)?.name ?? name
  }
}

/** Creates a top-level folder (CreateBucket). To create one's own again changes nothing. */
export async function createBucket(s3: S3Request): Promise<Response> {
  const {
    deps,
    bucket,
    request,
    signed: { caller },
  } = s3
  const { store } = deps
  const made = new Response(null, { headers: { location: `/${encodeComponent(bucket)}` } })
  if (await hasBucket(deps, bucket)) return made
  if (!BUCKET_NAME.test(bucket)) throw new S3Error('InvalidBucketName')
  if (request.headers.get('x-amz-bucket-object-lock-enabled') === 'true')
    throw new S3Error('NotImplemented', 'Object lock is not supported')
  // The same for a name that is taken outside of what the caller reaches, and for a free one.
  if (!store.reach.isEverything) throw new S3Error('AccessDenied')
  try {
    await store.changes(() => assertStillAllowed(deps, caller, 'files:write')).createFolder([bucket])
  } catch (error) {
    if (!isRefused(error, 409)) throw error
    if (!(await hasBucket(deps, bucket))) throw new S3Error('BucketAlreadyExists', error.message)
  }
  return made
}

export async function headBucket({ deps, bucket }: S3Request): Promise<Response> {
  await assertBucket(deps, bucket)
  return new Response(null, { headers: { 'x-amz-bucket-region': 'us-east-1' } })
}

/** Deletes a top-level folder with nothing in it but empty folders that keys have made (DeleteBucket). */
export async function deleteBucket(s3: S3Request): Promise<Response> {
  const {
    deps,
    bucket,
    signed: { caller },
  } = s3
  const { store } = deps
  await assertBucket(deps, bucket)
  const id = await store.folders.idAt([bucket])
  if (id === undefined || nameProblem(bucket) !== undefined) throw new S3Error('AccessDenied')
  try {
    await store
      .changes(() => assertStillAllowed(deps, caller, 'files:delete'))
      .discardFolder(id, () => assertEmpty(s3, id))
  } catch (error) {
    if (isRefused(error, 404)) throw new S3Error('NoSuchBucket')
    throw error
  }
  return new Response(null, { status: 204 })
}

/** @throws {S3Error} `BucketNotEmpty`. */
export function* assertEmpty({ deps: { store } }: S3Request, id: string): Work<void> {
  const [file] = yield* store.files.inFolderAfter(id, '', 1)
  const [folder] = yield* store.folders.inFolderAfter(id, '', 1)
  if (file || folder) throw new S3Error('BucketNotEmpty')
  yield* done(undefined)
}
