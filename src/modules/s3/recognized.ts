import { ALGORITHM } from '../../sigv4/sigv4.ts'

/** Paths with other answers, which neither parameters of a link nor a proxy's own signature must change. */
const ELSEWHERE = /^\/(?:api|dav|s)(?:\/|$)/
const OWN_CREDENTIAL = /^AWS4-HMAC-SHA256 .*\bCredential=[\da-f]{32}\//

/**
 * Returns true for a request that is signed for S3, in a header or its query, and for the preflight of one. Every other
 * request costs a look at one header and at its query. A bucket with the name of another path needs a header by a key of ours.
 */
export function isForS3({ method, headers, url }: Request, path: string): boolean {
  const authorization = headers.get('authorization')
  if (ELSEWHERE.test(path)) return OWN_CREDENTIAL.test(authorization ?? '')
  if (authorization !== null) return authorization.startsWith(ALGORITHM) || /^AWS [\w-]+:/.test(authorization)
  const query = url.indexOf('?')
  if (query !== -1 && /[?&](?:X-Amz-(?:Algorithm|Signature)|AWSAccessKeyId)=/i.test(url.slice(query)))
    return true
  return method === 'OPTIONS' && /\bx-amz-/i.test(headers.get('access-control-request-headers') ?? '')
}
