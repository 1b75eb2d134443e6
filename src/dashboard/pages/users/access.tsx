import type { Access, Role } from '../../api/users.ts'
import { ChooseMany, ChooseOne } from '../../components/choices.tsx'
import { texts } from '../../texts.ts'

const ROLES = (['viewer', 'editor', 'admin', 'custom'] as const satisfies Role[]).map((value) => ({
  value,
  ...texts.roles[value],
}))

/** What a custom role can be made of: users are managed by admins alone. */
const CUSTOM_SCOPES = [
  'files:read',
  'files:write',
  'files:delete',
  'api-keys:manage',
  'settings:manage',
] as const satisfies Access['scopes']
type CustomScope = (typeof CUSTOM_SCOPES)[number]

const SCOPE_CHOICES = CUSTOM_SCOPES.map((value) => ({ value, ...texts.scopes[value] }))

/** An account's access as a form holds it: the picked scopes stay while another role is looked at. */
export interface AccessDraft {
  role: Role
  scopes: CustomScope[]
}

export const draftOf = (role: Role, scopes: readonly string[]): AccessDraft => ({
  role,
  scopes: CUSTOM_SCOPES.filter((scope) => scopes.includes(scope)),
})

export const isComplete = ({ role, scopes }: AccessDraft) => role !== 'custom' || scopes.length > 0

export const accessOf = ({ role, scopes }: AccessDraft): Access => ({
  role,
  scopes: role === 'custom' ? scopes : [],
})

interface AccessFieldsProps {
  access: AccessDraft
  onChange: (access: AccessDraft) => void
}

export const AccessFields = ({ access, onChange }: AccessFieldsProps) => (
  <>
    <ChooseOne
      label={texts.users.role}
      value={access.role}
      choices={ROLES}
      onChoose={(role) => onChange({ ...access, role })}
    />
    {access.role === 'custom' && (
      <ChooseMany
        label={texts.users.may}
        values={access.scopes}
        choices={SCOPE_CHOICES}
        onChoose={(scopes) => onChange({ ...access, scopes })}
      />
    )}
    {!isComplete(access) && <p className="field-error">{texts.users.chooseScope}</p>}
  </>
)
