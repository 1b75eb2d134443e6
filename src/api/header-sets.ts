import type { ResponseKind } from './openapi/described.ts'

/** Headers of every response except hosted files: no sniffing, no framing, no referrer. */
const APP_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'strict-origin-when-cross-origin',
}

/**
 * Headers of every hosting response, errors included: uploaded files run nothing in our origin, and any site
 * may embed them.
 */
const HOSTING_HEADERS = {
  'Accept-Ranges': 'bytes',
  'Content-Security-Policy': 'sandbox',
  'X-Content-Type-Options': 'nosniff',
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'Content-Range, Content-Length, ETag, Accept-Ranges',
  'Cross-Origin-Resource-Policy': 'cross-origin',
}

const HEADERS = {
  app: APP_HEADERS,
  hosting: HOSTING_HEADERS,
  /** Headers of tus responses, which all carry the protocol's version. */
  upload: { ...APP_HEADERS, 'Tus-Resumable': '1.0.0' },
  /** Headers of uploaded files sent to members: they run nothing here either. */
  download: { ...APP_HEADERS, 'Accept-Ranges': 'bytes', 'Content-Security-Policy': 'sandbox' },
}

/** Header that makes browsers use https only, for a year (RFC 6797). */
const HTTPS_ONLY = { 'Strict-Transport-Security': 'max-age=31536000' }

interface CommonHeaders {
  kind: ResponseKind
  /** True when the instance is served over https. */
  isSecure: boolean
}

/** Returns the headers that every response of a kind carries. */
export const commonHeaders = (kind: keyof typeof HEADERS, isSecure: boolean): Record<string, string> =>
  isSecure ? { ...HEADERS[kind], ...HTTPS_ONLY } : HEADERS[kind]

/** Adds the headers that every response of its kind carries. */
export function addCommonHeaders(response: Response, { kind, isSecure }: CommonHeaders): Response {
  for (const [name, value] of Object.entries(commonHeaders(kind, isSecure))) response.headers.set(name, value)
  const isJson = response.headers.get('Content-Type')?.startsWith('application/json')
  if (isJson && !response.headers.has('Cache-Control')) response.headers.set('Cache-Control', 'no-store')
  return response
}
