import type { FolderRights as Granted } from '../../src/client/types.ts'
import type { Right } from '../../src/store/store.ts'
import { type Access, signIn, type User } from '../support/accounts.ts'
import { apiOf } from '../support/api.ts'
import type { Registered } from '../support/fixture.ts'
import type { Holdfast } from '../support/holdfast.ts'
import { ADMIN } from '../support/holdfast.ts'

export type { Granted, Right }

export const EDITING: Right[] = ['read', 'write', 'delete']

let guests = 0

/** Adds an account that is limited to folders, by their keys, and signs it in. Missing folders are created. */
export async function addGuest(
  holdfast: Pick<Registered<Holdfast>, 'bySession'> & Holdfast,
  folders: Record<string, readonly Right[]>,
  { role, customScopes }: Access = { role: 'editor' },
): Promise<User> {
  guests += 1
  const email = `guest${guests}@example.com`
  await holdfast.bySession.data('POST', '/users', {
    ...{ name: `Guest ${guests}`, email, password: ADMIN.password, role },
    ...(customScopes && { scopes: customScopes }),
    folders: Object.entries(folders).map(([folder, rights]) => ({ folder, rights })),
  })
  return signIn(holdfast, email)
}

type Served = Pick<Registered<Holdfast>, 'bySession'> & Holdfast

/** Limits an account and an invitation to folders, lets everyone into one, and binds an API key to one. */
export async function grantAll(holdfast: Served): Promise<{ guest: User; withKey: { 'API-Key': string } }> {
  const guest = await addGuest(holdfast, { 'granted/deep': EDITING, 'granted trash': ['read', 'share'] })
  const { bySession } = holdfast
  const { folders } = await bySession.data<{ folders: { id: string; key: string }[] }>('GET', '/folders')
  const idOf = (wanted: string) => folders.find(({ key }) => key === wanted)?.id ?? ''
  const everyone = { id: idOf('granted'), everyone: true, rights: ['read'] }
  await bySession.data('PUT', '/folders/people', everyone)
  await bySession.data('POST', '/trash', { fileIds: [], folderIds: [idOf('granted trash')] })
  const invited = [{ folderId: idOf('granted'), rights: ['read', 'write'] }]
  await bySession.data('POST', '/invitations', { role: 'editor', folders: invited })
  const asked = { name: 'bound', scopes: ['files:read'], folderId: idOf('granted') }
  const { key } = await guest.api.data<{ key: { key: string } }>('POST', '/keys', asked)
  return { guest, withKey: { 'API-Key': key.key } }
}

/** Returns all that is granted, as admins and the limited callers see it. */
export async function grantedIn(
  holdfast: Pick<Holdfast, 'fetch'>,
  { admin, guest, withKey }: { admin: Record<string, string>; guest: User; withKey: Record<string, string> },
) {
  const api = apiOf(holdfast, { withKey: admin })
  const { folders } = await api.data<{ folders: { id: string; key: string }[] }>('GET', '/folders')
  const { users } = await api.data<{ users: { folders: Granted[] | null }[] }>('GET', '/users')
  const { invitations } = await api.data<{ invitations: { folders: Granted[] | null }[] }>(
    'GET',
    '/invitations',
  )
  const id = folders.find(({ key }) => key === 'granted')?.id ?? ''
  const me = (headers: Record<string, string>) =>
    apiOf(holdfast, { withKey: headers }).data<{ folders: Granted[] | null }>('GET', '/me')
  return {
    users: users.map(({ folders }) => folders),
    invitations: invitations.map(({ folders }) => folders),
    people: (await api.data<{ people: object[] }>('GET', `/folders/people?id=${id}`)).people,
    callers: [(await me(guest.withSession)).folders, (await me(withKey)).folders],
  }
}
