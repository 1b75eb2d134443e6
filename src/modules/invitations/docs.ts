import { ORIGIN } from '../../access/origin.ts'
import { COOKIE } from '../../access/plugin.ts'
import { documented } from '../../api/openapi/described.ts'
import { ACCOUNT } from '../../api/openapi/samples.ts'

const NOT_FOUND = 'Invitation not found'
const TAKEN = 'Another account uses this "email" already'

/** `GET /api/invitations` */
export const listInvitations = documented('Users', {
  id: 'listInvitations',
  summary: 'List the invitations',
  description: 'Lists used and expired invitations, too, until a week after they expire.',
  returns: 'Newest first, without their tokens.',
})

/** `POST /api/invitations` */
export const createInvitation = documented('Users', {
  id: 'createInvitation',
  summary: 'Invite a person',
  description:
    'Creates a link with which one person creates an account, also while registration is closed. It works while its ' +
    'creator may manage users. Only this response has its token.',
  body: { email: ACCOUNT.user.email, role: 'editor', note: 'the new photographer' },
  returns: 'The invitation with its link.',
  refusals: { 400: [TAKEN], 409: ['There are 500 unused invitations already: revoke some first'] },
})

/** `DELETE /api/invitations` */
export const revokeInvitation = documented('Users', {
  id: 'revokeInvitation',
  summary: 'Revoke an invitation',
  returns: 'Its link no longer works.',
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
  returns: 'The invitation as the invited person sees it.',
  refusals: { 403: ORIGIN, 404: [NOT_FOUND] },
})

/** `POST /api/invitations/accept` */
export const acceptInvitation = documented('Signing in', {
  id: 'acceptInvitation',
  summary: 'Create an account with an invitation',
  description: 'An invitation works once. `email` is required unless the invitation has one.',
  returns: { description: 'The account, signed in.', headers: COOKIE },
  refusals: { 400: [TAKEN], 403: ORIGIN, 404: [NOT_FOUND] },
})
