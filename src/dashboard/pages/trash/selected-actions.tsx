import { Shredder, Undo2, X } from 'lucide-react'
import { useCan } from '../../api/session.ts'
import type { TrashItem } from '../../api/trash.ts'
import { restoreItems } from '../../bulk/trash.ts'
import { Button, IconButton } from '../../components/fields/button.tsx'
import { formatBytes, formatItems } from '../../lib/format.ts'
import type { Selection } from '../../lib/selection.ts'
import { texts } from '../../texts.ts'

interface SelectedActionsProps {
  selection: Selection<TrashItem>
  onDelete: (items: TrashItem[]) => void
}

/** Bar of actions on the selected items, at the lower edge of the page. */
export function SelectedActions({ selection: { items, clear }, onDelete }: SelectedActionsProps) {
  const [mayRestore, mayDelete] = [useCan('files:write'), useCan('files:delete')]
  const files = items.filter(({ kind }) => kind === 'file').length
  const size = items.reduce((sum, item) => sum + item.size, 0)
  return (
    <section className="toolbar selection-bar trash-selection" aria-label={texts.files.selection}>
      <IconButton icon={X} label={texts.files.clearSelection} onClick={clear} />
      <p className="selection-count" aria-live="polite">
        {texts.files.selected(formatItems({ files, folders: items.length - files }))}
        <small>{formatBytes(size)}</small>
      </p>
      {mayRestore && (
        <Button look="quiet" icon={Undo2} onClick={() => void restoreItems(items)}>
          {texts.trash.restore}
        </Button>
      )}
      {mayDelete && (
        <Button look="quiet" icon={Shredder} onClick={() => onDelete(items)}>
          {texts.trash.deleteForGood}
        </Button>
      )}
    </section>
  )
}
