import { Download, FolderInput, Globe, Lock, Share2, Trash2, X } from 'lucide-react'
import { useCan } from '../../../api/session.ts'
import { Button, IconButton } from '../../../components/fields/button.tsx'
import { formatBytes, formatItems } from '../../../lib/format.ts'
import type { Selection } from '../../../lib/selection.ts'
import { texts } from '../../../texts.ts'
import type { FileCommands } from '../commands.ts'
import { download } from '../downloads.ts'
import { countItems, type Item } from '../items.ts'
import { useSizeOf } from '../use-items.ts'

interface SelectionBarProps {
  selection: Selection<Item>
  commands: FileCommands
  /** Id of the folder whose whole content is selected. */
  whole: string | undefined
}

/** Actions on the selection, in place of the toolbar. */
export function SelectionBar({ selection, commands, whole }: SelectionBarProps) {
  const { items, clear } = selection
  const mayWrite = useCan('files:write')
  const mayDelete = useCan('files:delete')
  const size = useSizeOf(items) ?? 0
  return (
    <section className="toolbar selection-bar" aria-label={texts.files.selection}>
      <IconButton icon={X} label={texts.files.clearSelection} onClick={clear} />
      <p className="selection-count" aria-live="polite">
        {texts.files.selected(formatItems(countItems(items)))}
        {size > 0 && <small>{formatBytes(size)}</small>}
      </p>
      <Button look="quiet" icon={Download} onClick={() => download(items, whole)}>
        {texts.files.download}
      </Button>
      <Button look="quiet" icon={Share2} onClick={() => commands.share(items)}>
        {texts.files.share}
      </Button>
      {mayWrite && (
        <>
          <Button look="quiet" icon={FolderInput} onClick={() => commands.move(items)}>
            {texts.files.move}
          </Button>
          <Button look="quiet" icon={Globe} onClick={() => commands.setVisibility(items, 'public')}>
            {texts.files.makePublic}
          </Button>
          <Button look="quiet" icon={Lock} onClick={() => commands.setVisibility(items, 'private')}>
            {texts.files.makePrivate}
          </Button>
        </>
      )}
      {mayDelete && (
        <Button look="quiet" icon={Trash2} onClick={() => commands.remove(items)}>
          {texts.files.delete}
        </Button>
      )}
    </section>
  )
}
