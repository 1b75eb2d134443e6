import { createFile, createFolder, useFolderTotals } from '../../../api/files.ts'
import { forgetUndo } from '../../../bulk/job.ts'
import { TextField } from '../../../components/fields/field.tsx'
import { Form, useFormMutation } from '../../../components/fields/form.tsx'
import { lazyComponent } from '../../../components/lazy.tsx'
import Confirm from '../../../components/overlays/confirm.tsx'
import { Dialog } from '../../../components/overlays/dialog.tsx'
import { formatBytes, formatItems, withMarks } from '../../../lib/format.ts'
import { joinKey } from '../../../lib/paths.ts'
import { browseTexts } from '../../../texts/browse.ts'
import { dialogTexts } from '../../../texts/dialogs.ts'
import { texts } from '../../../texts.ts'
import { uploadVisibility } from '../../../uploads/collect.ts'
import { deleteItems, setVisibility } from '../bulk.ts'
import type { FileCommands, Overlay } from '../commands.ts'
import { countItems, type FileItem, type Item, isFile, isFolder, sizeOf } from '../items.ts'
import { useOpenPreview } from '../preview/address.ts'

const Details = lazyComponent(() => import('./details.tsx'))
const Move = lazyComponent(() => import('./move.tsx'))
const NewKey = lazyComponent(() => import('../../keys/new-key.tsx'))
const People = lazyComponent(() => import('./people.tsx'))
const KeyboardHelp = lazyComponent(() => import('./keyboard-help.tsx'))
const Share = lazyComponent(() => import('./share.tsx'))
const Site = lazyComponent(() => import('./site.tsx'))

interface OverlaysProps {
  overlay: Overlay
  /** Object key of the open folder. */
  folder: string
  items: Item[]
  commands: FileCommands
  onClose: () => void
  onMoved: () => void
}

/** Dialog that is open above the list. */
export default function Overlays({ overlay, folder, items, commands, onClose, onMoved }: OverlaysProps) {
  switch (overlay.is) {
    case 'new-folder':
      return <NewFolder folder={folder} onClose={onClose} />
    case 'new-file':
      return <NewFile folder={folder} onClose={onClose} />
    case 'help':
      return <KeyboardHelp onClose={onClose} />
    case 'move':
      return <Move items={overlay.items} from={folder} onClose={onClose} onMoved={onMoved} />
    case 'delete':
      return <ConfirmDelete items={overlay.items} onClose={onClose} />
    case 'visibility':
      return (
        <Confirm
          title={dialogTexts.visibilityTitle(texts.visibility[overlay.visibility].toLowerCase())}
          action={texts.files[overlay.visibility === 'public' ? 'makePublic' : 'makePrivate']}
          onConfirm={() => void setVisibility(overlay.items, overlay.visibility)}
          onClose={onClose}
        >
          {dialogTexts.visibilityText}
        </Confirm>
      )
    case 'extension':
      return (
        <Confirm
          title={dialogTexts.extensionTitle(withMarks(overlay.name))}
          action={texts.files.rename}
          onConfirm={() => commands.renameTo(overlay.file, overlay.name)}
          onClose={onClose}
        >
          {dialogTexts.extensionText}
        </Confirm>
      )
    case 'share':
      return <Share items={overlay.items} access={overlay.access} onClose={onClose} />
    case 'people':
      return <People folder={overlay.folder} onClose={onClose} />
    case 'site':
      return <Site folder={overlay.folder} onClose={onClose} />
    case 'api-key':
      return <NewKey folder={overlay.folder.key} onClose={onClose} />
    case 'details':
      return <Details file={latest(overlay.file, items)} commands={commands} onClose={onClose} />
  }
}

/** Returns the current state of a file, which may have changed since the dialog opened. */
const latest = (file: FileItem, items: Item[]): FileItem =>
  items.filter(isFile).find(({ id }) => id === file.id) ?? file

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
        <TextField label={dialogTexts.folderName} name="name" maxLength={255} autoComplete="off" required />
      </Form>
    </Dialog>
  )
}

/** Dialog that creates an empty text file and opens its editor. */
function NewFile({ folder, onClose }: NewFolderProps) {
  const openPreview = useOpenPreview()
  const create = useFormMutation({
    mutationFn: (name: string) => createFile(folder, name, uploadVisibility.get()),
    onSuccess: (file) => {
      onClose()
      openPreview(file.id, { isEdited: true })
    },
  })
  return (
    <Dialog title={browseTexts.newFile} onClose={onClose}>
      <Form
        mutation={create}
        action={browseTexts.createFile}
        onSubmit={(form) => create.mutate(String(form.get('name')).trim())}
        onClose={onClose}
      >
        <TextField
          label={dialogTexts.folderName}
          name="name"
          defaultValue={browseTexts.untitled}
          onFocus={({ target }) => target.setSelectionRange(0, target.value.lastIndexOf('.'))}
          maxLength={255}
          autoComplete="off"
          required
        />
      </Form>
    </Dialog>
  )
}

/** Maximum folders that are counted, with one request each. Of more, the dialog shows only the number. */
const MAX_COUNTED = 10

/** Dialog that confirms a deletion and names what is lost. */
export function ConfirmDelete({ items, onClose }: { items: Item[]; onClose: () => void }) {
  const [only] = items
  const what = items.length === 1 && only ? texts.files.quoted(only.name) : formatItems(countItems(items))
  const text = useLossText(items)
  return (
    <Confirm
      title={dialogTexts.deleteTitle(what)}
      action={texts.files.deleteForGood}
      isReady={text !== undefined}
      onConfirm={() => void deleteItems(items)}
      onClose={onClose}
    >
      {text ?? dialogTexts.counting}
    </Confirm>
  )
}

/** Returns what would be lost, in words; undefined until it is counted. */
function useLossText(items: Item[]): string | undefined {
  const folders = items.filter(isFolder).map(({ id }) => id)
  const isCounted = folders.length <= MAX_COUNTED
  const below = useFolderTotals(isCounted ? folders : [])
  const { loss } = dialogTexts
  const own = countItems(items)
  if (!isCounted || below.error) return loss.uncounted(formatItems(own))
  if (!below.data) return undefined
  const size = sizeOf(items) + below.data.size
  const amount = size > 0 ? formatBytes(size) : ''
  if (folders.length === 0) return loss.files(own.files, formatItems(own), amount)
  if (items.length === 1) return loss.folder(formatItems(below.data), amount)
  const all = { files: own.files + below.data.files, folders: own.folders + below.data.folders }
  return loss.mixed(formatItems(all), amount)
}
