import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import type { User as Account } from '../../src/client/types.ts'
import { readConfig } from '../../src/platform/config.ts'
import { withInside } from '../support/fixture.ts'
import { ADMIN, BASE_URL, cookieOf } from '../support/holdfast.ts'
import { Browser, CLIENT, startProvider } from '../support/provider.ts'

/** Rights in folders that groups of a provider or a proxy give at each sign-in. */

const provider = startProvider()
const OIDC_FOLDERS =
  'family=/photos:view,parents=/photos:edit+share,a=b=/clients/acme:add,*=/public:view,ghosts=/gone:edit'
// Each browser has an address of its own, because sign-ins of one are limited.
const VARIABLES = { TRUST_PROXY: '127.0.0.1', OIDC_NEW_ACCOUNTS: 'editor', OIDC_FOLDERS }
const holdfast = withInside({ environment: { ...provider.environment, ...VARIABLES } })
const roles = withInside({
  environment: { ...provider.environment, ...VARIABLES, OIDC_ROLES: 'admins=admin,*=editor' },
})
const proxied = withInside({
  environment: {
    FORWARD_AUTH_HEADER: 'Remote-Email',
    FORWARD_AUTH_FROM: '127.0.0.1',
    FORWARD_AUTH_NEW_ACCOUNTS: 'viewer',
    FORWARD_AUTH_GROUPS_HEADER: 'Remote-Groups',
    OIDC_FOLDERS,
  },
})

afterAll(() => provider[Symbol.asyncDispose]())

type Server = typeof holdfast
beforeEach(async () => {
  for (const { api } of [holdfast, roles, proxied])
    for (const key of ['photos', 'clients/acme', 'public']) await api.createFolder(key).catch(() => {})
})

let people = 0
/** Lets a new person sign in with the provider. */
async function meet(groups: unknown, server = holdfast) {
  people += 1
  const sub = `member-${people}`
  const email = `${sub}@example.com`
  const browser = new Browser(server)
  /** Signs in as a member of other groups, and returns the account as admins see it. */
  const signIn = async (now: unknown) => {
    provider.person = { sub, email, email_verified: true, groups: now }
    expect(await browser.signIn()).not.toContain('error')
    return await find(server, email)
  }
  return { email, browser, signIn, account: await signIn(groups) }
}

async function find(server: Server, email: string): Promise<Account> {
  const { users } = await server.bySession.data<{ users: Account[] }>('GET', '/users')
  const account = users.find((user) => user.email === email)
  if (!account) throw new Error(`There is no account ${email}`)
  return account
}

/** Returns the rights by folder, and those that groups give. */
const rightsOf = ({ folders }: Account) =>
  folders && Object.fromEntries(folders.map(({ key, rights, byGroups }) => [key, [rights, byGroups]]))

const VIEW = [['read'], ['read']]
const EDIT = ['read', 'write', 'delete', 'share']
const PUBLIC = { public: VIEW }

/** Returns the details of an account's events, the newest first. */
async function logged(server: Server, userId: string) {
  const { activities } = await server.bySession.data<{
    activities: { type: string; detail: string }[]
  }>('GET', `/activity?security=1&user=${userId}`)
  return activities.filter(({ type }) => type === 'folders.changed').map(({ detail }) => detail)
}

