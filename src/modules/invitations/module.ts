import { Elysia } from 'elysia'
import { authUser, NAMES_EMAIL } from '../../access/accounts.ts'
import type { Context, TreeContext } from '../../access/context.ts'
import { ORIGIN } from '../../access/origin.ts'
import { ADMIN, auth, COOKIE, sessionCookie } from '../../access/plugin.ts'
import { whole } from '../../access/reach.ts'
import { openRoute, route } from '../../access/route.ts'
import { ACCOUNT } from '../../api/openapi/samples.ts'
import { done, emptyEnvelope, success } from '../../api/schema.ts'
import { deviceOf } from '../../http/exchange.ts'
import { alsoAtStart } from '../../platform/jobs.ts'
import {
  AcceptAnswer,
  AcceptBody,
  CreateInvitationBody,
  InvitationsAnswer,
  invitationView,
  NewInvitationAnswer,
  newInvitationView,
  OpenAnswer,
  OpenBody,
  openView,
  RevokeBody,
} from './model.ts'
import {
  acceptInvitation,
  createInvitation,
  listInvitations,
  openInvitation,
  removeExpired,
  revokeInvitation,
} from './service.ts'

const NOT_FOUND = 'Invitation not found'

const TAKEN = 'Another account uses this "email" already'

const LIMITLESS =
  'An admin, or an account with the scope settings:manage, reaches everything: "folders" must be null'

/** Builds `/api/invitations`: links by which people create an account, for admins and for those people. */
const invitationRoutes = (deps: Context) =>
  // No limited caller may manage users; the token of an invitation authorizes the invited person.
  new Elysia({ prefix: '/api/invitations' }).use(adminRoutes(whole(deps))).use(guestRoutes(whole(deps)))

const LIST_INVITATIONS = route('Users', ADMIN, {
  id: 'listInvitations',
  summary: 'List the invitations',
  description: 'Lists used and expired invitations, too, until a week after they expire.',
  answer: InvitationsAnswer,
  returns: 'Newest first, without their tokens.',
})

const CREATE_INVITATION = route('Users', ADMIN, {
  id: 'createInvitation',
  summary: 'Invite a person',
  description:
    'Creates a link with which one person creates an account, also while registration is closed. It works while its ' +
    'creator may manage users. With `folders`, the account will be limited to those of them that exist then; a missing one ' +
    'named by its key is created now. Only this response has its token.',
  example: { email: ACCOUNT.user.email, role: 'editor', note: 'the new photographer' },
  takes: CreateInvitationBody,
  answer: NewInvitationAnswer,
  returns: 'The invitation with its link.',
  refusals: {
    400: [TAKEN, LIMITLESS, NAMES_EMAIL],
    404: ['Folder not found'],
    409: ['There are 500 unused invitations already: revoke some first'],
  },
})

const REVOKE_INVITATION = route('Users', ADMIN, {
  id: 'revokeInvitation',
  summary: 'Revoke an invitation',
  takes: RevokeBody,
  answer: emptyEnvelope,
  returns: 'Its link no longer works.',
  refusals: {
    404: [NOT_FOUND],
    409: ['The invitation was used: disable or delete its account instead'],
  },
})

const adminRoutes = (deps: TreeContext) =>
  new Elysia()
    .use(auth(deps))
    .get(
      '/',
      async () => {
        const now = deps.clock.now()
        return success({
          invitations: (await listInvitations(deps)).map((known) => invitationView(known, now)),
        })
      },
      { ...LIST_INVITATIONS },
    )
    .post(
      '/',
      async ({ caller, body }) => {
        const { token, ...known } = await createInvitation(deps, caller, body)
        return success({ invitation: newInvitationView(known, { token, now: deps.clock.now() }) })
      },
      { ...CREATE_INVITATION },
    )
    .delete('/', ({ caller, body }) => done(revokeInvitation(deps, caller, body.id)), {
      ...REVOKE_INVITATION,
    })

const OPEN_INVITATION = openRoute('Signing in', {
  id: 'openInvitation',
  summary: 'Get an invitation by its token',
  description:
    'The 404 is the same for an unknown token and for an invitation that expired, was used, revoked or suspended.',
  takes: OpenBody,
  answer: OpenAnswer,
  returns: 'The invitation as the invited person sees it.',
  refusals: { 403: ORIGIN, 404: [NOT_FOUND] },
})

const ACCEPT_INVITATION = openRoute('Signing in', {
  id: 'acceptInvitation',
  summary: 'Create an account with an invitation',
  description: 'An invitation works once. `email` is required unless the invitation has one.',
  takes: AcceptBody,
  answer: AcceptAnswer,
  returns: { description: 'The account, signed in.', headers: COOKIE },
  refusals: { 400: [TAKEN, NAMES_EMAIL], 403: ORIGIN, 404: [NOT_FOUND] },
})

const guestRoutes = (deps: TreeContext) =>
  new Elysia()
    .use(sessionCookie(deps))
    .onTransform(({ request }) => deps.origins.assertMaySign(request))
    .post(
      '/open',
      async ({ body, request }) => {
        const open = await openInvitation(deps, body.token, deviceOf(request))
        return success({ invitation: openView(open) })
      },
      { ...OPEN_INVITATION },
    )
    .post(
      '/accept',
      async ({ body, request, sessionCookie }) => {
        const { token, user } = await acceptInvitation(deps, body, deviceOf(request))
        sessionCookie.set(token, true)
        return success({ token, user: authUser(user) })
      },
      { ...ACCEPT_INVITATION },
    )

/** Creates the module of invitations: links with which people create accounts. */
export const createInvitations = (context: Context) => ({
  routes: invitationRoutes(context),
  jobs: [alsoAtStart('23 * * * *', 'Removing expired invitations', () => removeExpired(context))],
})
