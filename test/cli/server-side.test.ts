import { describe, expect, test } from 'bun:test'
import { mkdirSync, readdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createShare } from '../shares/visitors.ts'
import { beginStep, enableCodes } from '../sign-in/second-step.ts'
import { openDatabase } from '../support/accounts.ts'
import { apiOf } from '../support/api.ts'
import { runInside } from '../support/command.ts'
import { startWithAccount } from '../support/fixture.ts'
import { ADMIN, postJson, startHoldfast } from '../support/holdfast.ts'
import { latin1Place } from '../support/latin1.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { createWebhook } from '../support/webhooks.ts'

function createTree() {
  const folder = temporaryFolder()
  const tree = folder.path
  mkdirSync(join(tree, 'album/empty'), { recursive: true })
  writeFileSync(join(tree, 'top.txt'), 'top')
  writeFileSync(join(tree, 'album/picture.png'), 'picture')
  utimesSync(join(tree, 'top.txt'), 1_000_000_000, 1_000_000_000)
  symlinkSync('top.txt', join(tree, 'link'))
  return folder
}

describe('import', () => {
  test('imports a tree with its times, and reports what it skipped', async () => {
    using folder = temporaryFolder()
    using tree = createTree()
    const environment = { DATA_PATH: folder.path }

    const words = ['import', tree.path, '--folder', 'old/files', '--public']
    const { exitCode, output } = await runInside(words, environment)

    expect(exitCode).toBe(1)
    expect(output).toContain('"link": left out: link or special file\n')
    expect(output).toContain('Imported 2 files into "old/files"; 0 there already; 1 left out (10 B in all)\n')
    await using holdfast = await startWithAccount({ dataPath: folder.path })
    const { api } = holdfast
    expect(await api.hosted('old/files/album/picture.png')).toBe('picture')
    expect((await api.list({ name: 'top.txt' }))[0]?.createdAt).toBe('2001-09-09 01:46:40')
    expect((await api.browse({ key: 'old/files/album' })).folders.map(({ name }) => name)).toEqual(['empty'])
    expect(await runInside(['verify', '--deep'], environment)).toMatchObject({ exitCode: 0 })
  })

  test('is private by default, continues when run again, and replaces nothing', async () => {
    await using holdfast = await startWithAccount()
    await holdfast.api.upload('top.txt', 'mine')
    using tree = createTree()
    const environment = { DATA_PATH: holdfast.dataPath }
    const whileServing = await runInside(['import', tree.path], environment)
    await holdfast.stop()

    const first = await runInside(['import', tree.path], environment)
    writeFileSync(join(tree.path, 'later.txt'), 'later')
    const second = await runInside(['import', tree.path], environment)

    expect(whileServing.output).toContain('Another Holdfast is running')
    expect(first.output).toContain('"top.txt": left out: something else is in its place\n')
    expect(second.output).toContain('Imported 1 file into ""; 1 there already; 2 left out (12 B in all)\n')
    await using again = await startHoldfast({ dataPath: holdfast.dataPath })
    const api = apiOf(again, holdfast)
    expect(await api.hosted('top.txt')).toBe('mine')
    expect((await api.list({ name: 'picture.png' }))[0]?.visibility).toBe('private')
  })

  test('leaves out names that are not UTF-8, whatever else their text names', async () => {
    using folder = temporaryFolder()
    using tree = temporaryFolder()
    const environment = { DATA_PATH: folder.path }
    for (const name of ['d\xff', 'd\xfe', 'e\xe9']) mkdirSync(latin1Place(tree.path, name))
    for (const place of ['d\xff/a', 'd\xfe/b', 'caf\xe9.txt'])
      writeFileSync(latin1Place(tree.path, place), '12')
    mkdirSync(join(tree.path, 'd\ufffd'))
    for (const name of ['d\ufffd/c', 'caf\ufffd.txt', 'back\\slash'])
      writeFileSync(join(tree.path, name), '123')

    const { exitCode, output } = await runInside(['import', tree.path, '--folder', 'in'], environment)

    expect(exitCode).toBe(1)
    for (const name of ['d\\xff', 'd\\xfe', 'e\\xe9', 'caf\\xe9.txt'])
      expect(output).toContain(`${JSON.stringify(name)}: left out: its name is not UTF-8\n`)
    expect(output).toContain('"back\\\\slash": left out: its name must not contain')
    expect(output).toContain('Imported 2 files into "in"; 0 there already; 5 left out (6 B in all)\n')
    const stored = readdirSync(join(folder.path, 'uploads/in'), { encoding: 'buffer' })
    expect(stored.map(String).sort()).toEqual(['caf\ufffd.txt', 'd\ufffd'])
    expect(await runInside(['verify', '--deep'], environment)).toMatchObject({ exitCode: 0 })

    const whole = latin1Place(tree.path, 'd\xff').toString()
    const ambiguous = await runInside(['import', whole], environment)
    expect(ambiguous).toEqual({ exitCode: 1, output: `The name of "${whole}" is not UTF-8\n` })
  })

  test('refuses the data folder itself, as a backup does, and paths without a folder', async () => {
    using folder = temporaryFolder()
    const [dataPath, link] = ['data', 'link'].map((name) => join(folder.path, name)) as [string, string]
    mkdirSync(dataPath, 0o700)
    symlinkSync(dataPath, link)

    for (const [command, path, message] of [
      ['import', join(dataPath, 'uploads'), ''],
      ['import', dataPath, 'must not contain each other'],
      ['import', join(link, 'uploads'), 'must not contain each other'],
      ['backup', join(link, 'new/backup'), 'must not be in the data folder itself'],
      ['import', join(dataPath, 'none'), 'There is no folder'],
    ] as const) {
      const { exitCode, output } = await runInside([command, path], { DATA_PATH: dataPath })
      expect(exitCode).toBe(1)
      expect(output).toContain(message)
    }
  })
})

