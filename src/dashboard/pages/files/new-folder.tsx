import { useMutation } from '@tanstack/react-query'
import { createFolder } from '../../api/files.ts'
import { SHOWN_IN_PLACE } from '../../api/query.ts'
import { Button } from '../../components/button.tsx'
import { Dialog, DialogActions } from '../../components/dialog.tsx'
import { TextField } from '../../components/field.tsx'
import { FormError } from '../../components/notice.tsx'
import { joinKey } from '../../lib/keys.ts'
import { texts } from '../../texts.ts'

interface NewFolderProps {
  /** The key of the folder it is made in. */
  folder: string
  onClose: () => void
}

export function NewFolder({ folder, onClose }: NewFolderProps) {
  const create = useMutation({
    mutationFn: (name: string) => createFolder(joinKey(folder, name)),
    onSuccess: onClose,
    meta: SHOWN_IN_PLACE,
  })
  return (
    <Dialog title={texts.files.newFolder} onClose={onClose}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          create.mutate(String(new FormData(event.currentTarget).get('name')).trim())
        }}
      >
        <TextField label={texts.files.folderName} name="name" maxLength={255} autoComplete="off" required />
        <FormError error={create.error} />
        <DialogActions>
          <Button onClick={onClose}>{texts.actions.cancel}</Button>
          <Button look="primary" type="submit" isBusy={create.isPending}>
            {texts.files.create}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
