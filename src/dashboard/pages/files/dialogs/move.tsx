import { FolderPlus } from 'lucide-react'
import { useMemo, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { createFolder } from '../../../api/files.ts'
import { useMayWriteIn } from '../../../api/reach.ts'
import { Button, DialogActions } from '../../../components/fields/button.tsx'
import { TextField } from '../../../components/fields/field.tsx'
import { Form, useFormMutation } from '../../../components/fields/form.tsx'
import { Dialog } from '../../../components/overlays/dialog.tsx'
import { formatItems, withMarks } from '../../../lib/format.ts'
import { joinKey, lastSegment } from '../../../lib/paths.ts'
import { FolderPicker } from '../../../search/folder-picker.tsx'
import { dialogTexts } from '../../../texts/dialogs.ts'
import { texts } from '../../../texts.ts'
import { moveItems } from '../bulk.ts'
import { countItems, type Item, isFolder } from '../items.ts'

interface MoveProps {
  items: Item[]
  /** Object key of the folder that contains the items. */
  from: string
  onClose: () => void
  onMoved: () => void
}

/** Dialog that chooses a target, by name or folder by folder. */
export default function Move({ items, from, onClose, onMoved }: MoveProps) {
  const [target, setTarget] = useState(from)
  const [isNaming, setNaming] = useState(false)
  const mayMoveTo = useMayWriteIn()
  const mover = useRef<HTMLButtonElement>(null)
  // A folder cannot be moved into itself.
  const outside = useMemo(() => items.filter(isFolder).map(({ key }) => key), [items])
  const open = (key: string) => {
    setNaming(false)
    setTarget(key)
  }
  const choose = (key: string) => {
    // The button is disabled until the target changes.
    flushSync(() => open(key))
    mover.current?.focus()
  }
  const move = () => {
    onMoved()
    onClose()
    void moveItems(items, target)
  }
  return (
    <Dialog title={dialogTexts.moveTitle(whatOf(items))} onClose={onClose}>
      <FolderPicker
        key={String(isNaming)}
        {...{ target, outside, start: from }}
        onOpen={open}
        onChoose={choose}
      />
      {isNaming && <NameField target={target} onMade={choose} />}
      <DialogActions>
        <Button
          look="quiet"
          icon={FolderPlus}
          disabled={!mayMoveTo(target)}
          aria-expanded={isNaming}
          onClick={() => setNaming(!isNaming)}
        >
          {texts.files.newFolder}
        </Button>
        <Button onClick={onClose}>{texts.actions.cancel}</Button>
        <Button ref={mover} look="primary" disabled={target === from || !mayMoveTo(target)} onClick={move}>
          {dialogTexts.moveTo(withMarks(lastSegment(target)))}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

/** Returns the name of one item, or the number of several. */
function whatOf(items: readonly Item[]): string {
  const [only, ...others] = items
  return only && others.length === 0
    ? texts.files.quoted(withMarks(only.name))
    : formatItems(countItems(items))
}

/** Field that creates a folder in the target and opens it. */
function NameField({ target, onMade }: { target: string; onMade: (key: string) => void }) {
  const create = useFormMutation({
    mutationFn: async (name: string) => {
      const key = joinKey(target, name)
      await createFolder(key)
      return key
    },
    onSuccess: onMade,
  })
  return (
    <Form
      mutation={create}
      action={texts.files.create}
      onSubmit={(form) => create.mutate(String(form.get('name')).trim())}
    >
      <TextField
        label={dialogTexts.folderName}
        name="name"
        maxLength={255}
        autoComplete="off"
        autoFocus
        required
      />
    </Form>
  )
}
