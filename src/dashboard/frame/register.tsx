import { useState } from 'react'
import type { Visibility } from '../api/files.ts'
import { register, useIsTrusted } from '../api/session.ts'
import { EmailField, NameField, NewPasswordField } from '../components/fields/account-fields.tsx'
import { ChooseOne } from '../components/fields/choices.tsx'
import { TextField } from '../components/fields/field.tsx'
import { Form, useFormMutation } from '../components/fields/form.tsx'
import { toast } from '../components/overlays/toast.tsx'
import { registerTexts } from '../texts/register.ts'
import { texts } from '../texts.ts'
import { WayIn } from './way-in.tsx'

/** Visibilities of new files, the safer one first. */
const CHOICES = (['private', 'public'] as const).map((value) => ({
  value,
  label: texts.visibility[value],
  hint: registerTexts.newFilesAre[value],
}))

/** Form that creates the admin of a new instance, and sets the visibility of new files. */
export default function Register({ needsToken }: { needsToken: boolean }) {
  const [visibility, setVisibility] = useState<Visibility>('private')
  const isTrusted = useIsTrusted()
  const create = useFormMutation({
    mutationFn: register,
    onSuccess: ({ isVisibilitySet }) => {
      if (!isVisibilitySet) toast.error(registerTexts.newFilesFailed)
    },
  })
  return (
    <WayIn title={registerTexts.title} lead={registerTexts.lead}>
      <Form
        mutation={create}
        action={registerTexts.submit}
        isComplete={isTrusted}
        onSubmit={(form) =>
          create.mutate({
            visibility,
            name: String(form.get('name')),
            email: String(form.get('email')),
            password: String(form.get('newPassword')),
            ...(needsToken && { setupToken: String(form.get('setupToken')).trim() }),
          })
        }
      >
        <NameField />
        <EmailField />
        <NewPasswordField />
        {needsToken && (
          <TextField
            label={registerTexts.token}
            hint={registerTexts.tokenHint}
            name="setupToken"
            autoComplete="off"
            required
          />
        )}
        <ChooseOne
          label={registerTexts.newFiles}
          value={visibility}
          choices={CHOICES}
          onChoose={setVisibility}
        />
        <p className="field-hint">{registerTexts.newFilesLater}</p>
      </Form>
    </WayIn>
  )
}
