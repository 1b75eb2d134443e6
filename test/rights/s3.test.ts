import { beforeAll, describe, expect, test } from 'bun:test'
import { withInside } from '../support/fixture.ts'
import { codeOf, createS3Keys, rawS3, textsIn } from '../support/s3.ts'
import { addGuest, EDIT, VIEW } from './guests.ts'

const holdfast = withInside()
const CALLERS = ['whole', 'reader', 'writer', 'bound', 'gone'] as const
type Caller = (typeof CALLERS)[number]
const senders = {} as Record<Caller, ReturnType<typeof rawS3>>

/** Word in the names of everything outside of what the bound key reaches. */
const MARKER = 'hidden'

beforeAll(async () => {
  const { api } = holdfast
  const folders: Record<string, string> = {}
  for (const key of ['shared/in', `shared/${MARKER}`, `${MARKER}-bucket`, 'gone']) {
    folders[key] = (await api.createFolder(key)).id
    if (key !== 'gone') await api.upload('file.txt', MARKER, key)
  }
  const withKeys = async (options: Parameters<typeof createS3Keys>[2]) =>
    rawS3(holdfast, await createS3Keys(holdfast, holdfast.cookie, options))
  senders.whole = await withKeys({})
  senders.reader = await withKeys({ scopes: ['files:read'] })
  senders.writer = await withKeys({ scopes: ['files:write'] })
  senders.bound = await withKeys({ folderId: folders['shared/in'] })
  senders.gone = await withKeys({ folderId: folders['gone'] })
  await api.data('DELETE', '/folders', { id: folders['gone'] })
})

const DELETE_DOCUMENT = '<Delete><Object><Key>in/none.txt</Key></Object></Delete>'
const source = (path: string) => ({ method: 'PUT', headers: { 'x-amz-copy-source': path } })
const IN = '/shared/in/file.txt'
const OUT = `/shared/${MARKER}/file.txt`
const OUT_BUCKET = `/${MARKER}-bucket/file.txt`

type Outcome = number | string
/** Operation, what is sent, and the status or the code for each caller in the order of `CALLERS`. */
const ROWS: [string, string, Parameters<ReturnType<typeof rawS3>>[1], Outcome[]][] = [
  ['ListBuckets', '/', {}, [200, 200, 'AccessDenied', 200, 200]],
  ['HeadBucket inside', '/shared', { method: 'HEAD' }, [200, 200, 403, 200, 404]],
  ['HeadBucket outside', `/${MARKER}-bucket`, { method: 'HEAD' }, [200, 200, 403, 404, 404]],
  [
    'ListObjects inside',
    '/shared',
    { query: { prefix: 'in/' } },
    [200, 200, 'AccessDenied', 200, 'NoSuchBucket'],
  ],
  [
    'ListObjects outside',
    `/${MARKER}-bucket`,
    {},
    [200, 200, 'AccessDenied', 'NoSuchBucket', 'NoSuchBucket'],
  ],
  [
    'GetBucketLocation outside',
    `/${MARKER}-bucket`,
    { query: { location: '' } },
    [200, 200, 'AccessDenied', 'NoSuchBucket', 'NoSuchBucket'],
  ],
  ['GetObject inside', IN, {}, [200, 200, 'AccessDenied', 200, 'NoSuchBucket']],
  ['GetObject outside', OUT, {}, [200, 200, 'AccessDenied', 'NoSuchKey', 'NoSuchBucket']],
  [
    'GetObject of a bucket outside',
    OUT_BUCKET,
    {},
    [200, 200, 'AccessDenied', 'NoSuchBucket', 'NoSuchBucket'],
  ],
  [
    'GetObjectAcl outside',
    OUT,
    { query: { acl: '' } },
    [200, 200, 'AccessDenied', 'NoSuchKey', 'NoSuchBucket'],
  ],
  [
    'GetObjectAttributes outside',
    OUT,
    { query: { attributes: '' }, headers: { 'x-amz-object-attributes': 'ETag' } },
    [200, 200, 'AccessDenied', 'NoSuchKey', 'NoSuchBucket'],
  ],
  [
    'PutObject inside',
    '/shared/in/new.txt',
    { method: 'PUT', body: 'x' },
    [200, 'AccessDenied', 200, 200, 'NoSuchBucket'],
  ],
  [
    'PutObject outside',
    OUT,
    { method: 'PUT', body: MARKER },
    [200, 'AccessDenied', 200, 'AccessDenied', 'NoSuchBucket'],
  ],
  [
    'PutObject where nothing is outside',
    '/shared/other/none',
    { method: 'PUT', body: 'x' },
    [200, 'AccessDenied', 200, 'AccessDenied', 'NoSuchBucket'],
  ],
  [
    'PutObject of a bucket outside',
    OUT_BUCKET,
    { method: 'PUT', body: MARKER },
    [200, 'AccessDenied', 200, 'NoSuchBucket', 'NoSuchBucket'],
  ],
  [
    'a folder inside',
    '/shared/in/sub/',
    { method: 'PUT', body: '' },
    [200, 'AccessDenied', 200, 200, 'NoSuchBucket'],
  ],
  [
    'a folder outside',
    '/shared/out/',
    { method: 'PUT', body: '' },
    [200, 'AccessDenied', 200, 'AccessDenied', 'NoSuchBucket'],
  ],
  [
    'CopyObject inside',
    '/shared/in/copy.txt',
    source(IN),
    [200, 'AccessDenied', 'AccessDenied', 200, 'NoSuchBucket'],
  ],
  [
    'CopyObject from outside',
    '/shared/in/copy.txt',
    source(OUT),
    [200, 'AccessDenied', 'AccessDenied', 'NoSuchKey', 'NoSuchBucket'],
  ],
  [
    'CopyObject to outside',
    OUT,
    source(IN),
    [200, 'AccessDenied', 'AccessDenied', 'AccessDenied', 'NoSuchBucket'],
  ],
  [
    'CreateBucket',
    '/made-bucket',
    { method: 'PUT' },
    [200, 'AccessDenied', 200, 'AccessDenied', 'AccessDenied'],
  ],
  [
    'CreateBucket of one outside',
    `/${MARKER}-bucket`,
    { method: 'PUT' },
    [200, 'AccessDenied', 200, 'AccessDenied', 'AccessDenied'],
  ],
  [
    'DeleteBucket',
    '/shared',
    { method: 'DELETE' },
    ['BucketNotEmpty', 'AccessDenied', 'AccessDenied', 'AccessDenied', 'NoSuchBucket'],
  ],
  [
    'DeleteObject outside',
    '/shared/hidden/none.txt',
    { method: 'DELETE' },
    [204, 'AccessDenied', 'AccessDenied', 204, 'NoSuchBucket'],
  ],
  [
    'DeleteObjects',
    '/shared',
    { method: 'POST', query: { delete: '' }, body: DELETE_DOCUMENT },
    [200, 'AccessDenied', 'AccessDenied', 200, 'NoSuchBucket'],
  ],
]

