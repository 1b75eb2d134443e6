import { describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { Signer } from '../../src/s3/signature.ts'
import { EMPTY_SHA256, encodeComponent, encodePath, encodeQuery } from '../../src/sigv4/sigv4.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

/**
 * Examples of "Signature Calculations for the Authorization Header: Transferring Payload in a Single Chunk" in the S3 API
 * reference, with the account that AWS publishes for them.
 */
const EXAMPLES = [
  {
    title: 'a range of an object',
    method: 'GET',
    target: '/test.txt',
    headers: { range: 'bytes=0-9' },
    payloadSha256: EMPTY_SHA256,
    names: 'host;range;x-amz-content-sha256;x-amz-date',
    signature: 'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  },
  {
    title: 'a stored object',
    method: 'PUT',
    target: '/test%24file.text',
    headers: { date: 'Fri, 24 May 2013 00:00:00 GMT', 'x-amz-storage-class': 'REDUCED_REDUNDANCY' },
    payloadSha256: sha256('Welcome to Amazon S3.'),
    names: 'date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class',
    signature: '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
  },
  {
    title: 'a query without a value',
    method: 'GET',
    target: '/?lifecycle=',
    headers: {},
    payloadSha256: EMPTY_SHA256,
    names: 'host;x-amz-content-sha256;x-amz-date',
    signature: 'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
  },
  {
    title: 'a list',
    method: 'GET',
    target: '/?max-keys=2&prefix=J',
    headers: {},
    payloadSha256: EMPTY_SHA256,
    names: 'host;x-amz-content-sha256;x-amz-date',
    signature: '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
  },
]

describe('Signer', () => {
  test.each(EXAMPLES)(
    "signs $title as AWS's example",
    ({ method, target, headers, payloadSha256, names, signature }) => {
      const signer = new Signer({
        accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
        secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
        region: 'us-east-1',
      })

      const { authorization } = signer.sign({
        method,
        url: new URL(target, 'https://examplebucket.s3.amazonaws.com'),
        headers,
        payloadSha256,
        now: Date.UTC(2013, 4, 24),
      })

      expect(authorization).toBe(
        `AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, SignedHeaders=${names}, Signature=${signature}`,
      )
    },
  )

  test('changes its key with the day', () => {
    const signer = new Signer({ accessKeyId: 'a', secretAccessKey: 'b', region: 'c' })
    const sign = (now: number) =>
      signer.sign({ method: 'GET', url: new URL('http://h/'), headers: {}, payloadSha256: EMPTY_SHA256, now })
        .authorization

    const first = sign(Date.UTC(2026, 0, 1))
    expect(sign(Date.UTC(2026, 0, 2))).not.toBe(first)
    expect(sign(Date.UTC(2026, 0, 1))).toBe(first)
  })
})

describe('encoding', () => {
  test('leaves only unreserved characters', () => {
    expect(encodeComponent("aZ0-_.~ +%/!'()*ü")).toBe('aZ0-_.~%20%2B%25%2F%21%27%28%29%2A%C3%BC')
    expect(encodePath('a/b c/d')).toBe('a/b%20c/d')
  })

  test('sorts a query', () => {
    expect(encodeQuery(Object.entries({ uploadId: 'x=', partNumber: '1' }))).toBe(
      'partNumber=1&uploadId=x%3D',
    )
  })
})
