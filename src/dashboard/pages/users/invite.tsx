import { useState } from 'react'
import { createInvitation, type NewInvitation } from '../../api/invitations.ts'
import { EmailField } from '../../components/fields/account-fields.tsx'
import { Button } from '../../components/fields/button.tsx'
import { CopyField } from '../../components/fields/copy-field.tsx'
import { SelectField, TextField } from '../../components/fields/field.tsx'
import { Form, useFormMutation } from '../../components/fields/form.tsx'
import { Dialog } from '../../components/overlays/dialog.tsx'
import { DialogActions } from '../../components/overlays/dialog-actions.tsx'
import { formatMoment } from '../../lib/format.ts'
import { linkTo } from '../../lib/paths.ts'
import { invitationTexts } from '../../texts/invitations.ts'
import { texts } from '../../texts.ts'
import { type AccessDraft, AccessFields, accessOf, draftOf, isComplete } from './access.tsx'

/** Lifetimes in days. The server accepts 30 at most. */
const LIFETIMES = (['1', '7', '30'] as const).map((value) => ({ value, label: texts.lifetimes[value] }))
const DAY_SECONDS = 86_400

/** Dialog that creates an invitation, then shows its link once. */
export function Invite({ onClose }: { onClose: () => void }) {
  const [access, setAccess] = useState<AccessDraft>(() => draftOf('viewer', ['files:read']))
  const [days, setDays] = useState<(typeof LIFETIMES)[number]['value']>('7')
  const create = useFormMutation({ mutationFn: createInvitation })
  if (create.data) return <Made invitation={create.data} onClose={onClose} />
  return (
    <Dialog
      title={invitationTexts.inviteTitle}
      description={invitationTexts.inviteText}
      isKept={create.isPending}
      onClose={onClose}
    >
      <Form
        mutation={create}
        action={invitationTexts.create}
        isComplete={isComplete(access)}
        onSubmit={(form) => {
          const email = String(form.get('email')).trim()
          create.mutate({
            ...accessOf(access),
            ...(email !== '' && { email }),
            note: String(form.get('note')),
            expiresIn: Number(days) * DAY_SECONDS,
          })
        }}
        onClose={onClose}
      >
        <EmailField
          label={invitationTexts.email}
          hint={invitationTexts.emailHint}
          autoComplete="off"
          required={false}
        />
        <TextField
          label={invitationTexts.note}
          hint={invitationTexts.noteHint}
          name="note"
          maxLength={255}
          autoComplete="off"
        />
        <AccessFields access={access} onChange={setAccess} />
        <SelectField label={texts.lifetime} value={days} options={LIFETIMES} onChoose={setDays} />
      </Form>
    </Dialog>
  )
}

const Made = ({ invitation, onClose }: { invitation: NewInvitation; onClose: () => void }) => (
  <Dialog
    title={invitationTexts.madeTitle}
    description={invitationTexts.madeText(formatMoment(invitation.expiresAt))}
    isKept
    onClose={onClose}
  >
    <CopyField label={invitationTexts.link} text={linkTo(invitation)} />
    <DialogActions>
      <Button look="primary" onClick={onClose}>
        {invitationTexts.done}
      </Button>
    </DialogActions>
  </Dialog>
)
