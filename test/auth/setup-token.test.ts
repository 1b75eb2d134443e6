import { describe, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { runInside } from '../support/command.ts'
import { startWithAccount } from '../support/fixture.ts'
import {
  ADMIN,
  dataOf,
  type Holdfast,
  postJson,
  refusalOf,
  register,
  startHoldfast,
} from '../support/holdfast.ts'
import { spawnHoldfast } from '../support/process.ts'
import { temporaryFolder } from '../support/temporary.ts'

const SIGN_UP = '/api/auth/sign-up/email'
const SETUP_TOKEN = 'token-of-the-operator'

const setupOf = async ({ fetch }: Pick<Holdfast, 'fetch'>) => {
  const setup = await dataOf<{ needed: boolean; tokenRequired?: true }>(await fetch('/api/setup'))
  return [setup.needed, setup.tokenRequired ?? false]
}

describe('with SETUP_TOKEN', () => {
  test('the first account takes the token', async () => {
    await using holdfast = await startHoldfast({ environment: { SETUP_TOKEN } })

    const [none, wrong] = [
      await postJson(holdfast, SIGN_UP, ADMIN),
      await postJson(holdfast, SIGN_UP, { ...ADMIN, setupToken: `${SETUP_TOKEN}x` }),
    ]
    expect(await setupOf(holdfast)).toEqual([true, true])
    const right = await postJson(holdfast, SIGN_UP, { ...ADMIN, setupToken: SETUP_TOKEN })

    expect([none.status, wrong.status, right.status]).toEqual([403, 403, 200])
    expect(await none.json()).toMatchObject({ code: 'INVALID_SETUP_TOKEN' })
    expect(await setupOf(holdfast)).toEqual([false, false])
  })

  test('registration stays closed once there is an account', async () => {
    await using holdfast = await startHoldfast({ environment: { SETUP_TOKEN } })
    await register(holdfast, SETUP_TOKEN)

    const second = await postJson(holdfast, SIGN_UP, { ...ADMIN, email: 'b@x.io', setupToken: SETUP_TOKEN })

    expect(await refusalOf(second)).toEqual([403, expect.stringContaining('Registration is closed')])
  })
})

/** Creates a data folder whose database was lost and rebuilt by `repair`. It has a file but no account. */
async function repaired() {
  const folder = temporaryFolder()
  const dataPath = folder.path
  {
    await using holdfast = await startWithAccount({ dataPath })
    await holdfast.api.upload('a.txt', 'hello', '', 'private')
  }
  rmSync(join(dataPath, 'db'), { recursive: true })
  const { output } = await runInside(['repair', '--adopt', '--yes'], { DATA_PATH: dataPath })
  return Object.assign(folder, { dataPath, output })
}

describe('after a repair that made a new database over stored files', () => {
  test('each start prints a token that registers the admin once', async () => {
    using folder = await repaired()
    const start = async () => {
      const server = await spawnHoldfast(folder)
      await server.fetch('/api/health')
      return { server, token: /setup token: (\S+)\n/.exec(server.output())?.[1] }
    }
    const signUp = (setupToken?: string) => postJson(server, SIGN_UP, { ...ADMIN, setupToken })
    const first = await start()
    await first.server[Symbol.asyncDispose]()

    const second = await start()
    await using server = second.server

    expect(folder.output).toContain('Creating an account requires SETUP_TOKEN')
    expect(first.token).toBeString()
    expect(second.token).not.toBe(first.token)
    expect(await setupOf(server)).toEqual([true, true])
    expect((await signUp()).status).toBe(403)
    expect((await signUp(first.token)).status).toBe(403)
    expect((await signUp(second.token)).status).toBe(200)
    expect(await setupOf(server)).toEqual([false, false])
  })
})

describe('the start', () => {
  test('says that an instance is unclaimed until it has an account, after the line with the URL', async () => {
    using folder = temporaryFolder()
    const dataPath = folder.path
    const lines = async () => {
      await using server = await spawnHoldfast({ dataPath })
      await server.fetch('/api/health')
      return server
        .output()
        .split('\n')
        .filter((line) => /listening|account/.test(line))
    }
    const unclaimed = await lines()
    await runInside(['admin', 'create', 'ada@example.com'], { DATA_PATH: dataPath })

    const claimed = await lines()

    expect(unclaimed).toEqual([
      expect.stringMatching(/^Holdfast is listening on http:\/\/localhost:\d+$/),
      'This instance has no account yet. The first person to open it and register becomes its admin',
    ])
    expect(claimed).toHaveLength(1)
  })
})
