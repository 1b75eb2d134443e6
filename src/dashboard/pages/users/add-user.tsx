import { useState } from 'react'
import { createUser } from '../../api/users.ts'
import { EmailField, NameField } from '../../components/fields/account-fields.tsx'
import { Form, useFormMutation } from '../../components/fields/form.tsx'
import { Dialog } from '../../components/overlays/dialog.tsx'
import { userTexts } from '../../texts/users.ts'
import { type AccessDraft, AccessFields, accessOf, draftOf, isComplete } from './access.tsx'
import { GeneratedPasswordField } from './generated-password-field.tsx'
import { HandOver } from './hand-over.tsx'

/** Dialog that adds an account, then shows its sign-in details. */
export function AddUser({ onClose }: { onClose: () => void }) {
  const [access, setAccess] = useState<AccessDraft>(() => draftOf('viewer', ['files:read']))
  const create = useFormMutation({ mutationFn: createUser })
  if (create.isSuccess)
    return <HandOver user={create.data} password={create.variables.password} onClose={onClose} />
  return (
    <Dialog title={userTexts.addTitle} onClose={onClose}>
      <Form
        mutation={create}
        action={userTexts.add}
        isComplete={isComplete(access)}
        onSubmit={(form) =>
          create.mutate({
            name: String(form.get('name')),
            email: String(form.get('email')),
            password: String(form.get('password')),
            ...accessOf(access),
          })
        }
        onClose={onClose}
      >
        <NameField autoComplete="off" />
        <EmailField autoComplete="off" />
        <GeneratedPasswordField />
        <AccessFields access={access} onChange={setAccess} />
      </Form>
    </Dialog>
  )
}
