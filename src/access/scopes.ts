import type { KeyRow, Role } from '../store/rows.ts'

export const FILE_SCOPES = ['files:read', 'files:write', 'files:delete'] as const
export const SCOPES = [...FILE_SCOPES, 'api-keys:manage', 'settings:manage', 'users:manage'] as const

/** Permission of an account or an API key. */
export type Scope = (typeof SCOPES)[number]

const SCOPES_OF_ROLE: Record<Exclude<Role, 'custom'>, readonly Scope[]> = {
  admin: SCOPES,
  editor: [...FILE_SCOPES, 'api-keys:manage'],
  viewer: ['files:read'],
}

/** Returns the scopes of an account: those of its role, or those picked for the custom role. */
export function scopesOf(user: { role: Role; customScopes: readonly string[] }): readonly Scope[] {
  if (user.role !== 'custom') return SCOPES_OF_ROLE[user.role]
  return SCOPES.filter((scope) => scope !== 'users:manage' && user.customScopes.includes(scope))
}

/** Returns the scopes of an API key. One from before API keys had scopes lists none and carries all. */
export const scopesOfKey = ({ scopes }: Pick<KeyRow, 'scopes'>): readonly string[] =>
  scopes.length === 0 ? FILE_SCOPES : scopes
