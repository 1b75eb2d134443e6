import { Shredder, Undo2 } from 'lucide-react'
import { kindOf } from '../../../platform/kinds.ts'
import { type Right, useReach } from '../../api/reach.ts'
import { useCan } from '../../api/session.ts'
import type { TrashItem } from '../../api/trash.ts'
import { Button, IconButton } from '../../components/fields/button.tsx'
import { KindIcon } from '../../components/icons.tsx'
import { Badge, RowName, Table, Time } from '../../components/table.tsx'
import { formatBytes, formatCount, formatDuration, parseTime, withMarks } from '../../lib/format.ts'
import { parentKey } from '../../lib/paths.ts'
import type { Selection } from '../../lib/selection.ts'
import { texts } from '../../texts.ts'

/** Returns the functions that tell if the account may restore or delete items, by the folder that they were in. */
export function useTrashRights() {
  const [canRestore, canDelete] = [useCan('files:write'), useCan('files:delete')]
  const { may } = useReach()
  const areIn = (items: readonly TrashItem[], right: Right) =>
    items.every(({ key }) => may(right, parentKey(key)))
  return {
    mayRestore: (items: readonly TrashItem[]) => canRestore && areIn(items, 'write'),
    mayDelete: (items: readonly TrashItem[]) => canDelete && areIn(items, 'delete'),
  }
}

interface TrashTableProps {
  items: readonly TrashItem[]
  selection: Selection<TrashItem>
  onRestore: (item: TrashItem) => void
  onDelete: (item: TrashItem) => void
}

/** Deleted files and folders. */
export function TrashTable({ items, selection, onRestore, onDelete }: TrashTableProps) {
  const { mayRestore, mayDelete } = useTrashRights()
  const { columns, restore, restoreOf, deleteForGoodOf, list, actions } = texts.trash
  return (
    <Table
      label={list}
      rows={items}
      selection={
        items.some((item) => mayRestore([item]) || mayDelete([item]))
          ? { of: selection, nameOf: ({ name }) => name }
          : undefined
      }
      columns={[
        { name: columns.name, cell: (item) => <Name item={item} /> },
        { name: columns.folder, cell: ({ key }) => <FolderOf itemKey={key} /> },
        {
          name: columns.deleted,
          cell: ({ deletedAt }) => <Time at={deletedAt} />,
        },
        { name: columns.size, cell: ({ size }) => formatBytes(size), isNumber: true },
        { name: columns.left, cell: ({ expiresAt }) => <TimeLeft until={expiresAt} /> },
      ]}
      actionsName={actions}
      actions={(item) => {
        const name = withMarks(item.name)
        return (
          <>
            {mayRestore([item]) && (
              <Button look="quiet" icon={Undo2} aria-label={restoreOf(name)} onClick={() => onRestore(item)}>
                {restore}
              </Button>
            )}
            {mayDelete([item]) && (
              <IconButton icon={Shredder} label={deleteForGoodOf(name)} onClick={() => onDelete(item)} />
            )}
          </>
        )
      }}
    />
  )
}

function Name({ item: { kind, name, count, mimeType } }: { item: TrashItem }) {
  return (
    <span className="row gap-3">
      <KindIcon kind={mimeType === null ? 'folder' : kindOf({ name, mimeType })} />
      <RowName note={kind === 'folder' && formatCount(count, texts.nouns.file)}>{withMarks(name)}</RowName>
    </span>
  )
}

const FolderOf = ({ itemKey }: { itemKey: string }) => (
  <span className="anywhere">{withMarks(parentKey(itemKey)) || texts.files.root}</span>
)

const DAY_SECONDS = 86_400
/** Days before an item is deleted for good from which its time is highlighted. */
const SOON_DAYS = 3

/** Time until an item is deleted for good, highlighted when it is short. */
function TimeLeft({ until }: { until: string }) {
  const seconds = (parseTime(until).getTime() - Date.now()) / 1000
  const text = texts.trash.left(formatDuration(seconds))
  return (
    <Time at={until}>{seconds < SOON_DAYS * DAY_SECONDS ? <Badge look="warning">{text}</Badge> : text}</Time>
  )
}
