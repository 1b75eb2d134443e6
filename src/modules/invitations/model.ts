import * as T from 'typebox'
import { AuthUser, RoleField, ScopesField } from '../../access/accounts.ts'
import { scopesOf } from '../../access/caller.ts'
import { describeFolders, FoldersField, GrantView, RightsField } from '../../access/grants.ts'
import { EmailField, NameField, PasswordField } from '../../access/profile.ts'
import { ACCOUNT } from '../../api/openapi/samples.ts'
import { answer, envelope, IsoTime, jsonBody, named, nullable } from '../../api/schema.ts'
import { iso, isoOrNull } from '../../platform/time.ts'
import type { InvitationRow, UserRow } from '../../store/rows.ts'

const DAY_SECONDS = 86_400
const DEFAULT_SECONDS = 7 * DAY_SECONDS
const MAX_SECONDS = 30 * DAY_SECONDS

/** Schema of an account that an invitation names. The name of a deleted account is null. */
const Person = T.Object({ id: T.String(), name: nullable(T.String()) })

const invitationFields = {
  id: T.String(),
  email: nullable(T.String({ description: 'E-mail of the account; null when its owner chooses it.' })),
  role: RoleField,
  customScopes: T.Array(T.String()),
  folders: nullable(
    T.Array(GrantView, { description: 'Folders that the account will be limited to; null for everything.' }),
  ),
  note: nullable(T.String()),
  state: T.Union([T.Literal('open'), T.Literal('used'), T.Literal('expired'), T.Literal('suspended')], {
    description: '`suspended` while its creator may not manage users.',
  }),
  createdBy: Person,
  createdAt: IsoTime,
  expiresAt: IsoTime,
  usedBy: nullable(Person),
  usedAt: nullable(IsoTime),
}
const TOKEN = 'mJ7qX2vK9wTzL4nB8cR1dF6gH3sP5yU0aEiOkNtVxZQ'
const SAMPLE = {
  id: '019a2f58-4d6c-7a1e-8b3f-6c7d8e9f0a1b',
  email: ACCOUNT.user.email,
  role: ACCOUNT.user.role,
  customScopes: [],
  folders: null,
  note: 'the new photographer',
  state: 'open' as const,
  createdBy: { id: '019a2f00-9b8a-7c6d-8e5f-4a3b2c1d0e9f', name: 'Grace' },
  createdAt: '2026-11-01T07:00:00.000Z',
  expiresAt: '2026-11-08T07:00:00.000Z',
  usedBy: null,
  usedAt: null,
}
const InvitationView = named('Invitation', T.Object(invitationFields), SAMPLE)
/** Schema of a new invitation. No other response has its token. */
const NewInvitationView = named(
  'NewInvitation',
  T.Object({
    ...invitationFields,
    token: T.String(),
    url: T.String({ description: 'Link for the invited person. The token is its fragment.' }),
  }),
  { ...SAMPLE, token: TOKEN, url: `invite#${TOKEN}` },
)

export const InvitationsAnswer = envelope(T.Object({ invitations: T.Array(InvitationView) }))
export const NewInvitationAnswer = envelope(T.Object({ invitation: NewInvitationView }))

export const CreateInvitationBody = jsonBody(
  T.Object({
    email: T.Optional(EmailField),
    role: RoleField,
    scopes: T.Optional(ScopesField),
    folders: T.Optional(nullable(FoldersField)),
    note: T.Optional(T.String({ maxLength: 255 })),
    expiresIn: T.Optional(
      T.Integer({
        minimum: 1,
        maximum: MAX_SECONDS,
        default: DEFAULT_SECONDS,
        description: 'Lifetime in seconds: 7 days by default, at most 30.',
      }),
    ),
  }),
)
export type CreateInvitation = T.Static<typeof CreateInvitationBody.schema>
export const lifetimeOf = ({ expiresIn = DEFAULT_SECONDS }: CreateInvitation): number => expiresIn * 1000

export const RevokeBody = jsonBody(T.Object({ id: T.String() }))

export const OpenBody = jsonBody(T.Object({ token: T.String() }))
/** Schema of an invitation as the invited person sees it. */
const OpenView = T.Object({
  invitedBy: T.String({ description: 'Name of the admin that created it.', examples: ['Grace'] }),
  email: nullable(T.String()),
  role: RoleField,
  scopes: T.Array(T.String()),
  folders: nullable(
    T.Array(T.Object({ name: T.String(), rights: RightsField }), {
      description: 'Folders that the account will be limited to, by their names; null for everything.',
      examples: [[{ name: 'photos', rights: ['read', 'write'] }]],
    }),
  ),
  expiresAt: IsoTime,
})
export const OpenAnswer = envelope(T.Object({ invitation: OpenView }))

export const AcceptBody = jsonBody(
  T.Object({
    token: T.String(),
    name: NameField,
    email: T.Optional(T.String({ ...EmailField, description: 'Required unless the invitation has one.' })),
    password: PasswordField,
  }),
)
export type Accept = T.Static<typeof AcceptBody.schema>
export const AcceptAnswer = answer(
  T.Object({ data: T.Object({ token: T.String(), user: AuthUser }), error: T.Null() }),
)

/** Open invitation with its creator, and the folders that the account will be limited to. */
export interface Open {
  invitation: InvitationRow
  creator: UserRow
  folders: GrantView[] | null
}

/** Returns the access of the account in words, such as `as editor, only family: read`. */
export const describeAccess = ({
  invitation: { role },
  folders,
}: Pick<Open, 'invitation' | 'folders'>): string =>
  `as ${role}${folders ? `, only ${describeFolders(folders)}` : ''}`

/** Invitation with its accounts. A deleted account is missing. */
export interface Known {
  invitation: InvitationRow
  creator: UserRow | undefined
  /** Folders that the account will be limited to. */
  folders: GrantView[] | null
  /** Account that the invitation became. */
  user: UserRow | undefined
}

const stateOf = ({ invitation, creator }: Known, now: number) => {
  if (invitation.usedAt !== null) return 'used'
  if (invitation.expiresAt <= now) return 'expired'
  return creator?.role === 'admin' && !creator.disabled ? 'open' : 'suspended'
}

export function invitationView(known: Known, now: number): T.Static<typeof InvitationView> {
  const { invitation, creator, folders, user } = known
  const { id, email, role, customScopes, note, userId, usedBy } = invitation
  return {
    ...{ id, email, role, customScopes, folders, note },
    state: stateOf(known, now),
    createdBy: { id: userId, name: creator?.name ?? null },
    createdAt: iso(invitation.createdAt),
    expiresAt: iso(invitation.expiresAt),
    usedBy: usedBy === null ? null : { id: usedBy, name: user?.name ?? null },
    usedAt: isoOrNull(invitation.usedAt),
  }
}

/** Returns a new invitation with its link. Browsers send no fragment, so no log has the token. */
export const newInvitationView = (
  known: Known,
  { token, now }: { token: string; now: number },
): T.Static<typeof NewInvitationView> => ({
  ...invitationView(known, now),
  token,
  url: `invite#${token}`,
})

export const openView = ({ invitation, creator, folders }: Open): T.Static<typeof OpenView> => ({
  invitedBy: creator.name,
  email: invitation.email,
  role: invitation.role,
  scopes: [...scopesOf(invitation)],
  folders: folders === null ? null : folders.map(({ name, rights }) => ({ name, rights })),
  expiresAt: iso(invitation.expiresAt),
})
