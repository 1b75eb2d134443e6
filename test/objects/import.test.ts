import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdirSync, symlinkSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expectRefused, runInside } from '../support/command.ts'
import { startAgain, startInsideWithAccount } from '../support/fixture.ts'
import { startCommand } from '../support/process.ts'
import { S3Store } from '../support/s3-store.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { variablesOf } from './store.ts'

let store: S3Store
let folder: ReturnType<typeof temporaryFolder>
let dataPath: string
let tree: string

beforeEach(async () => {
  store = await S3Store.start()
  folder = temporaryFolder()
  ;[dataPath, tree] = [join(folder.path, 'data'), join(folder.path, 'tree')]
  for (const path of [dataPath, tree]) mkdirSync(path)
})
afterEach(async () => {
  await store.stop()
  folder[Symbol.dispose]()
})

const environment = () => ({ DATA_PATH: dataPath, ...variablesOf(store) })
const importTree = (...options: string[]) => runInside(['import', tree, ...options], environment())
const start = () => startInsideWithAccount({ dataPath, environment: variablesOf(store) })
const verify = () => runInside(['verify', '--deep'], environment())
const AGREES = { exitCode: 0, output: 'Object store and catalog agree\n' }

test('an import into an object store keeps times and empty folders, and reports what it left out', async () => {
  mkdirSync(join(tree, 'album/empty'), { recursive: true })
  writeFileSync(join(tree, 'top.txt'), 'top')
  writeFileSync(join(tree, 'album/picture.png'), 'picture')
  utimesSync(join(tree, 'top.txt'), 1_000_000_000, 1_000_000_000)
  symlinkSync('top.txt', join(tree, 'link'))

  expectRefused(
    await importTree('--folder', 'old/files', '--public'),
    '"link": left out: link or special file\n',
    'Imported 2 files into "old/files"; 0 there already; 1 left out (10 B in all)\n',
  )
  await using holdfast = await start()
  const { api } = holdfast
  expect(await api.hosted('old/files/album/picture.png')).toBe('picture')
  expect((await api.list({ name: 'top.txt' }))[0]).toMatchObject({
    createdAt: '2001-09-09 01:46:40',
    mimeType: 'text/plain',
    visibility: 'public',
  })
  expect((await api.browse({ key: 'old/files/album' })).folders.map(({ name }) => name)).toEqual(['empty'])
  expect(await verify()).toEqual(AGREES)
})

test('an import into an object store is private, refused while a server runs, and replaces nothing', async () => {
  const holdfast = await start()
  await holdfast.api.upload('top.txt', 'mine')
  await holdfast.api.upload('below', 'a file')
  await holdfast.api.createFolder('named')
  mkdirSync(join(tree, 'below/deeper'), { recursive: true })
  writeFileSync(join(tree, 'below/deeper/lost.txt'), 'lost')
  for (const name of ['top.txt', 'named', 'new.txt']) writeFileSync(join(tree, name), `${name} of the tree`)
  expect((await importTree()).output).toContain('Another Holdfast is running')
  await holdfast.stop()

  const first = await importTree()
  writeFileSync(join(tree, 'later.txt'), 'later')
  utimesSync(join(tree, 'new.txt'), 5, 5)
  const second = await importTree()

  for (const name of ['top.txt', 'named', 'below'])
    expect(first.output).toContain(`"${name}": left out: something else is in its place\n`)
  expect(first.output).toContain('Imported 1 file into ""; 0 there already; 3 left out (19 B in all)\n')
  expect(second.output).toContain('Imported 1 file into ""; 1 there already; 3 left out (24 B in all)\n')
  await using again = await startAgain(holdfast, { environment: variablesOf(store) })
  expect(await again.api.hosted('top.txt')).toBe('mine')
  expect((await again.api.list({ name: 'new.txt' }))[0]?.visibility).toBe('private')
})

test('an import into an object store sends a file that is larger than the memory it takes', async () => {
  const large = join(tree, 'large.bin')
  writeFileSync(large, '')
  truncateSync(large, 320 * 1024 ** 2)

  const child = startCommand(['import', tree], environment())

  // The usage that the system reports at the end begins with the memory of the test's own process.
  let peak = 0
  for (; child.exitCode === null; await Bun.sleep(20)) {
    const status = await Bun.file(`/proc/${child.pid}/status`)
      .text()
      .catch(() => '')
    peak = Math.max(peak, Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1024)
  }

  expect(child.exitCode).toBe(0)
  expect(peak).toBeGreaterThan(50 * 1024 ** 2)
  expect(peak).toBeLessThan(250 * 1024 ** 2)
  expect((await importTree()).output).toContain(
    'Imported 0 files into ""; 1 there already; 0 left out (320 MiB in all)',
  )
})

test('an import into an object store that is killed shows nothing half, and continues', async () => {
  for (let folder = 0; folder < 6; folder += 1) {
    mkdirSync(join(tree, `${folder}`))
    for (let n = 0; n < 100; n += 1) writeFileSync(join(tree, `${folder}/${n}.txt`), `${folder} ${n}`)
  }
  writeFileSync(join(tree, 'large.bin'), Buffer.alloc(40 * 1024 ** 2, 1))
  let kills = 0
  for (let step = 5; ; step = Math.ceil(step * 1.7)) {
    let count = 0
    const child = startCommand(['import', tree], environment())
    store.fault = ({ key, method }) => {
      if (!key.startsWith('blobs/') || method === 'GET' || ++count !== step) return undefined
      kills += 1
      child.kill('SIGKILL')
      return kills % 2 === 0 ? 'hang up' : 'lose the response'
    }
    await child.exited
    store.fault = () => undefined
    if (child.exitCode === 0) break
    expect((await verify()).output).toBe(AGREES.output)
  }

  expect(kills).toBeGreaterThan(2)
  expect((await importTree()).output).toContain('Imported 0 files into ""; 601 there already')
  expect(await verify()).toEqual(AGREES)
  await using holdfast = await start()
  const { store: rows } = holdfast.server.deps
  await rows.finishLeftovers()
  const states = new Set((await rows.blobs.after('', 5000)).map(({ state }) => state))
  expect([...states].sort()).toEqual(['doomed', 'kept'])
  expect((await rows.files.after('', 5000)).length).toBe(601)
})