describe('admin reset-password', () => {
  test('prints a new password, and revokes the old one and all sessions', async () => {
    await using holdfast = await startWithAccount()
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
    expect((await again.fetch('/api/me', { headers: { Cookie: holdfast.cookie } })).status).toBe(401)
    const [reset] = again.catalog.securityEvents.newest({ types: ['password.reset'], limit: 1 })
    expect(reset).toMatchObject({ email: ADMIN.email, userAgent: 'command line' })
  })

  test('deletes the API keys and ends the shares of the account on request only', async () => {
    await using first = await startWithAccount()
    const { dataPath, withKey } = first
    const words = ['admin', 'reset-password', ADMIN.email]
    const { id: folderId } = await first.api.createFolder('shared')
    const share = await createShare(first.admin.api, { items: [{ folderId }] })
    const ofKey = await createShare(first.api, { items: [{ folderId }] })
    const rules = {
      name: 'Chat',
      url: 'https://chat.example.com/',
      events: ['share.ended'],
      forShares: false,
    }
    const webhook = await createWebhook(first.admin, rules)
    await first.stop()
    const statusAfter = async (...options: string[]) => {
      expect((await runInside([...words, ...options], { DATA_PATH: dataPath })).exitCode).toBe(0)
      await using holdfast = await startHoldfast({ dataPath })
      const responses = [
        holdfast.fetch('/api/files', { headers: withKey }),
        holdfast.fetch(`/api/s/${ofKey.slug}`),
        holdfast.fetch(`/api/s/${share.slug}`),
      ]
      const announced = holdfast.catalog.webhookDeliveries.newest(webhook.id, 9).length
      return [...(await Promise.all(responses)).map(({ status }) => status), announced]
    }

    expect(await statusAfter()).toEqual([200, 200, 200, 0])
    expect(await statusAfter('--delete-keys')).toEqual([401, 404, 200, 1])
    expect(await statusAfter('--end-shares')).toEqual([401, 404, 404, 2])
  })

  test('takes the second factor off, unless it is to stay', async () => {
    await using first = await startWithAccount()
    const { dataPath } = first
    await enableCodes(first, first.admin)
    await first.stop()
    const hasFactor = async (...words: string[]) => {
      expect((await runInside(['admin', ...words], { DATA_PATH: dataPath })).exitCode).toBe(0)
      await using holdfast = await startHoldfast({ dataPath })
      return holdfast.catalog.users.byEmail(ADMIN.email)?.secondFactor
    }

    expect(await hasFactor('reset-password', ADMIN.email, '--keep-second-factor')).toBe(true)
    expect(await hasFactor('reset-password', ADMIN.email)).toBe(false)
  })

  test('unlinks the account from a provider, unless it is to stay linked', async () => {
    await using first = await startWithAccount()
    const { dataPath, admin } = first
    const database = openDatabase(first)
    database.run(
      `INSERT INTO identities (id, user_id, provider, issuer, subject, created_at, used_at)
       VALUES ('of-eve', ?, 'oidc', 'https://auth.example.com', 'eve', 1, 1)`,
      [admin.id],
    )
    database[Symbol.dispose]()
    await first.stop()
    const isLinked = async (...words: string[]) => {
      const outcome = await runInside(['admin', 'reset-password', ADMIN.email, ...words], {
        DATA_PATH: dataPath,
      })
      expect(outcome.exitCode).toBe(0)
      await using holdfast = await startHoldfast({ dataPath })
      const events = holdfast.catalog.securityEvents.newest({ types: ['identity.unlinked'], limit: 9 })
      return [holdfast.catalog.identities.ofUser(admin.id).length, events.length]
    }

    expect(await isLinked('--keep-linked')).toEqual([1, 0])
    expect(await isLinked()).toEqual([0, 1])
  })

  test('reports an unknown account, and an instance without accounts', async () => {
    await using holdfast = await startWithAccount()
    await holdfast.stop()
    const words = ['admin', 'reset-password', 'eve@example.com']

    const unknown = await runInside(words, { DATA_PATH: holdfast.dataPath })
    const nowhere = await runInside(words, { DATA_PATH: '/nonexistent' })

    expect(unknown).toEqual({ exitCode: 1, output: 'There is no account "eve@example.com"\n' })
    expect(nowhere.exitCode).toBe(1)
  })
})

