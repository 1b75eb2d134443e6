import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { createAuthClient } from 'better-auth/client'
import Provider from 'oidc-provider'
import { openDatabase } from '../support/accounts.ts'
import { startWithAccount } from '../support/fixture.ts'
import { BASE_URL, type Holdfast } from '../support/holdfast.ts'
import { Browser, CLIENT } from '../support/provider.ts'

const PERSON = { email: 'grace@example.com', email_verified: true, name: 'Grace', groups: ['family'] }

const server: Server = createServer()
let issuer = ''
let provider: Provider

/** Starts the program oidc-provider, at which every browser is signed in as Grace at once. */
beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  issuer = `http://127.0.0.1:${address instanceof Object ? address.port : address}`
  provider = new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        redirect_uris: [`${BASE_URL}/api/auth/callback/oidc`],
        backchannel_logout_uri: `${BASE_URL}/api/auth/backchannel-logout/oidc`,
        backchannel_logout_session_required: true,
      },
    ],
    scopes: ['openid', 'email', 'profile', 'groups'],
    claims: {
      openid: ['sub'],
      email: ['email', 'email_verified'],
      profile: ['name'],
      groups: ['groups'],
    },
    cookies: { keys: ['a key of the provider'] },
    features: { devInteractions: { enabled: false }, backchannelLogout: { enabled: true } },
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    findAccount: (_, id) => ({ accountId: id, claims: async () => ({ sub: id, ...PERSON }) }),
    loadExistingGrant: async ({ oidc }) => {
      const grant = new oidc.provider.Grant({
        clientId: oidc.client.clientId,
        accountId: oidc.session.accountId,
      })
      grant.addOIDCScope('openid email profile groups')
      await grant.save()
      return grant
    },
  })
  const serve = provider.callback()
  server.on('request', (...exchange) => {
    if (exchange[0].url?.startsWith('/interaction/'))
      void provider.interactionFinished(...exchange, { login: { accountId: 'grace' } })
    else serve(...exchange)
  })
})

afterAll(() => {
  server.closeAllConnections()
  server.close()
})

const start = () =>
  startWithAccount({
    environment: {
      OIDC_ISSUER: issuer,
      OIDC_CLIENT_ID: CLIENT.id,
      OIDC_CLIENT_SECRET: CLIENT.secret,
      OIDC_SCOPES: 'openid email profile groups',
      OIDC_NEW_ACCOUNTS: 'viewer',
      OIDC_ROLES: 'family=editor,*=viewer',
      OIDC_FOLDERS: 'family=/photos:add,others=/work:edit',
    },
  })

/** Creates better-auth's own client in a browser. */
const clientOf = (holdfast: Holdfast, browser: Browser) =>
  createAuthClient({
    baseURL: holdfast.url,
    fetchOptions: {
      customFetchImpl: async (input, init) => {
        const request = new Request(String(input), init)
        const body = request.method === 'POST' ? await request.text() : undefined
        const { pathname, search } = new URL(request.url)
        return await browser.send(`${pathname}${search}`, {
          method: request.method,
          headers: request.headers,
          ...(body !== undefined && { body }),
        })
      },
    },
  })

describe('oidc-provider and better-auth’s client', () => {
  test('sign in, list, unlink and link', async () => {
    await using holdfast = await start()
    for (const key of ['photos', 'work']) await holdfast.api.createFolder(key)
    const browser = new Browser(holdfast)
    const client = clientOf(holdfast, browser)

    const begun = await client.signIn.social({ provider: 'oidc', callbackURL: '/files' })
    expect(begun.data?.redirect).toBe(true)
    expect(await browser.finish(await browser.follow(begun.data?.url ?? ''))).toBe('/files')

    const session = await client.getSession()
    expect(session.data?.user).toMatchObject({ email: PERSON.email, name: 'Grace', role: 'editor' })
    expect(await (await browser.send('/api/me')).json()).toMatchObject({
      data: { folders: [{ key: 'photos', rights: ['read', 'write'] }] },
    })
    const listed = await client.listAccounts()
    expect(listed.data).toMatchObject([{ providerId: 'oidc', accountId: 'grace' }])
    const last = await client.unlinkAccount({ accountId: listed.data?.[0]?.id ?? '' })
    expect(last.error).toMatchObject({ status: 400, message: 'This is the last way in of the account' })

    const admin = new Browser(holdfast)
    admin.cookies.set('better-auth.session_token', holdfast.cookie.replace(/^[^=]+=/, ''))
    const linking = await clientOf(holdfast, admin).linkSocial({ provider: 'oidc', callbackURL: '/account' })
    expect(await admin.finish(await admin.follow(linking.data?.url ?? ''))).toBe(
      '/account?error=account_already_linked',
    )
  })

  test('end the sessions of a person that signs out there', async () => {
    await using holdfast = await start()
    const browser = new Browser(holdfast)
    expect(await browser.signIn()).toBe('/')
    using database = openDatabase(holdfast)
    const [session] = database
      .query<{ sid: string }>("SELECT provider_sid AS sid FROM sessions WHERE way = 'oidc'")
      .all()
    const client = await provider.Client.find(CLIENT.id)
    if (!client || !session) throw new Error('There is no client or no session')
    client.backchannelLogoutUri = `${holdfast.url}/api/auth/backchannel-logout/oidc`

    await client.backchannelLogout('grace', session.sid)

    expect(await browser.account()).toBeUndefined()
  })

  test('leaves no session when the client is not known', async () => {
    await using holdfast = await startWithAccount({
      environment: { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: CLIENT.id, OIDC_CLIENT_SECRET: 'wrong' },
    })
    const browser = new Browser(holdfast)
    expect(await browser.signIn()).toBe('/sign-in?error=invalid_code')
    expect(await browser.account()).toBeUndefined()
  })
})
