import { ALGORITHM, canonicalOf, scopeOf, signatureOf, signingKey } from '../sigv4/sigv4.ts'

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
    const { names, text: canonical } = canonicalOf({
      method,
      path: url.pathname,
      query: url.search.slice(1),
      headers: Object.entries({ ...sent, host: url.host }),
      payload: payloadSha256,
    })
    const scope = scopeOf(day, region)
    const signature = signatureOf(this.#keyOf(day), { time, scope, canonical })
    return {
      ...sent,
      authorization: `${ALGORITHM} Credential=${accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature.toString('hex')}`,
    }
  }

  /** Returns the signing key, which is the same for a day. */
  #keyOf(day: string): Buffer {
    if (day !== this.#day) {
      const { secretAccessKey, region } = this.#credentials
      this.#key = signingKey(secretAccessKey, day, region)
      this.#day = day
    }
    return this.#key
  }
}
