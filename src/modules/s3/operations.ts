import type { Scope } from '../../access/caller.ts'
import { element, elementWith, xmlResponse } from '../../xml/write.ts'
import { getObjectAttributes } from './attributes.ts'
import { createBucket, deleteBucket, headBucket, listBuckets } from './buckets.ts'
import { copyObject } from './copy.ts'
import { deleteObject, deleteObjects } from './delete.ts'
import { type S3Code, S3Error } from './errors.ts'
import { aclResponse, getObject } from './get.ts'
import { listObjects, listVersions, NAMESPACE } from './list.ts'
import {
  abortMultipartUpload,
  completeMultipartUpload,
  createMultipartUpload,
  uploadPart,
  uploadPartCopy,
} from './multipart.ts'
import { listMultipartUploads, listParts } from './part-lists.ts'
import { putObject } from './put.ts'
import { assertBucket, type S3Request } from './request.ts'

/** Operation, and the scopes that it asks for. */
export interface Operation {
  scopes: readonly Scope[]
  run: (s3: S3Request) => Promise<Response>
}

const READ = ['files:read'] as const
const WRITE = ['files:write'] as const
const DELETE = ['files:delete'] as const

const reading = (run: Operation['run']): Operation => ({ scopes: READ, run })

/** Builds the response with an empty document, for what a bucket can have and these never do. */
const empty = (name: string) =>
  reading(async ({ deps, bucket }) => {
    await assertBucket(deps, bucket)
    return xmlResponse(elementWith(name, NAMESPACE))
  })

/** Builds the refusal by which clients learn that a bucket has no such thing. */
const missing = (code: S3Code) =>
  reading(async ({ deps, bucket }) => {
    await assertBucket(deps, bucket)
    throw new S3Error(code)
  })

const OF_BUCKET: Record<string, Operation> = {
  location: reading(async ({ deps, bucket }) => {
    await assertBucket(deps, bucket)
    return xmlResponse(elementWith('LocationConstraint', NAMESPACE))
  }),
  versions: reading(listVersions),
  versioning: empty('VersioningConfiguration'),
  requestPayment: reading(async () =>
    xmlResponse(elementWith('RequestPaymentConfiguration', NAMESPACE, element('Payer', 'BucketOwner'))),
  ),
  acl: reading(async (s3) => {
    await assertBucket(s3.deps, s3.bucket)
    return aclResponse(s3)
  }),
  logging: empty('BucketLoggingStatus'),
  notification: empty('NotificationConfiguration'),
  accelerate: empty('AccelerateConfiguration'),
  lifecycle: missing('NoSuchLifecycleConfiguration'),
  policy: missing('NoSuchBucketPolicy'),
  cors: missing('NoSuchCORSConfiguration'),
  tagging: missing('NoSuchTagSet'),
  encryption: missing('ServerSideEncryptionConfigurationNotFoundError'),
  'object-lock': missing('ObjectLockConfigurationNotFoundError'),
}

const OF_OBJECT: Record<string, Operation> = {
  attributes: reading(getObjectAttributes),
  acl: reading(async (s3) => {
    await getObject(s3).then((response) => response.body?.cancel())
    return aclResponse(s3)
  }),
  tagging: reading(async (s3) => {
    await getObject(s3).then((response) => response.body?.cancel())
    return xmlResponse(elementWith('Tagging', NAMESPACE, element('TagSet')))
  }),
}

/** Parameters that select another operation than reading or writing itself. */
const SUBRESOURCES = [
  ...Object.keys(OF_BUCKET),
  'attributes',
  ...[
    'analytics',
    'delete',
    'intelligent-tiering',
    'inventory',
    'legal-hold',
    'metrics',
    'ownershipControls',
  ],
  ...[
    'policyStatus',
    'publicAccessBlock',
    'replication',
    'restore',
    'retention',
    'select',
    'torrent',
    'uploadId',
    'uploads',
    'website',
  ],
]

/** Returns the operation that a request asks for. @throws {S3Error} `NotImplemented`, `MethodNotAllowed`. */
export function operationOf(
  method: string,
  s3: Pick<S3Request, 'bucket' | 'key' | 'query' | 'request'>,
): Operation {
  const { bucket, key, query, request } = s3
  const ofUploads = uploadOperation(method, s3)
  if (ofUploads) return ofUploads
  const named = SUBRESOURCES.find((name) => query.has(name))
  if (bucket === '') {
    if (method === 'GET' && !named) return reading(listBuckets)
    throw new S3Error('MethodNotAllowed')
  }
  if (named !== undefined) {
    const table = key === '' ? OF_BUCKET : OF_OBJECT
    if (method === 'GET' && table[named]) return table[named]
    if (method === 'POST' && named === 'delete' && key === '') return { scopes: DELETE, run: deleteObjects }
    throw new S3Error('NotImplemented', `${method} of "${named}" is not supported`)
  }
  if (key === '') return ofBucket(method)
  const isCopy = request.headers.has('x-amz-copy-source')
  return ofObject(method, isCopy)
}

/** Returns the operation on an upload in parts. */
function uploadOperation(
  method: string,
  { bucket, key, query, request }: Pick<S3Request, 'bucket' | 'key' | 'query' | 'request'>,
): Operation | undefined {
  const writing = (run: Operation['run']): Operation => ({ scopes: WRITE, run })
  if (bucket === '') return undefined
  if (query.has('uploads')) {
    if (method === 'GET' && key === '') return writing(listMultipartUploads)
    return method === 'POST' && key !== '' ? writing(createMultipartUpload) : undefined
  }
  if (!query.has('uploadId') || key === '') return undefined
  switch (method) {
    case 'GET':
      return writing(listParts)
    case 'PUT':
      return request.headers.has('x-amz-copy-source')
        ? { scopes: [...WRITE, ...READ], run: uploadPartCopy }
        : writing(uploadPart)
    case 'POST':
      return writing(completeMultipartUpload)
    case 'DELETE':
      return writing(abortMultipartUpload)
    default:
      return undefined
  }
}

function ofBucket(method: string): Operation {
  switch (method) {
    case 'GET':
      return reading(listObjects)
    case 'HEAD':
      return reading(headBucket)
    case 'PUT':
      return { scopes: WRITE, run: createBucket }
    case 'DELETE':
      return { scopes: DELETE, run: deleteBucket }
    default:
      throw new S3Error(method === 'POST' ? 'NotImplemented' : 'MethodNotAllowed')
  }
}

function ofObject(method: string, isCopy: boolean): Operation {
  switch (method) {
    case 'GET':
    case 'HEAD':
      return reading(getObject)
    case 'PUT':
      return isCopy ? { scopes: [...WRITE, ...READ], run: copyObject } : { scopes: WRITE, run: putObject }
    case 'DELETE':
      return { scopes: DELETE, run: deleteObject }
    default:
      throw new S3Error(method === 'POST' ? 'NotImplemented' : 'MethodNotAllowed')
  }
}
