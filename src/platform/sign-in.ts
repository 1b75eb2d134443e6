import * as T from 'typebox'
import { StartError } from './errors.ts'
import { Networks, parseNetworks } from './networks.ts'

const Text = (options: T.TStringOptions & { unset?: string }) => T.String({ default: '', ...options })

/** Roles that a provider may give. */
export const GIVEN_ROLES = ['admin', 'editor', 'viewer'] as const
export type GivenRole = (typeof GIVEN_ROLES)[number]

const NewAccounts = (from: string) =>
  T.Union([T.Literal('no'), ...GIVEN_ROLES.map((role) => T.Literal(role))], {
    default: 'no',
    title: `Role of an account that is made when ${from} vouches for a person without one; \`no\` makes none.`,
    description: `no, ${GIVEN_ROLES.slice(0, -1).join(', ')} or ${GIVEN_ROLES.at(-1)}`,
  })

/** Variables of the ways to sign in. */
export const SignInVariables = {
  PASSWORD_SIGN_IN: T.Union([T.Literal('yes'), T.Literal('admins'), T.Literal('no')], {
    default: 'yes',
    title: 'Accounts that may sign in with a password. `no` needs another way to sign in.',
    description: 'yes, admins or no',
  }),
  CONFIRM_DANGEROUS: T.Union([T.Literal('yes'), T.Literal('no')], {
    default: 'no',
    title:
      'Whether changes of accounts, API keys, webhooks and settings need a sign-in or a confirmation of the last 10 minutes.',
    description: 'yes or no',
  }),
  OIDC_ISSUER: Text({
    title: 'Issuer of an OpenID Connect provider. Requires `OIDC_CLIENT_ID` and `BASE_URL`.',
    unset: 'none',
    pattern: '^$|^https?://[^?#\\s]+$',
    description: 'the address of a provider, such as https://auth.example.com',
  }),
  OIDC_CLIENT_ID: Text({
    title: 'Client id at the provider.',
    unset: 'none',
    description: 'a client id',
  }),
  OIDC_CLIENT_SECRET: Text({
    title: 'Client secret at the provider; a public client has none.',
    unset: 'none',
    description: 'a client secret',
  }),
  OIDC_NAME: Text({
    title: 'Name of the provider on the sign-in page.',
    unset: 'host of the issuer',
    description: 'a name',
  }),
  OIDC_SCOPES: T.String({
    default: 'openid email profile',
    title: 'Scopes to ask the provider for.',
    pattern: '(^| )openid( |$)',
    description: 'scopes separated by spaces, with openid',
  }),
  OIDC_NEW_ACCOUNTS: NewAccounts('the provider'),
  OIDC_LINK_BY_EMAIL: T.Union([T.Literal('verified'), T.Literal('never')], {
    default: 'verified',
    title: 'Whether a verified e-mail of the provider links to the account that has it. Admins link by hand.',
    description: 'verified or never',
  }),
  OIDC_ROLES: Text({
    title:
      'Roles by group, such as `files-admins=admin,family=editor,*=viewer`: the first that fits, at each sign-in. A person in none of them cannot sign in.',
    unset: 'none: roles are set here',
    description: 'group=role pairs separated by commas, with admin, editor or viewer',
  }),
  OIDC_FOLDERS: Text({
    title:
      'Rights in folders by group, such as `family=/photos:edit+share,*=/public:view`: all that fit, at each sign-in. Accounts that are made then are limited to folders.',
    unset: 'none: rights are set here',
    description: 'group=/folder:level triples separated by commas, with view, add or edit, and +share',
  }),
  OIDC_GROUPS_CLAIM: T.String({
    default: 'groups',
    title: 'Claim with the groups of a person.',
    description: 'the name of a claim',
  }),
  FORWARD_AUTH_HEADER: Text({
    title: "Header in which a proxy names a person's e-mail. Requires `FORWARD_AUTH_FROM`.",
    unset: 'none',
    pattern: '^$|^[A-Za-z][A-Za-z0-9-]*$',
    description: 'the name of a header, such as Remote-Email',
  }),
  FORWARD_AUTH_FROM: Text({
    title: 'Addresses of that proxy. `TRUST_PROXY` does not count, because it often is a whole network.',
    unset: 'none',
    description: 'addresses or CIDR ranges of the proxy, separated by commas',
  }),
  FORWARD_AUTH_SECRET: Text({
    title: 'Value that the proxy must send as `X-Forward-Auth-Secret`.',
    unset: 'none',
    pattern: '^$|^[!-~]{16,}$',
    description: 'a secret of at least 16 characters',
  }),
  FORWARD_AUTH_NEW_ACCOUNTS: NewAccounts('the proxy'),
  FORWARD_AUTH_GROUPS_HEADER: Text({
    title: 'Header with the groups of that person, separated by commas, for `OIDC_ROLES` and `OIDC_FOLDERS`.',
    unset: 'none',
    pattern: '^$|^[A-Za-z][A-Za-z0-9-]*$',
    description: 'the name of a header, such as Remote-Groups',
  }),
}

