import { afterAll, afterEach, beforeEach, describe, expect, setSystemTime, test } from 'bun:test'
import { type Access, addAccount, openDatabase, setDisabled, signIn, trySignIn } from '../support/accounts.ts'
import type { Api } from '../support/api.ts'
import { startInsideWithAccount, startWithAccount } from '../support/fixture.ts'
import { ADMIN, type Holdfast, refusalOf, startHoldfast, TestClock } from '../support/holdfast.ts'
import { Browser, startProvider } from '../support/provider.ts'

const provider = startProvider()
const SESSION = 'better-auth.session_token'

const start = (variables: Record<string, string> = {}) =>
  startWithAccount({ environment: { ...provider.environment, ...variables } })

beforeEach(() => {
  provider.lies = {}
})

afterEach(() => {
  setSystemTime()
})

afterAll(() => provider[Symbol.asyncDispose]())

let people = 0
/** Lets a new person sign in at the provider. */
function meet(claims: Record<string, unknown> = {}) {
  people += 1
  const person = { sub: `person-${people}`, email: `person${people}@example.com`, email_verified: true }
  provider.person = { ...person, ...claims }
  return provider.person
}

/** Adds an account with the e-mail of the person at the provider. */
async function addOwnerOf(holdfast: Holdfast, email: string, access: Access) {
  const { id, email: made } = await addAccount(holdfast, access)
  using database = openDatabase(holdfast)
  database.run('UPDATE users SET email = ? WHERE email = ?', [email, made])
  return { id, email }
}

/** Returns a browser in which an account is signed in with its password. */
async function browserOf(holdfast: Holdfast, email: string): Promise<Browser> {
  const browser = new Browser(holdfast)
  const { cookie } = await signIn(holdfast, email)
  browser.cookies.set(SESSION, cookie.slice(SESSION.length + 1))
  return browser
}

/** Returns types and details of the security log. */
async function securityOf({ bySession }: { bySession: Api }) {
  const { activities } = await bySession.data<{ activities: { type: string; detail: string | null }[] }>(
    'GET',
    '/activity?security=1',
  )
  return { entries: activities.map(({ type, detail }) => [type, detail]) }
}

/** Returns the subjects that accounts are linked to. */
function linkedTo(holdfast: Holdfast): string[] {
  using database = openDatabase(holdfast)
  return database
    .query<{ subject: string }>('SELECT subject FROM identities')
    .all()
    .map(({ subject }) => subject)
}

/** Starts an instance with a browser for it. */
async function startWithBrowser(variables?: Record<string, string>) {
  const holdfast = await start(variables)
  return Object.assign(holdfast, { browser: new Browser(holdfast) })
}

