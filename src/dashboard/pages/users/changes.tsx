import { useState } from 'react'
import {
  type AccountUsage,
  changeUser,
  deleteUser,
  resetSecondFactor,
  setQuota,
  type User,
  useUsage,
} from '../../api/accounts.ts'
import { AmountField } from '../../components/fields/amounts.tsx'
import { Form, useFormMutation } from '../../components/fields/form.tsx'
import { optionsOf, Segments } from '../../components/fields/select.tsx'
import { ConfirmChange } from '../../components/overlays/confirm.tsx'
import { Dialog } from '../../components/overlays/dialog.tsx'
import { toast } from '../../components/overlays/toast.tsx'
import { type Amount, fromAmount, toAmount, type Unit } from '../../lib/amount.ts'
import { BYTE_UNITS, formatBytes } from '../../lib/format.ts'
import { roleTexts } from '../../texts/scopes.ts'
import { userTexts } from '../../texts/users.ts'
import { type AccessDraft, AccessFields, accessOf, draftOf, isComplete } from './access.tsx'

const UNITS: Unit[] = BYTE_UNITS.map((label, power) => ({ label, factor: 1024 ** power })).slice(2, 5)
/** Limit that a first one begins with. */
const TEN_GB: Amount = { text: '10', factor: 1024 ** 3 }

interface ChangeQuotaProps {
  user: User
  onClose: () => void
}

/** Dialog that limits the storage of an account. */
export function ChangeQuota(props: ChangeQuotaProps) {
  const { data } = useUsage()
  const storage = data?.find(({ id }) => id === props.user.id)
  return storage && <QuotaDialog storage={storage} {...props} />
}

function QuotaDialog({ user, storage, onClose }: ChangeQuotaProps & { storage: AccountUsage }) {
  const { quota: known, usedBytes } = storage
  const [isLimited, setLimited] = useState(known !== null)
  const [amount, setAmount] = useState(known === null ? TEN_GB : toAmount(known, UNITS))
  const bytes = fromAmount(amount)
  const isValid = bytes !== undefined && bytes >= 0
  const change = useFormMutation({
    mutationFn: () => setQuota(user.id, isLimited && bytes !== undefined ? bytes : null),
    onSuccess: () => {
      toast.done(userTexts.quotaChanged(user.name, isLimited && isValid ? formatBytes(bytes) : undefined))
      onClose()
    },
  })
  return (
    <Dialog title={userTexts.quotaTitle(user.name)} description={userTexts.quotaText} onClose={onClose}>
      <Form
        mutation={change}
        action={userTexts.save}
        isComplete={!isLimited || isValid}
        onSubmit={() => change.mutate()}
        onClose={onClose}
      >
        <Segments
          label={userTexts.quota}
          value={isLimited ? 'limit' : 'none'}
          options={optionsOf(['none', 'limit'], userTexts.quotaChoices)}
          onChoose={(choice) => setLimited(choice === 'limit')}
        />
        {isLimited && (
          <AmountField
            label={userTexts.quota}
            hint={userTexts.quotaUsed(formatBytes(usedBytes))}
            amount={amount}
            units={UNITS}
            onChange={setAmount}
          />
        )}
      </Form>
    </Dialog>
  )
}

export function ChangeRole({ user, onClose }: { user: User; onClose: () => void }) {
  // A custom role starts with the current permissions.
  const [access, setAccess] = useState<AccessDraft>(() => draftOf(user.role, user.scopes))
  const change = useFormMutation({
    mutationFn: () => changeUser(user.id, accessOf(access)),
    onSuccess: ({ name, role }) => {
      toast.done(userTexts.roleChanged(name, roleTexts[role].label.toLowerCase()))
      onClose()
    },
  })
  return (
    <Dialog
      title={userTexts.changeRoleTitle(user.name)}
      description={userTexts.changeRoleText}
      onClose={onClose}
    >
      <Form
        mutation={change}
        action={userTexts.save}
        isComplete={isComplete(access)}
        onSubmit={() => change.mutate()}
        onClose={onClose}
      >
        <AccessFields access={access} onChange={setAccess} />
      </Form>
    </Dialog>
  )
}

interface ConfirmationProps {
  user: User
  onClose: () => void
}

export const DisableUser = ({ user, onClose }: ConfirmationProps) => (
  <ConfirmChange
    title={userTexts.disableTitle(user.name)}
    action={userTexts.disable}
    change={() => changeUser(user.id, { disabled: true })}
    done={userTexts.disabledNow(user.name)}
    onClose={onClose}
  >
    {userTexts.disableText}
  </ConfirmChange>
)

export const ResetTwoStep = ({ user, onClose }: ConfirmationProps) => (
  <ConfirmChange
    title={userTexts.resetTwoStepTitle(user.name)}
    action={userTexts.resetTwoStepAction}
    change={() => resetSecondFactor(user.id)}
    done={userTexts.twoStepReset(user.name)}
    onClose={onClose}
  >
    {userTexts.resetTwoStepText}
  </ConfirmChange>
)

export const DeleteUser = ({ user, onClose }: ConfirmationProps) => (
  <ConfirmChange
    title={userTexts.deleteTitle(user.name)}
    action={userTexts.delete}
    change={() => deleteUser(user.id)}
    done={userTexts.deleted(user.name)}
    onClose={onClose}
  >
    {userTexts.deleteText}
  </ConfirmChange>
)