/** Variables whose values are never shown. */
export const SIGN_IN_SECRETS = ['OIDC_CLIENT_SECRET', 'FORWARD_AUTH_SECRET']

type Variables = T.Static<T.TObject<typeof SignInVariables>>

/** Role of the people of a group; the group `*` has every person. */
export interface RoleOfGroup {
  group: string
  role: GivenRole
}

const LEVELS = { view: ['read'], add: ['read', 'write'], edit: ['read', 'write', 'delete'] } as const

/** Rights of the people of a group in a folder; the group `*` has every person. */
export interface FolderOfGroup {
  group: string
  /** Object key of the folder. */
  key: string
  rights: readonly ((typeof LEVELS)['edit'][number] | 'share')[]
}

/** Roles and rights by group; empty lists when they are set here. */
export interface GroupRules {
  /** The first that fits counts. */
  roles: readonly RoleOfGroup[]
  /** All that fit count. */
  folders: readonly FolderOfGroup[]
}

const NO_RULES: GroupRules = { roles: [], folders: [] }

/** OpenID Connect provider. */
export interface OidcConfig extends GroupRules {
  issuer: string
  clientId: string
  clientSecret: string | undefined
  /** Name on the sign-in page. */
  name: string
  scopes: string
  newAccounts: 'no' | GivenRole
  linkByEmail: 'verified' | 'never'
  groupsClaim: string
}

/** Proxy whose header names a person. */
export interface ForwardAuthConfig extends GroupRules {
  /** Names of headers in lower case. */
  header: string
  groupsHeader: string | undefined
  /** Addresses and networks of the proxy. */
  from: readonly string[]
  secret: string | undefined
  newAccounts: 'no' | GivenRole
}

/** Ways to sign in. */
export interface SignInConfig {
  /** Accounts that may sign in with a password. */
  password: Variables['PASSWORD_SIGN_IN']
  /** True when changes of accounts, API keys, webhooks and settings need a confirmed session. */
  confirmsChanges: boolean
  oidc: OidcConfig | undefined
  forwardAuth: ForwardAuthConfig | undefined
}

/** Ways of an instance with none but passwords. */
export const PASSWORDS_ONLY: SignInConfig = {
  password: 'yes',
  confirmsChanges: false,
  oidc: undefined,
  forwardAuth: undefined,
}

/**
 * Reads the ways to sign in.
 *
 * @throws {StartError} when there would be no way in, or an unsafe one.
 */
export function readSignIn(variables: Variables & { BASE_URL: string }): SignInConfig {
  const rules = { roles: readRoles(variables.OIDC_ROLES), folders: readFolders(variables.OIDC_FOLDERS) }
  const oidc = readOidc(variables, rules)
  const forwardAuth = readForwardAuth(variables, rules)
  const password = variables.PASSWORD_SIGN_IN
  if (password === 'no' && !oidc && !forwardAuth)
    throw new StartError(
      'PASSWORD_SIGN_IN is no, but there is no other way to sign in: set OIDC_ISSUER or FORWARD_AUTH_HEADER, or PASSWORD_SIGN_IN=admins',
    )
  return { password, confirmsChanges: variables.CONFIRM_DANGEROUS === 'yes', oidc, forwardAuth }
}

function readOidc(variables: Variables & { BASE_URL: string }, rules: GroupRules): OidcConfig | undefined {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId } = variables
  if (issuer === '') return undefined
  if (!URL.canParse(issuer)) throw new StartError('OIDC_ISSUER is not a valid address')
  if (!isSafe(new URL(issuer)))
    throw new StartError(
      'OIDC_ISSUER must begin with https://, because it is not on this machine or a local network',
    )
  if (clientId === '') throw new StartError('OIDC_CLIENT_ID is missing: the provider shows it for its client')
  if (variables.BASE_URL === '')
    throw new StartError('BASE_URL is missing: with OIDC_ISSUER, the provider sends people back to it')
  return {
    issuer,
    clientId,
    clientSecret: variables.OIDC_CLIENT_SECRET || undefined,
    name: variables.OIDC_NAME || new URL(issuer).host,
    scopes: variables.OIDC_SCOPES,
    newAccounts: variables.OIDC_NEW_ACCOUNTS,
    linkByEmail: variables.OIDC_LINK_BY_EMAIL,
    ...rules,
    groupsClaim: variables.OIDC_GROUPS_CLAIM,
  }
}

