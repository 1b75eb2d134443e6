import { timingSafeEqual } from 'node:crypto'
import { findKeyById, type KeyCaller } from '../../access/caller.ts'
import type { Context } from '../../access/context.ts'
import { keyIdOf, s3CredentialsOf } from '../../access/s3-secret.ts'
import {
  ALGORITHM,
  canonicalOf,
  encodeComponent,
  encodeQuery,
  scopeOf,
  signatureOf,
  signingKey,
} from '../../sigv4/sigv4.ts'
import type { ChunkSignature } from './chunks.ts'
import { S3Error } from './errors.ts'

/** Parameters of a query in their order. */
export type Query = readonly (readonly [name: string, value: string])[]

/** Request whose signature is right. */
export interface Signed {
  caller: KeyCaller
  /** Value of `x-amz-content-sha256`: a SHA-256 in hex, or the name of the way in which the body is signed. */
  payload: string
  /** Continuation of the signature by chunks of the body. */
  chunks: ChunkSignature
}

/** Signature as a request states it. */
interface Stated {
  accessKeyId: string
  day: string
  region: string
  signedHeaders: readonly string[]
  signature: string
  /** Value of `X-Amz-Date`. */
  time: string
  payload: string
  /** Lifetime of a presigned URL in seconds; missing for a header. */
  expires?: number
}

const UNSIGNED = 'UNSIGNED-PAYLOAD'
const MAX_SKEW_MS = 15 * 60_000
const MAX_EXPIRES_SECONDS = 7 * 86_400
const CREDENTIAL = /^([\w-]{1,128})\/(\d{8})\/([\w-]{1,64})\/s3\/aws4_request$/
const SIGNATURE = /^[\da-f]{64}$/
const TIME = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/
/** Headers of S3 that need not be signed: the first is part of the signature anyway, the other says nothing. */
const FREE = new Set(['x-amz-content-sha256', 'x-amz-user-agent'])

const V2_CURE =
  'Signature version 2 is not supported. Sign with version 4: in boto3 Config(signature_version="s3v4"), in aws-cli ' +
  '`aws configure set default.s3.signature_version s3v4`, with any region'

/** Parses a query; a plus stands for a blank. @throws {S3Error} `InvalidURI`. */
export function queryOf(url: string): Query {
  const start = url.indexOf('?')
  const pairs =
    start === -1
      ? []
      : url
          .slice(start + 1)
          .split('&')
          .filter((pair) => pair !== '')
  return pairs.map((pair) => {
    const at = pair.indexOf('=')
    const [name, value] = at === -1 ? [pair, ''] : [pair.slice(0, at), pair.slice(at + 1)]
    return [decode(name.replaceAll('+', ' ')), decode(value.replaceAll('+', ' '))] as const
  })
}

/** @throws {S3Error} `InvalidURI`. */
export function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new S3Error('InvalidURI')
  }
}

/**
 * Verifies the signature of a request, and returns its caller. The time of a request bounds how long it can be repeated.
 *
 * @param path Path as sent.
 * @throws {S3Error}
 */
export async function verify(
  deps: Context,
  request: Request,
  { path, query }: { path: string; query: Query },
): Promise<Signed> {
  const stated = statedBy(request, query)
  const { accessKeyId, day, region, time, payload } = stated
  assertInTime(stated, deps.clock.now())
  const keyId = keyIdOf(accessKeyId)
  const caller = keyId === undefined ? undefined : await deps.store.read(() => findKeyById(deps, keyId))
  if (!caller) throw new S3Error('InvalidAccessKeyId')
  const { secretAccessKey } = s3CredentialsOf(deps.secrets, caller.key)
  const key = signingKey(secretAccessKey, day, region)
  const scope = scopeOf(day, region)
  const { text: canonical } = canonicalOf({
    method: request.method,
    path: path
      .split('/')
      .map((segment) => encodeComponent(decode(segment)))
      .join('/'),
    query: encodeQuery(query.filter(([name]) => name !== 'X-Amz-Signature')),
    headers: headersOf(request, stated.signedHeaders),
    payload,
  })
  const expected = signatureOf(key, { time, scope, canonical })
  if (!timingSafeEqual(Buffer.from(stated.signature, 'hex'), expected))
    throw new S3Error('SignatureDoesNotMatch')
  deps.keyUsage.used(caller.key)
  return { caller, payload, chunks: { key, time, scope, seed: stated.signature } }
}

