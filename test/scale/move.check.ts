import { describe, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { grantAll, grantedIn } from '../rights/limited.ts'
import { apiOf } from '../support/api.ts'
import { expectAll, fill } from '../support/filled.ts'
import { BASE_URL, type Inside, register, startInside } from '../support/holdfast.ts'
import { spawnCommand, startCommand } from '../support/process.ts'
import { openEach } from './instances.ts'

const each = openEach()

const AUTH_SECRET = 'one secret of all servers'

/** Variables of an instance in a data folder of this name: on its own, with the store, or on the shared database. */
function variablesOf(kind: 'own' | 'objects' | 'shared', name: string): Record<string, string> {
  const { DATABASE_URL = '', DATABASE_POOL: _, ...objects } = each.nodes.environment
  const own = { DATA_PATH: join(each.folder, name), AUTH_SECRET }
  if (kind === 'own') return own
  return kind === 'objects' ? { ...own, ...objects } : { ...own, ...objects, DATABASE_URL }
}

const start = (kind: Parameters<typeof variablesOf>[0], name: string): Promise<Inside> =>
  startInside({ dataPath: join(each.folder, name), environment: variablesOf(kind, name) })

const move = (from: string, to: string, ...options: string[]) =>
  spawnCommand(['move-to', join(each.folder, to), ...options], variablesOf('shared', from))

describe('an instance moves to a shared database and back', () => {
  test.each(['own', 'objects'] as const)('with its rows, bytes and credentials: %s', async (kind) => {
    const original = await start(kind, 'original')
    const account = await register(original)
    const filled = await fill(original, account)
    const admin = { Cookie: account.cookie, Origin: BASE_URL }
    const bySession = apiOf(original, { withKey: admin })
    const callers = { ...(await grantAll(Object.assign(original, { bySession }))), admin }
    const granted = await grantedIn(original, callers)
    await original.stop()

    const there = await move('original', 'there')
    expect([there.exitCode, there.output]).toEqual([
      0,
      expect.stringContaining('Moved to the shared database'),
    ])
    expect(start(kind, 'original')).rejects.toThrow('was moved to')
    const one = await start('shared', 'there')
    const two = await start('shared', 'another')
    await expectAll(one, account, filled)
    expect(await grantedIn(two, callers)).toEqual(granted)
    const added = await apiOf(two, account).upload('added.txt', 'added')
    expect((await move('another', 'back')).output).toContain('Servers run on the database "')
    await one.stop()
    await two.stop()

    const options = kind === 'objects' ? ['--rows-only'] : []
    const back = await move('another', 'back', ...options)
    expect([back.exitCode, back.output]).toEqual([0, expect.stringContaining('Moved to')])
    expect(start('shared', 'another')).rejects.toThrow('was moved to')
    const last = await start(kind, 'back')
    const api = apiOf(last, account)
    expect(await api.hosted('added.txt')).toBe('added')
    await api.data('DELETE', '/files', { id: added.id })
    await expectAll(last, account, filled)
    expect(await grantedIn(last, callers)).toEqual(granted)
    await last.stop()
  })

  test('only with the same secret, and only to an empty database', async () => {
    const original = await start('own', 'original')
    await register(original)
    await original.stop()
    const other = { ...variablesOf('shared', 'original'), AUTH_SECRET: 'another secret of all servers' }
    const refused = await spawnCommand(['move-to', join(each.folder, 'there')], other)
    expect(refused).toEqual({
      exitCode: 1,
      output: expect.stringContaining('is not the secret of this instance'),
    })

    await (await start('shared', 'used')).stop()
    const full = await move('original', 'there')
    expect(full).toEqual({
      exitCode: 1,
      output: expect.stringMatching(/The database "127.0.0.1:.*" is not empty/),
    })
    await (await start('own', 'original')).stop()
  })

  test('only while no server runs on it', async () => {
    const original = await start('own', 'original')
    expect((await move('original', 'there')).output).toContain(
      'Another Holdfast is running on the data folder',
    )
    await original.stop()
    expect((await move('original', 'original/below')).output).toContain('must not contain each other')
  })
})

test('a move that is killed at any time continues, and leaves its source as it was', async () => {
  const original = await start('own', 'original')
  const account = await register(original)
  const filled = await fill(original, account)
  await original.stop()
  const before = readFileSync(join(each.folder, 'original', 'db', 'holdfast.sqlite'))

  /** Kills moves after longer and longer times, the first as soon as it has begun, until one is done. */
  const moveAtLast = async (from: string, to: string): Promise<number> => {
    const marker = join(each.folder, to, 'incomplete')
    for (let kills = 0, ms = 0; ; kills += 1, ms = ms * 1.3 + 100) {
      const child = startCommand(['move-to', join(each.folder, to)], variablesOf('shared', from))
      while (!existsSync(marker) && child.exitCode === null) await Bun.sleep(1)
      const timer = setTimeout(() => child.kill('SIGKILL'), ms)
      const output = await new Response(child.stdout).text()
      const errors = await new Response(child.stderr).text()
      clearTimeout(timer)
      if ((await child.exited) === 0) return kills
      if (output.includes('Moved to') || errors.includes('was moved to')) return kills
      expect(errors).not.toContain('not empty')
      expect(errors).not.toContain('changed since')
      if (existsSync(marker)) await expect(start('own', to)).rejects.toThrow('"move-to" did not end')
    }
  }
  expect(await moveAtLast('original', 'there')).toBeGreaterThan(0)
  expect(readFileSync(join(each.folder, 'original', 'db', 'holdfast.sqlite'))).toEqual(before)
  const there = await start('shared', 'there')
  await expectAll(there, account, filled)
  await there.stop()
  expect(await moveAtLast('there', 'back')).toBeGreaterThan(0)
  const back = await start('own', 'back')
  await expectAll(back, account, filled)
  await back.stop()
}, 300_000)