function readForwardAuth(variables: Variables, rules: GroupRules): ForwardAuthConfig | undefined {
  const header = variables.FORWARD_AUTH_HEADER.toLowerCase()
  if (header === '') return undefined
  return {
    header,
    groupsHeader: variables.FORWARD_AUTH_GROUPS_HEADER.toLowerCase() || undefined,
    from: readProxies(variables.FORWARD_AUTH_FROM),
    secret: variables.FORWARD_AUTH_SECRET || undefined,
    newAccounts: variables.FORWARD_AUTH_NEW_ACCOUNTS,
    ...(variables.FORWARD_AUTH_GROUPS_HEADER === '' ? NO_RULES : rules),
  }
}

/** Addresses of no proxy, at both ends of IPv4 and IPv6: a list with one of them has far too many. */
const ENDS = ['0.0.0.0', '255.255.255.255', '::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff']

/** Reads the addresses of the proxy. @throws {StartError} for none, and for those of every machine. */
function readProxies(list: string): string[] {
  let networks: string[]
  try {
    networks = parseNetworks(list)
  } catch (error) {
    throw new StartError(
      `FORWARD_AUTH_FROM must be addresses or CIDR ranges: ${error instanceof Error ? error.message : error}`,
    )
  }
  if (networks.length === 0)
    throw new StartError('FORWARD_AUTH_FROM is missing: with FORWARD_AUTH_HEADER, it names the proxy')
  const listed = new Networks(networks)
  if (ENDS.some((address) => listed.has(address)))
    throw new StartError(
      'FORWARD_AUTH_FROM must not have every address: any visitor could send FORWARD_AUTH_HEADER',
    )
  return networks
}

/** Networks that are not the Internet, and names that are not of it. */
const LOCAL = new Networks([
  ...['10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.168.0.0/16'],
  ...['::1', 'fc00::/7', 'fe80::/10'],
])
const LOCAL_NAME = /^(?:[^.:]+|.+\.(?:localhost|local|lan|home\.arpa|internal))$/

/** Returns true for an address at which another machine cannot easily stand in for the provider. */
const isSafe = ({ protocol, hostname }: URL): boolean =>
  protocol === 'https:' || LOCAL_NAME.test(hostname) || LOCAL.has(hostname.replace(/^\[|\]$/g, ''))

const listed = (text: string): string[] =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')

/** Reads `group=role` pairs. A group may contain `=`, a role does not. */
const readRoles = (text: string): RoleOfGroup[] =>
  listed(text).map((pair) => {
    const at = pair.lastIndexOf('=')
    const role = GIVEN_ROLES.find((known) => known === pair.slice(at + 1).trim())
    const group = pair.slice(0, Math.max(at, 0)).trim()
    if (!role || group === '')
      throw new StartError(
        `OIDC_ROLES must be group=role pairs separated by commas, with admin, editor or viewer, not "${pair}"`,
      )
    return { group, role }
  })

/** Reads `group=/folder:level` triples. The first `=/` ends the group. */
const readFolders = (text: string): FolderOfGroup[] =>
  listed(text).map((triple) => {
    const [, group, key, level, share] =
      /^(.+?)\s*=\s*\/(.+?)\/?:(view|add|edit)(\+share)?$/.exec(triple) ?? []
    if (
      group === undefined ||
      key === undefined ||
      !(level === 'view' || level === 'add' || level === 'edit')
    )
      throw new StartError(
        `OIDC_FOLDERS must be group=/folder:level triples separated by commas, with view, add or edit, and +share, not "${triple}"`,
      )
    return { group, key, rights: [...LEVELS[level], ...(share === undefined ? [] : (['share'] as const))] }
  })

/** Returns the rules for a person of these groups. */
export const rulesOfGroups = <Rule extends { group: string }>(
  rules: readonly Rule[],
  groups: readonly string[],
): Rule[] => rules.filter(({ group }) => group === '*' || groups.includes(group))

/** Returns the role of a person of these groups: the first that fits; `undefined` when none does. */
export const roleOfGroups = (
  roles: readonly RoleOfGroup[],
  groups: readonly string[],
): GivenRole | undefined => rulesOfGroups(roles, groups)[0]?.role
