import type { Scope } from '../../../client/index.ts'
import type { Access, Role } from '../../api/accounts.ts'
import { ChooseMany, ChooseOne } from '../../components/fields/choices.tsx'
import { SCOPES } from '../../lib/scopes.ts'
import { roleTexts, scopeTexts } from '../../texts/scopes.ts'
import { userTexts } from '../../texts/users.ts'

const ROLES = (['viewer', 'editor', 'admin', 'custom'] as const satisfies Role[]).map((value) => ({
  value,
  ...roleTexts[value],
}))

/** Scopes that a custom role can have. Only admins manage users. */
const CUSTOM_SCOPES = SCOPES.filter((scope) => scope !== 'users:manage')

const SCOPE_CHOICES = CUSTOM_SCOPES.map((value) => ({ value, ...scopeTexts[value] }))

/** An account's access in a form. The chosen scopes stay while another role is selected. */
export interface AccessDraft {
  role: Role
  scopes: Scope[]
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
      label={userTexts.role}
      value={access.role}
      choices={ROLES}
      onChoose={(role) => onChange({ ...access, role })}
    />
    {access.role === 'custom' && (
      <ChooseMany
        label={userTexts.may}
        values={access.scopes}
        choices={SCOPE_CHOICES}
        onChoose={(scopes) => onChange({ ...access, scopes })}
      />
    )}
    {!isComplete(access) && <p className="field-error">{userTexts.chooseScope}</p>}
  </>
)
