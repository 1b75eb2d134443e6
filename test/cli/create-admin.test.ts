import { describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { trySignIn } from '../support/accounts.ts'
import { postJson, register, startHoldfast } from '../support/holdfast.ts'
import { commandEnvironment, runCommand } from '../support/process.ts'
import { programCommand } from '../support/program.ts'

function newFolder() {
  const parent = mkdtempSync(join(tmpdir(), 'holdfast-'))
  const dataPath = join(parent, 'data')
  return { dataPath, [Symbol.dispose]: () => rmSync(parent, { recursive: true }) }
}

describe('admin create', () => {
  test('creates the first admin of a new data folder, which closes registration', async () => {
    using folder = newFolder()

    const { exitCode, output } = runCommand(['admin', 'create', ' Ada@example.com', '--name', 'Ada'], {
      DATA_PATH: folder.dataPath,
    })

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

    const { exitCode, stdout } = Bun.spawnSync(
      [...programCommand(), 'admin', 'create', 'ada@example.com', '--password-stdin'],
      {
        env: commandEnvironment({ DATA_PATH: folder.dataPath }),
        stdin: Buffer.from('not so short\n'),
      },
    )

    expect([exitCode, stdout.toString().includes('not so short')]).toEqual([0, false])
    await using holdfast = await startHoldfast(folder)
    expect((await trySignIn(holdfast, 'ada@example.com', 'not so short')).status).toBe(200)
  })

  test('refuses an account that exists and a bad e-mail', async () => {
    await using holdfast = await startHoldfast()
    await register(holdfast)
    const environment = { DATA_PATH: holdfast.dataPath }
    const create = (email: string) => runCommand(['admin', 'create', email], environment)

    await holdfast.stop()
    const [exists, bad] = [create('ada@example.com'), create('bob')]

    expect(exists.output).toContain('The account "ada@example.com" exists')
    expect(bad.output).toBe('"email" must be an e-mail address\n')
    expect([exists.exitCode, bad.exitCode]).toEqual([1, 1])
  })
})
