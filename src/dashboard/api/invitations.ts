import { useQuery } from '@tanstack/react-query'
import type { AcceptFields, Invitation, InvitationFields, NewInvitation } from '../../client/index.ts'
import { client, hasStatus } from './client.ts'
import { queryClient } from './query.ts'

export type { Invitation, NewInvitation }

/** Beginning of the keys of queries that change with the accounts. */
const LIST = ['users', 'invitations']

export const useInvitations = () => useQuery({ queryKey: LIST, queryFn: client.invitations.list })

const refresh = () => queryClient.invalidateQueries({ queryKey: LIST })

/** Returns the invitation with its link, which can be read only now. */
export async function createInvitation(fields: InvitationFields): Promise<NewInvitation> {
  const invitation = await client.invitations.create(fields)
  await refresh()
  return invitation
}

export async function revokeInvitation(id: string): Promise<void> {
  await client.invitations.revoke(id).finally(refresh)
}

/** Queries an invitation by its token, as the invited person. */
export const useOpenInvitation = (token: string) =>
  useQuery({
    queryKey: ['invitation', token],
    queryFn: () => client.invitations.open(token),
    staleTime: Number.POSITIVE_INFINITY,
  })

/** Creates the account of an invitation, and opens the dashboard with it. */
export async function acceptInvitation(fields: AcceptFields): Promise<never> {
  try {
    await client.invitations.accept(fields)
  } catch (error) {
    // Used or revoked meanwhile: the page says so instead of the form.
    if (hasStatus(error, 404)) await queryClient.invalidateQueries({ queryKey: ['invitation', fields.token] })
    throw error
  }
  // Loads the page anew, so that the token leaves the address and the memory.
  location.replace('/')
  return new Promise<never>(() => {})
}
