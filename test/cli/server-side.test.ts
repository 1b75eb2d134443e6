import { describe, expect, test } from 'bun:test'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { apiOf } from '../support/api.ts'
import { runInside } from '../support/command.ts'
import { ADMIN, postJson, register, startHoldfast } from '../support/holdfast.ts'

function createTree(): string {
  const tree = mkdtempSync(join(tmpdir(), 'holdfast-tree-'))
  mkdirSync(join(tree, 'album/empty'), { recursive: true })
  writeFileSync(join(tree, 'top.txt'), 'top')
  writeFileSync(join(tree, 'album/picture.png'), 'picture')
  utimesSync(join(tree, 'top.txt'), 1_000_000_000, 1_000_000_000)
  symlinkSync('top.txt', join(tree, 'link'))
  return tree
}

describe('import', () => {
  test('imports a tree with its times, and reports what it skipped', async () => {
    const dataPath = mkdtempSync(join(tmpdir(), 'holdfast-'))
    const tree = createTree()

    const { exitCode, output } = await runInside(['import', tree, '--folder', 'old/files', '--public'], {
      DATA_PATH: dataPath,
    })

    expect(exitCode).toBe(1)
    expect(output).toContain('"link": left out: link or special file\n')
    expect(output).toContain('2 file(s) of 10 bytes are in "old/files", 2 of them new; 1 left out\n')
    await using holdfast = await startHoldfast({ dataPath })
    const api = apiOf(holdfast, await register(holdfast))
    expect(await api.hosted('old/files/album/picture.png')).toBe('picture')
    expect((await api.list({ name: 'top.txt' }))[0]?.createdAt).toBe('2001-09-09 01:46:40')
    expect((await api.browse({ key: 'old/files/album' })).folders.map(({ name }) => name)).toEqual(['empty'])
    expect(await runInside(['verify', '--deep'], { DATA_PATH: dataPath })).toMatchObject({ exitCode: 0 })
    for (const folder of [dataPath, tree]) rmSync(folder, { recursive: true })
  })

  test('is private by default, continues when run again, and replaces nothing', async () => {
    const holdfast = await startHoldfast()
    await using _ = holdfast
    const account = await register(holdfast)
    await apiOf(holdfast, account).upload('top.txt', 'mine')
    const tree = createTree()
    const environment = { DATA_PATH: holdfast.dataPath }
    const whileServing = await runInside(['import', tree], environment)
    await holdfast.stop()

    const first = await runInside(['import', tree], environment)
    writeFileSync(join(tree, 'later.txt'), 'later')
    const second = await runInside(['import', tree], environment)

    expect(whileServing.output).toContain('Another Holdfast is running')
    expect(first.output).toContain('"top.txt": left out: something else is in its place\n')
    expect(second.output).toContain('2 file(s) of 12 bytes are in "", 1 of them new; 2 left out\n')
    await using again = await startHoldfast({ dataPath: holdfast.dataPath })
    const api = apiOf(again, account)
    expect(await api.hosted('top.txt')).toBe('mine')
    expect((await api.list({ name: 'picture.png' }))[0]?.visibility).toBe('private')
    rmSync(tree, { recursive: true })
  })

  test('refuses the data folder itself, as a backup does, and paths without a folder', async () => {
    const dataPath = mkdtempSync(join(tmpdir(), 'holdfast-'))
    chmodSync(dataPath, 0o700)

    const link = `${dataPath}-link`
    symlinkSync(dataPath, link)
    const own = await runInside(['import', join(dataPath, 'uploads')], { DATA_PATH: dataPath })
    const inside = await runInside(['import', dataPath], { DATA_PATH: dataPath })
    const linked = await runInside(['import', join(link, 'uploads')], { DATA_PATH: dataPath })
    const backup = await runInside(['backup', join(link, 'new/backup')], { DATA_PATH: dataPath })
    const none = await runInside(['import', join(dataPath, 'none')], { DATA_PATH: dataPath })

    for (const { exitCode } of [own, inside, linked, backup, none]) expect(exitCode).toBe(1)
    for (const { output } of [inside, linked]) expect(output).toContain('must not contain each other')
    expect(backup.output).toContain('must not be in the data folder itself')
    expect(none.output).toContain('There is no folder')
    for (const path of [dataPath, link]) rmSync(path, { recursive: true })
  })
})

describe('admin reset-password', () => {
  test('prints a new password, and revokes the old one and all sessions', async () => {
    const holdfast = await startHoldfast()
    await using _ = holdfast
    const { cookie } = await register(holdfast)
    const environment = { DATA_PATH: holdfast.dataPath }
    const words = ['admin', 'reset-password', ' ADA@example.com']
    const whileServing = await runInside(words, environment)
    await holdfast.stop()

    const { exitCode, output } = await runInside(words, environment)

    expect(whileServing).toMatchObject({ exitCode: 1 })
    expect(exitCode).toBe(0)
    const password = /^The new password of ada@example.com is (\S{20})\n$/.exec(output)?.[1]
    await using again = await startHoldfast({ dataPath: holdfast.dataPath })
    const signIn = async (password: string | undefined) =>
      (await postJson(again, '/api/auth/sign-in/email', { email: ADMIN.email, password })).status
    expect(await signIn(password)).toBe(200)
    expect(await signIn(ADMIN.password)).toBe(401)
    expect((await again.fetch('/api/me', { headers: { Cookie: cookie } })).status).toBe(401)
    const [reset] = again.catalog.securityEvents.newest({ types: ['password.reset'], limit: 1 })
    expect(reset).toMatchObject({ email: ADMIN.email, userAgent: 'command line' })
  })

  test('deletes the API keys of the account on request only', async () => {
    const dataPath = mkdtempSync(join(tmpdir(), 'holdfast-'))
    const words = ['admin', 'reset-password', ADMIN.email]
    const first = await startHoldfast({ dataPath })
    const { withKey } = await register(first)
    await first.stop()
    const statusAfter = async (...options: string[]) => {
      expect((await runInside([...words, ...options], { DATA_PATH: dataPath })).exitCode).toBe(0)
      await using holdfast = await startHoldfast({ dataPath })
      return (await holdfast.fetch('/api/files', { headers: withKey })).status
    }

    expect([await statusAfter(), await statusAfter('--delete-keys')]).toEqual([200, 401])
    rmSync(dataPath, { recursive: true })
  })

  test('reports an unknown account, and an instance without accounts', async () => {
    const holdfast = await startHoldfast()
    await using _ = holdfast
    await register(holdfast)
    await holdfast.stop()

    const unknown = await runInside(['admin', 'reset-password', 'eve@example.com'], {
      DATA_PATH: holdfast.dataPath,
    })
    const nowhere = await runInside(['admin', 'reset-password', 'eve@example.com'], {
      DATA_PATH: '/nonexistent',
    })

    expect(unknown).toEqual({ exitCode: 1, output: 'There is no account "eve@example.com"\n' })
    expect(nowhere.exitCode).toBe(1)
  })
})
