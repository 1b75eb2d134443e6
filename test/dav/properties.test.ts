import { describe, expect, test } from 'bun:test'
import { openDatabase } from '../support/accounts.ts'
import { basic, davOf, propertiesIn } from '../support/dav.ts'
import { withInside } from '../support/fixture.ts'

const holdfast = withInside({ isAlone: true })
const { api } = holdfast
const dav = davOf(holdfast, () => basic(holdfast.key))

const set = (properties: string) =>
  `<D:propertyupdate xmlns:D="DAV:" xmlns:x="urn:x"><D:set><D:prop>${properties}</D:prop></D:set></D:propertyupdate>`

async function patch(path: string, body: string) {
  const response = await dav.send('PROPPATCH', path, {}, body)
  return [response.status, Object.values(propertiesIn(await response.text()))[0] ?? {}] as const
}

const TIME = 'Wed, 01 Jan 2020 10:20:30 GMT'
const modified = async (path: string) => (await dav.properties(path, '<getlastmodified/>'))['getlastmodified']

describe('a dead property', () => {
  test('is kept with its XML, and removed again', async () => {
    await api.upload('dead.txt', 'x')
    const value = '<x:a xmlns:y="urn:y" y:k="&lt;">1 &amp; <y:b/> ☺</x:a>'
    expect(await patch('dead.txt', set(value))).toEqual([207, { 200: { '{urn:x}a': '' } }])
    const found = await dav.properties('dead.txt', '<a xmlns="urn:x"/>')
    expect(found['{urn:x}a']).toBe('1 &amp; <b xmlns="urn:y"/> ☺'.replace('&amp;', '&'))
    expect(Object.keys(await dav.properties('dead.txt'))).toContain('{urn:x}a')
    const removal =
      '<propertyupdate xmlns="DAV:"><remove><prop><a xmlns="urn:x"/></prop></remove></propertyupdate>'
    expect((await patch('dead.txt', removal))[0]).toBe(207)
    expect(await dav.find('dead.txt', '0', '<a xmlns="urn:x"/>')).toEqual({
      '/dav/dead.txt': { 404: { '{urn:x}a': '' } },
    })
  })

  test('follows a move, a copy and the way through the trash', async () => {
    await api.createFolder('followed')
    const { id } = await api.upload('follow.txt', 'x')
    for (const path of ['follow.txt', 'followed']) await patch(path, set('<x:a>1</x:a>'))
    await dav.send('COPY', 'follow.txt', { Destination: '/dav/copied.txt' })
    await dav.send('MOVE', 'follow.txt', { Destination: '/dav/moved.txt' })
    await dav.send('DELETE', 'moved.txt')
    await api.data('POST', '/trash/restore', { ids: [id] })
    for (const path of ['copied.txt', 'moved.txt', 'followed'])
      expect([path, (await dav.properties(path, '<a xmlns="urn:x"/>'))['{urn:x}a']]).toEqual([path, '1'])
  })

  test('goes with what is gone for good', async () => {
    const { id } = await api.upload('gone.txt', 'x')
    const { id: kept } = await api.upload('kept.txt', 'x')
    for (const path of ['gone.txt', 'kept.txt']) await patch(path, set('<x:a>1</x:a>'))
    await api.data('DELETE', '/files', { id })
    await api.data('POST', '/trash', { fileIds: [kept] })
    await holdfast.server.jobs.runAll()
    using database = openDatabase(holdfast)
    const ids = database.query<{ item_id: string }>('SELECT item_id FROM dav_items').all()
    expect(ids.map((row) => row.item_id)).toContain(kept)
    expect(ids.map((row) => row.item_id)).not.toContain(id)
  })

  test('is bounded in size, and set together with the others or not at all', async () => {
    await api.upload('bounded.txt', 'x')
    expect(await patch('bounded.txt', set(`<x:b>1</x:b><x:a>${'x'.repeat(17_000)}</x:a>`))).toEqual([
      207,
      { 507: { '{urn:x}a': '' } },
    ])
    const mixed = await dav.send(
      'PROPPATCH',
      'bounded.txt',
      {},
      set('<x:b>1</x:b><D:getetag>"1"</D:getetag>'),
    )
    const [statuses] = Object.values(propertiesIn(await mixed.text()))
    expect(statuses).toEqual({ 403: { getetag: '' }, 424: { '{urn:x}b': '' } })
    expect(Object.keys(await dav.properties('bounded.txt'))).not.toContain('{urn:x}b')
    for (const body of ['', '<a/>', '<propertyupdate xmlns="DAV:"/>'])
      expect(await dav.status('PROPPATCH', 'bounded.txt', {}, body)).toBe(400)
  })
})

