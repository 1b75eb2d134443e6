import { beforeEach, expect, test } from 'bun:test'
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { apiOf } from '../support/api.ts'
import { eventually } from '../support/eventually.ts'
import { register, TestClock } from '../support/holdfast.ts'
import { spawnCommand, startCommand } from '../support/process.ts'
import { openSocket } from '../support/socket.ts'
import { buildArchive } from '../zip/build-archive.ts'
import { openEach } from './instances.ts'

const each = openEach()

beforeEach(() => {
  mkdirSync(join(each.folder, 'tree/below/empty'), { recursive: true })
})

const write = (path: string, content: string) => writeFileSync(join(each.folder, 'tree', path), content)
const environment = () => ({ ...each.nodes.environment, DATA_PATH: join(each.folder, 'data') })
const words = (...options: string[]) => ['import', join(each.folder, 'tree'), ...options]
const importTree = (...options: string[]) => spawnCommand(words(...options), environment())
const verify = () => spawnCommand(['verify', '--deep'], environment())
const AGREES = { exitCode: 0, output: 'Object store and catalog agree\n' }

test('an import beside servers is in their next responses, and continues when it runs again', async () => {
  const [one, two] = [await each.nodes.start(), await each.nodes.start()]
  const account = await register(one)
  const apis = [apiOf(one, account), apiOf(two, account)]
  write('a.txt', 'a of the tree')
  utimesSync(join(each.folder, 'tree/a.txt'), 1_000_000_000, 1_000_000_000)
  for (const api of apis) expect(await api.hosted('in/a.txt')).toBe(404)

  expect(await importTree('--folder', 'in', '--public')).toMatchObject({
    exitCode: 0,
    output: 'Imported 1 file into "in"; 0 there already; 0 left out (13 B in all)\n',
  })
  for (const api of apis) {
    expect(await api.hosted('in/a.txt')).toBe('a of the tree')
    expect((await api.list())[0]?.createdAt).toBe('2001-09-09 01:46:40')
    expect((await api.browse({ key: 'in/below' })).folders.map(({ name }) => name)).toEqual(['empty'])
  }
  write('below/b.txt', 'b')
  expect((await importTree('--folder', 'in')).output).toBe(
    'Imported 1 file into "in"; 1 there already; 0 left out (14 B in all)\n',
  )
  expect(await verify()).toEqual(AGREES)
})

test('an import replaces nothing that a server receives meanwhile, and imports the rest', async () => {
  const node = await each.nodes.start()
  const api = apiOf(node, await register(node))
  for (const name of ['free.txt', 'race.txt', 'below/deep.txt']) write(name, `${name} of the tree`)
  let tries = 0
  let taken: Promise<unknown> = Promise.resolve()
  each.nodes.store.fault = ({ method, body }) => {
    if (method !== 'PUT' || !body.includes('race.txt of the tree') || ++tries > 2) return undefined
    // The import pauses before it tries again, and the server has the names by then.
    if (tries === 1) taken = api.upload('race.txt', 'mine').then(() => api.upload('below', 'a file'))
    return 'hang up'
  }

  const { exitCode, output } = await importTree()

  await taken
  expect(exitCode).toBe(1)
  expect(output).toContain('"race.txt": left out: something else is in its place\n')
  expect(output).toContain('"below/deep.txt": left out: something else is in its place\n')
  expect(output).toContain('Imported 1 file into ""; 0 there already; 2 left out (20 B in all)\n')
  expect(await api.hosted('race.txt')).toBe('mine')
  expect(await api.file((await api.list({ name: 'free.txt' }))[0]?.id ?? '')).toMatchObject({ size: 20 })
  expect(await verify()).toEqual(AGREES)
})

test('an import that is killed leaves nothing half visible, and continues', async () => {
  const node = await each.nodes.start()
  const api = apiOf(node, await register(node))
  for (let n = 0; n < 600; n += 1) write(`${n}.txt`, `file ${n}`)
  let puts = 0
  const child = startCommand(words(), environment())
  each.nodes.store.fault = ({ method }) => {
    if (method === 'PUT' && ++puts === 400) child.kill('SIGKILL')
    return undefined
  }
  await child.exited
  each.nodes.store.fault = () => undefined

  expect((await api.list({ limit: 1000 })).length).toBeWithin(1, 400)
  expect(await verify()).toEqual(AGREES)
  expect((await importTree()).output).toContain(' there already; 0 left out')
  expect(await api.list({ limit: 1000 })).toHaveLength(600)
  expect(await verify()).toEqual(AGREES)
})

test.each(['in the middle of', 'after the last byte of'])(
  'an archive whose client disconnects %s it is on no server, and its objects are removed',
  async (when) => {
    const clock = new TestClock()
    const [one, two] = [await each.nodes.start({ clock }), await each.nodes.start({ clock })]
    const account = await register(one)
    const api = apiOf(two, account)
    const small = Array.from({ length: 40 }, (_, n) => ({ path: `${n}.txt`, content: `small ${n}` }))
    const large = crypto.getRandomValues(new Uint8Array(20 * 1024 ** 2))
    const archive = buildArchive([
      ...small,
      { path: 'large.bin', content: large },
      { path: 'z.txt', content: 'z' },
    ])
    const isCut = when === 'in the middle of'
    let tries = 0
    // The import still waits for the store when its client has gone.
    each.nodes.store.fault = ({ method, body }) =>
      method === 'PUT' && body.toString() === 'z' && ++tries <= 2 ? 'hang up' : undefined

    const socket = await openSocket(one.port)
    const lines = ['POST /api/folders/import?folder=left HTTP/1.1', 'Host: x', `API-Key: ${account.key}`]
    socket.write([...lines, `Content-Length: ${archive.length}`, '', ''].join('\r\n'))
    socket.write(isCut ? archive.subarray(0, -(1024 ** 2)) : archive)
    await eventually(() =>
      isCut ? each.nodes.store.uploads.size === 1 && each.nodes.store.objects.size > 40 : tries > 0,
    )
    socket.destroy()

    const { store } = two.server.deps
    const statesOf = async () => (await store.blobs.after('', 100)).map(({ state }) => state)
    await eventually(async () => (await statesOf()).every((state) => state === 'doomed'))
    expect(await api.list()).toEqual([])
    expect((await api.send('GET', '/folders?key=left')).status).toBe(404)
    const latest = async () => (await store.activities.newest(account.userId, 1))[0]?.type
    await eventually(async () => (await latest()) === 'upload.canceled')
    clock.advance(61_000)
    await store.finishLeftovers()
    expect(await statesOf()).toEqual([])
    expect([[...each.nodes.store.objects.keys()], each.nodes.store.uploads.size]).toEqual([['volume'], 0])
    const sent = { method: 'POST', body: buildArchive(small), headers: account.withKey }
    expect((await two.fetch('/api/folders/import?folder=left', sent)).status).toBe(200)
  },
)
