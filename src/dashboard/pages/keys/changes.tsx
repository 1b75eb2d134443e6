import { useMutation } from '@tanstack/react-query'
import { deleteKey, type Key, renameKey } from '../../api/keys.ts'
import { SHOWN_IN_PLACE } from '../../api/query.ts'
import { Button } from '../../components/button.tsx'
import { Confirm } from '../../components/confirm.tsx'
import { Dialog, DialogActions } from '../../components/dialog.tsx'
import { TextField } from '../../components/field.tsx'
import { FormError } from '../../components/notice.tsx'
import { toast } from '../../components/toast.tsx'
import { texts } from '../../texts.ts'

interface ChangeProps {
  apiKey: Key
  onClose: () => void
}

export function RenameKey({ apiKey, onClose }: ChangeProps) {
  const rename = useMutation({
    mutationFn: (name: string) => renameKey(apiKey.id, name),
    onSuccess: onClose,
    meta: SHOWN_IN_PLACE,
  })
  return (
    <Dialog title={texts.keys.renameTitle(apiKey.name)} onClose={onClose}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          rename.mutate(String(new FormData(event.currentTarget).get('name')))
        }}
      >
        <TextField
          label={texts.keys.name}
          name="name"
          defaultValue={apiKey.name}
          maxLength={255}
          autoComplete="off"
          required
        />
        <FormError error={rename.error} />
        <DialogActions>
          <Button onClick={onClose}>{texts.actions.cancel}</Button>
          <Button look="primary" type="submit" isBusy={rename.isPending}>
            {texts.keys.save}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}

export function DeleteKey({ apiKey, onClose }: ChangeProps) {
  const remove = useMutation({
    mutationFn: () => deleteKey(apiKey.id),
    onSuccess: () => toast.done(texts.keys.deleted(apiKey.name)),
  })
  return (
    <Confirm
      title={texts.keys.deleteTitle(apiKey.name)}
      action={texts.keys.delete}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      {texts.keys.deleteText}
    </Confirm>
  )
}
