import { assertStillAllowed } from '../../access/caller.ts'
import { evaluatePreconditions } from '../../http/conditional.ts'
import { leavingOf } from '../../http/exchange.ts'
import { refuseConflict } from '../../platform/errors.ts'
import { iso } from '../../platform/time.ts'
import { receiveLimits, withStaging } from '../../reception/receive.ts'
import type { FileRow } from '../../store/rows.ts'
import { element, elementWith, xmlResponse } from '../../xml/write.ts'
import { S3Error } from './errors.ts'
import { changedAt, etagOf, type Facts, keptHeaders } from './facts.ts'
import { NAMESPACE } from './list.ts'
import { assertConditions, assertStorable, findObject, quoted, storeObject } from './publish.ts'
import { assertSupported, visibilityOf } from './put.ts'
import { assertBucket, placeFor, placeOf, type S3Request, splitPath } from './request.ts'
import { decode } from './signature.ts'

/** Object that is copied. */
export interface Source {
  row: FileRow
  /** Key from the root, the bucket included. */
  key: string
}

/**
 * Finds the object that `x-amz-copy-source` names, when its conditions hold.
 *
 * @throws {S3Error} `InvalidArgument`, `NoSuchBucket`, `NoSuchKey`, `PreconditionFailed`.
 */
export async function findSource(s3: S3Request): Promise<Source> {
  const {
    deps,
    request: { headers },
  } = s3
  const [path = '', version = 'versionId=null'] = (headers.get('x-amz-copy-source') ?? '').split('?')
  const { bucket, key } = splitPath(`/${decode(path).replace(/^\//, '')}`)
  if (bucket === '' || key === '')
    throw new S3Error('InvalidArgument', 'x-amz-copy-source must name a bucket and a key')
  if (version !== 'versionId=null') throw new S3Error('NoSuchVersion')
  await assertBucket(deps, bucket)
  const place = placeFor(bucket, key)
  const row = place && (await deps.store.read(() => findObject(s3, place)))
  if (!row) throw new S3Error('NoSuchKey')
  const conditions = {
    get: (name: string) => {
      const value = headers.get(`x-amz-copy-source-${name}`)
      return value !== null && name.endsWith('match') ? quoted(value) : value
    },
  }
  const validators = { etag: etagOf(row), lastModified: changedAt(row) }
  if (evaluatePreconditions(conditions, validators, deps.clock.now()) !== 'proceed')
    throw new S3Error('PreconditionFailed')
  return { row, key: `${bucket}/${key}` }
}

/** Opens the bytes of an object that is copied. They must still be those of its row. */
export async function openSource({ deps: { store } }: S3Request, { row, key }: Source) {
  const now = await store.files.byId(row.id)
  if (now?.sha256 !== row.sha256) throw refuseConflict(`"${key}" was changed meanwhile, or on disk`)
  const opened = await store.openFile({ ...row, key })
  if (!opened) throw new S3Error('NoSuchKey')
  return opened
}

/** Copies an object on the server (CopyObject). Onto itself, only what is told about it changes. */
export async function copyObject(s3: S3Request): Promise<Response> {
  const {
    deps,
    bucket,
    request,
    history,
    signed: { caller },
  } = s3
  await assertBucket(deps, bucket)
  assertSupported(request.headers)
  const place = placeOf(s3)
  const source = await findSource(s3)
  const directive = request.headers.get('x-amz-metadata-directive') ?? 'COPY'
  if (directive !== 'COPY' && directive !== 'REPLACE')
    throw new S3Error('InvalidArgument', 'x-amz-metadata-directive must be COPY or REPLACE')
  const visibility = visibilityOf(request.headers)
  const { row } = source
  const headers = directive === 'REPLACE' ? keptHeaders(request.headers) : row.facts?.headers
  const facts: Facts = { ...row.facts, etag: etagOf(row).slice(1, -1), ...(headers && { headers }) }
  if (source.key === [...place.folder, place.name].join('/')) {
    if (directive === 'COPY' && visibility === undefined)
      throw new S3Error(
        'InvalidRequest',
        'A copy onto itself must change something: send x-amz-metadata-directive: REPLACE',
      )
    return copied(await changeFacts(s3, source, { facts, visibility }))
  }
  const present = await assertStorable(s3, place, visibility)
  await deps.store.quotas.assertRoom({ userId: caller.user.id, bytes: row.size - (present?.size ?? 0) })
  const { id, isNew } = await withStaging(deps, row.size, async (staging) => {
    const limits = { ...receiveLimits(deps), leaving: leavingOf(request) }
    const staged = await staging.copy({ row, open: () => openSource(s3, source) }, limits)
    await staging.sync()
    return storeObject(s3, { place, staged, facts, visibility })
  })
  history.note(caller.key, isNew ? 'file.copied' : 'file.replaced', place.name)
  return copied((await deps.store.files.byId(id)) ?? { ...row, facts, updatedAt: deps.clock.now() })
}

/** Changes what is told about an object, without its bytes. */
function changeFacts(
  { deps, request, signed: { caller } }: S3Request,
  { row }: Source,
  { facts, visibility = row.visibility }: { facts: Facts; visibility: FileRow['visibility'] | undefined },
): Promise<FileRow> {
  const { store, clock } = deps
  return store.transact(function* () {
    yield* assertStillAllowed(deps, caller, 'files:write')
    const now = yield* store.files.byId(row.id)
    if (now?.sha256 !== row.sha256) throw refuseConflict(`"${row.name}" was changed meanwhile, or on disk`)
    assertConditions(request.headers, now)
    yield* store.assertRight(now.folderId, 'write')
    if (visibility !== now.visibility) yield* store.assertVisibility(now.folderId, visibility)
    const changes = { facts, visibility, updatedAt: Math.max(clock.now(), now.updatedAt + 1) }
    yield* store.files.update(row.id, changes)
    return { ...now, ...changes }
  })
}

const copied = (row: FileRow): Response =>
  xmlResponse(
    elementWith(
      'CopyObjectResult',
      NAMESPACE,
      element('LastModified', iso(changedAt(row))),
      element('ETag', etagOf(row)),
    ),
  )
