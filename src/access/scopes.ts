import type { KeyRow, Role } from '../store/rows.ts'

export const FILE_SCOPES = ['files:read', 'files:write', 'files:delete'] as const
export const SCOPES = [...FILE_SCOPES, 'api-keys:manage', 'settings:manage', 'users:manage'] as const

/** What an account or a key may do (spec: Scopes and roles). */
export type Scope = (typeof SCOPES)[number]

const SCOPES_OF_ROLE: Record<Exclude<Role, 'custom'>, readonly Scope[]> = {
  admin: SCOPES,
  editor: [...FILE_SCOPES, 'api-keys:manage'],
  viewer: ['files:read'],
}

/** What an account may do: its role's scopes, or those picked for the custom role. */
export function scopesOf(user: { role: Role; customScopes: readonly string[] }): readonly Scope[] {
  if (user.role !== 'custom') return SCOPES_OF_ROLE[user.role]
  return SCOPES.filter((scope) => scope !== 'users:manage' && user.customScopes.includes(scope))
}

/** What a key was made for. One from before keys had scopes has none listed: it carries all that keys can. */
export const scopesOfKey = ({ scopes }: Pick<KeyRow, 'scopes'>): readonly string[] =>
  scopes.length === 0 ? FILE_SCOPES : scopes
