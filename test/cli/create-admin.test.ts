import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { trySignIn } from '../support/accounts.ts'
import { runAlike, runInside } from '../support/command.ts'
import { startWithAccount } from '../support/fixture.ts'
import { postJson, startHoldfast } from '../support/holdfast.ts'
import { commandEnvironment } from '../support/process.ts'
import { temporaryFolder } from '../support/temporary.ts'

/** Returns a data folder that does not exist yet. */
function newFolder() {
  const folder = temporaryFolder()
  return Object.assign(folder, { dataPath: join(folder.path, 'data') })
}

describe('admin create', () => {
  test('creates the first admin of a new data folder, which closes registration', async () => {
    using folder = newFolder()

    const words = ['admin', 'create', ' Ada@example.com', '--name', 'Ada']
    const { exitCode, output } = await runInside(words, { DATA_PATH: folder.dataPath })

    expect(exitCode).toBe(0)
    const password = /^ada@example\.com is an admin .* The password is (\S{20})\n$/.exec(output)?.[1] ?? ''
    await using holdfast = await startHoldfast(folder)
    const signedIn = await trySignIn(holdfast, 'ada@example.com', password)
    expect(await signedIn.json()).toMatchObject({ user: { name: 'Ada', role: 'admin' } })
    const { id } = holdfast.catalog.users.byEmail('ada@example.com') ?? { id: '' }
    expect(holdfast.catalog.securityEvents.newest({ userId: id, limit: 10 }).at(-1)).toMatchObject({
      type: 'account.created',
      userAgent: 'command line',
    })
    const stranger = { name: 'Eve', email: 'eve@example.com', password: 'correct horse' }
    expect((await postJson(holdfast, '/api/auth/sign-up/email', stranger)).status).toBe(403)
  })

  test('takes the password from standard input', async () => {
    using folder = newFolder()

    const environment = commandEnvironment({ DATA_PATH: folder.dataPath })
    const words = ['admin', 'create', 'ada@example.com', '--password-stdin']
    const given = { environment, input: 'not so short\n', cwd: folder.path }
    const { exitCode, stdout } = await runAlike(words, given)

    expect([exitCode, stdout.includes('not so short')]).toEqual([0, false])
    await using holdfast = await startHoldfast(folder)
    expect((await trySignIn(holdfast, 'ada@example.com', 'not so short')).status).toBe(200)
  })

  test('refuses an account that exists and a bad e-mail', async () => {
    await using holdfast = await startWithAccount()
    const environment = { DATA_PATH: holdfast.dataPath }
    const create = (email: string) => runInside(['admin', 'create', email], environment)

    await holdfast.stop()
    const [exists, bad] = [await create('ada@example.com'), await create('bob')]

    expect(exists.output).toContain('The account "ada@example.com" exists')
    expect(bad.output).toBe('"email" must be an e-mail address\n')
    expect([exists.exitCode, bad.exitCode]).toEqual([1, 1])
  })
})
