import { beforeAll, describe, expect, test } from 'bun:test'
import { basic, davOf } from '../support/dav.ts'
import { withInside } from '../support/fixture.ts'
import { createS3Keys, rawS3 } from '../support/s3.ts'

const holdfast = withInside()
const dav = davOf(holdfast, () => basic(holdfast.key))
let s3: ReturnType<typeof rawS3>

beforeAll(async () => {
  await holdfast.api.upload('file.txt', 'x', 'odd')
  s3 = rawS3(holdfast, await createS3Keys(holdfast, holdfast.cookie))
})

const NAMES = [
  ...[
    'a\0b',
    '..',
    'a/../b',
    'x'.repeat(300),
    'x/'.repeat(600),
    '/'.repeat(50),
    'file.txt/child',
    'file.txt/',
  ],
  ...[
    '\u{1f600}',
    'e\u0301',
    '\u202e',
    '\r\n',
    '\u007f',
    'a\\b',
    '%',
    '%25',
    '*',
    '?',
    ' ',
    '__proto__',
    'é',
  ],
]

/** Statuses of failures that are not the server's own: not implemented, or the destination is on another server. */
const REFUSALS = new Set([501, 502])
const isOwnFailure = ({ status }: Response) => status >= 500 && !REFUSALS.has(status)

const DAV_METHODS = [
  'GET',
  'PUT',
  'DELETE',
  'MKCOL',
  'COPY',
  'MOVE',
  'PROPFIND',
  'PROPPATCH',
  'LOCK',
  'UNLOCK',
]
const DAV_HEADERS: Record<string, string>[] = [
  ...['%zz', 'http://[::', '//other.example/dav/x', '/dav/', '/dav/odd/odd/x', '/dav/%00', '/api/x'].map(
    (Destination) => ({ Destination }),
  ),
  ...['<%zz> (["x"])', '<http://[> (Not ["x"])', '<mailto:a> (Not <x>)', '<///> (Not <x>)'].map((If) => ({
    If,
  })),
  ...[{ 'X-OC-Mtime': '99999999999' }, { Timeout: 'Second-99999999999999999999' }, { Depth: 'x' }],
]
const DAV_BODIES = [
  ...['<', '<a/>', '<propfind xmlns="DAV:"><prop><a xmlns="&quot;&lt;"/></prop></propfind>'],
  ...['<__proto__ xmlns=""/>', '<a xmlns="}{">x</a>', '<lastmodified>99999999999</lastmodified>'].map(
    (xml) => `<propertyupdate xmlns="DAV:"><set><prop>${xml}</prop></set></propertyupdate>`,
  ),
]

describe('no odd request is a failure of the server', () => {
  test.each(DAV_METHODS)('by WebDAV: %s', async (method) => {
    const failed: unknown[] = []
    const send = async (...request: Parameters<typeof dav.send>) => {
      if (isOwnFailure(await dav.send(...request))) failed.push(request)
    }
    for (const name of NAMES)
      await send(method, `odd/${encodeURIComponent(name)}`, { Destination: '/dav/to' })
    for (const headers of DAV_HEADERS) await send(method, 'odd/file.txt', headers)
    if (method !== 'GET')
      for (const body of DAV_BODIES) await send(method, 'odd/file.txt', { Depth: '0' }, body)
    // Times past what a date can be are read back.
    await send('PROPFIND', 'odd', { Depth: '1' })
    expect(failed).toEqual([])
  })

  test('by a route whose parameters cannot be decoded', async () => {
    const failed: unknown[] = []
    for (const { method, path } of holdfast.server.app.routes.filter(({ path }) => path.includes(':')))
      for (const odd of ['%', '%zz', '%FF', '%E0%A4%A']) {
        const init = { method, headers: { 'Tus-Resumable': '1.0.0', ...holdfast.withKey } }
        const response = await holdfast.fetch(path.replace(/:\w+/g, odd), init)
        if (isOwnFailure(response)) failed.push([method, path, odd])
      }
    expect(failed).toEqual([])
  })

  test.each(['GET', 'HEAD', 'PUT', 'POST', 'DELETE', 'PATCH'])('by S3: %s', async (method) => {
    const failed: unknown[] = []
    const send = async (path: string, sent: Parameters<typeof s3>[1]) => {
      if (isOwnFailure(await s3(path, { method, ...sent }))) failed.push([path, sent])
    }
    for (const name of NAMES) {
      await send(`/${name}`, {})
      await send(`/odd/${name}`, {})
      for (const parameter of [
        'prefix',
        'marker',
        'delimiter',
        'response-expires',
        'uploadId',
        'continuation-token',
      ])
        await send('/odd', { query: { [parameter]: name, 'list-type': '2' } })
      await send('/odd/to', { headers: { 'x-amz-copy-source': encodeURIComponent(name) } })
    }
    expect(failed).toEqual([])
  })
})