describe('a provider', () => {
  test('is listed by its name', async () => {
    await using holdfast = await start()
    const methods = await (await holdfast.fetch('/api/auth/methods')).json()
    expect(methods).toMatchObject({ password: true, providers: [{ id: 'oidc', name: 'Example ID' }] })
  })

  test('signs people in whose account has their verified e-mail, and links it once', async () => {
    await using holdfast = await startWithBrowser()
    const { email = '' } = meet()
    const { id } = await addOwnerOf(holdfast, email, { role: 'editor' })
    const { browser } = holdfast

    expect(await browser.signIn({ callbackURL: '/files?sort=name' })).toBe('/overview?linked=oidc')
    expect(await browser.account()).toMatchObject({ id, email })
    expect(await browser.signIn({ callbackURL: '/files' })).toBe('/files')
    const { entries } = await securityOf(holdfast)
    expect(entries).toContainEqual(['identity.linked', 'Example ID, by e-mail'])
    expect(entries.filter(([type]) => type === 'identity.linked')).toHaveLength(1)
    expect(entries).toContainEqual(['sign-in.succeeded', 'oidc'])
  })

  test('keeps an account by its subject, whatever its e-mail is then', async () => {
    await using holdfast = await startWithBrowser()
    const { email = '', sub } = meet()
    const { id } = await addOwnerOf(holdfast, email, { role: 'viewer' })
    await holdfast.browser.signIn()

    meet({ sub, email: ADMIN.email, email_verified: true })
    expect(await holdfast.browser.signIn()).toBe('/')

    expect(await holdfast.browser.account()).toMatchObject({ id, email })
  })

  test('makes accounts where they are wanted', async () => {
    await using holdfast = await startWithBrowser({ OIDC_NEW_ACCOUNTS: 'viewer' })
    const { email = '' } = meet({ name: 'Grace\u0007 Hopper', email: 'Grace@Example.com' })

    expect(await holdfast.browser.signIn()).toBe('/')

    expect(await holdfast.browser.account()).toMatchObject({ email: email.toLowerCase(), role: 'viewer' })
    expect((await securityOf(holdfast)).entries).toContainEqual([
      'account.provisioned',
      'Example ID, as viewer',
    ])
    const listed = await (await holdfast.browser.send('/api/auth/list-accounts')).json()
    expect(listed).toMatchObject([{ providerId: 'oidc', accountId: provider.person.sub }])
  })

  test('vouches for its people where all accounts must have a second factor', async () => {
    await using holdfast = await startWithBrowser({ OIDC_NEW_ACCOUNTS: 'viewer' })
    await holdfast.bySession.data('PUT', '/settings', { requireSecondFactor: 'all' })
    meet()
    await holdfast.browser.signIn()
    expect((await holdfast.browser.send('/api/files')).status).toBe(200)
    expect((await holdfast.bySession.send('GET', '/files')).status).toBe(403)
  })

  test('makes no first account', async () => {
    await using holdfast = await startHoldfast({
      environment: { ...provider.environment, OIDC_NEW_ACCOUNTS: 'admin' },
    })
    meet()
    expect(await new Browser(holdfast).signIn()).toBe('/sign-in?error=signup_disabled')
  })

  test('ends the session of a browser that signs out, and says where to sign out as well', async () => {
    await using holdfast = await startWithBrowser({ OIDC_NEW_ACCOUNTS: 'viewer' })
    meet()
    await holdfast.browser.signIn()

    const signedOut = await (await holdfast.browser.post('/api/auth/sign-out')).json()

    const logoutUrl = `${provider.issuer}/logout?client_id=holdfast`
    expect(signedOut).toEqual({
      data: { logoutUrl },
      error: null,
      success: true,
      logoutUrl,
    })
    expect(await holdfast.browser.account()).toBeUndefined()
  })

  test('that cannot be reached is reported, and passwords still work', async () => {
    await using holdfast = await startWithBrowser({ OIDC_ISSUER: 'http://127.0.0.1:9' })

    const begun = await holdfast.browser.post('/api/auth/sign-in/social', { provider: 'oidc' })

    expect(begun.status).toBe(503)
    expect(await begun.json()).toMatchObject({ code: 'PROVIDER_UNAVAILABLE' })
    expect((await trySignIn(holdfast, ADMIN.email)).status).toBe(200)
  })

  test('whose issuer has one slash more is taken', async () => {
    await using slashed = startProvider({ path: '/o/holdfast/' })
    slashed.person = meet()
    await using holdfast = await startWithBrowser({
      ...slashed.environment,
      OIDC_ISSUER: slashed.issuer.slice(0, -1),
      OIDC_NEW_ACCOUNTS: 'viewer',
    })
    expect(await holdfast.browser.signIn()).toBe('/')
  })

  test('that changes its keys is followed, a minute after they were read', async () => {
    const environment = { ...provider.environment, OIDC_NEW_ACCOUNTS: 'viewer' }
    await using holdfast = await startInsideWithAccount({ environment })
    const browser = new Browser(holdfast)
    meet()
    expect(await browser.signIn()).toBe('/')
    provider.lies = { signed: 'with the next key' }
    setSystemTime(Date.now() + 61_000)
    expect(await browser.signIn()).toBe('/')
    provider.lies = {}
    expect(await browser.signIn()).toBe('/sign-in?error=invalid_code')
  })

  test('is refused 20 sign-ins a minute of one address', async () => {
    await using holdfast = await startWithBrowser()
    const statuses = []
    for (let count = 0; count < 21; count++)
      statuses.push((await holdfast.browser.post('/api/auth/sign-in/social', { provider: 'oidc' })).status)
    expect(statuses).toEqual([...Array.from({ length: 20 }, () => 200), 429])
  })
})