/** @throws {S3Error} for a signature in another version, or a malformed one. */
function statedBy(request: Request, query: Query): Stated {
  const authorization = request.headers.get('authorization')
  const parameters = new Map(query.map(([name, value]) => [name.toLowerCase(), value]))
  const isPresigned = parameters.has('x-amz-signature') || parameters.has('x-amz-algorithm')
  if (authorization !== null) {
    if (isPresigned) throw new S3Error('InvalidRequest', 'Sign in the header or in the query, not in both')
    if (!authorization.startsWith(`${ALGORITHM} `)) throw new S3Error('InvalidRequest', V2_CURE)
    return ofHeader(request, authorization)
  }
  if (!isPresigned) throw new S3Error('InvalidRequest', V2_CURE)
  return ofQuery(request, parameters)
}

function ofHeader({ headers }: Request, authorization: string): Stated {
  const fields = new Map(
    authorization
      .slice(ALGORITHM.length)
      .split(',')
      .map((field) => field.trim().split('=') as [string, string]),
  )
  const stated = commonOf({
    credential: fields.get('Credential'),
    signedHeaders: fields.get('SignedHeaders'),
    signature: fields.get('Signature'),
  })
  const payload = headers.get('x-amz-content-sha256')
  if (!stated) throw new S3Error('AuthorizationHeaderMalformed')
  if (payload === null) throw new S3Error('InvalidRequest', 'x-amz-content-sha256 is required')
  const date = headers.get('x-amz-date') ?? httpDate(headers.get('date'))
  return { ...stated, time: date ?? '', payload }
}

function ofQuery({ headers }: Request, parameters: ReadonlyMap<string, string>): Stated {
  const stated = commonOf({
    credential: parameters.get('x-amz-credential'),
    signedHeaders: parameters.get('x-amz-signedheaders'),
    signature: parameters.get('x-amz-signature'),
  })
  const expires = parameters.get('x-amz-expires') ?? ''
  if (!stated || !/^-?\d{1,10}$/.test(expires) || parameters.get('x-amz-algorithm') !== ALGORITHM)
    throw new S3Error('AuthorizationQueryParametersError')
  if (Number(expires) < 1 || Number(expires) > MAX_EXPIRES_SECONDS)
    throw new S3Error('AccessDenied', 'X-Amz-Expires must be 1 second to 7 days')
  const payload = parameters.get('x-amz-content-sha256') ?? headers.get('x-amz-content-sha256') ?? UNSIGNED
  return { ...stated, time: parameters.get('x-amz-date') ?? '', payload, expires: Number(expires) }
}

function commonOf({ credential = '', signedHeaders = '', signature = '' }: Partial<Record<string, string>>) {
  const [, accessKeyId, day, region] = CREDENTIAL.exec(credential) ?? []
  if (accessKeyId === undefined || day === undefined || region === undefined || !SIGNATURE.test(signature))
    return undefined
  return { accessKeyId, day, region, signedHeaders: signedHeaders.toLowerCase().split(';'), signature }
}

/** Converts the time of a `Date` header to that of `X-Amz-Date`. */
function httpDate(text: string | null): string | undefined {
  const time = Date.parse(text ?? '')
  return Number.isNaN(time) ? undefined : new Date(time).toISOString().replace(/[-:]|\.\d+/g, '')
}

function assertInTime({ time, day, expires }: Stated, now: number): void {
  const signedAt = Date.parse(time.replace(TIME, '$1-$2-$3T$4:$5:$6Z'))
  if (Number.isNaN(signedAt) || !TIME.test(time))
    throw new S3Error('AccessDenied', 'X-Amz-Date must be a time such as 20261127T120000Z')
  if (!time.startsWith(day))
    throw new S3Error('SignatureDoesNotMatch', 'The credential is for another day than X-Amz-Date')
  if (signedAt > now + MAX_SKEW_MS) throw new S3Error('RequestTimeTooSkewed')
  if (expires === undefined && signedAt < now - MAX_SKEW_MS) throw new S3Error('RequestTimeTooSkewed')
  if (expires !== undefined && signedAt + expires * 1000 <= now)
    throw new S3Error('AccessDenied', 'Request has expired')
}

/** Returns the signed headers. @throws {S3Error} `AccessDenied` when those are missing that must be signed. */
function headersOf({ headers }: Request, signed: readonly string[]): [string, string][] {
  const unsigned = [...headers.keys()].find(
    (name) => name.startsWith('x-amz-') && !signed.includes(name) && !FREE.has(name),
  )
  if (unsigned !== undefined) throw new S3Error('AccessDenied', `The header ${unsigned} is not signed`)
  if (!signed.includes('host')) throw new S3Error('AccessDenied', 'The header host is not signed')
  return signed.map((name) => [name, headers.get(name) ?? ''])
}
