import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { withHoldfast } from '../support/fixture.ts'
import { programCommand } from '../support/program.ts'
import { startProxy, type TestProxy } from '../support/proxy.ts'
import { createPerson, createPersonAt, type Person } from './run.ts'

const MiB = 1024 ** 2
const SIZE = 72 * MiB

const holdfast = withHoldfast()
const { api } = holdfast
let proxy: TestProxy
let person: Person
beforeAll(async () => {
  proxy = await startProxy(holdfast.port)
  person = createPersonAt(proxy, holdfast)
})
afterAll(async () => {
  person[Symbol.dispose]()
  await proxy[Symbol.asyncDispose]()
})

/** Writes a large file of bytes that encode their position. @returns Its SHA-256. */
function writeLarge(path: string, first: number): string {
  const bytes = Buffer.alloc(SIZE, first)
  for (let position = 0; position < SIZE; position += 4096) bytes.writeUInt32LE(position, position)
  writeFileSync(join(person.folder, path), bytes)
  return createHash('sha256').update(bytes).digest('hex')
}

/** Runs a command and kills it after this many sent bytes. */
async function killAfter(bytes: number, ...words: string[]): Promise<void> {
  const cut = proxy.cutAfter(bytes)
  const child = Bun.spawn([...programCommand(), ...words], {
    cwd: person.folder,
    env: person.environment,
    stdout: 'ignore',
    stderr: 'ignore',
  })
  await cut
  child.kill('SIGKILL')
  await child.exited
  proxy.passed = 0
}

const remembered = () => {
  const folder = join(person.folder, 'config/holdfast/uploads')
  return existsSync(folder) ? readdirSync(folder) : []
}

describe('an interrupted large file', () => {
  test('by a put after one that was killed', async () => {
    const sha256 = writeLarge('film.mp4', 1)
    await killAfter(50 * MiB, 'put', 'film.mp4', '--folder', 'put', '--private')
    const rememberedMeanwhile = remembered()

    const urls = await person.lines('put', 'film.mp4', '--folder', 'put', '--private')

    expect(urls).toEqual([`${proxy.url}/api/hosting/put/film.mp4`])
    expect(proxy.passed).toBeLessThan(SIZE - 40 * MiB)
    expect(rememberedMeanwhile).toHaveLength(1)
    expect(remembered()).toEqual([])
    expect(await api.checksums('put')).toEqual({ 'put/film.mp4': sha256 })
    expect((await holdfast.fetch('/api/hosting/put/film.mp4')).status).toBe(404)
  })

  test('but completely when the file has changed since', async () => {
    writeLarge('film.mp4', 2)
    await killAfter(30 * MiB, 'put', 'film.mp4', '--folder', 'other')
    const sha256 = writeLarge('film.mp4', 3)

    await person.lines('put', 'film.mp4', '--folder', 'other')

    expect(proxy.passed).toBeGreaterThan(SIZE)
    expect(await api.checksums('other')).toEqual({ 'other/film.mp4': sha256 })
  })

  test('is uploaded without a writable storage', async () => {
    writeLarge('film.mp4', 6)
    using other = createPerson({
      HOLDFAST_URL: proxy.url,
      HOLDFAST_KEY: holdfast.key,
      XDG_CONFIG_HOME: join(person.folder, 'film.mp4'),
    })

    const urls = await other.lines('put', join(person.folder, 'film.mp4'), '--folder', 'forgetful')

    expect(urls).toEqual([`${proxy.url}/api/hosting/forgetful/film.mp4`])
  })

  test('by a sync after one that was killed, also when the file is there in an older version', async () => {
    mkdirSync(join(person.folder, 'dir/deep'), { recursive: true })
    writeFileSync(join(person.folder, 'dir/small.txt'), 'small')
    const ids = new Set<string | undefined>()
    for (const version of [4, 5]) {
      const sha256 = writeLarge('dir/deep/film.mp4', version)
      await killAfter(50 * MiB, 'sync', 'dir', 'sync', '--public')

      const { exitCode, stderr } = await person.run('sync', 'dir', 'sync', '--public')

      expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 })
      expect(proxy.passed).toBeLessThan(SIZE - 40 * MiB)
      expect(await api.checksums('sync')).toMatchObject({ 'sync/deep/film.mp4': sha256 })
      expect(Object.keys(await api.checksums('sync'))).toHaveLength(2)
      expect((await holdfast.fetch('/api/hosting/sync/deep/film.mp4')).status).toBe(200)
      ids.add((await api.browse({ key: 'sync/deep' })).files[0]?.id)
    }
    expect(ids.size).toBe(1)
  })
})
