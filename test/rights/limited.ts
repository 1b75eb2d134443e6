import { type Access, signIn, type User } from '../support/accounts.ts'
import type { Registered } from '../support/fixture.ts'
import type { Holdfast } from '../support/holdfast.ts'
import { ADMIN } from '../support/holdfast.ts'

export type Right = 'read' | 'write' | 'delete' | 'share'

export const EDITING: Right[] = ['read', 'write', 'delete']

/** Folder that an account is limited to, as an admin sees it. */
export interface Granted {
  folderId: string
  key: string | null
  name: string
  rights: Right[]
}

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