describe('groups of a provider', () => {
  test('limit a new account to their folders, and give the union of their rights', async () => {
    const { account, browser } = await meet(['family', 'parents', 'a=b'])

    expect(rightsOf(account)).toEqual({
      'clients/acme': [
        ['read', 'write'],
        ['read', 'write'],
      ],
      photos: [EDIT, EDIT],
      ...PUBLIC,
    })
    const folders = await (await browser.send('/api/folders')).json()
    expect(folders).toMatchObject({
      data: { folders: [{ key: 'clients/acme' }, { key: 'photos' }, { key: 'public' }] },
    })
    expect(await logged(holdfast, account.id)).toEqual([
      'clients/acme: read, write; photos: read, write, delete, share; public: read, by Example ID',
    ])
  })

  test('give their rights until the next sign-in without them', async () => {
    const { account, signIn } = await meet(['family'])
    expect(rightsOf(account)).toEqual({ photos: VIEW, ...PUBLIC })

    expect(rightsOf(await signIn([]))).toEqual(PUBLIC)
    expect(rightsOf(await signIn('parents'))).toEqual({ photos: [EDIT, EDIT], ...PUBLIC })
    expect(await logged(holdfast, account.id)).toEqual([
      'photos: read, write, delete, share; public: read, by Example ID',
      'public: read, by Example ID',
      'photos: read; public: read, by Example ID',
    ])
    await signIn('parents')
    expect(await logged(holdfast, account.id)).toHaveLength(3)
  })

  test.each<[string, unknown]>([
    ['names like folders and rules', ['/photos', 'photos', 'family=/photos:edit', 'FAMILY', 'family ']],
    ['no texts', [['family'], { family: true }, null, 7]],
    ['properties of objects', ['__proto__', 'constructor', 'toString']],
    ['control characters', ['family\u0000', 'fam\u0007ily', '\u202efamily']],
    ['an object', { family: 'parents' }],
    ['one text with a list', 'family,parents'],
    ['ten thousand', Array.from({ length: 10_000 }, (_, number) => `group ${number}`)],
  ])('that are %s give nothing', async (_, groups) => {
    const { account } = await meet(groups)
    expect(rightsOf(account)).toEqual(PUBLIC)
  })

  test('that name a folder that does not exist give nothing, and the log says so', async () => {
    const { account } = await meet(['ghosts'])
    expect(rightsOf(account)).toEqual(PUBLIC)
    expect(holdfast.logged.map(({ message }) => message)).toContain(
      'OIDC_FOLDERS names the folder "gone", which does not exist: it gives no rights',
    )
  })

  test('follow a renamed folder until the next sign-in, and never take the rights of another one', async () => {
    const { api } = holdfast
    const { email, signIn } = await meet(['family'])
    const photos = (await find(holdfast, email)).folders?.find(({ key }) => key === 'photos')
    await api.data('PUT', '/folders', { id: photos?.folderId, name: 'pictures' })
    expect(rightsOf(await find(holdfast, email))).toEqual({ pictures: VIEW, ...PUBLIC })
    const other = await api.createFolder('photos')

    const account = await signIn(['family'])

    expect(rightsOf(account)).toEqual({ photos: VIEW, ...PUBLIC })
    expect(account.folders?.find(({ key }) => key === 'photos')?.folderId).toBe(other.id)
  })

  test('give nothing in a deleted folder', async () => {
    const { api } = holdfast
    const { account, email, signIn } = await meet(['a=b'])
    await api.data('DELETE', '/folders', { id: account.folders?.[0]?.folderId })
    expect(rightsOf(await find(holdfast, email))).toEqual(PUBLIC)
    expect(rightsOf(await signIn(['a=b']))).toEqual(PUBLIC)
  })

  test('leave rights that an admin gave, which stay without the groups', async () => {
    const home = await holdfast.api.createFolder('home')
    const { account, signIn } = await meet(['family'])
    const folders = [
      ...(account.folders ?? []).map(({ folderId, rights }) => ({ folderId, rights })),
      { folderId: home.id, rights: ['read', 'write'] },
    ]
    await holdfast.bySession.data('PUT', '/users', { id: account.id, folders })
    const photos = folders.find(({ rights }) => rights.length === 1)?.folderId

    const own = { home: [['read', 'write'], undefined] }
    expect(rightsOf(await signIn(['family']))).toEqual({ ...own, photos: VIEW, ...PUBLIC })
    await holdfast.bySession.data('PUT', '/folders/people', {
      id: photos,
      userId: account.id,
      rights: ['read', 'write'],
    })
    expect(rightsOf(await signIn(['family']))).toEqual({
      ...own,
      photos: [['read', 'write'], ['read']],
      ...PUBLIC,
    })
    expect(rightsOf(await signIn([]))).toEqual({ ...own, photos: [['read', 'write'], undefined], ...PUBLIC })
  })

  test('are where their rights are changed', async () => {
    const { account } = await meet(['parents'])
    const id = account.folders?.find(({ key }) => key === 'photos')?.folderId ?? ''
    const refused: [number, string] = [400, '"rights" come from Example ID: change the groups there']
    const people = { id, userId: account.id }
    const change = (folders: object[]) =>
      holdfast.bySession.refusal('PUT', '/users', { id: account.id, folders })

    expect(await holdfast.bySession.refusal('PUT', '/folders/people', { ...people, rights: [] })).toEqual(
      refused,
    )
    expect(
      await holdfast.bySession.refusal('PUT', '/folders/people', { ...people, rights: ['read'] }),
    ).toEqual(refused)
    expect(await change([])).toEqual(refused)
    expect(await change([{ folderId: id, rights: ['read'] }])).toEqual(refused)
    const { people: listed } = await holdfast.bySession.data<{ people: { byGroups?: string[] }[] }>(
      'GET',
      `/folders/people?id=${id}`,
    )
    expect(listed).toContainEqual(expect.objectContaining({ rights: EDIT, byGroups: EDIT, inherited: false }))
  })

  test('give nothing to an account that reaches everything, and limit none', async () => {
    const { account, signIn } = await meet(['family'])
    await holdfast.bySession.data('PUT', '/users', { id: account.id, folders: null })

    expect((await signIn(['family'])).folders).toBeNull()

    await holdfast.bySession.data('PUT', '/users', { id: account.id, folders: [] })
    expect(rightsOf(await find(holdfast, account.email))).toEqual({})
    expect(rightsOf(await signIn(['family']))).toEqual({ photos: VIEW, ...PUBLIC })
  })

  test('give nothing any more after unlinking', async () => {
    const { account, browser } = await meet(['family'])
    const { password } = ADMIN
    await holdfast.bySession.data('PUT', '/users', { id: account.id, password, keepLinked: true })
    const other = new Browser(holdfast)
    await other.post('/api/auth/sign-in/email', { email: account.email, password })

    const unlinked = await other.post('/api/auth/unlink-account', { providerId: 'oidc' })

    expect(unlinked.status).toBe(200)
    expect(rightsOf(await find(holdfast, account.email))).toEqual({})
    expect(await logged(holdfast, account.id)).toContain('no folder, by Example ID')
    expect(browser.cookies.size).toBeGreaterThan(0)
  })
})

