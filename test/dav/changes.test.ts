import { describe, expect, test } from 'bun:test'
import { basic, davOf } from '../support/dav.ts'
import { startWithAccount, withHoldfast } from '../support/fixture.ts'
import { BASE_URL, createKey } from '../support/holdfast.ts'

const holdfast = withHoldfast()
const { api } = holdfast
const dav = davOf(holdfast, () => basic(holdfast.key))

const to = (path: string, more: Record<string, string> = {}) => ({
  Destination: `${BASE_URL}/dav/${path}`,
  ...more,
})
const trashed = async () =>
  (await api.data<{ items: { key: string }[] }>('GET', '/trash')).items.map(({ key }) => key)

describe('PUT', () => {
  test('stores a new file, and replaces it under the same id', async () => {
    const first = await dav.send('PUT', 'put.txt', {}, 'first')
    expect(first.status).toBe(201)
    const [before] = (await api.browse({})).files.filter(({ name }) => name === 'put.txt')
    const second = await dav.send('PUT', 'put.txt', { 'If-Match': first.headers.get('etag') ?? '' }, 'second')
    expect(second.status).toBe(204)
    expect((await dav.properties('put.txt', '<getetag/>'))['getetag']).toBe(second.headers.get('etag') ?? '')
    expect((await api.browse({})).files.find(({ name }) => name === 'put.txt')?.id).toBe(before?.id ?? '')
    expect(await dav.text('put.txt')).toBe('second')
  })

  test('takes a body of any framing, and none', async () => {
    const chunks = new ReadableStream({
      start(controller) {
        for (const text of ['a', 'b', 'c']) controller.enqueue(new TextEncoder().encode(text))
        controller.close()
      },
    })
    expect(await dav.status('PUT', 'chunked.txt', {}, chunks)).toBe(201)
    expect(await dav.text('chunked.txt')).toBe('abc')
    expect(await dav.status('PUT', 'empty.txt', {}, '')).toBe(201)
    expect((await dav.properties('empty.txt', '<getcontentlength/>'))['getcontentlength']).toBe('0')
  })

  test('is refused for a part, against a condition, in place of a folder, and without a folder above', async () => {
    await api.createFolder('taken')
    await api.upload('there.txt', 'x')
    const refused = [
      ['there.txt', { 'Content-Range': 'bytes 0-1/9' }, 400],
      ['there.txt', { 'If-None-Match': '*' }, 412],
      ['there.txt', { 'If-Match': '"other"' }, 412],
      ['new.txt', { 'If-Match': '*' }, 412],
      ['taken', {}, 405],
      ['taken/', {}, 405],
      ['', {}, 405],
      ['missing/new.txt', {}, 409],
      ['there.txt/new.txt', {}, 409],
      ['a%0Ab', {}, 400],
      ['a%5Cb', {}, 400],
      ['a%2F..%2Fb', {}, 400],
      [`${'x'.repeat(256)}`, {}, 400],
    ] as const
    for (const [path, headers, status] of refused)
      expect([path, await dav.status('PUT', path, headers, 'y')]).toEqual([path, status])
    expect(await dav.text('there.txt')).toBe('x')
  })

  test('of one new name by several clients stores one file, and none of them fails', async () => {
    const bodies = ['one', 'two', 'three', 'four']
    const statuses = await Promise.all(bodies.map((body) => dav.status('PUT', 'at once.txt', {}, body)))
    expect(statuses.every((status) => status === 201 || status === 204)).toBe(true)
    expect(bodies).toContain(await dav.text('at once.txt'))
    const onlyNew = { 'If-None-Match': '*' }
    const exclusive = await Promise.all(
      bodies.map((body) => dav.status('PUT', 'only one.txt', onlyNew, body)),
    )
    expect(exclusive.sort()).toEqual([201, 412, 412, 412])
  })

  test('compares the bytes with the digest that a client sends', async () => {
    const digest = { 'Content-MD5': 'XUFAKrxLKna5cZ2REBfFkg==' }
    expect(await dav.status('PUT', 'digest.txt', digest, 'other')).toBe(400)
    expect(await dav.status('GET', 'digest.txt')).toBe(404)
    expect(await dav.status('PUT', 'digest.txt', digest, 'hello')).toBe(201)
  })

  test('enters the history', async () => {
    await dav.send('PUT', 'history.txt', {}, 'x')
    const { activities } = await holdfast.bySession.data<{
      activities: { type: string; target: string }[]
    }>('GET', '/activity')
    expect(activities).toContainEqual(
      expect.objectContaining({ type: 'upload.succeeded', target: 'history.txt' }),
    )
  })
})

