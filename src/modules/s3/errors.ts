import { DatabaseAway, Refusal, refusalOfMachine } from '../../platform/errors.ts'
import { element, xmlResponse } from '../../xml/write.ts'
import { ChunkError } from './chunks.ts'

/** Codes of S3 that clients act on, with the status of each, and what it means where a refusal says no more. */
const CODES = {
  AccessDenied: [403, 'Access denied'],
  AuthorizationHeaderMalformed: [400, 'The Authorization header is malformed'],
  AuthorizationQueryParametersError: [400, 'The query parameters of the signature are malformed'],
  BadDigest: [400, 'The bytes do not have the digest that was sent with them'],
  BucketAlreadyExists: [409, 'The bucket exists already'],
  BucketAlreadyOwnedByYou: [409, 'The bucket exists already'],
  BucketNotEmpty: [409, 'The bucket is not empty'],
  EntityTooLarge: [400, 'The object is larger than the maximum upload size'],
  EntityTooSmall: [400, 'A part other than the last has less than 5 MiB'],
  IncompleteBody: [400, 'The body has fewer bytes than its headers announced'],
  InternalError: [500, 'Internal server error'],
  InvalidAccessKeyId: [403, 'No such access key: it is the id of an API key without its dashes'],
  InvalidArgument: [400, 'A parameter is not valid'],
  InvalidBucketName: [400, 'A bucket is named by 3 to 63 lower-case letters, digits, dots and hyphens'],
  InvalidDigest: [400, 'Content-MD5 or a checksum is malformed'],
  InvalidPart: [400, 'A part is missing or has another entity tag'],
  InvalidPartOrder: [400, 'The parts are not in the order of their numbers'],
  InvalidRange: [416, 'The range starts after the end of the object'],
  InvalidRequest: [400, 'The request is not valid'],
  InvalidURI: [400, 'The path or query cannot be decoded'],
  KeyTooLongError: [400, 'The key is too long'],
  MalformedTrailerError: [400, 'The trailer of the body is malformed'],
  MalformedXML: [400, 'The XML document is not what this operation takes'],
  MetadataTooLarge: [400, 'The metadata are larger than 2 KiB'],
  MethodNotAllowed: [405, 'The resource does not take this method'],
  MissingContentLength: [411, 'Content-Length is required'],
  NoSuchBucket: [404, 'The bucket does not exist'],
  NoSuchBucketPolicy: [404, 'The bucket has no policy'],
  NoSuchCORSConfiguration: [404, 'The bucket has no CORS configuration: every origin is allowed'],
  NoSuchKey: [404, 'The key does not exist'],
  NoSuchLifecycleConfiguration: [404, 'The bucket has no lifecycle configuration'],
  NoSuchTagSet: [404, 'There are no tags'],
  NoSuchUpload: [404, 'The multipart upload does not exist'],
  NoSuchVersion: [404, 'The version does not exist'],
  NotImplemented: [501, 'This operation is not supported'],
  ObjectLockConfigurationNotFoundError: [404, 'The bucket has no object lock'],
  OperationAborted: [409, 'Another change is in the way'],
  PreconditionFailed: [412, 'The object does not match the precondition'],
  QuotaExceeded: [507, 'The account is full'],
  RequestTimeTooSkewed: [403, 'The time of the request differs from the server’s by more than 15 minutes'],
  ServerSideEncryptionConfigurationNotFoundError: [404, 'The bucket has no encryption configuration'],
  ServiceUnavailable: [503, 'The server cannot handle the request now'],
  SignatureDoesNotMatch: [403, 'The signature is not that of this request: check the secret access key'],
  SlowDown: [503, 'Too many requests'],
  StorageFull: [507, 'Not enough free space on the volume'],
  XAmzContentSHA256Mismatch: [400, 'The bytes do not have the SHA-256 in x-amz-content-sha256'],
} as const satisfies Record<string, readonly [status: number, meaning: string]>

export type S3Code = keyof typeof CODES

/** Refusal in the words of S3. */
export class S3Error extends Error {
  override readonly name = 'S3Error'
  readonly code: S3Code
  readonly headers: Record<string, string>

  constructor(code: S3Code, message?: string, headers: Record<string, string> = {}) {
    super(message ?? CODES[code][1])
    this.code = code
    this.headers = headers
  }

  get status(): number {
    return CODES[this.code][0]
  }
}

/** Codes for the refusals of the services that all ways in share; others go by their status. */
const OF_REASON: Partial<Record<Refusal['reason'], S3Code>> = {
  'file-not-found': 'NoSuchKey',
  'folder-not-found': 'NoSuchKey',
  'upload-not-found': 'NoSuchUpload',
  'precondition-failed': 'PreconditionFailed',
  'range-not-satisfiable': 'InvalidRange',
  'quota-exceeded': 'QuotaExceeded',
}
const OF_STATUS: Record<number, S3Code> = {
  400: 'InvalidArgument',
  401: 'AccessDenied',
  403: 'AccessDenied',
  404: 'NoSuchKey',
  405: 'MethodNotAllowed',
  408: 'IncompleteBody',
  409: 'OperationAborted',
  412: 'PreconditionFailed',
  413: 'EntityTooLarge',
  415: 'InvalidRequest',
  416: 'InvalidRange',
  429: 'SlowDown',
  501: 'NotImplemented',
  503: 'ServiceUnavailable',
  507: 'StorageFull',
}

/** Converts an error to a refusal in the words of S3; `undefined` for a bug. */
export function s3ErrorOf(error: unknown): S3Error | undefined {
  if (error instanceof S3Error) return error
  if (error instanceof ChunkError) return new S3Error(error.code, error.message)
  if (error instanceof Error && error.name === 'AbortError') return new S3Error('IncompleteBody')
  const refusal = error instanceof Refusal ? error : refusalOfMachine(error)
  const code = refusal && (OF_REASON[refusal.reason] ?? OF_STATUS[refusal.status])
  return refusal && code && new S3Error(code, refusal.message, refusal.headers)
}

/** Returns true for a failure that the operator has to mend. */
export const isForOperator = (error: unknown): boolean =>
  s3ErrorOf(error) === undefined ||
  error instanceof DatabaseAway ||
  (error instanceof Refusal && error.cause !== undefined)

/** Builds the document of a refusal; a response to HEAD has only its status. */
export function errorResponse(
  error: S3Error,
  { resource, requestId, isHead }: { resource: string; requestId: string; isHead: boolean },
): Response {
  const { code, message, status } = error
  const headers = { ...error.headers, 'x-amz-request-id': requestId }
  if (isHead) return new Response(null, { status, headers })
  const fields = { Code: code, Message: message, Resource: resource, RequestId: requestId }
  const root = element('Error', ...Object.entries(fields).map(([name, text]) => element(name, text)))
  return xmlResponse(root, status, headers)
}