describe('a person without a session gets none', () => {
  const REFUSED: Record<
    string,
    { code: string; claims?: object; owner?: Access; variables?: Record<string, string> }
  > = {
    'without an e-mail': { code: 'email_missing', claims: { email: undefined } },
    'with an e-mail that is none': { code: 'email_missing', claims: { email: 'grace' } },
    'without an account': { code: 'signup_disabled' },
    'with an unverified e-mail, not even a new account': {
      code: 'email_not_verified',
      claims: { email_verified: false },
      variables: { OIDC_NEW_ACCOUNTS: 'editor' },
    },
    'with an unverified e-mail of an account': {
      code: 'email_not_verified',
      claims: { email_verified: false },
      owner: { role: 'viewer' },
    },
    'with a verified e-mail in words': {
      code: 'email_not_verified',
      claims: { email_verified: 'true' },
      owner: { role: 'viewer' },
    },
    'with the e-mail of an admin': { code: 'account_not_linked', owner: { role: 'admin' } },
    'with the e-mail of an account, where those are never linked': {
      code: 'account_not_linked',
      owner: { role: 'viewer' },
      variables: { OIDC_LINK_BY_EMAIL: 'never' },
    },
    'in none of the groups': {
      code: 'not_in_group',
      owner: { role: 'viewer' },
      claims: { groups: ['guests'] },
      variables: { OIDC_ROLES: 'family=editor' },
    },
  }

  for (const [title, { code, claims, owner, variables }] of Object.entries(REFUSED))
    test(title, async () => {
      await using holdfast = await startWithBrowser(variables)
      const { email = '' } = meet()
      if (owner) await addOwnerOf(holdfast, email, owner)
      Object.assign(provider.person, claims)

      expect(await holdfast.browser.signIn()).toBe(`/sign-in?error=${code}`)

      expect(holdfast.browser.cookies.size).toBe(0)
      expect(await linkedTo(holdfast)).toEqual([])
    })

  test('with an e-mail that only in lower case is the one of an account', async () => {
    await using holdfast = await startWithBrowser({ OIDC_NEW_ACCOUNTS: 'viewer' })
    await addOwnerOf(holdfast, 'kate@example.com', { role: 'editor' })
    // The Kelvin sign, whose lower case is the letter "k".
    meet({ email: '\u212aate@example.com' })

    expect(await holdfast.browser.signIn()).toBe('/sign-in?error=email_missing')

    expect(linkedTo(holdfast)).toEqual([])
  })

  test('with an account that has a second factor, is linked to another person, or is disabled', async () => {
    await using holdfast = await startWithBrowser()
    const guard = async (column: string) => {
      const { email = '' } = meet()
      const { id } = await addOwnerOf(holdfast, email, { role: 'editor' })
      using database = openDatabase(holdfast)
      database.run(`UPDATE users SET ${column} = 1 WHERE id = ?`, [id])
      return await holdfast.browser.signIn()
    }
    expect(await guard('second_factor')).toBe('/sign-in?error=account_not_linked')
    expect(await guard('disabled')).toBe('/sign-in?error=account_disabled')

    const { email = '', sub } = meet()
    const { id } = await addOwnerOf(holdfast, email, { role: 'editor' })
    await holdfast.browser.signIn()
    meet({ email })
    expect(await holdfast.browser.signIn()).toBe('/sign-in?error=account_not_linked')
    setDisabled(holdfast, id, true)
    provider.person = { ...provider.person, sub }
    expect(await new Browser(holdfast).signIn()).toBe('/sign-in?error=account_disabled')
  })
})

describe('roles by group', () => {
  const OIDC_ROLES = 'files-admins=admin,family=editor,*=viewer'

  test('are those of each sign-in', async () => {
    await using holdfast = await startWithBrowser({ OIDC_ROLES, OIDC_NEW_ACCOUNTS: 'viewer' })
    meet({ groups: ['family', 'files-admins'] })
    await holdfast.browser.signIn()
    const roles = [(await holdfast.browser.account())?.role]
    for (const groups of [['family'], [], 'files-admins']) {
      Object.assign(provider.person, { groups })
      await holdfast.browser.signIn()
      roles.push((await holdfast.browser.account())?.role)
    }
    expect(roles).toEqual(['admin', 'editor', 'viewer', 'admin'])
    expect((await securityOf(holdfast)).entries).toContainEqual([
      'role.changed',
      'admin to editor, by Example ID',
    ])
  })

  test('leave the last admin one', async () => {
    await using holdfast = await startInsideWithAccount({
      environment: { ...provider.environment, OIDC_ROLES },
    })
    meet({ groups: ['family'] })
    const browser = await browserOf(holdfast, ADMIN.email)
    expect(await browser.signIn({}, '/api/auth/link-social')).toBe('/account')

    expect(await browser.signIn()).toBe('/')

    expect((await browser.account())?.role).toBe('admin')
    const said = holdfast.logged.map(({ message }) => message)
    expect(said).toContain(
      `${ADMIN.email} stays admin although Example ID says editor: there is no other admin`,
    )
  })

  test('cannot be changed by hand', async () => {
    await using holdfast = await startWithBrowser({ OIDC_ROLES, OIDC_NEW_ACCOUNTS: 'viewer' })
    meet()
    await holdfast.browser.signIn()
    const id = (await holdfast.browser.account())?.id
    const changed = await holdfast.bySession.send('PUT', '/users', { id, role: 'editor' })
    expect(await refusalOf(changed)).toEqual([400, '"role" comes from Example ID: change the groups there'])
  })
})

