import type { Invitation } from '../../api/invitations.ts'
import type { User } from '../../api/users.ts'

/** Dialog above the list. */
export type Overlay =
  | { is: 'add' | 'invite' }
  | { is: 'revoke'; invitation: Invitation }
  | { is: 'role' | 'password' | 'quota' | 'disable' | 'delete'; user: User }
