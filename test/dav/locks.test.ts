import { describe, expect, test } from 'bun:test'
import { addUser } from '../support/accounts.ts'
import { basic, davOf } from '../support/dav.ts'
import { withInside } from '../support/fixture.ts'
import { createKey, TestClock } from '../support/holdfast.ts'

const clock = new TestClock()
const holdfast = withInside({ clock })
const { api } = holdfast
const dav = davOf(holdfast, () => basic(holdfast.key))

const LOCKINFO = (scope = 'exclusive') =>
  `<lockinfo xmlns="DAV:"><lockscope><${scope}/></lockscope><locktype><write/></locktype><owner><href>me</href></owner></lockinfo>`

async function lock(path: string, headers: Record<string, string> = {}, scope?: string) {
  const response = await dav.send('LOCK', path, { Timeout: 'Second-600', ...headers }, LOCKINFO(scope))
  const token = response.headers.get('lock-token') ?? ''
  return { status: response.status, token, text: await response.text(), If: { If: `(${token})` } }
}

describe('a lock', () => {
  test('keeps others from a file until it ends', async () => {
    await api.upload('locked.txt', 'x')
    const { status, If, token, text } = await lock('locked.txt')
    expect([status, text]).toEqual([200, expect.stringContaining('<D:timeout>Second-600</D:timeout>')])
    for (const [method, headers] of [
      ['PUT', {}],
      ['DELETE', {}],
      ['MOVE', { Destination: '/dav/elsewhere.txt' }],
      ['LOCK', {}],
    ] as const) {
      const refused = await dav.send(method, 'locked.txt', headers, method === 'LOCK' ? LOCKINFO() : '')
      expect([method, refused.status]).toEqual([method, 423])
      expect(await refused.text()).toContain('<D:href>/dav/locked.txt</D:href>')
    }
    expect((await dav.properties('locked.txt', '<lockdiscovery/>'))['lockdiscovery']).toContain(
      token.slice(1, -1),
    )
    expect(await dav.status('PUT', 'locked.txt', If, 'y')).toBe(204)
    expect(await dav.status('UNLOCK', 'locked.txt', { 'Lock-Token': '<urn:uuid:other>' })).toBe(409)
    expect(await dav.status('UNLOCK', 'locked.txt', { 'Lock-Token': token })).toBe(204)
    expect(await dav.status('PUT', 'locked.txt', {}, 'z')).toBe(204)
  })

  test('lives an hour at most, unless it is refreshed', async () => {
    await api.upload('timed.txt', 'x')
    const { If, text } = await lock('timed.txt', { Timeout: 'Infinite, Second-4100000000' })
    expect(text).toContain('Second-3600')
    clock.advance(3_599_000)
    const refreshed = await dav.send('LOCK', 'timed.txt', { ...If, Timeout: 'Second-60' })
    expect([refreshed.status, await refreshed.text()]).toEqual([200, expect.stringContaining('Second-60')])
    clock.advance(59_000)
    expect(await dav.status('PUT', 'timed.txt', {}, 'y')).toBe(423)
    clock.advance(1000)
    expect(await dav.status('PUT', 'timed.txt', {}, 'y')).toBe(204)
    expect(await dav.status('LOCK', 'timed.txt', If)).toBe(412)
  })

  test('on a folder covers what is in it, or only its members', async () => {
    await api.upload('a.txt', 'x', 'deep')
    const deep = await lock('deep', { Depth: 'infinity' })
    expect(await dav.status('PUT', 'deep/a.txt', {}, 'y')).toBe(423)
    expect(await dav.status('PUT', 'deep/new.txt', {}, 'y')).toBe(423)
    expect((await lock('deep/a.txt')).status).toBe(423)
    expect(await dav.status('PUT', 'deep/a.txt', deep.If, 'y')).toBe(204)
    await dav.send('UNLOCK', 'deep', { 'Lock-Token': deep.token })
    const flat = await lock('deep', { Depth: '0' })
    expect(await dav.status('PUT', 'deep/a.txt', {}, 'z')).toBe(204)
    expect(await dav.status('MKCOL', 'deep/made')).toBe(423)
    expect(await dav.status('MKCOL', 'deep/made', { If: `<${holdfast.url}/dav/deep> (${flat.token})` })).toBe(
      201,
    )
    await dav.send('UNLOCK', 'deep', { 'Lock-Token': flat.token })
    await lock('deep/a.txt')
    expect(await dav.status('DELETE', 'deep')).toBe(423)
  })

  test('may be shared', async () => {
    await api.upload('shared.txt', 'x')
    const first = await lock('shared.txt', {}, 'shared')
    const second = await lock('shared.txt', {}, 'shared')
    expect([first.status, second.status, (await lock('shared.txt')).status]).toEqual([200, 200, 423])
    expect(await dav.status('PUT', 'shared.txt', second.If, 'y')).toBe(204)
  })

  test('of a name that is free stores an empty file', async () => {
    const made = await lock('new.txt')
    expect(made.status).toBe(201)
    expect((await dav.properties('new.txt', '<getcontentlength/>'))['getcontentlength']).toBe('0')
    expect((await lock('missing/new.txt')).status).toBe(409)
  })

  test('belongs to its account, whatever token another one sends', async () => {
    const other = await addUser(holdfast, { role: 'editor' })
    const scopes = ['files:read', 'files:write', 'files:delete']
    const key = await createKey(holdfast, other.cookie, { name: 'other', scopes })
    const others = davOf(holdfast, () => basic(key))
    await api.upload('own.txt', 'x')
    const { If, token } = await lock('own.txt')
    expect(await others.status('PUT', 'own.txt', If, 'y')).toBe(423)
    expect(await others.status('UNLOCK', 'own.txt', { 'Lock-Token': token })).toBe(403)
  })

  test('ends with the file, and does not follow it', async () => {
    await api.upload('moving.txt', 'x')
    const { If } = await lock('moving.txt')
    expect(await dav.status('MOVE', 'moving.txt', { ...If, Destination: '/dav/moved.txt' })).toBe(201)
    expect(await dav.status('PUT', 'moved.txt', {}, 'y')).toBe(204)
    expect(await dav.status('PUT', 'moving.txt', {}, 'y')).toBe(201)
  })

  test('is bounded in number', async () => {
    await api.createFolder('many')
    const statuses = new Set<number>()
    const shared = []
    for (let count = 0; count < 17; count += 1) shared.push((await lock('many', {}, 'shared')).status)
    expect(shared).toEqual([...Array<number>(16).fill(200), 503])
    clock.advance(600_000)
    for (let count = 0; count < 1001; count += 1) statuses.add((await lock(`many/${count}`)).status)
    expect(statuses).toEqual(new Set([201, 503]))
    clock.advance(600_000)
    expect((await lock('many')).status).toBe(200)
  })

  test('is neither made nor told outside of what a key reaches', async () => {
    const { id } = await api.createFolder('outside/inside')
    await api.upload('locked.txt', 'x', 'outside')
    const scopes = ['files:read', 'files:write']
    const key = await createKey(holdfast, holdfast.cookie, { name: 'inside', scopes, folderId: id })
    const bound = davOf(holdfast, () => basic(key))
    for (const path of ['', 'outside']) expect(await bound.status('LOCK', path, {}, LOCKINFO())).toBe(403)
    expect(await dav.status('PUT', 'outside/inside/free.txt', {}, 'x')).toBe(201)
    const { status } = await lock('outside/locked.txt')
    expect(status).toBe(200)
    const body = '<propertyupdate xmlns="DAV:"><set><prop><x xmlns="u"/></prop></set></propertyupdate>'
    for (const [method, text] of [
      ['LOCK', LOCKINFO()],
      ['PROPPATCH', body],
    ] as const)
      expect([method, await bound.status(method, 'outside/locked.txt', {}, text)]).toEqual([
        method,
        await bound.status(method, 'outside/missing.txt', {}, text),
      ])
  })

  test('needs a body that says which', async () => {
    await api.upload('body.txt', 'x')
    for (const body of ['<lockinfo xmlns="DAV:"/>', '<lockinfo/>', '<a'])
      expect(await dav.status('LOCK', 'body.txt', {}, body)).toBe(400)
    expect(await dav.status('LOCK', 'body.txt')).toBe(412)
    expect(await dav.status('UNLOCK', 'body.txt')).toBe(400)
  })
})

test('"If" is evaluated with tags of files, negations and tagged resources', async () => {
  await api.upload('if.txt', 'x')
  await api.upload('other.txt', 'x')
  const { getetag: etag = '' } = await dav.properties('if.txt', '<getetag/>')
  const url = `${holdfast.url}/dav/`
  await dav.send('COPY', 'if.txt', { Destination: '/dav/copy.txt' })
  const cases: [string, number][] = [
    [`([${etag}])`, 204],
    ['(["other"])', 412],
    ['(Not <DAV:no-lock>)', 204],
    ['(<DAV:no-lock>)', 412],
    [`(<DAV:no-lock> [${etag}]) (Not ["other"])`, 204],
    [`<${url}if.txt> (<DAV:no-lock>) <${url}other.txt> (Not <DAV:no-lock>)`, 204],
    [`<${url}missing.txt> (["other"])`, 412],
    ['', 204],
    ['()', 400],
    ['(<a)', 400],
    ['nothing', 400],
  ]
  for (const [header, status] of cases) {
    // A copy changes nothing, so that the tag stays.
    const headers = { Destination: '/dav/copy.txt', ...(header !== '' && { If: header }) }
    expect([header, await dav.status('COPY', 'if.txt', headers)]).toEqual([header, status])
  }
})
