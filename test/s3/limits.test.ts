import { describe, expect, test } from 'bun:test'
import { addGuest } from '../rights/limited.ts'
import { setDisabled } from '../support/accounts.ts'
import { startWithAccount, withHoldfast } from '../support/fixture.ts'
import { stagedBytes } from '../support/holdfast.ts'
import { codeOf, createS3Keys, rawS3, textsIn } from '../support/s3.ts'

const holdfast = withHoldfast({ environment: { MAX_UPLOAD_SIZE: '1kb' } })

const of = async (cookie: string) => rawS3(holdfast, await createS3Keys(holdfast, cookie))

describe('an account', () => {
  test('stores no more than its quota by S3, and nothing stays of what is refused', async () => {
    const editor = await holdfast.addUser('editor')
    const send = await of(editor.cookie)
    await holdfast.bySession.data('PUT', '/users/quota', { id: editor.id, quota: 100 })
    await send('/quota', { method: 'PUT' })
    const put = (key: string, bytes: number) =>
      send(`/quota/${key}`, { method: 'PUT', body: 'x'.repeat(bytes) })
    expect((await put('a', 60)).status).toBe(200)
    expect(await codeOf(await put('b', 60))).toEqual([507, 'QuotaExceeded'])
    const several = await Promise.all([1, 2, 3, 4].map((n) => put(`c${n}`, 30)))
    expect(several.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(stagedBytes(holdfast)).toBe(0)
  })

  test('that is disabled has no credentials', async () => {
    const editor = await holdfast.addUser('editor')
    const send = await of(editor.cookie)
    expect((await send('/')).status).toBe(200)
    setDisabled(holdfast, editor.id, true)
    expect(await codeOf(await send('/'))).toEqual([403, 'InvalidAccessKeyId'])
  })

  test('that is limited to folders has its rights there, and sees no more', async () => {
    await holdfast.api.upload('a.txt', 'x', 'guests/read')
    await holdfast.api.upload('b.txt', 'x', 'guests/secret')
    const guest = await addGuest(holdfast, {
      'guests/read': ['read'],
      'guests/edit': ['read', 'write', 'delete'],
    })
    const send = await of(guest.cookie)
    const list = await (await send('/guests')).text()
    expect(textsIn(list, 'Key')).toEqual(['edit/', 'read/a.txt'])
    expect(textsIn(await (await send('/guests', { query: { delimiter: '/' } })).text(), 'Prefix')).toEqual([
      'edit/',
      'read/',
    ])
    const put = async (key: string) => (await send(`/guests/${key}`, { method: 'PUT', body: 'y' })).status
    expect([
      await put('edit/new.txt'),
      await put('read/new.txt'),
      await put('read/a.txt'),
      await put('secret/b.txt'),
    ]).toEqual([200, 403, 403, 403])
    const acl = { method: 'PUT', body: 'y', headers: { 'x-amz-acl': 'public-read' } }
    expect(await codeOf(await send('/guests/edit/public.txt', acl))).toEqual([403, 'AccessDenied'])
    expect(await codeOf(await send('/guests/read/a.txt', { method: 'DELETE' }))).toEqual([
      403,
      'AccessDenied',
    ])
    expect((await send('/guests/edit/new.txt', { method: 'DELETE' })).status).toBe(204)
    expect(await codeOf(await send('/guests/secret/b.txt'))).toEqual([404, 'NoSuchKey'])
  })
})

test('an object past the maximum size is EntityTooLarge', async () => {
  const send = await of(holdfast.cookie)
  await send('/large', { method: 'PUT' })
  expect(await codeOf(await send('/large/a', { method: 'PUT', body: 'x'.repeat(1025) }))).toEqual([
    400,
    'EntityTooLarge',
  ])
})

test('bytes that are replaced stay as a version', async () => {
  const send = await of(holdfast.cookie)
  await send('/versions', { method: 'PUT' })
  for (const body of ['old', 'new']) await send('/versions/a.txt', { method: 'PUT', body })
  const { file } = await holdfast.api.data<{ file: { id: string } }>('GET', '/files?key=versions/a.txt')
  const { versions } = await holdfast.api.data<{ versions: { size: number }[] }>(
    'GET',
    `/files/versions?id=${file.id}`,
  )
  expect(versions).toHaveLength(1)
})

test('requests past the limit of an address are SlowDown', async () => {
  await using limited = await startWithAccount({ environment: { RATE_LIMIT_S3: '2' } })
  const send = rawS3(limited, await createS3Keys(limited, limited.cookie))
  await send('/')
  await send('/')
  const response = await send('/')
  expect(response.headers.get('retry-after')).not.toBeNull()
  expect(await codeOf(response)).toEqual([503, 'SlowDown'])
  expect((await limited.fetch('/api/setup')).status).toBe(200)
})