describe('operation × caller × place', () => {
  test.each(ROWS)('%s', async (_, path, sent, outcomes) => {
    const found: Outcome[] = []
    for (const [index, caller] of CALLERS.entries()) {
      const [status, code] = await codeOf(await senders[caller](path, sent))
      found.push(typeof outcomes[index] === 'number' ? status : (code ?? status))
    }
    expect(found).toEqual(outcomes)
  })

  test('no response tells a bound key a name outside', async () => {
    for (const query of [
      {},
      { delimiter: '/' },
      { versions: '' },
      { 'list-type': '2', delimiter: '/' },
    ] as Record<string, string>[]) {
      const text = await (await senders.bound('/shared', { query })).text()
      expect([query, text.includes(MARKER)]).toEqual([query, false])
    }
    const root = await (await senders.bound('/', {})).text()
    expect(textsIn(root, 'Name')).toEqual(['shared'])
    const flat = await (await senders.bound('/shared', { query: { delimiter: '/' } })).text()
    expect(textsIn(flat, 'Prefix')).toEqual(['in/'])
  })

  test('a bound key learns and ends no upload in parts outside', async () => {
    const begun = await senders.whole(OUT, { method: 'POST', query: { uploads: '' } })
    const [uploadId = ''] = textsIn(await begun.text(), 'UploadId')
    const listed = await senders.bound('/shared', { query: { uploads: '' } })
    expect([listed.status, (await listed.text()).includes(MARKER)]).toEqual([200, false])
    for (const [method, id] of [
      ['GET', uploadId],
      ['GET', 'none'],
      ['DELETE', uploadId],
      ['DELETE', 'none'],
    ] as const)
      expect(await codeOf(await senders.bound(OUT, { method, query: { uploadId: id } }))).toEqual([
        403,
        'AccessDenied',
      ])
    expect((await senders.whole(OUT, { query: { uploadId } })).status).toBe(200)
  })

  test('the folder of a bound key stays when its last object is deleted', async () => {
    await senders.whole('/shared/made/deep/x', { method: 'PUT', body: 'x' })
    const { folders } = await holdfast.api.data<{ folders: { id: string; name: string }[] }>(
      'GET',
      '/folders?key=shared',
    )
    const { id } = folders.find(({ name }) => name === 'made') ?? {}
    const sender = rawS3(holdfast, await createS3Keys(holdfast, holdfast.cookie, { folderId: id }))
    expect((await senders.whole('/shared/made/deep/x', { method: 'DELETE' })).status).toBe(204)
    expect((await senders.whole('/shared/made/deep/', { method: 'HEAD' })).status).toBe(404)
    expect((await sender('/shared/made/y', { method: 'PUT', body: 'y' })).status).toBe(200)
  })

  test('a bound key deletes nothing outside', async () => {
    expect((await senders.bound(OUT, { method: 'DELETE' })).status).toBe(204)
    const document = `<Delete><Object><Key>${MARKER}/file.txt</Key></Object></Delete>`
    await senders.bound('/shared', { method: 'POST', query: { delete: '' }, body: document })
    expect((await senders.whole(OUT)).status).toBe(200)
  })

  test('the right to read a folder is not enough to change objects in it, or their metadata', async () => {
    const folder = await holdfast.api.createFolder('shared/read')
    await holdfast.api.upload('file.txt', 'x', 'shared/read', 'private')
    const guest = await addGuest(holdfast, { [folder.id]: VIEW })
    const sender = rawS3(holdfast, await createS3Keys(holdfast, guest.withKey['Cookie'] ?? ''))
    const path = '/shared/read/file.txt'
    // Refused before the bytes are judged.
    const put = { method: 'PUT', body: 'new', headers: { 'content-md5': 'AAAAAAAAAAAAAAAAAAAAAA==' } }
    const replace = { 'x-amz-copy-source': path, 'x-amz-metadata-directive': 'REPLACE' }
    const publish = { 'x-amz-copy-source': path, 'x-amz-acl': 'public-read' }

    const denied: [number, string] = [403, 'AccessDenied']
    expect(await codeOf(await sender(path, put))).toEqual(denied)
    expect(await codeOf(await sender(path, { method: 'PUT', headers: replace }))).toEqual(denied)
    await guest.limit({ [folder.id]: EDIT })
    expect(await codeOf(await sender(path, { method: 'PUT', headers: publish }))).toEqual(denied)
    expect((await sender(path, { method: 'PUT', headers: replace })).status).toBe(200)
  })
})
