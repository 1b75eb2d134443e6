import { Refusal } from '../platform/errors.ts'

/** Kinds of failure: no usable response in time, a refused request, and a response against the protocol. */
export type S3Failure = 'away' | 'refused' | 'broken'

interface S3ErrorOptions {
  kind: S3Failure
  /** Status of the response, if there was one. */
  status?: number
  /** S3's name of the error, such as `NoSuchKey`. */
  code?: string
  /** True when the deadline has passed. */
  isLate?: boolean
}

/**
 * Failed request to the object store. Its message has neither secrets nor what the store wrote, but for the name of
 * the error.
 */
export class S3Error extends Error {
  override readonly name = 'S3Error'
  readonly kind: S3Failure
  readonly status: number | undefined
  /** Not called `code`: that is the system's name of an I/O error. */
  readonly s3Code: string | undefined
  /** True when the same request may succeed soon. A caller has no time for a second deadline. */
  readonly isTransient: boolean

  constructor(message: string, { kind, status, code, isLate = false }: S3ErrorOptions) {
    super(message)
    this.kind = kind
    this.status = status
    this.s3Code = code
    this.isTransient = kind === 'away' && !isLate
  }
}

/** Names of errors for a response without a usable body, by status. */
const CODES: Record<number, string> = { 403: 'AccessDenied', 404: 'NotFound', 412: 'PreconditionFailed' }

/** Returns true for the error of an object that does not exist. A missing bucket is another error. */
export const isMissingObject = (error: unknown): boolean =>
  error instanceof S3Error && error.status === 404 && ['NoSuchKey', 'NotFound'].includes(error.s3Code ?? '')

/** Returns true for the error of a multipart upload that does not exist. Ceph names the key instead. */
export const isMissingUpload = (error: unknown): boolean =>
  error instanceof S3Error && error.status === 404 && error.s3Code !== 'NoSuchBucket'

/** Returns the error for a status that the request does not expect. */
export function errorOfStatus(method: string, status: number, code = CODES[status]): S3Error {
  if (status >= 300 && status < 400) {
    return new S3Error(
      `The object store redirects ${method} (${status}): check S3_ENDPOINT, S3_REGION and S3_VIRTUAL_HOSTED`,
      { kind: 'refused', status, ...(code && { code }) },
    )
  }
  const isBusy = status === 429 || (status >= 500 && status !== 501) || code === 'RequestTimeout'
  const reason = REASONS[code ?? '']
  return new S3Error(
    `The object store ${isBusy ? 'failed' : 'refused'} ${method}: ${status} ${code ?? ''}`.trimEnd() +
      (reason ? ` (${reason})` : ''),
    { kind: isBusy ? 'away' : 'refused', status, ...(code && { code }) },
  )
}

/** Remedies for errors that an operator can mend. */
const REASONS: Record<string, string> = {
  RequestTimeTooSkewed: 'the clocks of this machine and of the object store differ: set them by NTP',
  SignatureDoesNotMatch: 'check S3_SECRET_ACCESS_KEY and S3_REGION',
  InvalidAccessKeyId: 'check S3_ACCESS_KEY_ID',
  AccessDenied: 'the access key may not do this in the bucket',
  NoSuchBucket: 'check S3_BUCKET',
  AuthorizationHeaderMalformed: 'check S3_REGION',
}

/** Returns the error of a response that breaks the protocol. */
export const brokenResponse = (method: string, mistake: string): S3Error =>
  new S3Error(`The object store sent a wrong response to ${method}: ${mistake}`, { kind: 'broken' })

/** Returns the error of a request without a complete response. */
export const storeAway = (method: string, reason: string): S3Error =>
  new S3Error(`The object store did not complete ${method}: ${reason}`, { kind: 'away' })

/** Returns the error of a request whose deadline has passed. */
export const storeLate = (method: string): S3Error =>
  new S3Error(`The object store did not respond to ${method} in time`, { kind: 'away', isLate: true })

const FULL = new Set(['QuotaExceeded', 'EntityTooLarge', 'InsufficientStorage'])

/** Returns the refusal of a request that needs the object store; `undefined` for any other error. */
export function refusalOfStore(error: unknown): Refusal | undefined {
  if (!(error instanceof S3Error)) return undefined
  if (FULL.has(error.s3Code ?? '') || error.status === 507)
    return new Refusal('no-space', 'Not enough free space in the object store', { cause: error })
  return new Refusal('unavailable', 'The store of file contents is not available, try again soon', {
    headers: { 'Retry-After': '5' },
    cause: error,
  })
}

/** Waits for a request that a client waits for. @throws {Refusal} `unavailable`, `no-space`. */
export async function refusing<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work
  } catch (error) {
    throw refusalOfStore(error) ?? error
  }
}
