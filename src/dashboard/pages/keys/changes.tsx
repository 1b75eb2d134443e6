import { type ApiKey, deleteKey, renameKey } from '../../api/keys.ts'
import { TextField } from '../../components/fields/field.tsx'
import { Form, useFormMutation } from '../../components/fields/form.tsx'
import { ConfirmChange } from '../../components/overlays/confirm-change.tsx'
import { Dialog } from '../../components/overlays/dialog.tsx'
import { keyTexts } from '../../texts/keys.ts'

interface ChangeProps {
  apiKey: ApiKey
  onClose: () => void
}

export function RenameKey({ apiKey, onClose }: ChangeProps) {
  const rename = useFormMutation({
    mutationFn: (name: string) => renameKey(apiKey.id, name),
    onSuccess: onClose,
  })
  return (
    <Dialog title={keyTexts.renameTitle(apiKey.name)} onClose={onClose}>
      <Form
        mutation={rename}
        action={keyTexts.save}
        onSubmit={(form) => rename.mutate(String(form.get('name')))}
        onClose={onClose}
      >
        <TextField
          label={keyTexts.name}
          name="name"
          defaultValue={apiKey.name}
          maxLength={255}
          autoComplete="off"
          required
        />
      </Form>
    </Dialog>
  )
}

export const DeleteKey = ({ apiKey, onClose }: ChangeProps) => (
  <ConfirmChange
    title={keyTexts.deleteTitle(apiKey.name)}
    action={keyTexts.delete}
    change={() => deleteKey(apiKey.id)}
    done={keyTexts.deleted(apiKey.name)}
    onClose={onClose}
  >
    {keyTexts.deleteText}
  </ConfirmChange>
)
