import { createFolder } from '../../../api/files.ts'
import { forgetUndo } from '../../../bulk/undo.ts'
import { TextField } from '../../../components/fields/field.tsx'
import { Form, useFormMutation } from '../../../components/fields/form.tsx'
import { Dialog } from '../../../components/overlays/dialog.tsx'
import { joinKey } from '../../../lib/keys.ts'
import { texts } from '../../../texts.ts'

interface NewFolderProps {
  /** Object key of the parent folder. */
  folder: string
  onClose: () => void
}

export function NewFolder({ folder, onClose }: NewFolderProps) {
  const create = useFormMutation({
    mutationFn: (name: string) => createFolder(joinKey(folder, name)),
    onSuccess: () => {
      forgetUndo()
      onClose()
    },
  })
  return (
    <Dialog title={texts.files.newFolder} onClose={onClose}>
      <Form
        mutation={create}
        action={texts.files.create}
        onSubmit={(form) => create.mutate(String(form.get('name')).trim())}
        onClose={onClose}
      >
        <TextField label={texts.files.folderName} name="name" maxLength={255} autoComplete="off" required />
      </Form>
    </Dialog>
  )
}