describe('MKCOL', () => {
  test('creates one folder', async () => {
    expect(await dav.status('MKCOL', 'made/')).toBe(201)
    expect(await dav.status('MKCOL', 'made')).toBe(405)
    expect(await dav.status('MKCOL', 'missing/made')).toBe(409)
    expect(await dav.status('MKCOL', 'other', {}, '<mkcol xmlns="DAV:"/>')).toBe(415)
    expect(await dav.status('MKCOL', '')).toBe(405)
  })
})

describe('DELETE', () => {
  test('moves to the trash', async () => {
    await api.upload('gone.txt', 'x', 'gone')
    expect(await dav.status('DELETE', 'gone/gone.txt')).toBe(204)
    expect(await dav.status('DELETE', 'gone/')).toBe(204)
    expect(await dav.status('DELETE', 'gone/')).toBe(404)
    expect(await trashed()).toEqual(expect.arrayContaining(['gone', 'gone/gone.txt']))
    expect(await dav.status('DELETE', '')).toBe(403)
  })
})

describe('MOVE', () => {
  test('renames and moves at once, and keeps the id', async () => {
    const { id } = await api.upload('from.txt', 'x')
    await api.createFolder('to')
    expect(await dav.status('MOVE', 'from.txt', to('to/n%C3%A4w%20%25.md'))).toBe(201)
    const file = await api.file(id)
    expect([file.key, file.mimeType]).toEqual(['to/näw %.md', 'text/markdown'])
    const folder = await api.createFolder('folder')
    expect(await dav.status('MOVE', 'folder/', { Destination: '/dav/to/renamed/' })).toBe(201)
    expect(
      await api.data<{ folder: { key: string } }>('GET', `/folders/totals?id=${folder.id}`),
    ).toBeDefined()
    expect(await dav.list('to')).toContain('/dav/to/renamed/')
  })

  test('puts what it replaces into the trash, unless it may not', async () => {
    await api.upload('one.txt', 'one')
    await api.createFolder('two')
    expect(await dav.status('MOVE', 'one.txt', to('two', { Overwrite: 'F' }))).toBe(412)
    expect(await dav.status('MOVE', 'one.txt', to('two'))).toBe(204)
    expect([await dav.text('two'), await dav.status('GET', 'one.txt')]).toEqual(['one', 404])
    expect(await trashed()).toContain('two')
  })

  test('brings back what it would replace when it fails', async () => {
    const deep = Array.from({ length: 17 }, (_, index) => `${index}`.padEnd(200, 'd')).join('/')
    await api.createFolder(`deep/${deep}`)
    await api.createFolder(`${'t'.repeat(255)}/${'u'.repeat(255)}/${'v'.repeat(255)}/deep`)
    const path = `${'t'.repeat(255)}/${'u'.repeat(255)}/${'v'.repeat(255)}/deep`
    expect(await dav.status('MOVE', 'deep', to(path))).toBe(400)
    expect(await dav.list(path)).toEqual([`/dav/${path}/`])
  })

  test.each([
    ['another server', 'http://other.example/dav/x', 502],
    ['another server without a scheme', '//other.example/dav/x', 400],
    ['another part of this server', '/api/files', 502],
    ['no URL', 'x y', 400],
    ['itself', '/dav/moved', 403],
    ['below itself', '/dav/moved/below', 403],
    ['a missing folder', '/dav/nowhere/x', 409],
    ['the root', '/dav/', 405],
  ])('to %s is refused', async (_, Destination, status) => {
    await dav.send('MKCOL', 'moved')
    for (const method of ['MOVE', 'COPY'])
      expect(await dav.status(method, 'moved', { Destination })).toBe(status)
  })
})

