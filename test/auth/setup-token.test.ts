import { describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runInside } from '../support/command.ts'
import {
  ADMIN,
  type Holdfast,
  messageOf,
  postJson,
  register,
  startHoldfast,
  upload,
} from '../support/holdfast.ts'
import { spawnHoldfast } from '../support/process.ts'

const SIGN_UP = '/api/auth/sign-up/email'
const SETUP_TOKEN = 'token-of-the-operator'

const setupOf = async ({ fetch }: Pick<Holdfast, 'fetch'>) => {
  const { data } = (await (await fetch('/api/setup')).json()) as {
    data: { needed: boolean; tokenRequired: boolean }
  }
  return [data.needed, data.tokenRequired]
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

    expect(second.status).toBe(403)
    expect(await messageOf(second)).toContain('Registration is closed')
  })
})

/** Creates a data folder whose database was lost and rebuilt by `repair`. It has a file but no account. */
async function repaired() {
  const dataPath = mkdtempSync(join(tmpdir(), 'holdfast-'))
  {
    await using holdfast = await startHoldfast({ dataPath })
    const { withKey } = await register(holdfast)
    await upload(holdfast, withKey, { name: 'a.txt', content: 'hello', visibility: 'private' })
  }
  rmSync(join(dataPath, 'db'), { recursive: true })
  const { output } = await runInside(['repair', '--adopt', '--yes'], { DATA_PATH: dataPath })
  return { dataPath, output, [Symbol.dispose]: () => rmSync(dataPath, { recursive: true }) }
}

describe('after a repair that made a new database over stored files', () => {
  test('each start prints a token that registers the admin once', async () => {
    using folder = await repaired()
    const start = async () => {
      const server = await spawnHoldfast(folder)
      await server.fetch('/api/health')
      return { server, token: /setup token: (\S+)\n/.exec(server.output())?.[1] }
    }
    const signUp = (server: Pick<Holdfast, 'fetch'>, setupToken?: string) =>
      server.fetch(SIGN_UP, { method: 'POST', body: JSON.stringify({ ...ADMIN, setupToken }) })
    const first = await start()
    await first.server[Symbol.asyncDispose]()

    const second = await start()
    await using server = second.server

    expect(folder.output).toContain('Registering takes a token')
    expect(first.token).toBeString()
    expect(second.token).not.toBe(first.token)
    expect(await setupOf(server)).toEqual([true, true])
    expect((await signUp(server)).status).toBe(403)
    expect((await signUp(server, first.token)).status).toBe(403)
    expect((await signUp(server, second.token)).status).toBe(200)
    expect(await setupOf(server)).toEqual([false, false])
  })
})

describe('the start', () => {
  test('says that an instance is unclaimed until it has an account, after the line with the URL', async () => {
    const dataPath = mkdtempSync(join(tmpdir(), 'holdfast-'))
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
    rmSync(dataPath, { recursive: true })

    expect(unclaimed).toEqual([
      expect.stringMatching(/^Holdfast is listening on http:\/\/localhost:\d+$/),
      'This instance has no account yet. The first person to open it and register becomes its admin',
    ])
    expect(claimed).toHaveLength(1)
  })
})