test('admin reset-second-factor takes codes off an account, signs it out and is in the security log', async () => {
  await using first = await startWithAccount()
  const { dataPath, cookie } = first
  const { backupCodes } = await enableCodes(first, first.admin)
  await first.stop()

  const { exitCode, output } = await runInside(['admin', 'reset-second-factor', ADMIN.email], {
    DATA_PATH: dataPath,
  })

  expect([exitCode, output]).toEqual([0, `${ADMIN.email} signs in with its password only\n`])
  await using again = await startHoldfast({ dataPath })
  expect((await again.fetch('/api/me', { headers: { Cookie: cookie } })).status).toBe(401)
  expect(backupCodes).toHaveLength(10)
  const { response } = await beginStep(again, ADMIN.email)
  expect(await response.json()).toMatchObject({ redirect: false })
  const [reset] = again.catalog.securityEvents.newest({ types: ['second-factor.reset'], limit: 1 })
  expect(reset).toMatchObject({ email: ADMIN.email, userAgent: 'command line' })
})

describe('admin folders', () => {
  test('limits an account to folders, takes them from it, and lets it into everything', async () => {
    await using holdfast = await startWithAccount()
    const guest = await holdfast.addUser('editor')
    for (const key of ['clients/acme', 'family']) await holdfast.api.createFolder(key)
    await holdfast.stop()
    const environment = { DATA_PATH: holdfast.dataPath }
    const run = (...options: string[]) =>
      runInside(['admin', 'folders', guest.email, ...options], environment)
    const reaches = (what: string) => ({ exitCode: 0, output: `${guest.email} reaches ${what}\n` })
    const both = ['--let-in', 'clients/acme=edit+share', '--let-in', 'family/=view']

    expect(await run()).toEqual(reaches('everything'))
    expect(await run(...both)).toEqual(reaches('clients/acme: read, write, delete, share; family: read'))
    expect(await run('--let-in', 'family=add', '--let-out', 'clients/acme')).toEqual(
      reaches('family: read, write'),
    )
    expect(await run()).toEqual(reaches('family: read, write'))

    await using again = await startHoldfast({ dataPath: holdfast.dataPath })
    const api = apiOf(again, { withKey: guest.withSession })
    expect((await api.browse()).folders.map(({ key }) => key)).toEqual(['family'])
    const logged = again.catalog.securityEvents.newest({
      userId: guest.id,
      types: ['folders.changed'],
      limit: 9,
    })
    expect(logged.map(({ detail, userAgent }) => [detail, userAgent])[0]).toEqual([
      'family: read, write',
      'command line',
    ])
    await again.stop()
    expect(await run('--let-out', 'family')).toEqual(reaches('no folder'))
    expect(await run('--everything')).toEqual(reaches('everything'))
  })

  test('refuses what is not there, and what cannot be limited', async () => {
    await using holdfast = await startWithAccount()
    const guest = await holdfast.addUser('editor')
    await holdfast.stop()
    const environment = { DATA_PATH: holdfast.dataPath }
    const run = (...words: string[]) => runInside(['admin', 'folders', ...words], environment)

    expect(await run('eve@example.com')).toEqual({
      exitCode: 1,
      output: 'There is no account "eve@example.com"\n',
    })
    for (const key of ['nowhere', '/'])
      expect(await run(guest.email, '--let-in', `${key}=view`)).toEqual({
        exitCode: 1,
        output: `There is no folder "${key}"\n`,
      })
    expect((await run(ADMIN.email, '--let-out', 'nowhere')).output).toContain('manages the instance')
    expect((await run(guest.email, '--let-out', 'nowhere')).output).toContain('limit it with --let-in')
    expect((await run(guest.email, '--let-in', 'nowhere=own')).exitCode).toBe(2)
    expect((await run(guest.email, '--everything', '--let-out', 'nowhere')).exitCode).toBe(2)
    expect((await run(guest.email)).output).toContain('reaches everything')
  })
})
