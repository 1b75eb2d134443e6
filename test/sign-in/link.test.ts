import { describe, expect, test } from 'bun:test'
import { runInside } from '../support/command.ts'
import { startAgain, startWithAccount } from '../support/fixture.ts'
import { ADMIN, postJson, refusalOf, TestClock } from '../support/holdfast.ts'

const OVER: [number, string] = [401, 'This link was used or has expired: ask for another one']

/** Starts an instance again with a link that the command made for its admin while it was stopped. */
async function startWithLink(variables: Record<string, string> = {}) {
  const first = await startWithAccount()
  await first.stop()
  const { dataPath } = first
  const { output } = await runInside(['admin', 'sign-in-link', ' ADA@example.com'], {
    DATA_PATH: dataPath,
    BASE_URL: 'https://files.example.com',
  })
  const token = /: https:\/\/files\.example\.com\/sign-in-link#([\w-]{43})\n$/.exec(output)?.[1] ?? output
  const clock = new TestClock()
  clock.setWall(Date.now())
  const holdfast = await startAgain(first, { clock, environment: variables })
  const use = (sent = token) => postJson(holdfast, '/api/auth/sign-in/link', { token: sent })
  return Object.assign(holdfast, {
    clock,
    token,
    use,
    [Symbol.asyncDispose]: async () => {
      await holdfast.stop()
      await first[Symbol.asyncDispose]()
    },
  })
}

describe('admin sign-in-link', () => {
  test('prints a link that signs in once, also where passwords do not', async () => {
    await using holdfast = await startWithLink({
      PASSWORD_SIGN_IN: 'no',
      OIDC_ISSUER: 'http://127.0.0.1:9',
      OIDC_CLIENT_ID: 'holdfast',
    })

    // Programs that preview links open them.
    expect((await holdfast.fetch(`/sign-in-link?${holdfast.token}`)).status).toBeLessThan(500)
    const used = await holdfast.use()
    expect(used.status).toBe(200)
    expect(await used.json()).toMatchObject({ user: { email: ADMIN.email } })
    expect(await refusalOf(await holdfast.use())).toEqual(OVER)
    expect(await refusalOf(await holdfast.use('x'))).toEqual(OVER)
    const { activities } = await holdfast.bySession.data<{ activities: object[] }>(
      'GET',
      '/activity?security=1',
    )
    expect(activities.slice(0, 3)).toMatchObject([
      { type: 'sign-in-link.used', target: ADMIN.email },
      { type: 'sign-in.succeeded', detail: 'link' },
      { type: 'sign-in-link.made', target: ADMIN.email, userAgent: 'command line' },
    ])
  })

  test('prints a link that ends after ten minutes, and of two at once one is used', async () => {
    await using holdfast = await startWithLink()
    const both = await Promise.all([holdfast.use(), holdfast.use()])
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 401])

    await using other = await startWithLink()
    other.clock.advance(600_001)
    expect(await refusalOf(await other.use())).toEqual(OVER)
  })

  test('reports an unknown account', async () => {
    await using holdfast = await startWithAccount()
    await holdfast.stop()
    expect(
      await runInside(['admin', 'sign-in-link', 'eve@example.com'], { DATA_PATH: holdfast.dataPath }),
    ).toEqual({
      exitCode: 1,
      output: 'There is no account "eve@example.com"\n',
    })
  })
})
