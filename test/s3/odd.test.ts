import { beforeAll, expect, test } from 'bun:test'
import { withHoldfast } from '../support/fixture.ts'
import { createS3Keys, rawS3 } from '../support/s3.ts'

const holdfast = withHoldfast()
let send: ReturnType<typeof rawS3>

const METHODS = ['GET', 'HEAD', 'PUT', 'POST', 'DELETE', 'PATCH', 'OPTIONS']
const PATHS = [
  '/',
  '//',
  '/odd',
  '/odd/',
  '/odd//',
  '/odd/a',
  '/odd/a/',
  '/odd/\u0000',
  '/\u0000',
  '/odd/..',
  '/api',
  '/%',
  '/none/a',
]
const QUERIES: Record<string, string>[] = [
  {},
  ...['acl', 'delete', 'uploads', 'versions', 'location', 'attributes', 'tagging'].map((name) => ({
    [name]: '',
  })),
  ...[
    { uploadId: 'x' },
    { uploadId: 'x', partNumber: '1' },
    { uploadId: '', partNumber: '-1' },
    { partNumber: '99999' },
  ],
  ...[
    { versionId: 'x' },
    { 'max-keys': '-1' },
    { prefix: '\u0000', delimiter: '\u{1f600}' },
    { marker: '\uffff' },
  ],
  ...[{ 'list-type': '2', 'continuation-token': 'AAAA' }, { 'list-type': '3' }, { 'max-buckets': '0' }],
]
const HEADERS: Record<string, string>[] = [
  {},
  { 'x-amz-copy-source': '%' },
  { 'x-amz-copy-source': '/' },
  { 'x-amz-copy-source': '/odd/a?versionId=x' },
  { 'x-amz-copy-source': '/odd/a', 'x-amz-copy-source-range': 'bytes=9-1' },
  { 'x-amz-acl': 'no', 'content-md5': '=', 'x-amz-checksum-crc32': 'x', 'x-amz-checksum-sha1': 'x' },
  { 'x-amz-decoded-content-length': '-1', 'content-encoding': 'aws-chunked' },
  { range: 'bytes=5-1', 'if-match': '"', 'if-none-match': '*', 'if-modified-since': 'no' },
]

beforeAll(async () => {
  send = rawS3(holdfast, await createS3Keys(holdfast, holdfast.cookie))
  await send('/odd', { method: 'PUT' })
  await send('/odd/a', { method: 'PUT', body: 'x' })
})

test.each(METHODS)('no odd request by %s is a failure of the server', async (method) => {
  const failed: unknown[] = []
  const bodies = method === 'PUT' || method === 'POST' ? ['<x/>', ''] : [undefined]
  for (const path of PATHS)
    for (const query of QUERIES)
      for (const headers of HEADERS)
        for (const body of bodies) {
          const response = await send(path, { method, query, headers, ...(body !== undefined && { body }) })
          await response.arrayBuffer()
          if (response.status >= 500 && response.status !== 501)
            failed.push([path, query, headers, body, response.status])
        }
  expect(failed).toEqual([])
})

test.each(['STREAMING-AWS4-HMAC-SHA256-PAYLOAD', 'STREAMING-UNSIGNED-PAYLOAD-TRAILER', 'x', ''])(
  'a body that is no %j is refused',
  async (payload) => {
    for (const body of ['', 'x', '5\r\nhello\r\n', 'ffffffffffff\r\n']) {
      const headers = { 'x-amz-decoded-content-length': '5', 'x-amz-trailer': 'x-amz-checksum-crc32' }
      const response = await send('/odd/b', { method: 'PUT', body, headers, payload })
      expect([400, 403]).toContain(response.status)
    }
    expect((await send('/odd/b')).status).toBe(404)
  },
)