describe('the time of a file', () => {
  test('is the one that a client sends with its bytes, until there are others', async () => {
    const sent = await dav.send('PUT', 'time.txt', { 'X-OC-Mtime': '1577874030' }, 'x')
    expect([sent.status, sent.headers.get('x-oc-mtime')]).toEqual([201, 'accepted'])
    expect(await modified('time.txt')).toBe(TIME)
    expect((await dav.send('GET', 'time.txt')).headers.get('last-modified')).toBe(TIME)
    const [file] = (await api.browse({})).files.filter(({ name }) => name === 'time.txt')
    expect(file?.updatedAt).not.toContain('2020')
    const early = 'Tue, 31 Dec 2019 00:00:00 GMT'
    expect(await dav.status('GET', 'time.txt', { 'If-Modified-Since': TIME })).toBe(304)
    expect(await dav.status('GET', 'time.txt', { 'If-Unmodified-Since': early })).toBe(412)
    expect(await dav.status('PUT', 'time.txt', { 'If-Unmodified-Since': early }, 'y')).toBe(412)
    const same = { 'If-Unmodified-Since': TIME, 'X-OC-Mtime': '1577874030' }
    expect(await dav.status('PUT', 'time.txt', same, 'x')).toBe(204)
    await dav.send('MOVE', 'time.txt', { Destination: '/dav/later.txt' })
    expect(await modified('later.txt')).toBe(TIME)
    await api.replace(file?.id ?? '', 'other')
    expect(await modified('later.txt')).not.toBe(TIME)
  })

  test.each([
    ['of Windows', '<Z:Win32LastModifiedTime xmlns:Z="urn:schemas-microsoft-com:">'],
    ['of DAV:', '<D:getlastmodified>'],
  ])('is set by a property %s', async (_, opening) => {
    await api.upload('set.txt', opening)
    const name = opening.slice(1).split(/[ >]/)[0]
    const [status] = await patch('set.txt', set(`${opening}${TIME}</${name}>`))
    expect([status, await modified('set.txt')]).toEqual([207, TIME])
    await dav.send('DELETE', 'set.txt')
  })
})

test('a client names few properties, or short ones', async () => {
  const named = (count: number) => Array.from({ length: count }, (_, index) => `<n${index} xmlns="u"/>`)
  const ask = (count: number) =>
    dav.status(
      'PROPFIND',
      '',
      { Depth: '1' },
      `<propfind xmlns="DAV:"><prop>${named(count).join('')}</prop></propfind>`,
    )
  expect([await ask(500), await ask(1200)]).toEqual([207, 400])
})

describe('a client with the habits of', () => {
  test('Windows stores a file: an empty one, a lock, its bytes, its times', async () => {
    const windows = { 'User-Agent': 'Microsoft-WebDAV-MiniRedir/10.0.19045', translate: 'f' }
    const lockinfo =
      '<?xml version="1.0" encoding="utf-8" ?><D:lockinfo xmlns:D="DAV:"><D:lockscope><D:exclusive/></D:lockscope><D:locktype><D:write/></D:locktype><D:owner><D:href>PC\\ada</D:href></D:owner></D:lockinfo>'
    const times = ['CreationTime', 'LastAccessTime', 'LastModifiedTime']
      .map((name) => `<Z:Win32${name}>${TIME}</Z:Win32${name}>`)
      .join('')
    const patchTimes = `<?xml version="1.0" encoding="utf-8" ?><D:propertyupdate xmlns:D="DAV:" xmlns:Z="urn:schemas-microsoft-com:"><D:set><D:prop>${times}<Z:Win32FileAttributes>00000020</Z:Win32FileAttributes></D:prop></D:set></D:propertyupdate>`

    expect(await dav.status('PROPFIND', 'new%20doc.txt', { ...windows, Depth: '0' })).toBe(404)
    expect(await dav.status('PUT', 'new%20doc.txt', windows, '')).toBe(201)
    const locked = await dav.send('LOCK', 'new%20doc.txt', { ...windows, Timeout: 'Second-3600' }, lockinfo)
    const token = locked.headers.get('lock-token') ?? ''
    const If = { If: `(${token})` }
    expect(await dav.status('PROPPATCH', 'new%20doc.txt', { ...windows, ...If }, patchTimes)).toBe(207)
    expect(await dav.status('HEAD', 'new%20doc.txt', windows)).toBe(200)
    expect(await dav.status('PUT', 'new%20doc.txt', { ...windows, ...If }, 'content')).toBe(204)
    expect(await dav.status('PROPPATCH', 'new%20doc.txt', { ...windows, ...If }, patchTimes)).toBe(207)
    expect(await dav.status('UNLOCK', 'new%20doc.txt', { ...windows, 'Lock-Token': token })).toBe(204)

    expect(await dav.text('new%20doc.txt')).toBe('content')
    expect(await modified('new%20doc.txt')).toBe(TIME)
    expect(await dav.properties('new%20doc.txt')).toMatchObject({
      '{urn:schemas-microsoft-com:}Win32FileAttributes': '00000020',
    })
  })

  test('macOS stores a file: its fork beside it, by a lock of a free name and conditions', async () => {
    const mac = { 'User-Agent': 'WebDAVFS/3.0.0 (03008000) Darwin/23.0.0 (arm64)' }
    const lockinfo =
      '<?xml version="1.0" encoding="utf-8"?><D:lockinfo xmlns:D="DAV:"><D:lockscope><D:exclusive/></D:lockscope><D:locktype><D:write/></D:locktype><D:owner><D:href>http://www.apple.com/webdav_fs/</D:href></D:owner></D:lockinfo>'
    for (const name of ['photo.jpg', '._photo.jpg']) {
      expect(await dav.status('PROPFIND', name, { ...mac, Depth: '0' })).toBe(404)
      expect(await dav.status('PUT', name, mac, '')).toBe(201)
      const locked = await dav.send('LOCK', name, { ...mac, Depth: '0', Timeout: 'Second-600' }, lockinfo)
      const token = locked.headers.get('lock-token') ?? ''
      const { getetag: etag } = await dav.properties(name, '<getetag/>')
      const If = { If: `</dav/${name}> (${token} [${etag}])` }
      expect(await dav.status('PUT', name, { ...mac, ...If }, 'bytes')).toBe(204)
      expect(await dav.status('PUT', name, { ...mac, ...If }, 'again')).toBe(412)
      expect(await dav.status('UNLOCK', name, { ...mac, 'Lock-Token': token })).toBe(204)
    }
    expect(await dav.list('')).toEqual(expect.arrayContaining(['/dav/photo.jpg', '/dav/._photo.jpg']))
  })
})
