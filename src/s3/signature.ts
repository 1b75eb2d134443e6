import { createHash, createHmac } from 'node:crypto'

/** Keys of the account, and the region that signatures are made for. */
export interface Credentials {
  accessKeyId: string
  secretAccessKey: string
  region: string
}

/** Request to sign. Its URL is already encoded as `encodePath` and `encodeQuery` do. */
export interface Unsigned {
  method: string
  url: URL
  headers: Readonly<Record<string, string>>
  /** SHA-256 of the body in hex. */
  payloadSha256: string
  /** Milliseconds since 1970. */
  now: number
}

const ALGORITHM = 'AWS4-HMAC-SHA256'

/** SHA-256 of no bytes, in hex. */
export const EMPTY_SHA256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

/** Encodes all but the unreserved characters of RFC 3986 §2.3, as AWS Signature Version 4 requires. */
export const encodeComponent = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`)

export const encodePath = (path: string): string => path.split('/').map(encodeComponent).join('/')

/** Encodes a query sorted by name, which is also its canonical form. */
export const encodeQuery = (query: Readonly<Record<string, string>>): string =>
  Object.entries(query)
    .map(([name, value]) => `${encodeComponent(name)}=${encodeComponent(value)}`)
    .sort()
    .join('&')

/** Signs requests with AWS Signature Version 4 in the `Authorization` header, for the service S3. */
export class Signer {
  readonly #credentials: Credentials
  #day = ''
  #key: Buffer = Buffer.alloc(0)

  constructor(credentials: Credentials) {
    this.#credentials = credentials
  }

  /** Returns all headers to send, without `Host`. */
  sign({ method, url, headers, payloadSha256, now }: Unsigned): Record<string, string> {
    const { accessKeyId, region } = this.#credentials
    const time = new Date(now).toISOString().replace(/[-:]|\.\d+/g, '')
    const day = time.slice(0, 8)
    const sent = { ...headers, 'x-amz-content-sha256': payloadSha256, 'x-amz-date': time }
    const signed = Object.entries({ ...sent, host: url.host })
      .map(([name, value]) => ({ name: name.toLowerCase(), value: value.trim().replace(/\s+/g, ' ') }))
      .sort((a, b) => (a.name < b.name ? -1 : 1))
    const names = signed.map(({ name }) => name).join(';')
    const lines = signed.map(({ name, value }) => `${name}:${value}\n`).join('')
    const canonical = [method, url.pathname, url.search.slice(1), lines, names, payloadSha256].join('\n')
    const scope = `${day}/${region}/s3/aws4_request`
    const signature = hmac(this.#keyOf(day), [ALGORITHM, time, scope, sha256(canonical)].join('\n'))
    return {
      ...sent,
      authorization: `${ALGORITHM} Credential=${accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature.toString('hex')}`,
    }
  }

  /** Returns the signing key, which is the same for a day. */
  #keyOf(day: string): Buffer {
    if (day !== this.#day) {
      const { secretAccessKey, region } = this.#credentials
      this.#key = [day, region, 's3', 'aws4_request'].reduce<Buffer>(
        hmac,
        Buffer.from(`AWS4${secretAccessKey}`),
      )
      this.#day = day
    }
    return this.#key
  }
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

const hmac = (key: Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest()