describe('roles by groups beside folders', () => {
  test('end the limits of a new admin, and limit an account that is no admin any more', async () => {
    const { account, signIn } = await meet(['family'], roles)
    expect(rightsOf(account)).toEqual({ photos: VIEW, ...PUBLIC })

    expect(await signIn(['admins', 'family'])).toMatchObject({ role: 'admin', folders: null })
    const demoted = await signIn(['family'])

    expect(demoted.role).toBe('editor')
    expect(rightsOf(demoted)).toEqual({ photos: VIEW, ...PUBLIC })
    expect(await logged(roles, account.id)).toEqual([
      'photos: read; public: read, by Example ID',
      'everything, by Example ID',
      'photos: read; public: read, by Example ID',
    ])
  })

  test('make no admin of an account that an admin let into a folder', async () => {
    const home = await roles.api.createFolder('home')
    const { account, signIn } = await meet([], roles)
    const people = { id: home.id, userId: account.id, rights: ['read'] }
    await roles.bySession.data('PUT', '/folders/people', people)

    expect((await signIn(['admins'])).role).toBe('editor')

    expect(roles.logged.map(({ message }) => message)).toContain(
      `${account.email} stays editor although Example ID says admin: it is limited to folders`,
    )
  })
})

describe('groups of a proxy', () => {
  const signIn = async (email: string, groups?: string) => {
    const response = await proxied.fetch('/api/auth/sign-in/forwarded', {
      method: 'POST',
      headers: [
        ['Content-Type', 'application/json'],
        ['Origin', BASE_URL],
        ['Remote-Email', email],
        ...(groups === undefined ? [] : [['Remote-Groups', groups] as [string, string]]),
      ],
      body: '{}',
    })
    expect([response.status, cookieOf(response)]).toEqual([200, expect.stringContaining('session_token')])
    return await find(proxied, email)
  }

  test('give rights at each sign-in, and end them without the header', async () => {
    const account = await signIn('grace@example.com', 'family, a=b')
    expect(rightsOf(account)).toMatchObject({
      photos: VIEW,
      'clients/acme': [
        ['read', 'write'],
        ['read', 'write'],
      ],
    })
    expect(rightsOf(await signIn('grace@example.com'))).toEqual(PUBLIC)
    expect((await logged(proxied, account.id))[0]).toBe('public: read, by the proxy')
    const refused = await proxied.bySession.refusal('PUT', '/users', { id: account.id, folders: [] })
    expect(refused).toEqual([400, '"rights" come from the proxy: change the groups there'])
    expect((await signIn(ADMIN.email, 'family')).folders).toBeNull()
  })
})

test.each([
  'family=photos:view',
  'family=/photos',
  'family=/photos:own',
  'family=/:view',
  '=/photos:view',
  'family=/photos:share',
  'family=/photos:view+delete',
])('OIDC_FOLDERS cannot be "%s"', (value) => {
  const oidc = { BASE_URL, OIDC_ISSUER: 'https://auth.example.com', OIDC_CLIENT_ID: CLIENT.id }
  expect(() => readConfig({ ...oidc, OIDC_FOLDERS: value })).toThrow(
    'OIDC_FOLDERS must be group=/folder:level triples',
  )
})
