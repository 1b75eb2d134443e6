import { ChevronRight, Folder, FolderPlus } from 'lucide-react'
import { useState } from 'react'
import { createFolder, useSubfolders } from '../../../api/files.ts'
import { Button } from '../../../components/fields/button.tsx'
import { TextField } from '../../../components/fields/field.tsx'
import { Form, useFormMutation } from '../../../components/fields/form.tsx'
import { Failure, Loading } from '../../../components/notice.tsx'
import { Dialog, DialogActions } from '../../../components/overlays/dialog.tsx'
import { formatItems } from '../../../lib/format.ts'
import { isWithin, joinKey, lastSegment, trailOf } from '../../../lib/keys.ts'
import { withMarks } from '../../../lib/marks.ts'
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

/** Dialog that chooses a target, folder by folder. */
export default function Move({ items, from, onClose, onMoved }: MoveProps) {
  const [target, setTarget] = useState(from)
  const [isNaming, setNaming] = useState(false)
  const open = (key: string) => {
    setNaming(false)
    setTarget(key)
  }
  const move = () => {
    onMoved()
    onClose()
    void moveItems(items, target)
  }
  return (
    <Dialog title={texts.files.moveTitle(formatItems(countItems(items)))} onClose={onClose}>
      <Trail target={target} onOpen={setTarget} />
      <Subfolders target={target} moving={items} onOpen={setTarget} />
      {isNaming && <NameField target={target} onMade={open} />}
      <DialogActions>
        <Button look="quiet" icon={FolderPlus} aria-expanded={isNaming} onClick={() => setNaming(!isNaming)}>
          {texts.files.newFolder}
        </Button>
        <Button onClick={onClose}>{texts.actions.cancel}</Button>
        <Button look="primary" disabled={target === from} onClick={move}>
          {texts.files.moveTo(withMarks(lastSegment(target)))}
        </Button>
      </DialogActions>
    </Dialog>
  )
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
        label={texts.files.folderName}
        name="name"
        maxLength={255}
        autoComplete="off"
        autoFocus
        required
      />
    </Form>
  )
}

interface PlaceProps {
  target: string
  onOpen: (key: string) => void
}

const Trail = ({ target, onOpen }: PlaceProps) => (
  <nav className="move-trail" aria-label={texts.files.breadcrumb}>
    {[{ name: texts.files.root, key: '' }, ...trailOf(target)].map(({ name, key }) => (
      <button
        key={key}
        type="button"
        aria-current={key === target ? 'location' : undefined}
        onClick={() => onOpen(key)}
      >
        {withMarks(name)}
      </button>
    ))}
  </nav>
)

function Subfolders({ target, moving, onOpen }: PlaceProps & { moving: Item[] }) {
  const { data, error, refetch } = useSubfolders(target)
  if (error) return <Failure error={error} onRetry={refetch} />
  if (!data) return <Loading />
  // A folder cannot be moved into itself.
  const offered = data.filter(({ key }) => !moving.some((item) => isFolder(item) && isWithin(key, item.key)))
  if (offered.length === 0) return <p className="move-none">{texts.files.noFolders}</p>
  return (
    <ul className="move-list">
      {offered
        .toSorted((a, b) => a.name.localeCompare(b.name, undefined, { numeric: true }))
        .map(({ id, name, key }) => (
          <li key={id}>
            <button type="button" onClick={() => onOpen(key)}>
              <Folder aria-hidden size={18} />
              {withMarks(name)}
              <ChevronRight aria-hidden size={16} />
            </button>
          </li>
        ))}
    </ul>
  )
}
