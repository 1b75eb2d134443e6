import { Signer } from '../../src/s3/signature.ts'
import {
  ALGORITHM,
  canonicalOf,
  EMPTY_SHA256,
  encodePath,
  encodeQuery,
  scopeOf,
  signatureOf,
  signingKey,
} from '../../src/sigv4/sigv4.ts'
import { BASE_URL, dataOf, type Holdfast, postJson } from './holdfast.ts'

export interface S3Keys {
  accessKeyId: string
  secretAccessKey: string
}

/** Creates an API key of an account, and returns its credentials for the S3 API. */
export async function createS3Keys(
  holdfast: Pick<Holdfast, 'fetch'>,
  cookie: string,
  {
    name = `s3 ${crypto.randomUUID()}`,
    scopes = ['files:read', 'files:write', 'files:delete'],
    folderId,
  }: { name?: string; scopes?: string[]; folderId?: string | undefined } = {},
): Promise<S3Keys & { id: string }> {
  const response = await postJson(
    holdfast,
    '/api/keys',
    { name, scopes, ...(folderId && { folderId }) },
    { Cookie: cookie, Origin: BASE_URL },
  )
  const { key, s3 } = await dataOf<{ key: { id: string }; s3: S3Keys }>(response)
  return { ...s3, id: key.id }
}

interface Sent {
  method?: string
  query?: Record<string, string>
  headers?: Record<string, string>
  body?: string | Uint8Array<ArrayBuffer> | ReadableStream
  /** Changes the signed request before it is sent. */
  tamper?: (sent: { path: string; headers: Record<string, string> }) => void
  now?: number
  payload?: string
}

/** Returns a client that signs its requests itself, for what no other client sends. */
export function rawS3({ url }: Pick<Holdfast, 'url'>, keys: S3Keys) {
  const signer = new Signer({ ...keys, region: 'auto' })
  return async (path: string, sent: Sent = {}): Promise<Response> => {
    const { method = 'GET', query = {}, headers = {}, body, tamper, now = Date.now() } = sent
    const search = encodeQuery(Object.entries(query))
    const target = new URL(`${url}${encodePath(path)}${search && `?${search}`}`)
    const sha256 =
      body === undefined || body instanceof ReadableStream
        ? EMPTY_SHA256
        : new Bun.CryptoHasher('sha256').update(body).digest('hex')
    const payloadSha256 = sent.payload ?? sha256
    const signed = signer.sign({ method, url: target, headers, payloadSha256, now })
    const request = { path: target.pathname + target.search, headers: signed }
    tamper?.(request)
    return fetch(`${url}${request.path}`, {
      method,
      headers: request.headers,
      ...(body !== undefined && { body }),
    })
  }
}

/** Returns the code of a refusal, with its status. */
export async function codeOf(response: Response): Promise<[number, string | undefined]> {
  return [response.status, /<Code>(\w+)<\/Code>/.exec(await response.text())?.[1]]
}

/** Returns the texts of the elements of a name. */
export const textsIn = (xml: string, name: string): string[] =>
  [...xml.matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, 'g'))].map(([, text = '']) => text)

/** Returns a presigned URL of a GET, as clients make it at a time. */
export function presignUrl(
  url: string,
  {
    path,
    keys,
    query,
    expiresIn,
    now,
  }: { path: string; keys: S3Keys; query: Record<string, string>; expiresIn: number; now: number },
): string {
  const time = new Date(now).toISOString().replace(/[-:]|\.\d+/g, '')
  const day = time.slice(0, 8)
  const scope = scopeOf(day, 'auto')
  const all = encodeQuery(
    Object.entries({
      ...query,
      'X-Amz-Algorithm': ALGORITHM,
      'X-Amz-Credential': `${keys.accessKeyId}/${scope}`,
      'X-Amz-Date': time,
      'X-Amz-Expires': String(expiresIn),
      'X-Amz-SignedHeaders': 'host',
    }),
  )
  const { host } = new URL(url)
  const { text: canonical } = canonicalOf({
    method: 'GET',
    path: encodePath(path),
    query: all,
    headers: [['host', host]],
    payload: 'UNSIGNED-PAYLOAD',
  })
  const key = signingKey(keys.secretAccessKey, day, 'auto')
  return `${url}${encodePath(path)}?${all}&X-Amz-Signature=${signatureOf(key, { time, scope, canonical }).toString('hex')}`
}
