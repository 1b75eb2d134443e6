import { ORIGIN } from '../../access/origin.ts'
import { COOKIE } from '../../access/plugin.ts'
import { documented } from '../../api/openapi/described.ts'
import { INVITATION, INVITATION_TOKEN, PASSWORD, SIGNED_IN, USER } from '../../api/openapi/samples.ts'
import { success } from '../../api/schema.ts'

const NOT_FOUND = 'Invitation not found'
const TAKEN = 'Another account uses this "email" already'

/** `GET /api/invitations` */
export const listInvitations = documented('Users', {
  id: 'listInvitations',
  summary: 'List the invitations',
  description: 'Lists used and expired invitations, too, until a week after they expire.',
  returns: {
    description: 'Newest first, without their tokens.',
    examples: { 'an open one': success({ invitations: [INVITATION] }) },
  },
})

/** `POST /api/invitations` */
export const createInvitation = documented('Users', {
  id: 'createInvitation',
  summary: 'Invite a person',
  description:
    'Creates a link with which one person creates an account, also while registration is closed. It works while its ' +
    'creator may manage users. Only this response has its token.',
  body: { email: USER.email, role: 'editor', note: INVITATION.note },
  returns: {
    description: 'The invitation with its link.',
    examples: {
      'for an editor': success({
        invitation: { ...INVITATION, token: INVITATION_TOKEN, url: `invite#${INVITATION_TOKEN}` },
      }),
    },
  },
  refusals: { 400: [TAKEN], 409: ['There are 500 unused invitations already: revoke some first'] },
})

/** `DELETE /api/invitations` */
export const revokeInvitation = documented('Users', {
  id: 'revokeInvitation',
  summary: 'Revoke an invitation',
  body: { id: INVITATION.id },
  returns: { description: 'Its link no longer works.', examples: { gone: success(null) } },
  refusals: {
    404: [NOT_FOUND],
    409: ['The invitation was used: disable or delete its account instead'],
  },
})

/** `POST /api/invitations/open` */
export const openInvitation = documented('Signing in', {
  id: 'openInvitation',
  summary: 'Get an invitation by its token',
  description:
    'The 404 is the same for an unknown token and for an invitation that expired, was used, revoked or suspended.',
  body: { token: INVITATION_TOKEN },
  returns: {
    description: 'The invitation as the invited person sees it.',
    examples: {
      'for an editor': success({
        invitation: {
          invitedBy: INVITATION.createdBy.name,
          email: INVITATION.email,
          role: INVITATION.role,
          scopes: USER.scopes,
          expiresAt: INVITATION.expiresAt,
        },
      }),
    },
  },
  refusals: { 403: ORIGIN, 404: [NOT_FOUND] },
})

/** `POST /api/invitations/accept` */
export const acceptInvitation = documented('Signing in', {
  id: 'acceptInvitation',
  summary: 'Create an account with an invitation',
  description: 'An invitation works once. `email` is required unless the invitation has one.',
  body: { token: INVITATION_TOKEN, name: USER.name, email: USER.email, password: PASSWORD },
  returns: {
    description: 'The account, signed in.',
    headers: COOKIE,
    examples: { 'an editor': success(SIGNED_IN) },
  },
  refusals: { 400: [TAKEN], 403: ORIGIN, 404: [NOT_FOUND] },
})
