import { lazyComponent } from '../../../components/lazy.tsx'
import Confirm from '../../../components/overlays/confirm.tsx'
import { texts } from '../../../texts.ts'
import { setVisibility } from '../bulk.ts'
import type { FileCommands, Overlay } from '../commands.ts'
import { type FileItem, type Item, isFile } from '../items.ts'
import { ConfirmDelete } from './confirm-delete.tsx'
import { NewFolder } from './new-folder.tsx'

const Details = lazyComponent(() => import('./details.tsx'))
const Move = lazyComponent(() => import('./move.tsx'))
const KeyboardHelp = lazyComponent(() => import('./keyboard-help.tsx'))
const Share = lazyComponent(() => import('./share.tsx'))

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
    case 'help':
      return <KeyboardHelp onClose={onClose} />
    case 'move':
      return <Move items={overlay.items} from={folder} onClose={onClose} onMoved={onMoved} />
    case 'delete':
      return <ConfirmDelete items={overlay.items} onClose={onClose} />
    case 'visibility':
      return (
        <Confirm
          title={texts.files.visibilityTitle(texts.visibility[overlay.visibility].toLowerCase())}
          action={texts.files[overlay.visibility === 'public' ? 'makePublic' : 'makePrivate']}
          onConfirm={() => void setVisibility(overlay.items, overlay.visibility)}
          onClose={onClose}
        >
          {texts.files.visibilityText}
        </Confirm>
      )
    case 'share':
      return <Share items={overlay.items} access={overlay.access} onClose={onClose} />
    case 'details':
      return <Details file={latest(overlay.file, items)} commands={commands} onClose={onClose} />
  }
}

/** Returns the current state of a file, which may have changed since the dialog opened. */
const latest = (file: FileItem, items: Item[]): FileItem =>
  items.filter(isFile).find(({ id }) => id === file.id) ?? file