describe('an account', () => {
  test('is linked and unlinked by its owner, whatever the e-mail is', async () => {
    await using holdfast = await start()
    const browser = await browserOf(holdfast, ADMIN.email)
    meet({ email: undefined })

    expect(await browser.signIn({ callbackURL: '/account?tab=ways' }, '/api/auth/link-social')).toBe(
      '/account?tab=ways',
    )
    const linked = await (await browser.send('/api/auth/list-accounts')).json()
    expect(linked).toMatchObject([{ providerId: 'credential' }, { providerId: 'oidc' }])
    expect(await new Browser(holdfast).signIn()).toBe('/')

    const unlinked = await browser.post('/api/auth/unlink-account', { providerId: 'oidc' })
    expect(await unlinked.json()).toMatchObject({ status: true })
    expect(await new Browser(holdfast).signIn()).toBe('/sign-in?error=email_missing')
    const { entries } = await securityOf(holdfast)
    expect(entries).toContainEqual(['identity.linked', 'Example ID'])
    expect(entries).toContainEqual(['identity.unlinked', 'Example ID'])
  })

  test('is linked and unlinked only soon after a sign-in or a confirmation', async () => {
    const clock = new TestClock()
    await using holdfast = await startInsideWithAccount({ environment: provider.environment, clock })
    const browser = await browserOf(holdfast, ADMIN.email)
    clock.advance(600_001)
    for (const [path, body] of [
      ['link-social', { provider: 'oidc' }],
      ['unlink-account', { providerId: 'oidc' }],
    ] as const)
      expect(await (await browser.post(`/api/auth/${path}`, body)).json()).toMatchObject({
        code: 'CONFIRMATION_REQUIRED',
      })
  })

  test('keeps its last way in', async () => {
    await using holdfast = await startWithBrowser({ OIDC_NEW_ACCOUNTS: 'viewer' })
    meet()
    await holdfast.browser.signIn()
    const refused = await holdfast.browser.post('/api/auth/unlink-account', { providerId: 'oidc' })
    expect(await refusalOf(refused)).toEqual([400, 'This is the last way in of the account'])
  })

  test('is unlinked by a new password from an admin, unless it is to stay linked', async () => {
    await using holdfast = await startWithBrowser()
    const { id, email } = await addAccount(holdfast, { role: 'editor' })
    meet({ email: 'eve@elsewhere.example.com' })
    const taken = await browserOf(holdfast, email)
    expect(await taken.signIn({}, '/api/auth/link-social')).toBe('/account')
    const reset = (keepLinked: boolean) =>
      holdfast.bySession.data<{ user: object }>('PUT', '/users', {
        id,
        password: 'a new password',
        keepLinked,
      })

    expect(await reset(true)).toMatchObject({ user: { id, waysIn: ['password', 'oidc'] } })
    expect(await holdfast.browser.signIn()).toBe('/')
    const { user } = await reset(false)
    expect(user).not.toHaveProperty('waysIn')

    expect(await holdfast.browser.account()).toBeUndefined()
    expect(await holdfast.browser.signIn()).toBe('/sign-in?error=signup_disabled')
    expect((await securityOf(holdfast)).entries).toContainEqual(['identity.unlinked', null])
  })

  test('is not linked to a person with another account', async () => {
    await using holdfast = await startWithBrowser({ OIDC_NEW_ACCOUNTS: 'viewer' })
    meet()
    await holdfast.browser.signIn()
    const admin = await browserOf(holdfast, ADMIN.email)
    expect(await admin.signIn({}, '/api/auth/link-social')).toBe('/account?error=account_already_linked')
  })

  test('is not linked after the session that began it has ended', async () => {
    await using holdfast = await start()
    const { email } = await addAccount(holdfast, { role: 'viewer' })
    const [browser, other] = [await browserOf(holdfast, ADMIN.email), await browserOf(holdfast, email)]
    meet()
    const callback = await browser.toCallback({}, '/api/auth/link-social')
    // Another account signs in with the same browser meanwhile.
    browser.cookies.set(SESSION, other.cookies.get(SESSION) ?? '')

    expect(await browser.finish(callback)).toBe('/account?error=state_mismatch')
    expect(await linkedTo(holdfast)).toEqual([])
  })
})
