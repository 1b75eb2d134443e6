import type { User } from '../../api/users.ts'

/** Dialog above the list. */
export type Overlay = { is: 'add' } | { is: 'role' | 'password' | 'disable' | 'delete'; user: User }
