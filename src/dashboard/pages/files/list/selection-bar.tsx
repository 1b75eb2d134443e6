import { Download, FolderInput, Globe, Lock, type LucideIcon, Share2, Trash2, X } from 'lucide-react'
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
      <Action icon={Download} name={texts.files.download} onClick={() => download(items, whole)} />
      <Action icon={Share2} name={texts.files.share} onClick={() => commands.share(items)} />
      {mayWrite && (
        <>
          <Action icon={FolderInput} name={texts.files.move} onClick={() => commands.move(items)} />
          <Action
            icon={Globe}
            name={texts.files.makePublic}
            onClick={() => commands.setVisibility(items, 'public')}
          />
          <Action
            icon={Lock}
            name={texts.files.makePrivate}
            onClick={() => commands.setVisibility(items, 'private')}
          />
        </>
      )}
      {mayDelete && <Action icon={Trash2} name={texts.files.delete} onClick={() => commands.remove(items)} />}
    </section>
  )
}

interface ActionProps {
  icon: LucideIcon
  name: string
  onClick: () => void
}

/** Button whose name is a title where the bar has no room for words. */
const Action = ({ icon, name, onClick }: ActionProps) => (
  <Button look="quiet" icon={icon} title={name} onClick={onClick}>
    {name}
  </Button>
)