describe('over something of its kind, in one change', () => {
  test('COPY of a file makes a version, and the id, properties and privacy are right', async () => {
    await api.upload('source.txt', 'source', 'over', 'private')
    const old = await api.upload('target.txt', 'target', 'over', 'public')
    const patch = (path: string, name: string) =>
      dav.send(
        'PROPPATCH',
        path,
        {},
        `<propertyupdate xmlns="DAV:"><set><prop><${name} xmlns="urn:x">1</${name}></prop></set></propertyupdate>`,
      )
    await patch('over/target.txt', 'old')
    expect(await dav.status('COPY', 'over/source.txt', to('over/target.txt'))).toBe(204)
    const now = await api.file(old.id)
    expect([now.key, now.visibility, await dav.text('over/target.txt')]).toEqual([
      'over/target.txt',
      'private',
      'source',
    ])
    expect(
      (await api.data<{ versions: unknown[] }>('GET', `/files/versions?id=${old.id}`)).versions,
    ).toHaveLength(1)
    expect(await (await dav.send('PROPFIND', 'over/target.txt', { Depth: '0' })).text()).not.toContain(
      'urn:x',
    )
    await patch('over/source.txt', 'kept')
    await dav.send('COPY', 'over/source.txt', to('over/target.txt'))
    expect(await (await dav.send('PROPFIND', 'over/target.txt', { Depth: '0' })).text()).toContain('urn:x')
  })

  test('MOVE of a file makes a version, and the id, history and properties are right', async () => {
    const source = await api.upload('draft.txt', 'first', 'saved', 'private')
    await api.replace(source.id, 'second')
    const old = await api.upload('final.txt', 'final', 'saved', 'public')
    await dav.send(
      'PROPPATCH',
      'saved/draft.txt',
      {},
      '<propertyupdate xmlns="DAV:"><set><prop><kept xmlns="urn:x">1</kept></prop></set></propertyupdate>',
    )
    expect(await dav.status('MOVE', 'saved/draft.txt', to('saved/final.txt'))).toBe(204)
    const now = await api.file(old.id)
    expect([now.key, now.size, now.visibility]).toEqual(['saved/final.txt', 6, 'private'])
    expect([await dav.text('saved/final.txt'), await dav.list('saved')]).toEqual([
      'second',
      ['/dav/saved/', '/dav/saved/final.txt'],
    ])
    expect((await api.refusal('GET', `/files?id=${source.id}`))[0]).toBe(404)
    const { versions } = await api.data<{ versions: { id: string; size: number }[] }>(
      'GET',
      `/files/versions?id=${old.id}`,
    )
    expect(versions.map(({ size }) => size).sort()).toEqual([5, 5])
    for (const { id } of versions) await api.data('POST', '/files/versions/restore', { id })
    expect(await trashed()).not.toContain('saved/final.txt')
    expect(await (await dav.send('PROPFIND', 'saved/final.txt', { Depth: '0' })).text()).toContain('urn:x')
    expect(await dav.status('MKCOL', 'saved/draft.txt')).toBe(201)
  })

  test('MOVE of a folder puts the other one into the trash, with its name', async () => {
    const next = await api.upload('new.txt', 'new', 'swap/next')
    await api.upload('old.txt', 'old', 'swap/place')
    expect(await dav.status('MOVE', 'swap/next', to('swap/place'))).toBe(204)
    expect(await dav.list('swap')).toEqual(['/dav/swap/', '/dav/swap/place/'])
    expect((await api.file(next.id)).key).toBe('swap/place/new.txt')
    expect(await trashed()).toContain('swap/place')
  })
})

describe('COPY', () => {
  test('copies files, and folders with or without what is in them', async () => {
    await api.upload('c.txt', 'content', 'copied/below')
    expect(await dav.status('COPY', 'copied/below/c.txt', to('copied/d.md'))).toBe(201)
    expect(await dav.text('copied/d.md')).toBe('content')
    expect((await dav.properties('copied/d.md', '<getcontenttype/>'))['getcontenttype']).toBe('text/markdown')
    expect(await dav.status('COPY', 'copied', to('whole'))).toBe(201)
    expect(await dav.text('whole/below/c.txt')).toBe('content')
    expect(await dav.status('COPY', 'copied', to('bare', { Depth: '0' }))).toBe(201)
    expect(await dav.list('bare')).toEqual(['/dav/bare/'])
    expect(await dav.status('COPY', 'copied', to('bare', { Overwrite: 'F' }))).toBe(412)
    expect(await dav.status('COPY', 'copied', to('bare'))).toBe(204)
    expect(await dav.list('bare')).toEqual(['/dav/bare/', '/dav/bare/below/', '/dav/bare/d.md'])
  })
})

test('scopes hold for each method', async () => {
  const key = await createKey(holdfast, holdfast.cookie, { name: 'reader', scopes: ['files:read'] })
  const reader = davOf(holdfast, () => basic(key))
  await api.upload('kept.txt', 'kept')
  for (const method of ['PUT', 'DELETE', 'MKCOL', 'MOVE', 'COPY'])
    expect([method, await reader.status(method, 'kept.txt', to('other.txt'))]).toEqual([method, 403])
  expect(await dav.text('kept.txt')).toBe('kept')
})

test('WEBDAV_LITTER=refuse stores nothing that systems leave behind', async () => {
  await using tidy = await startWithAccount({ environment: { WEBDAV_LITTER: 'refuse' } })
  const client = davOf(tidy, () => basic(tidy.key))
  for (const name of ['._a.txt', '.DS_Store', 'desktop.ini', 'Thumbs.db', '.ds_store'])
    expect([name, await client.status('PUT', name, {}, 'x')]).toEqual([name, 403])
  for (const name of ['.a', '_.DS_Store', 'desktop.ini.txt'])
    expect([name, await client.status('PUT', name, {}, 'x')]).toEqual([name, 201])
  expect(await dav.status('PUT', '.DS_Store', {}, 'x')).toBe(201)
})
