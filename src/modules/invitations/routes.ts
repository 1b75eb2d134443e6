import { Elysia } from 'elysia'
import { authUser } from '../../access/accounts.ts'
import type { Context } from '../../access/context.ts'
import { type Access, auth, openToAll, sessionCookie } from '../../access/plugin.ts'
import { takes } from '../../api/body.ts'
import { emptyEnvelope, success } from '../../api/schema.ts'
import { deviceOf } from '../../http/exchange.ts'
import * as docs from './docs.ts'
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
  revokeInvitation,
} from './service.ts'

const ADMIN: Access = { scope: 'users:manage', by: 'session' }

/** Builds `/api/invitations`: links by which people create an account, for admins and for those people. */
export const invitationRoutes = (deps: Context) =>
  new Elysia({ prefix: '/api/invitations' }).use(adminRoutes(deps)).use(guestRoutes(deps))

const adminRoutes = (deps: Context) =>
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
      { ...docs.listInvitations, access: ADMIN, response: { 200: InvitationsAnswer } },
    )
    .post(
      '/',
      async ({ caller, body }) => {
        const { token, ...known } = await createInvitation(deps, caller, body)
        return success({ invitation: newInvitationView(known, { token, now: deps.clock.now() }) })
      },
      {
        ...docs.createInvitation,
        access: ADMIN,
        ...takes(CreateInvitationBody),
        response: { 200: NewInvitationAnswer },
      },
    )
    .delete(
      '/',
      async ({ caller, body }) => {
        await revokeInvitation(deps, caller, body.id)
        return success(null)
      },
      { ...docs.revokeInvitation, access: ADMIN, ...takes(RevokeBody), response: { 200: emptyEnvelope } },
    )

const guestRoutes = (deps: Context) =>
  new Elysia()
    .use(sessionCookie(deps))
    .onTransform(({ request }) => deps.origins.assertMaySign(request))
    .post(
      '/open',
      async ({ body, request }) => {
        const { invitation, creator } = await openInvitation(deps, body.token, deviceOf(request))
        return success({ invitation: openView(invitation, creator) })
      },
      { ...openToAll(docs.openInvitation), ...takes(OpenBody), response: { 200: OpenAnswer } },
    )
    .post(
      '/accept',
      async ({ body, request, sessionCookie }) => {
        const { token, user } = await acceptInvitation(deps, body, deviceOf(request))
        sessionCookie.set(token, true)
        return success({ token, user: authUser(user) })
      },
      { ...openToAll(docs.acceptInvitation), ...takes(AcceptBody), response: { 200: AcceptAnswer } },
    )
